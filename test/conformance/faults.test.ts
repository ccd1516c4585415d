// Every fault that a method declares is raised here at least once, with its number and a text that names the member,
// and none of them leaves or removes a row.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setAccount } from '../../src/accounts/account/account.ts';
import { authenticate } from '../../src/accounts/keys/authenticate.ts';
import { createKey } from '../../src/accounts/keys/key.ts';
import { lackedBy } from '../../src/accounts/keys/permissions.ts';
import type { Fault, FaultName } from '../../src/base/faults.ts';
import { sql } from '../../src/db/connect.ts';
import { formatId } from '../../src/db/ids.ts';
import { call } from '../../src/doors/call.ts';
import { commonFaults } from '../../src/doors/describe.ts';
import { methods } from '../../src/doors/registry.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import {
  countRows,
  draftOf,
  type Fixture,
  makeAccount,
  makeImport,
  makePlaceholder,
  makeSegment,
  memberEmail,
  personPassword,
  signIn,
} from './fixture.ts';

let app: TestApp;
let own: Fixture;
let cid: string;
let imported: string;
let running: string;
let other: string;
let elsewhere: string;
let automation: string;
let recurring: string;
let avoided: string;
let usedSender: string;
let cleanUpRule: string;
let session: string;
let owner: string;
let handedOver: string;
before(async () => {
  app = await testApp();
  // Passkeys need a host name.
  app.app.baseUrl = 'http://localhost:8080';
  own = await makeAccount(app.app);
  cid = (await makePlaceholder(app.app, own, 'campaign'))!;
  running = (await makePlaceholder(app.app, own, 'running'))!;
  handedOver = (await makePlaceholder(app.app, own, 'message'))!;
  await app.app.db.run(sql`update delivery set state = 2 where occasion = ${handedOver}`);
  recurring = (await makePlaceholder(app.app, own, 'recurring'))!;
  automation = (await makePlaceholder(app.app, own, 'automation'))!;
  imported = await makeImport(own.call, own.list);
  other = await own.call<string>('listCreate', { title: 'Others' });
  await own.call('labelCreate', { name: 'Taken' });
  elsewhere = await makeSegment(app.app, own.accountId, other);
  const person = await signIn(app.app, own.accountId);
  session = person.token;
  owner = formatId(person.userId);
  // A first wrong password makes the row that counts them.
  await asPerson('passwordUpdate', { old: 'wrong', new: 'x' }).catch(() => {});
  await asPerson('totpConfirm', { code: '123456' }).catch(() => {});
  await own.call('login', { username: 'person1@example.com', password: 'wrong' }).catch(() => {});
  for (const [email, status] of [
    ['gone@example.com', 'unsubscribed'],
    ['waiting@example.com', 'pending'],
  ]) {
    await own.call('listSubscribe', { id: own.list, email_address: email, double_optin: status === 'pending' });
    if (status === 'unsubscribed') await own.call('listUnsubscribe', { id: own.list, email_address: email });
  }
  await own.call('listMergeVarAdd', { id: other, tag: 'CITY', name: 'City', options: { req: true } });
  usedSender = (await makePlaceholder(app.app, own, 'sender'))!;
  await own.call('listUpdate', { id: other, name: 'sender', value: usedSender });
  avoided = await own.call<string>('listCreate', { title: 'Avoided' });
  await own.call('listMergeVarAdd', { id: avoided, tag: 'CITY', name: 'City' });
  await own.call('listSegmentCreate', {
    list: avoided,
    title: 'Turin',
    match: 'all',
    filter: [{ field: 'CITY', condition: 'is', value: 'Turin' }],
  });
  await create({ options: { exclude_list_id: avoided } });
  // It would remove the contact that waits.
  await app.app.db.run(sql`
    update subscription
    set signup_at = now() - interval '400 days'
    where account_id = ${own.accountId}
      and status = 'pending'`);
  cleanUpRule = await own.call('cleanUpRuleCreate', { kind: 'unconfirmed', days: 300, action: 'remove' });
  await addDifferent();
});
after(() => app.close());

