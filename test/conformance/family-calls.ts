// The calls of the API family's published classes, written after the documentation of class 1.8: every method with the
// arguments the classes send, and the shape of the result they document.
import { z } from 'zod';

/** What the calls refer to. Every dialect has its own, so that a call that changes something can be made in each. */
export type Objects = {
  /** A short word that differs between dialects. */
  name: string;
  list: string;
  segment: string;
  /** A sent campaign with opens, clicks, bounces and an unsubscribed contact. */
  sent: string;
  draft: string;
  template: string;
  webhook: string;
  webhookUrl: string;
  username: string;
  password: string;
  make: {
    list(): Promise<string>;
    segment(): Promise<string>;
    draft(): Promise<string>;
    running(): Promise<string>;
    paused(): Promise<string>;
    scheduled(): Promise<string>;
    member(): Promise<string>;
    field(): Promise<string>;
    webhook(): Promise<string>;
    suppressed(): Promise<string>;
    key(): Promise<string>;
  };
};

export type FamilyCall = {
  method: string;
  /** The arguments as a program passes them to its class; null is left out on the wire. */
  params(objects: Objects): Record<string, unknown> | Promise<Record<string, unknown>>;
  returns: z.ZodType;
  /** The API key for the call, if it is not the account's. */
  key?(objects: Objects): Promise<string>;
};

const id = z.string().regex(/^[abcdf][0-9a-f]{7}$/);
const time = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
const timeOrNone = z.union([time, z.literal('')]);
const yes = z.literal(true);
const address = z.email();
const addresses = z.array(address).min(1);
const none = z.array(z.never()).max(0);
const key = z.string().regex(/^[0-9a-f]{32}$/);
const batch = z.object({
  success_count: z.int(),
  error_count: z.int(),
  errors: z.array(z.object({ code: z.int(), message: z.string(), email: z.string() })),
});
const counted = <T extends z.ZodType>(rows: T) => z.object({ total: z.int(), data: rows });
const pages = { start: 0, limit: 1000 };

const accountCalls: FamilyCall[] = [
  { method: 'ping', params: () => ({}), returns: z.literal("Everything's Ok!") },
  {
    method: 'getAccountDetails',
    params: () => ({}),
    returns: z.object({
      user_id: z.string(),
      username: z.string(),
      is_trial: z.boolean(),
      emails_left: z.int(),
      first_payment: timeOrNone,
      last_payment: timeOrNone,
      times_logged_in: z.int(),
      last_login: timeOrNone,
      contact: z.object({ email: address, company: z.string(), phone: z.string(), fax: z.string() }),
      orders: none,
    }),
  },
  { method: 'login', params: ({ username, password }) => ({ username, password }), returns: key },
  {
    method: 'apikeys',
    params: ({ username, password }) => ({ username, password, expired: true }),
    returns: z.array(z.object({ apikey: z.string().length(32), created_at: time, expired_at: timeOrNone })).min(1),
  },
  { method: 'apikeyAdd', params: ({ username, password }) => ({ username, password }), returns: key },
  {
    method: 'apikeyExpire',
    params: ({ username, password }) => ({ username, password }),
    returns: yes,
    key: ({ make }) => make.key(),
  },
];

