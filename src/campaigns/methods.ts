// The campaign methods of the specification: list, create, send, schedule, test, copy, delete. campaignUpdate has a
// file of its own.
import { z } from 'zod';
import { method } from '../api/method.ts';
import { id, many, params, struct, text, whole, word } from '../api/params.ts';
import type { Context } from '../context.ts';
import { join, type Sql, sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { Fault } from '../faults.ts';
import { stopChannel } from '../jobs/channels.ts';
import { enqueueNamed } from '../jobs/queue.ts';
import { keepAssets } from './asset.ts';
import {
  importContent,
  needAddress,
  needDomain,
  needInlineImages,
  needSender,
  readContent,
  readTypeOpts,
  setLists,
  setSegments,
} from './draft.ts';
import { analyticsOption, campaignType, content, languageCodes, options, trackingOption, typeOpts } from './options.ts';
import { campaignRecord, campaignRecords, lockCampaign, needStatus } from './record.ts';
import { type DateReading, dateProblemText, parseFilterDate, parseScheduleTime } from './schedule-time.ts';

const cid = id('The campaign.');
/** Limits of campaignSendTest. */
export const testLimits = { addresses: 20, anHour: 60 };

export const campaignMethods = [
  method({
    name: 'campaigns',
    group: 'campaigns',
    summary: 'Returns the campaigns of the account, newest first; filters combine as AND.',
    params: params({
      filters: struct(
        'Which campaigns; all when there is none.',
        {
          campaign_id: id('Campaign id.').optional(),
          list_id: id('Id of a list the campaign goes to.').optional(),
          status: word('sent, draft, paused or sending.', ['sent', 'draft', 'paused', 'sending']).optional(),
          type: campaignType.meta({ fault: undefined }).optional(),
          from_name: text('Sender name.').optional(),
          from_email: text('Reply-to address.').optional(),
          title: text('Campaign name.').optional(),
          subject: text('Subject line.').optional(),
          sendtime_start: text('Campaigns sent before this date (GMT).', 100).optional(),
          sendtime_end: text('Campaigns sent after this date (GMT).', 100).optional(),
        },
        { fault: 'OPTIONS_BAD', selfFault: 'OPTIONS_BAD' },
      ).optional(),
      start: whole('Page number from which the selection starts.', 0, 1_000_000, { fault: 'START_BAD' }).default(0),
      limit: whole('Results per page, 1 to 1000.', 1, 1_000, { fault: 'LIMIT_BAD' }).default(25),
    }),
    returns: z.array(campaignRecord),
    faults: ['OPTIONS_BAD', 'DATE_BAD', 'START_BAD', 'LIMIT_BAD'],
    scope: 'read',
    reads: true,
    example: { params: { filters: { status: 'draft' }, limit: 5 } },
    run: (context, { filters = {}, start, limit }) => campaignRecords(context, filterSql(filters), { start, limit }),
  }),
  method({
    name: 'campaignCreate',
    group: 'campaigns',
    summary: 'Creates a campaign as a draft and returns its id.',
    description:
      "from_email is the address that answers go to (Reply-To); the sender address is the account's main address, or options.sender for PRO accounts. Content is taken from, in this order: archive, url, template_id, html and plain; an address is fetched at the call.",
    params: params({
      type: campaignType.meta({ fault: undefined, selfFault: 'OPTION_BAD' }),
      options,
      content,
      type_opts: typeOpts.optional(),
      tracking: trackingOption.optional(),
      analytics: analyticsOption.optional(),
    }),
    returns: z.string(),
    faults: [
      'OPTION_BAD',
      'OPTIONS_BAD',
      'CONTENT_BAD',
      'LIST_UNKNOWN',
      'SEGMENT_BAD',
      'ADDRESS_BAD',
      'TEMPLATE_UNKNOWN',
      'TRACKING_BAD',
      'ANALYTICS_BAD',
      'AUTORESPONDER_BAD',
      'URL_BAD',
      'ARCHIVE_BAD',
      'NOT_ALLOWED',
      'ADDON_MISSING',
      'TOO_LARGE',
    ],
    scope: 'write',
    example: {
      params: {
        type: 'HTML',
        options: {
          list_id: '{{list}}',
          subject: 'Hello *|FNAME:friend|*',
          from_email: 'editors@example.com',
          from_name: 'The editors',
          generate_text: true,
        },
        content: { html: '<p>Dear *|FNAME:friend|*, here is our news.</p><p><a href="*|UNSUB|*">Unsubscribe</a></p>' },
      },
    },
    prepare: (context, given) => importContent(context, given.content),
    async run(context, given, imported) {
      const { tx, account } = context;
      const type = typeColumn(given.type);
      const { options: chosen } = given;
      const tracked = { ...given.tracking, ...chosen.tracking };
      const measured = { ...given.analytics, ...chosen.analytics };
      if (type === 'auto' && !given.type_opts)
        throw new Fault('AUTORESPONDER_BAD', 'type_opts is required for a campaign of type auto');
      if (type !== 'auto' && given.type_opts)
        throw new Fault('AUTORESPONDER_BAD', 'type_opts are for campaigns of type auto only');
      const replyTo = needAddress(chosen.from_email, 'options.from_email');
      const sender = needSender(context, chosen.sender ?? '', 'options.sender');
      const inline = needInlineImages(context, chosen.inline_img, 'options.inline_img');
      const signed = await needDomain(context, sender, chosen.authenticate, 'options.authenticate');
      const texts = await readContent(
        context,
        type,
        { ...given.content, templateInOptions: chosen.template_id },
        imported,
        chosen.generate_text,
      );
      const row = await tx.row<{ id: number }>(sql`
        insert into campaign (account_id, type, title, subject, from_name, reply_to, sender, to_name, track_opens, track_html_clicks,
          track_text_clicks, analytics, generate_text, auto_footer, authenticate, inline_img, time_match, language, html, plain,
          plain_generated, template_id, source_url, archive_type, created_at)
        values (${account.id}, ${type}, ${chosen.title?.trim() || chosen.subject}, ${chosen.subject}, ${chosen.from_name}, ${replyTo}, ${sender},
          ${chosen.to_email ?? ''}, ${tracked.opens ?? true}, ${tracked.html_clicks ?? true}, ${tracked.text_clicks ?? false},
          ${JSON.stringify(measured)}, ${chosen.generate_text}, ${chosen.auto_footer}, ${signed}, ${inline}, ${chosen.time_match},
          ${chosen.ln ? languageCodes[chosen.ln] : ''}, ${texts.html}, ${texts.plain}, ${texts.plainGenerated}, ${texts.templateId},
          ${texts.sourceUrl}, ${given.content.archive_type ?? 'zip'}, clock_timestamp())
        returning id`);
      const campaignId = row!.id;
      await setLists(context, campaignId, chosen.list_id, 'options.list_id');
      await setSegments(context, campaignId, chosen.segment_id ?? [], 'options.segment_id');
      await keepAssets(context, campaignId, texts.html, imported?.assets);
      if (given.type_opts) {
        const auto = await readTypeOpts(context, campaignId, given.type_opts);
        await tx.run(
          sql`update campaign set auto = ${JSON.stringify(auto)} where account_id = ${account.id} and id = ${campaignId}`,
        );
      }
      return formatId(campaignId);
    },
  }),
  method({
    name: 'campaignSendNow',
    group: 'campaigns',
    summary: 'Starts the delivery of a draft at once; an autoresponder becomes active.',
    description: 'A second call is fault 313, which names the state the campaign is in.',
    params: params({ cid }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'STATE_BAD', 'CONTENT_BAD', 'MAY_NOT_SEND'],
    scope: 'send',
    example: { params: { cid: '{{campaign}}' } },
    async run(context, given) {
      const { tx, account } = context;
      const campaign = await lockCampaign(context, given.cid);
      needStatus(campaign, 'draft', 'only a draft can be sent');
      await needSendable(context, campaign.id);
      await tx.run(sql`
        update campaign
        set status = 'launching', schedule_at = null, changed_at = now()
        where account_id = ${account.id}
          and id = ${campaign.id}`);
      await enqueueNamed(tx, 'launchCampaign', { account_id: account.id, campaign_id: campaign.id });
      return true;
    },
  }),
  method({
    name: 'campaignSchedule',
    group: 'campaigns',
    summary: 'Schedules the delivery of a draft.',
    description:
      'The time is GMT unless a zone offset is written after it: "2027-03-01 12:00:00 +0100" is 11:00:00 GMT. A time in the past is fault 501.',
    params: params({
      cid,
      schedule_time: text('YYYY-MM-DD HH:MM:SS, and a zone offset such as +0100 when it is not GMT.', 100),
    }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'STATE_BAD', 'DATE_BAD', 'CONTENT_BAD', 'MAY_NOT_SEND'],
    scope: 'send',
    example: { params: { cid: '{{campaign}}', schedule_time: '2099-01-31 09:00:00 +0100' } },
    async run(context, given) {
      const { tx, account } = context;
      const at = needDate(parseScheduleTime(given.schedule_time), 'schedule_time');
      const campaign = await lockCampaign(context, given.cid);
      needStatus(campaign, 'draft', 'only a draft can be scheduled');
      if (at <= context.now) throw new Fault('DATE_BAD', 'schedule_time lies in the past');
      await needSendable(context, campaign.id);
      await tx.run(sql`
        update campaign
        set status = 'scheduled', schedule_at = ${at}, changed_at = now()
        where account_id = ${account.id}
          and id = ${campaign.id}`);
      return true;
    },
  }),
  method({
    name: 'campaignUnschedule',
    group: 'campaigns',
    summary: 'Cancels the scheduled delivery; the campaign is a draft again.',
    params: params({ cid }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'STATE_BAD'],
    scope: 'send',
    example: { params: { cid: '{{scheduled}}' } },
    async run(context, given) {
      const campaign = await lockCampaign(context, given.cid);
      needStatus(campaign, 'scheduled', 'only a scheduled campaign can be unscheduled');
      await context.tx.run(sql`
        update campaign
        set status = 'draft', schedule_at = null, changed_at = now()
        where account_id = ${context.account.id}
          and id = ${campaign.id}`);
      return true;
    },
  }),
  method({
    name: 'campaignSendTest',
    group: 'campaigns',
    summary: `Sends test mails of a draft to up to ${testLimits.addresses} addresses, ${testLimits.anHour} mails an hour.`,
    description:
      'The mails show the values of a sample contact: of the one who has the address, else of the first on the list. Their subject begins with [Test]; they are counted nowhere.',
    params: params({
      cid,
      test_emails: many('The addresses.', text('An address.', 1_000), 1_000),
      send_type: word(
        'html: both parts; plain: the plain text only; both parts when not given.',
        ['html', 'plain'],
        { text: 'plain' },
        { fault: 'SEND_TYPE_BAD' },
      ).optional(),
    }),
    returns: z.boolean(),
    faults: [
      'CAMPAIGN_UNKNOWN',
      'STATE_BAD',
      'ADDRESS_BAD',
      'SEND_TYPE_BAD',
      'TOO_LARGE',
      'TOO_MANY_CALLS',
      'MAY_NOT_SEND',
    ],
    scope: 'send',
    example: { params: { cid: '{{campaign}}', test_emails: ['me@example.com'], send_type: 'html' } },
    async run(context, given) {
      const { tx, account } = context;
      const campaign = await lockCampaign(context, given.cid);
      needStatus(campaign, 'draft', 'test mails are sent of drafts only');
      if (!account.maySend) throw new Fault('MAY_NOT_SEND', 'This account may not send');
      const emails = [...new Set(given.test_emails.map((one, i) => needAddress(one, `test_emails.${i}`)))];
      if (emails.length === 0) throw new Fault('ADDRESS_BAD', 'test_emails names no address');
      if (emails.length > testLimits.addresses)
        throw new Fault('TOO_LARGE', `test_emails has ${emails.length} addresses, more than ${testLimits.addresses}`);
      // Calls of one account take turns here, so that together they stay within the hour's number.
      await tx.run(sql`select pg_advisory_xact_lock(${account.id})`);
      const sent = await tx.row<{ count: number }>(sql`
        select coalesce(sum(recipients), 0)::int as count
        from test_mail
        where account_id = ${account.id}
          and at > now() - interval '1 hour'`);
      if (sent!.count + emails.length > testLimits.anHour)
        throw new Fault('TOO_MANY_CALLS', `More than ${testLimits.anHour} test mails an hour`, 3_600);
      await tx.run(sql`insert into test_mail (account_id, recipients) values (${account.id}, ${emails.length})`);
      await enqueueNamed(tx, 'sendTestMails', {
        account_id: account.id,
        campaign_id: campaign.id,
        emails,
        send_type: given.send_type ?? 'both',
      });
      return true;
    },
  }),
  method({
    name: 'campaignReplicate',
    group: 'campaigns',
    summary: 'Copies a campaign; the copy is a draft without statistics. Returns its id.',
    params: params({ cid }),
    returns: z.string(),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'write',
    example: { params: { cid: '{{campaign}}' } },
    async run(context, given) {
      const { tx, account } = context;
      const original = await lockCampaign(context, given.cid);
      const copy = await tx.row<{ id: number }>(sql`
        insert into campaign (account_id, type, title, subject, from_name, reply_to, sender, to_name, track_opens, track_html_clicks,
          track_text_clicks, analytics, generate_text, auto_footer, authenticate, inline_img, time_match, language, html, plain,
          plain_generated, template_id, source_url, archive_type, auto, created_at)
        select account_id, type, left(title, 990) || ' (copy)', subject, from_name, reply_to, sender, to_name, track_opens, track_html_clicks,
          track_text_clicks, analytics, generate_text, auto_footer, authenticate, inline_img, time_match, language, html, plain,
          plain_generated, template_id, source_url, archive_type, auto, clock_timestamp()
        from campaign
        where account_id = ${account.id}
          and id = ${original.id}
        returning id`);
      await tx.run(sql`
        insert into campaign_list (account_id, campaign_id, list_id, position)
        select account_id, ${copy!.id}::int, list_id, position from campaign_list where account_id = ${account.id} and campaign_id = ${original.id}`);
      await tx.run(sql`
        insert into campaign_segment (account_id, campaign_id, segment_id)
        select account_id, ${copy!.id}::int, segment_id from campaign_segment where account_id = ${account.id} and campaign_id = ${original.id}`);
      await tx.run(sql`
        insert into campaign_asset (account_id, campaign_id, name)
        select account_id, ${copy!.id}::int, name from campaign_asset where account_id = ${account.id} and campaign_id = ${original.id}`);
      return formatId(copy!.id);
    },
  }),
  method({
    name: 'campaignDelete',
    group: 'campaigns',
    summary: 'Deletes a campaign in any state, with its reports. This cannot be undone.',
    description:
      'A delivery under way stops within two seconds. Unsubscribe links of mails already delivered keep working for ever, and click links keep leading to their targets.',
    params: params({ cid }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'write',
    example: { params: { cid: '{{campaign}}' } },
    async run(context, given) {
      const { tx, account } = context;
      const campaign = await lockCampaign(context, given.cid);
      await tx.run(sql`delete from campaign where account_id = ${account.id} and id = ${campaign.id}`);
      await tx.run(sql`select pg_notify(${stopChannel}, ${`${account.id} ${campaign.id}`})`);
      await enqueueNamed(
        tx,
        'purgeCampaign',
        { account_id: account.id, campaign_id: campaign.id },
        { runAt: new Date(context.now.getTime() + 5_000) },
      );
      return true;
    },
  }),
  method({
    name: 'campaignContent',
    group: 'campaigns',
    summary: 'Returns the HTML and the plain text of a campaign.',
    params: params({ cid }),
    returns: z.object({ html: z.string(), plain: z.string() }),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    async run({ tx, account }, given) {
      const row = await tx.row<{ html: string; plain: string }>(sql`
        select html, plain from campaign where account_id = ${account.id} and id = ${parseId(given.cid)}`);
      if (!row) throw new Fault('CAMPAIGN_UNKNOWN', `cid: there is no campaign "${given.cid.slice(0, 40)}"`);
      return row;
    },
  }),
];

export const typeColumn = (type: 'HTML' | 'plain' | 'auto') => (type === 'HTML' ? 'html' : type);

/** What must be there before mail may leave. @throws Fault MAY_NOT_SEND, CONTENT_BAD */
async function needSendable({ tx, account }: Context, campaignId: number): Promise<void> {
  if (!account.maySend) throw new Fault('MAY_NOT_SEND', 'This account may not send');
  const row = await tx.row<{ html: boolean; plain: boolean; type: string; lists: number; auto: boolean }>(sql`
    select trim(html) <> '' as html, trim(plain) <> '' as plain, type, auto is not null as auto,
      (select count(*)::int from campaign_list l where l.account_id = c.account_id and l.campaign_id = c.id) as lists
    from campaign c
    where account_id = ${account.id}
      and id = ${campaignId}`);
  const { html, plain, type, lists, auto } = row!;
  if (lists === 0)
    throw new Fault('CONTENT_BAD', 'The campaign goes to no list (its lists were deleted); set list_id first');
  if (type === 'plain' ? !plain : !html)
    throw new Fault('CONTENT_BAD', `The campaign has no ${type === 'plain' ? 'plain text' : 'HTML'}`);
  if (type !== 'plain' && !plain)
    throw new Fault('CONTENT_BAD', 'The campaign has no plain text; set plain or generate_text');
  if (type === 'auto' && !auto)
    throw new Fault('AUTORESPONDER_BAD', 'The autoresponder has no settings; set type_opts');
}

type Filters = {
  [K in
    | 'campaign_id'
    | 'list_id'
    | 'from_name'
    | 'from_email'
    | 'title'
    | 'subject'
    | 'sendtime_start'
    | 'sendtime_end']?: string | undefined;
} & {
  status?: 'sent' | 'draft' | 'paused' | 'sending' | undefined;
  type?: 'HTML' | 'plain' | 'auto' | undefined;
};

/** The condition on `c` that all filters together make. */
function filterSql(filters: Filters): Sql {
  const parts: Sql[] = [sql`true`];
  if (filters.campaign_id !== undefined) parts.push(sql`c.id = ${parseId(filters.campaign_id)}`);
  if (filters.list_id !== undefined) {
    parts.push(sql`exists (
      select from campaign_list l
      where l.account_id = c.account_id and l.campaign_id = c.id and l.list_id = ${parseId(filters.list_id)}
    )`);
  }
  if (filters.status !== undefined) {
    const inside = filters.status === 'sending' ? ['scheduled', 'launching', 'sending'] : [filters.status];
    parts.push(sql`c.status = any (${inside}::text[])`);
  }
  if (filters.type !== undefined) parts.push(sql`c.type = ${typeColumn(filters.type)}`);
  if (filters.from_name !== undefined) parts.push(sql`lower(c.from_name) = lower(${filters.from_name})`);
  if (filters.from_email !== undefined) parts.push(sql`lower(c.reply_to) = lower(${filters.from_email})`);
  if (filters.title !== undefined) parts.push(sql`lower(c.title) = lower(${filters.title})`);
  if (filters.subject !== undefined) parts.push(sql`lower(c.subject) = lower(${filters.subject})`);
  parts.push(sentBetween(filters.sendtime_start, filters.sendtime_end));
  return join(parts, ' and ');
}

/** One of the two: sent before sendtime_start, sent after sendtime_end. Both: between the earlier and the later. */
function sentBetween(start: string | undefined, end: string | undefined): Sql {
  const before = start ? needDate(parseFilterDate(start), 'filters.sendtime_start') : undefined;
  const after = end ? needDate(parseFilterDate(end), 'filters.sendtime_end') : undefined;
  if (before && after) {
    const [from, to] = before < after ? [before, after] : [after, before];
    return sql`(c.send_at >= ${from} and c.send_at <= ${to})`;
  }
  if (before) return sql`c.send_at < ${before}`;
  if (after) return sql`c.send_at > ${after}`;
  return sql`true`;
}

/** @throws Fault DATE_BAD */
function needDate(reading: DateReading, member: string): Date {
  if (!reading.ok) throw new Fault('DATE_BAD', `${member} ${dateProblemText[reading.reason]}`);
  return reading.at;
}