/** A contact with another value of a field on each of two lists. */
async function addDifferent(): Promise<void> {
  for (const title of ['One', 'Two']) {
    const id = await own.call<string>('listCreate', { title });
    await own.call('listMergeVarAdd', { id, tag: 'DIFFERS', name: 'Differs' });
    const member = { id, email_address: 'differs@example.com', double_optin: false };
    await own.call('listSubscribe', { ...member, merge_vars: { DIFFERS: title } });
  }
}

type Case = [fault: FaultName, code: number, words: string, act: () => Promise<unknown>];
const none = 'b0000000';
const create = (changes: Parameters<typeof draftOf>[1]) => own.call('campaignCreate', draftOf(own.list, changes));
const update = (name: string, value: unknown) => own.call('campaignUpdate', { cid, name, value });
const auto = { 'offset-units': 'day', 'offset-time': 1 };
const many = (count: number) => Array.from({ length: count }, (_one, i) => `t${i}@example.com`);

/** A call with the key of the account, as a door makes it. */
const withKey = (key: unknown, method: string, params: Record<string, unknown> = {}) =>
  call(app.app, method, params, { kind: 'key', key, ip: '127.0.0.1' }, 'json');
/** A call of a person who is signed in. */
const asPerson = (method: string, params: Record<string, unknown> = {}) =>
  call(app.app, method, params, { kind: 'session', token: session, ip: '127.0.0.1' }, 'web');
/** Acts while the account is changed. */
async function whileAccount(change: Parameters<typeof setAccount>[2], act: () => Promise<unknown>): Promise<void> {
  await setAccount(app.app.db, own.accountId, change);
  try {
    await act();
  } finally {
    await setAccount(app.app.db, own.accountId, { active: true, maySend: true });
  }
}

async function sendWithoutApproval(): Promise<void> {
  const setRule = (rule: string) =>
    app.app.db.run(sql`
      update account set settings = settings || jsonb_build_object('approval', ${rule}::text) where id = ${own.accountId}`);
  await setRule('everyone');
  try {
    await own.call('campaignSendNow', { cid });
  } finally {
    await setRule('none');
  }
}

const importWith = (options: Record<string, unknown>) =>
  own.call('importCreate', { id: own.list, content: 'Email\nann@example.com\n', options });

const late = { name: 'subject', value: 'Late' };