const listCalls: FamilyCall[] = [
  {
    method: 'listCreate',
    params: ({ name }) => ({
      title: `List ${name}`,
      options: {
        permission_reminder: 'You signed up on our site',
        notify_to: 'owner@example.com',
        subscription_notify: true,
        unsubscription_notify: false,
        has_email_type_option: true,
        public_title: 'Our letter',
      },
    }),
    returns: id,
  },
  {
    method: 'lists',
    params: () => pages,
    returns: z
      .array(
        z.object({
          id,
          web_id: z.int(),
          name: z.string(),
          date_created: time,
          member_count: z.int(),
          unsubscribe_count: z.int(),
          default_from_name: z.string(),
          default_from_email: z.string(),
          default_subject: z.string(),
          default_language: z.string(),
        }),
      )
      .min(1),
  },
  ...[
    ['title', 'Renamed'],
    ['permission_reminder', 'why'],
    ['notify_to', 'n@example.com'],
    ['subscription_notify', true],
    ['unsubscription_notify', true],
    ['has_email_type_option', false],
  ].map(
    ([name, value]): FamilyCall => ({
      method: 'listUpdate',
      params: ({ list }) => ({ id: list, name, value }),
      returns: yes,
    }),
  ),
  { method: 'listDelete', params: async ({ make }) => ({ id: await make.list() }), returns: yes },
  ...['month', 'week', 'day'].map(
    (split_by): FamilyCall => ({
      method: 'listGrowthHistory',
      params: ({ list }) => ({ id: list, split_by, start_date: null, end_date: null, start: 0, limit: 25 }),
      returns: z
        .array(
          z.object({
            month: z.string().regex(/^\d{4}-\d\d$/),
            ...(split_by === 'week' && { week: z.string().regex(/^\d{4}-\d\d W\d\d$/) }),
            ...(split_by === 'day' && { day: z.string().regex(/^\d{4}-\d\d-\d\d$/) }),
            existing: z.int(),
            imports: z.int(),
          }),
        )
        .min(1),
    }),
  ),
  {
    method: 'listGrowthHistory',
    params: ({ list }) => ({
      id: list,
      split_by: 'day',
      start_date: '2020-01-01',
      end_date: '2020-12-31',
      start: 0,
      limit: 25,
    }),
    returns: none,
  },
  { method: 'listGrowthHistory', params: ({ list }) => ({ id: list }), returns: z.array(z.unknown()).min(1) },
  {
    method: 'listMergeVars',
    params: ({ list }) => ({ id: list }),
    returns: z
      .array(
        z.object({
          name: z.string(),
          req: z.boolean(),
          field_type: z.string(),
          show: z.boolean(),
          order: z.int(),
          default: z.string(),
          tag: z.string(),
          predefined_values: z.string(),
        }),
      )
      .min(3),
  },
  {
    method: 'listMergeVarAdd',
    params: ({ list, name }) => ({
      id: list,
      tag: `KIND_${name}`,
      name: 'Kind',
      options: { title: 'Kind', field_type: 'dropdown', predefined_values: 'a||b||c', req: false, show: true },
    }),
    returns: yes,
  },
  {
    method: 'listMergeVarAdd',
    params: ({ list, name }) => ({ id: list, tag: `SMS_${name}`, name: 'Mobile', options: { field_type: 'sms' } }),
    returns: yes,
  },
  {
    method: 'listMergeVarUpdate',
    params: async ({ list, make }) => ({
      id: list,
      tag: await make.field(),
      options: { title: 'Another name', predefined_values: '' },
    }),
    returns: yes,
  },
  {
    method: 'listMergeVarDel',
    params: async ({ list, make }) => ({ id: list, tag: await make.field() }),
    returns: yes,
  },
];