const cases: Case[] = [
  ['INVALID_PARAMETER', -32602, 'version', () => own.call('campaignVersions', { cid, version: 7 })],
  ['INVALID_PARAMETER', -32602, 'version', () => own.call('campaignVersionRestore', { cid, version: 7 })],
  ['APPROVAL_NEEDED', 323, 'approved by another person', sendWithoutApproval],
  ['CAMPAIGN_CHANGED', 322, 'base_version', () => own.call('campaignUpdate', { ...late, cid, base_version: 7 })],
  ['ADDRESS_UNKNOWN', 232, 'email', () => own.call('campaignPreview', { cid, email: 'nobody@example.net' })],
  ['UNKNOWN_METHOD', -32601, 'campaignExplode', () => own.call('campaignExplode')],
  ['INVALID_PARAMETER', -32602, 'cid is required', () => own.call('campaignSendNow')],
  ['INVALID_PARAMETER', -32602, 'colour is not a known', () => own.call('campaignSendNow', { cid, colour: 1 })],
  ['INVALID_PARAMETER', -32602, 'cid is not a string', () => own.call('campaignDelete', { cid: {} })],
  ['INVALID_PARAMETER', -32602, 'subject contains a NUL', () => create({ options: { subject: 'a\0' } })],
  ['ACCOUNT_DISABLED', 101, 'suspended', () => whileAccount({ active: false }, () => withKey(own.key, 'campaigns'))],
  ['KEY_INVALID', 104, 'apikey is missing', () => withKey(undefined, 'campaigns')],
  ['KEY_INVALID', 104, 'apikey is not a valid key', () => withKey('f'.repeat(32), 'campaigns')],
  ['KEY_INVALID', 104, 'apikey is not a valid key', () => withKey([own.key], 'campaigns')],
  ['NOT_ALLOWED', 120, 'options.sender', () => create({ options: { sender: 'x@example.com' } })],
  ['NOT_ALLOWED', 120, 'sender', () => update('sender', 'x@example.com')],
  [
    'SENDING_NOT_ALLOWED',
    122,
    'may not send',
    () => whileAccount({ maySend: false }, () => own.call('campaignSendNow', { cid })),
  ],
  [
    'SENDING_NOT_ALLOWED',
    122,
    'may not send',
    () => whileAccount({ maySend: false }, () => own.call('campaignSendTest', { cid, test_emails: many(1) })),
  ],
  [
    'QUOTA_USED',
    126,
    'may send 1 emails a month',
    () =>
      whileQuota(1, () =>
        own.call('messageSend', { to: ['a@example.com', 'b@example.com'], subject: 'x', html: '<p>x</p>' }),
      ),
  ],
  ['ADDON_MISSING', 125, 'options.inline_img', () => create({ options: { inline_img: true } })],
  ['ADDON_MISSING', 125, 'inline_img', () => update('inline_img', true)],
  ['NOT_ALLOWED', 120, 'signed-in', () => own.call('sessions')],
  ['NOT_ALLOWED', 120, 'account_id', () => asPerson('sessionSwitch', { account_id: none })],
  ['PASSWORD_INVALID', 132, 'old is not', () => asPerson('passwordUpdate', { old: 'wrong', new: 'x' })],
  ['USER_UNKNOWN', 102, 'id', () => own.call('userUpdate', { id: none, role: 'viewer' })],
  ['USER_UNKNOWN', 102, 'id', () => own.call('userDelete', { id: none })],
  ['INVITATION_UNKNOWN', 138, 'id', () => asPerson('invitationAccept', { id: none })],
  ['INVITATION_UNKNOWN', 138, 'id', () => asPerson('invitationDecline', { id: none })],
  ['USER_EXISTS', 108, 'email', () => own.call('userInvite', { email: 'person1@example.com', role: 'viewer' })],
  ['ADDRESS_INVALID', 502, 'email', () => own.call('userInvite', { email: 'nobody', role: 'viewer' })],
  ['INVALID_PARAMETER', -32602, 'role', () => own.call('userInvite', { email: 'a@example.com', role: 'god' })],
  ['LAST_OWNER', 134, 'id', () => own.call('userUpdate', { id: owner, role: 'editor' })],
  ['LAST_OWNER', 134, 'id', () => own.call('userDelete', { id: owner })],
  ['ACCOUNT_OPTION_INVALID', 133, 'colour', () => own.call('accountUpdate', { name: 'colour', value: 'red' })],
  ['ACCOUNT_OPTION_INVALID', 133, '__proto__', () => own.call('accountUpdate', { name: '__proto__', value: 'red' })],
  [
    'ACCOUNT_OPTION_INVALID',
    133,
    'time_zone is not',
    () => own.call('accountUpdate', { name: 'time_zone', value: 'Mars/Olympus' }),
  ],
  [
    'ACCOUNT_OPTION_INVALID',
    133,
    'website is not',
    () => own.call('accountUpdate', { name: 'website', value: 'javascript:alert(1)' }),
  ],
  ['ACCOUNT_OPTION_INVALID', 133, 'language must', () => asPerson('personUpdate', { name: 'language', value: 'tlh' })],
  ['LIMIT_OUT_OF_RANGE', 553, 'limit', () => own.call('auditLog', { limit: 0 })],
  ['START_OUT_OF_RANGE', 554, 'start', () => own.call('auditLog', { start: -1 })],
  ['PASSWORD_INVALID', 132, 'password is not', () => asPerson('totpBegin', { password: 'wrong' })],
  ['CODE_INVALID', 136, 'code', () => asPerson('totpConfirm', { code: '123456' })],
  ['CODE_INVALID', 136, 'code', () => asPerson('totpDelete', { password: personPassword, code: '123456' })],
  ['SESSION_UNKNOWN', 135, 'id', () => asPerson('sessionEnd', { id: none })],
  ['IDENTITY_UNKNOWN', 142, 'issuer', () => asPerson('identityDelete', { issuer: 'https://login.example.com' })],
  ['IDENTITY_NEEDED', 143, 'issuer', removeOnlyIdentity],
  ['PASSKEY_UNKNOWN', 170, 'id', () => asPerson('passkeyDelete', { id: '1' })],
  ['PASSKEY_INVALID', 171, 'response', () => asPerson('passkeyCreate', { name: 'Laptop', response: '{}' })],
  ['SIGN_IN_FAILED', 130, 'username', () => own.call('login', { username: 'person1@example.com', password: 'wrong' })],
  ['INVALID_PARAMETER', -32602, 'id', () => own.call('relayTest', { id: 'nowhere:25' })],
  ['DOMAIN_UNKNOWN', 140, 'domain', () => own.call('senderDomainCheck', { domain: 'nobody.example' })],
  ['DOMAIN_UNKNOWN', 140, 'domain', () => own.call('senderDomainDelete', { domain: 'x' })],
  ['DOMAIN_INVALID', 141, 'domain', () => own.call('senderDomainCreate', { domain: 'localhost' })],
  ['LIST_UNKNOWN', 200, 'options.list_id', () => create({ options: { list_id: none } })],
  ['LIST_UNKNOWN', 200, 'list_id', () => update('list_id', [own.list, none])],
  ['LIST_UNKNOWN', 200, none, () => own.call('listDelete', { id: none })],
  [
    'LIST_OPTION_INVALID',
    211,
    'options.colour',
    () => own.call('listCreate', { title: 'T', options: { colour: 'red' } }),
  ],
  ['LIST_OPTION_INVALID', 211, 'colour', () => own.call('listUpdate', { id: own.list, name: 'colour', value: 'red' })],
  [
    'ALREADY_SUBSCRIBED',
    214,
    memberEmail,
    () => own.call('listSubscribe', { id: own.list, email_address: memberEmail }),
  ],
  [
    'NOT_SUBSCRIBED',
    215,
    'waiting@example.com',
    () => own.call('listUnsubscribe', { id: own.list, email_address: 'waiting@example.com' }),
  ],
  [
    'ADDRESS_ALREADY_SUBSCRIBED',
    230,
    'merge_vars.EMAIL',
    () =>
      own.call('listUpdateMember', {
        id: own.list,
        email_address: memberEmail,
        merge_vars: { EMAIL: 'waiting@example.com' },
      }),
  ],
  [
    'ADDRESS_UNSUBSCRIBED',
    231,
    'gone@example.com',
    () => own.call('listUnsubscribe', { id: own.list, email_address: 'gone@example.com' }),
  ],
  ['ADDRESS_UNKNOWN', 232, 'email_address', () => own.call('listsForEmail', { email_address: 'who@example.com' })],
  [
    'FIELD_REQUIRED',
    250,
    'merge_vars.CITY',
    () => own.call('listSubscribe', { id: other, email_address: 'new@example.com' }),
  ],
  ['EMAIL_FIELD_FIXED', 251, 'tag', () => own.call('listMergeVarDel', { id: own.list, tag: 'EMAIL' })],
  ['FIELD_INVALID', 254, 'tag', () => own.call('listMergeVarAdd', { id: own.list, tag: '1 2', name: 'N' })],
  [
    'FIELD_INVALID',
    254,
    'NOPE',
    () => own.call('listSubscribe', { id: own.list, email_address: 'new@example.com', merge_vars: { NOPE: 'x' } }),
  ],
  ['IMPORT_UNKNOWN', 260, none, () => own.call('importGet', { import: none })],
  ['IMPORT_INVALID', 261, 'either', () => own.call('importCreate', { id: own.list })],
  ['IMPORT_INVALID', 261, 'options.update', () => importWith({ update: 'perhaps' })],
  ['IMPORT_INVALID', 261, 'options.encoding', () => importWith({ encoding: 'martian' })],
  ['IMPORT_INVALID', 261, 'the column "Nope"', () => importWith({ mapping: { Nope: 'FNAME' } })],
  ['IMPORT_STATE_CONFLICT', 262, 'mapped', () => own.call('importStop', { import: imported })],
  ['UPLOAD_UNKNOWN', 263, 'upload', () => own.call('importCreate', { id: own.list, upload: none })],
  ['CAMPAIGN_UNKNOWN', 300, 'cid', () => own.call('campaignReplicate', { cid: none })],
  ['CONTENT_INVALID', 311, 'content.plain is missing', () => create({ content: { html: '<p>x</p>' } })],
  ['CONTENT_INVALID', 311, 'content has no HTML', () => create({ content: {} })],
  ['CONTENT_INVALID', 311, 'content.colour is not a known', () => create({ content: { colour: 'red' } })],
  ['CONTENT_INVALID', 311, 'content.plain is missing', () => create({ type: 'plain', content: { html: 'x' } })],
  ['CONTENT_INVALID', 311, 'html', () => update('html', ' ')],
  ['CAMPAIGN_OPTION_INVALID', 312, 'options.colour is not a known', () => create({ options: { colour: 'red' } })],
  ['CAMPAIGN_OPTION_INVALID', 312, 'options.subject is empty', () => create({ options: { subject: '  ' } })],
  ['CAMPAIGN_OPTION_INVALID', 312, 'options.authenticate', () => create({ options: { authenticate: true } })],
  ['CAMPAIGN_OPTION_INVALID', 312, 'options.list_id names no list', () => create({ options: { list_id: [] } })],
  ['CAMPAIGN_OPTION_INVALID', 312, 'type must be one of', () => create({ type: 'rss' })],
  ['CAMPAIGN_OPTION_INVALID', 312, 'colour', () => update('colour', 'red')],
  ['CAMPAIGN_OPTION_INVALID', 312, 'archive_type must be one of', () => update('archive_type', 'rar')],
  [
    'CAMPAIGN_STATE_CONFLICT',
    313,
    'already being sent',
    () => own.call('campaignSendTest', { cid: running, test_emails: ['me@example.com'] }),
  ],
  ['CAMPAIGN_STATE_CONFLICT', 313, 'The campaign is a draft', () => own.call('campaignUnschedule', { cid })],
  [
    'CAMPAIGN_STATE_CONFLICT',
    313,
    'already being sent',
    () => own.call('campaignUpdate', { cid: running, name: 'subject', value: 'x' }),
  ],
  ['CAMPAIGN_STATE_CONFLICT', 313, 'draft', () => own.call('campaignPause', { cid })],
  ['CAMPAIGN_STATE_CONFLICT', 313, 'draft', () => own.call('campaignResolve', { cid, action: 'resend' })],
  ['CAMPAIGN_STATE_CONFLICT', 313, 'leaves out this list', () => own.call('listDelete', { id: avoided })],
  ['CAMPAIGN_STATE_CONFLICT', 313, 'uses CITY', () => own.call('listMergeVarDel', { id: avoided, tag: 'CITY' })],
  ['SEGMENT_INVALID', 315, 'options.segment_id', () => create({ options: { segment_id: none } })],
  ['SEGMENT_INVALID', 315, 'segment_id', () => update('segment_id', elsewhere)],
  ['AUTORESPONDER_INVALID', 317, 'type_opts is required', () => create({ type: 'auto' })],
  [
    'AUTORESPONDER_INVALID',
    317,
    'type_opts.colour is not a known',
    () => create({ type: 'auto', type_opts: { ...auto, colour: 1 } }),
  ],
  [
    'AUTORESPONDER_INVALID',
    317,
    'type_opts.event-datemerge',
    () => create({ type: 'auto', type_opts: { ...auto, event: 'date', 'event-datemerge': 'NOPE' } }),
  ],
  ['AUTORESPONDER_INVALID', 317, 'type_opts', () => update('type', 'auto')],
  ['ARCHIVE_INVALID', 318, 'content.archive', () => create({ content: { archive: '????' } })],
  ['ARCHIVE_INVALID', 318, 'archive', () => update('archive', '????')],
  ['ASSET_INVALID', 320, 'content', () => own.call('assetCreate', { content: 'bm8gcGljdHVyZQ==' })],
  ['ASSET_INVALID', 320, 'content', () => own.call('assetCreate', { content: '????' })],
  ['ASSET_UNKNOWN', 321, 'name', () => own.call('assetDelete', { name: 'nothing.png' })],
  ['WEBHOOK_UNKNOWN', 330, 'wid', () => own.call('webhookDelete', { wid: none })],
  ['WEBHOOK_OPTION_INVALID', 331, 'url', () => own.call('webhookCreate', { title: 'T', options: { url: 'nowhere' } })],
  ['AUTOMATION_UNKNOWN', 335, 'id', () => own.call('automationDelete', { id: none })],
  ['AUTOMATION_INVALID', 336, 'choose what starts it', () => own.call('automationStart', { id: automation })],
  [
    'AUTOMATION_INVALID',
    336,
    'steps.0.type',
    () => own.call('automationUpdate', { id: automation, steps: [{ type: 'sms' }] }),
  ],
  ['AUTOMATION_STATE_CONFLICT', 337, 'not active', () => own.call('automationPause', { id: automation })],
  ['LABEL_UNKNOWN', 370, 'value', () => own.call('listUpdate', { id: own.list, name: 'add_label', value: none })],
  ['LABEL_INVALID', 371, 'name', () => own.call('labelCreate', { name: 'Taken' })],
  ['RECURRING_UNKNOWN', 350, 'id', () => own.call('recurringGet', { id: none })],
  [
    'RECURRING_INVALID',
    351,
    'schedule.time',
    () =>
      own.call('recurringCreate', {
        title: 'T',
        list: own.list,
        schedule: { type: 'daily', time: '25:00' },
        source_url: 'https://blog.example.com/feed',
      }),
  ],
  ['RECURRING_STATE_CONFLICT', 352, 'already paused', () => own.call('recurringPause', { id: recurring })],
  ['SENDER_UNKNOWN', 144, 'id', () => own.call('senderDelete', { id: none })],
  ['SENDER_INVALID', 145, 'email', () => own.call('senderCreate', { name: 'The desk', email: 'nowhere' })],
  ['SENDER_IN_USE', 146, 'id', () => own.call('senderDelete', { id: usedSender })],
  ['NOTICE_SOURCE_UNKNOWN', 160, 'id', () => own.call('noticeSourceDelete', { id: none })],
  [
    'NOTICE_SOURCE_INVALID',
    161,
    'options.key',
    () => own.call('noticeSourceCreate', { service: 'resend', options: { key: 'x' } }),
  ],
  ['CLEAN_UP_RULE_UNKNOWN', 270, 'id', () => own.call('cleanUpRulePreview', { id: none })],
  [
    'CLEAN_UP_RULE_INVALID',
    271,
    'action',
    () => own.call('cleanUpRuleCreate', { kind: 'unconfirmed', days: 30, action: 'tag', tag: 'old' }),
  ],
  ['CLEAN_UP_PREVIEW_OLD', 272, 'count', () => own.call('cleanUpRuleEnable', { id: cleanUpRule, count: 0 })],
  ['ACCOUNT_FIELD_PREVIEW_OLD', 273, 'conflicts', () => own.call('accountFieldJoin', { tag: 'DIFFERS', conflicts: 0 })],
  ['BOUNCE_MAILBOX_UNKNOWN', 162, 'id', () => own.call('bounceMailboxDelete', { id: none })],
  [
    'BOUNCE_MAILBOX_INVALID',
    163,
    'host',
    () => own.call('bounceMailboxCreate', { protocol: 'imap', host: 'no host', user_name: 'u', password: 'p' }),
  ],
  ['ANALYTICS_INVALID', 500, 'options.analytics.yahoo', () => create({ options: { analytics: { yahoo: 'x' } } })],
  ['ANALYTICS_INVALID', 500, 'analytics', () => update('analytics', 'x')],
  ['DATE_INVALID', 501, 'filters.sendtime_end', () => own.call('campaigns', { filters: { sendtime_end: 'now' } })],
  ['DATE_INVALID', 501, 'past', () => own.call('campaignSchedule', { cid, schedule_time: '2001-01-01 00:00:00' })],
  ['ADDRESS_INVALID', 502, 'options.from_email', () => create({ options: { from_email: 'x' } })],
  ['ADDRESS_INVALID', 502, 'test_emails.1', () => own.call('campaignSendTest', { cid, test_emails: ['a@b.cd', 'x'] })],
  ['ADDRESS_INVALID', 502, 'email', () => own.call('campaignExplain', { cid, email: 'x' })],
  [
    'SEND_TYPE_INVALID',
    503,
    'send_type',
    () => own.call('campaignSendTest', { cid, test_emails: many(1), send_type: 'pdf' }),
  ],
  ['TEMPLATE_UNKNOWN', 504, 'content.template_id', () => create({ content: { template_id: none } })],
  ['TEMPLATE_UNKNOWN', 504, 'options.template_id', () => create({ options: { template_id: none } })],
  ['TEMPLATE_UNKNOWN', 504, 'template_id', () => own.call('templateDelete', { template_id: none })],
  ['TRACKING_INVALID', 505, 'options.tracking.views', () => create({ options: { tracking: { views: true } } })],
  ['TRACKING_INVALID', 505, 'tracking.opens', () => update('tracking', { opens: 'perhaps' })],
  ['OPTIONS_STRUCT_INVALID', 506, 'filters.colour', () => own.call('campaigns', { filters: { colour: 'red' } })],
  [
    'OPTIONS_STRUCT_INVALID',
    506,
    'options is required',
    () => own.call('campaignCreate', { type: 'HTML', content: {} }),
  ],
  ['URL_INVALID', 508, 'content.url', () => create({ content: { url: 'http://127.0.0.1:9/', plain: 'x' } })],
  ['URL_INVALID', 508, 'url', () => update('url', 'ftp://example.com/')],
  ['LIMIT_OUT_OF_RANGE', 553, 'limit', () => own.call('campaigns', { limit: 1001 })],
  ['LIMIT_OUT_OF_RANGE', 553, 'limit', () => own.call('listMembers', { id: own.list, limit: 15_001 })],
  ['START_OUT_OF_RANGE', 554, 'start', () => own.call('campaigns', { start: -1 })],
  ['TOO_LARGE', 555, 'content.html', () => create({ content: { html: 'x'.repeat(2 * 1024 * 1024 + 1), plain: 'x' } })],
  ['MESSAGE_STATE_CONFLICT', 341, 'id', () => own.call('messageCancel', { id: handedOver })],
  ['REPORT_LINK_UNKNOWN', 360, 'id', () => own.call('reportLinkDelete', { id: none })],
  ['MESSAGE_UNKNOWN', 340, 'id', () => own.call('messageGet', { id: `${none}00000001` })],
  ['TOO_LARGE', 555, 'test_emails', () => own.call('campaignSendTest', { cid, test_emails: many(21) })],
];