const memberCalls: FamilyCall[] = [
  {
    method: 'listSubscribe',
    params: ({ list, name }) => ({
      id: list,
      email_address: `new-${name}@example.com`,
      merge_vars: { FNAME: 'Ada' },
      email_type: 'html',
      double_optin: false,
      update_existing: false,
      send_welcome: false,
    }),
    returns: yes,
  },
  {
    method: 'listSubscribe',
    params: ({ list, name }) => ({
      id: list,
      email_address: `new-${name}@example.com`,
      merge_vars: [],
      email_type: '',
      double_optin: false,
      update_existing: true,
      replace_interests: true,
      send_welcome: false,
      ip_signup: '192.0.2.7',
    }),
    returns: yes,
  },
  {
    method: 'listUpdateMember',
    params: async ({ list, make }) => ({
      id: list,
      email_address: await make.member(),
      merge_vars: { FNAME: 'Grace' },
      email_type: '',
    }),
    returns: yes,
  },
  {
    method: 'listMemberInfo',
    params: async ({ list, make }) => ({ id: list, email_address: await make.member() }),
    returns: z.object({
      id,
      email: address,
      email_type: z.literal('plain'),
      merges: z.object({ EMAIL: address, FNAME: z.string() }),
      status: z.literal('subscribed'),
      ip_opt: z.string(),
      ip_signup: z.string(),
      timestamp: time,
    }),
  },
  {
    method: 'listBatchSubscribe',
    params: ({ list, name }) => ({
      id: list,
      batch: [
        { EMAIL: `b1-${name}@example.com`, EMAIL_TYPE: 'plain', FNAME: 'B' },
        { EMAIL: 'not "an" address', EMAIL_TYPE: 'html' },
      ],
      double_optin: false,
      update_existing: false,
    }),
    returns: batch.refine(({ success_count, error_count }) => success_count === 1 && error_count === 1),
  },
  {
    method: 'listMembers',
    params: ({ list }) => ({ id: list, status: 'subscribed', start: 0, limit: 100 }),
    returns: z.array(z.object({ email: address, timestamp: time })).min(1),
  },
  {
    method: 'listMembersByMerge',
    params: ({ list }) => ({
      id: list,
      merge_var: 'FNAME',
      merge_value: 'Ada',
      status: 'subscribed',
      start: 0,
      limit: 100,
    }),
    returns: z.array(z.object({ email: address, timestamp: time })).min(1),
  },
  {
    method: 'listsForEmail',
    params: async ({ make }) => ({ email_address: await make.member() }),
    returns: z.array(id).min(1),
  },
  {
    method: 'listUnsubscribe',
    params: async ({ list, make }) => ({
      id: list,
      email_address: await make.member(),
      delete_member: false,
      send_goodbye: true,
      send_notify: true,
    }),
    returns: yes,
  },
  {
    method: 'listBatchUnsubscribe',
    params: async ({ list, make }) => ({
      id: list,
      emails: [await make.member(), 'unknown@example.com'],
      delete_member: false,
      send_goodbye: false,
      send_notify: false,
    }),
    returns: batch,
  },
  {
    method: 'listMemberDelete',
    params: async ({ list, make }) => ({ id: list, email_address: await make.member() }),
    returns: yes,
  },
  {
    method: 'suppressedListSubscribe',
    params: ({ name }) => ({ email_address: `never-${name}@example.com` }),
    returns: yes,
  },
  {
    method: 'suppressedListBatchSubscribe',
    params: ({ name }) => ({
      batch: [{ EMAIL: `s1-${name}@example.com` }, { EMAIL: `s2-${name}@example.com` }, { EMAIL: 'no address' }],
    }),
    returns: batch.refine(({ success_count, error_count }) => success_count === 2 && error_count === 1),
  },
  {
    method: 'suppressedListMembers',
    params: () => ({ start: 0, limit: 100 }),
    returns: z.array(z.object({ email: z.string(), timestamp: time })).min(1),
  },
  {
    method: 'suppressedListUnsubscribe',
    params: async ({ make }) => ({ email_address: await make.suppressed() }),
    returns: yes,
  },
  {
    method: 'suppressedListBatchUnsubscribe',
    params: async ({ make }) => ({ emails: [await make.suppressed()] }),
    returns: batch,
  },
];

const condition = { field: 'FNAME', condition: 'starts', value: 'A' };
const segmentCalls: FamilyCall[] = [
  ...['all', 'and', 'or'].map(
    (match): FamilyCall => ({
      method: 'listSegmentCreate',
      params: ({ list }) => ({ list, title: `Segment ${match}`, match, filter: [condition], auto_update: false }),
      returns: id,
    }),
  ),
  {
    method: 'listSegments',
    params: ({ list }) => ({ id: list }),
    returns: z
      .array(z.object({ id, web_id: z.int(), name: z.string(), date_created: time, member_count: z.int() }))
      .min(1),
  },
  ...[
    ['title', 'Renamed'],
    ['match', 'any'],
    ['filter', [condition, { ...condition, value: 'G' }]],
  ].map(
    ([name, value]): FamilyCall => ({
      method: 'listSegmentUpdate',
      params: async ({ make }) => ({ sid: await make.segment(), name, value }),
      returns: yes,
    }),
  ),
  {
    method: 'listSegmentMembers',
    params: ({ segment }) => ({ id: segment, status: 'subscribed', start: 0, limit: 100 }),
    returns: z.array(z.object({ email: address, id, list: id, timestamp: time })).min(1),
  },
  { method: 'listSegmentDelete', params: async ({ make }) => ({ sid: await make.segment() }), returns: yes },
];