/** As the last case found them, which is as it left them. */
let rows: Record<string, number> | undefined;
for (const [name, code, words, act] of cases) {
  test(`fault ${code} ${name}: ${words}; nothing is left behind`, async () => {
    const before = rows ?? (await countRows(app.app));
    await assert.rejects(act(), (error: Fault) => {
      assert.equal(error.fault, name, error.message);
      assert.equal(error.code, code);
      assert.ok(error.message.includes(words), error.message);
      return true;
    });
    rows = await countRows(app.app);
    assert.deepEqual(rows, before);
  });
}

test('fault 120 NOT_ALLOWED: a read-only key changes nothing but the audit log', async () => {
  const { key } = await createKey(app.app.db, own.accountId, { label: 'reader', scope: 'read' });
  const { caller: reader } = await authenticate(app.app, { kind: 'key', key, ip: '' });
  const rows = await countRows(app.app);
  for (const { name, reads, identify, example } of methods) {
    // A method that identifies the caller itself uses no key.
    if (reads || identify) continue;
    await assert.rejects(
      withKey(key, name, example.params),
      (error: Fault) => error.fault === 'NOT_ALLOWED' && error.message.includes(name),
    );
  }
  // One entry for each permission that it lacks.
  const lacked = new Set(
    methods.filter(({ reads, identify }) => !reads && !identify).map((method) => lackedBy(reader, method)),
  );
  lacked.delete('');
  assert.ok(lacked.size > 5);
  assert.deepEqual(await countRows(app.app), { ...rows, audit_entry: rows['audit_entry']! + lacked.size });
});