const campaignCalls: FamilyCall[] = [
  {
    method: 'campaignTemplates',
    params: () => ({}),
    returns: z
      .array(
        z.object({
          id,
          name: z.string(),
          layout: z.string(),
          preview_image: z.string(),
          source: z.string().includes('"'),
        }),
      )
      .min(1),
  },
  {
    method: 'campaignCreate',
    params: ({ list }) => ({
      type: 'html',
      options: {
        list_id: list,
        subject: 'A "quoted" subject 😀',
        from_email: 'reply@example.com',
        from_name: 'Test GmbH',
        to_email: '*|FNAME|*',
        tracking: { opens: true, html_clicks: true, text_clicks: false },
        generate_text: true,
        ln: 'en',
      },
      content: { html: '<p>Hello "you"</p>' },
      type_opts: [],
    }),
    returns: id,
  },
  {
    method: 'campaignCreate',
    params: ({ list, template }) => ({
      type: 'html',
      options: {
        list_id: list,
        subject: 'From a template',
        from_email: 'reply@example.com',
        from_name: 'Test GmbH',
        generate_text: true,
        template_id: template,
        ln: '',
      },
      content: [],
      type_opts: null,
    }),
    returns: id,
  },
  {
    method: 'campaigns',
    params: () => ({ filters: [], start: 0, limit: 25 }),
    returns: z
      .array(
        z.object({
          id,
          web_id: z.int(),
          title: z.string(),
          type: z.string(),
          create_time: time,
          send_time: timeOrNone,
          emails_sent: z.int(),
          status: z.enum(['sent', 'draft', 'paused', 'sending']),
          from_name: z.string(),
          from_email: z.string(),
          subject: z.string(),
          to_email: z.boolean(),
          archive_url: z.string(),
          analytics: z.boolean(),
          analytcs_tag: z.string(),
          track_clicks_text: z.boolean(),
          track_clicks_html: z.boolean(),
          track_opens: z.boolean(),
        }),
      )
      .min(1),
  },
  {
    method: 'campaigns',
    params: ({ draft }) => ({ filters: { campaign_id: draft }, start: '', limit: '' }),
    returns: z.array(z.object({ id })).length(1),
  },
  {
    method: 'campaignUpdate',
    params: ({ draft }) => ({ cid: draft, name: 'subject', value: 'Another "subject"' }),
    returns: yes,
  },
  {
    method: 'campaignSendTest',
    params: ({ draft }) => ({ cid: draft, test_emails: ['me@example.com'], send_type: null }),
    returns: yes,
  },
  {
    method: 'campaignSchedule',
    params: async ({ make }) => ({ cid: await make.draft(), schedule_time: '2099-01-01 09:00:00' }),
    returns: yes,
  },
  {
    method: 'campaignSchedule',
    params: async ({ make }) => ({
      cid: await make.draft(),
      schedule_time: '2099-01-01 09:00:00',
      schedule_time_b: '',
    }),
    returns: yes,
  },
  {
    method: 'campaignCreate',
    params: ({ list }) => ({
      type: 'regular',
      options: {
        list_id: list,
        subject: 'Words for a boolean',
        from_email: 'reply@example.com',
        from_name: 'Test GmbH',
        auto_footer: ' 1 ',
        authenticate: 'off',
      },
      content: { html: '<p>Hello</p>', plain: 'Hello' },
    }),
    returns: id,
  },
  { method: 'campaignUnschedule', params: async ({ make }) => ({ cid: await make.scheduled() }), returns: yes },
  { method: 'campaignReplicate', params: ({ draft }) => ({ cid: draft }), returns: id },
  { method: 'campaignSendNow', params: async ({ make }) => ({ cid: await make.draft() }), returns: yes },
  { method: 'campaignPause', params: async ({ make }) => ({ cid: await make.running() }), returns: yes },
  { method: 'campaignResume', params: async ({ make }) => ({ cid: await make.paused() }), returns: yes },
  { method: 'campaignDelete', params: async ({ make }) => ({ cid: await make.draft() }), returns: yes },
];