test('fault 311 CONTENT_INVALID: a campaign whose lists are gone is not sent', async () => {
  const list = await own.call<string>('listCreate', { title: 'Short' });
  const lost = await own.call<string>('campaignCreate', draftOf(list));
  await own.call('listDelete', { id: list });
  const rows = await countRows(app.app);
  const noList = (error: Fault) => error.fault === 'CONTENT_INVALID' && error.message.includes('no list');
  await assert.rejects(own.call('campaignSendNow', { cid: lost }), noList);
  await assert.rejects(own.call('campaignSchedule', { cid: lost, schedule_time: '2099-01-01 00:00:00' }), noList);
  assert.deepEqual(await countRows(app.app), rows);
});

test('fault -50 TOO_MANY_CALLS: the 61st test mail of an hour', async () => {
  const busy = await makeAccount(app.app);
  const draft = await busy.call<string>('campaignCreate', draftOf(busy.list));
  for (let i = 0; i < 3; i++) await busy.call('campaignSendTest', { cid: draft, test_emails: many(20) });
  const rows = await countRows(app.app);
  await assert.rejects(
    busy.call('campaignSendTest', { cid: draft, test_emails: many(1) }),
    (error: Fault) => error.code === -50 && (error.retryAfter ?? 0) > 0,
  );
  assert.deepEqual(await countRows(app.app), rows);
});

test('fault -50 TOO_MANY_CALLS: the 301st call of a minute, the 11th at once', async () => {
  const busy = await makeAccount(app.app);
  let waiting: Promise<PromiseSettledResult<unknown>[]> | undefined;
  const draft = await busy.call<string>('campaignCreate', draftOf(busy.list));
  // While the campaign is locked, ten calls wait for it.
  await app.app.db.transaction(async (tx) => {
    await tx.run(sql`select from campaign where account_id = ${busy.accountId} for update`);
    const crowd = Array.from({ length: 11 }, () => withKey(busy.key, 'campaignDelete', { cid: draft }));
    waiting = Promise.allSettled(crowd);
    const refused = await Promise.race(crowd.map((item) => item.catch((error: Fault) => error)));
    assert.ok(refused instanceof Error && refused.message.includes('at once'), String(refused));
  });
  const outcomes = (await waiting)!;
  assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1);
  let answered = 10;
  const stop = performance.now() + 60_000;
  let last: Fault | undefined;
  while (last === undefined && performance.now() < stop) {
    await withKey(busy.key, 'ping').then(
      () => answered++,
      (error: Fault) => {
        last = error;
      },
    );
  }
  assert.equal(last?.code, -50);
  assert.match(last!.message, /300 calls a minute/);
  assert.ok(answered >= 300, `${answered} calls were answered`);
});