const bounces = (method: string): FamilyCall => ({
  method,
  params: ({ sent }) => ({ cid: sent, ...pages }),
  returns: addresses,
});
const reportCalls: FamilyCall[] = [
  {
    method: 'campaignStats',
    params: ({ sent }) => ({ cid: sent }),
    returns: z.object({
      ...Object.fromEntries(
        'hard_bounces soft_bounces blocked_bounces temporary_bounces generic_bounces unsubscribes forwards opens unique_opens clicks unique_clicks users_who_clicked emails_sent'
          .split(' ')
          .map((name) => [name, z.int()]),
      ),
      last_open: time,
      last_click: time,
    }),
  },
  {
    method: 'campaignClickStats',
    params: ({ sent }) => ({ cid: sent }),
    returns: z.array(z.object({ id: z.string(), url: z.url(), clicks: z.int(), unique: z.int() })).min(1),
  },
  ...[[], { linkId: '1' }, { link: 'https://example.com/one?a=1&b=2' }].map(
    (filters): FamilyCall => ({
      method: 'campaignClickStatsDetails',
      params: ({ sent }) => ({ cid: sent, filters, start: 0, limit: 25 }),
      returns: z
        .array(z.object({ email: address, link: z.url(), date: time, device: z.string(), browser: z.string() }))
        .min(1),
    }),
  ),
  {
    method: 'campaignEmailDomainPerformance',
    params: ({ sent }) => ({ cid: sent }),
    returns: z
      .array(
        z.object({
          domain: z.string(),
          ...Object.fromEntries(
            'total_sent emails bounces opens clicks unsubs delivered'.split(' ').map((name) => [name, z.int()]),
          ),
          ...Object.fromEntries(
            'emails_pct bounces_pct opens_pct clicks_pct unsubs_pct'.split(' ').map((name) => [name, z.number()]),
          ),
        }),
      )
      .min(1),
  },
  ...['Hard', 'Soft', 'Blocked', 'Temporary', 'Generic'].map((kind) => bounces(`campaign${kind}Bounces`)),
  bounces('campaignUnsubscribes'),
  {
    method: 'campaignGeoOpens',
    params: ({ sent }) => ({ cid: sent }),
    returns: z.array(z.object({ code: z.string(), name: z.string(), opens: z.int() })).min(1),
  },
  {
    method: 'campaignGeoOpensByCountry',
    params: ({ sent }) => ({ cid: sent, code: 'LV' }),
    returns: z.object({ code: z.literal('LV'), name: z.string(), opens: z.int() }),
  },
  { method: 'campaignForwardStats', params: ({ sent }) => ({ cid: sent, ...pages }), returns: none },
  {
    method: 'campaignBounceMessages',
    params: ({ sent }) => ({ cid: sent, start: 0, limit: 25 }),
    returns: z.array(z.object({ date: time, email: address, message: z.string().min(1) })).min(5),
  },
  {
    method: 'campaignOpened',
    params: ({ sent }) => ({ cid: sent, start: 0, limit: 25 }),
    returns: counted(z.array(z.object({ email: address, count: z.int() })).min(1)),
  },
  {
    method: 'campaignNotOpened',
    params: ({ sent }) => ({ cid: sent, start: 0, limit: 25 }),
    returns: counted(addresses),
  },
];

const webhookCalls: FamilyCall[] = [
  {
    method: 'webhookCreate',
    params: ({ list, webhookUrl }) => ({
      title: 'Hook',
      options: {
        url: webhookUrl,
        list_id: list,
        secret_key: 'a secret',
        events: ['contact.subscribe', 'contact.unsubscribe'],
        sources: ['subscriber', 'api'],
      },
    }),
    returns: id,
  },
  {
    method: 'webhooks',
    params: () => ({}),
    returns: z
      .array(
        z.object({
          id,
          web_id: z.int(),
          title: z.string(),
          create_time: time,
          list_id: z.string(),
          list_name: z.string(),
          last_event: timeOrNone,
          total_events: z.int(),
          status: z.enum(['enabled', 'disabled']),
          url: z.url(),
          secret_key: z.string(),
          events: z.array(z.string()),
          sources: z.array(z.string()),
        }),
      )
      .min(1),
  },
  ...[
    ['title', 'Renamed'],
    ['status', 'disabled'],
    ['status', 'enabled'],
    ['events', ['contact.update']],
  ].map(
    ([name, value]): FamilyCall => ({
      method: 'webhookUpdate',
      params: ({ webhook }) => ({ wid: webhook, name, value }),
      returns: yes,
    }),
  ),
  { method: 'webhookReplicate', params: ({ webhook }) => ({ wid: webhook }), returns: id },
  { method: 'webhookDelete', params: async ({ make }) => ({ wid: await make.webhook() }), returns: yes },
];

export const familyCalls: readonly FamilyCall[] = [
  ...accountCalls,
  ...listCalls,
  ...memberCalls,
  ...segmentCalls,
  ...campaignCalls,
  ...reportCalls,
  ...webhookCalls,
];

/** The methods of class 1.8 about text messages. */
export const smsMethods = [
  'listBatchSubscribeSMS',
  'listBatchUnsubscribeSMS',
  'listSubscribeSMS',
  'listUnsubscribeSMS',
  'smsCampaignBounces',
  'smsCampaignClickStats',
  'smsCampaignCreate',
  'smsCampaignDelete',
  'smsCampaignReplicate',
  'smsCampaigns',
  'smsCampaignSchedule',
  'smsCampaignSendNow',
  'smsCampaignStats',
  'smsCampaignTemplates',
  'smsCampaignUnschedule',
  'smsCampaignUpdate',
  'smsSenderIdRegister',
];