test('fault -32603 INTERNAL: carries a request id and no detail', async () => {
  await app.app.db.run(sql`alter table template rename to template_away`);
  try {
    await assert.rejects(own.call('campaignTemplates'), (error: Fault) => {
      assert.equal(error.code, -32603);
      assert.match(error.message, /request [0-9a-f-]{36}/);
      assert.doesNotMatch(error.message, /template|relation|select/);
      return true;
    });
  } finally {
    await app.app.db.run(sql`alter table template_away rename to template`);
  }
});

test('every fault that a method declares is raised above', () => {
  const raised = new Set<FaultName>(cases.map(([name]) => name));
  const apart: FaultName[] = ['TOO_MANY_CALLS', 'INTERNAL'];
  // An outage of the database has tests of its own beside the database.
  const declared = new Set([...methods.flatMap((method) => method.faults), ...commonFaults]);
  const missing = [...declared].filter((name) => !raised.has(name) && ![...apart, 'UNAVAILABLE'].includes(name));
  assert.deepEqual(missing, []);
});

async function whileQuota<T>(quota: number, work: () => Promise<T>): Promise<T> {
  const set = (value: number | null) =>
    app.app.db.run(sql`update account set monthly_quota = ${value}::int where id = ${own.accountId}`);
  await set(quota);
  return work().finally(() => set(null));
}

/** While the person has no password, they disconnect the only provider. */
async function removeOnlyIdentity(): Promise<void> {
  const { db } = app.app;
  const issuer = 'https://login.example.com';
  const person = await db.row<{ id: number; hash: string }>(sql`
    select id, password_hash as hash from app_user where email = 'person1@example.com'`);
  await db.run(sql`update app_user set password_hash = null where id = ${person!.id}`);
  await db.run(sql`insert into identity (issuer, subject, user_id) values (${issuer}, 'only', ${person!.id})`);
  try {
    await asPerson('identityDelete', { issuer });
  } finally {
    await db.run(sql`delete from identity where issuer = ${issuer}`);
    await db.run(sql`update app_user set password_hash = ${person!.hash} where id = ${person!.id}`);
  }
}
