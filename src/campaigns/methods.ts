// The campaign methods of the specification: list, create, send, schedule, test, copy, delete. campaignUpdate has a
// file of its own.
import { z } from 'zod';
import { Fault } from '../base/faults.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { stopChannel } from '../jobs/channels.ts';
import { enqueue } from '../jobs/queue.ts';
import { idempotencyKey } from '../method/idempotency.ts';
import { method } from '../method/method.ts';
import { id, many, params, text, unlessEmpty, whole, word } from '../method/params.ts';
import { keepAssets } from './content/pictures/asset.ts';
import {
  declinesFooter,
  importContent,
  needAddress,
  needAsciiAddress,
  needDomain,
  needInlineImages,
  needSender,
  readContent,
  readTypeOpts,
  setExclusions,
  setLists,
  setSegments,
} from './draft/draft.ts';
import { filterSql, filters } from './draft/filters.ts';
import {
  analyticsOption,
  campaignType,
  content,
  languageCodes,
  options,
  trackingOption,
  typeColumn,
  typeOpts,
} from './draft/options.ts';
import { campaignRecord, campaignRecords, lockCampaign, needStatus } from './record.ts';
import { needDate, parseScheduleTime } from './release/schedule-time.ts';
import { needSendable, unsendable } from './release/sendable.ts';

const cid = id('The campaign.');
/** Limits of campaignSendTest. */
export const testLimits = { addresses: 20, anHour: 60 };

export const campaignMethods = [
  method({
    name: 'campaigns',
    group: 'campaigns',
    summary: 'Returns the campaigns of the account, newest first; filters combine as AND.',
    params: params({
      filters: filters.optional(),
      start: whole('Page number from which the selection starts.', 0, 1_000_000, {
        fault: 'START_OUT_OF_RANGE',
      }).default(0),
      limit: whole('Results per page, 1 to 1000.', 1, 1_000, { fault: 'LIMIT_OUT_OF_RANGE' }).default(25),
    }),
    returns: z.array(campaignRecord),
    faults: ['OPTIONS_STRUCT_INVALID', 'DATE_INVALID', 'START_OUT_OF_RANGE', 'LIMIT_OUT_OF_RANGE'],
    scope: 'read',
    reads: true,
    example: { params: { filters: { status: 'draft' }, limit: 5 } },
    run: (context, { filters: chosen = {}, start, limit }) =>
      campaignRecords(context, filterSql(chosen), { start, limit }),
  }),
  method({
    name: 'campaignCreate',
    group: 'campaigns',
    summary: 'Creates a campaign as a draft and returns its id.',
    description:
      "from_email is the address that answers go to (Reply-To); the sender address is the account's main address, or options.sender for PRO accounts. Content is taken from, in this order: archive, url, template_id, html and plain; an address is fetched at the call.",
    params: params({
      type: campaignType.meta({ fault: undefined, selfFault: 'CAMPAIGN_OPTION_INVALID' }),
      options,
      content,
      type_opts: unlessEmpty(typeOpts),
      tracking: trackingOption.optional(),
      analytics: analyticsOption.optional(),
      idempotency_key: idempotencyKey,
    }),
    returns: z.string(),
    faults: [
      'CAMPAIGN_OPTION_INVALID',
      'OPTIONS_STRUCT_INVALID',
      'CONTENT_INVALID',
      'LIST_UNKNOWN',
      'SEGMENT_INVALID',
      'ADDRESS_INVALID',
      'TEMPLATE_UNKNOWN',
      'TRACKING_INVALID',
      'ANALYTICS_INVALID',
      'AUTORESPONDER_INVALID',
      'URL_INVALID',
      'ARCHIVE_INVALID',
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
        throw new Fault('AUTORESPONDER_INVALID', 'type_opts is required for a campaign of type auto');
      if (type !== 'auto' && given.type_opts)
        throw new Fault('AUTORESPONDER_INVALID', 'type_opts are for campaigns of type auto only');
      const replyTo = needAsciiAddress(chosen.from_email, 'options.from_email');
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
          track_text_clicks, analytics, generate_text, auto_footer, footer_declined, authenticate, inline_img, time_match, language, html, plain,
          plain_generated, template_id, source_url, archive_type, import_warnings, created_at)
        values (${account.id}, ${type}, ${chosen.title?.trim() || chosen.subject}, ${chosen.subject}, ${chosen.from_name}, ${replyTo}, ${sender},
          ${chosen.to_email ?? ''}, ${tracked.opens ?? true}, ${tracked.html_clicks ?? true}, ${tracked.text_clicks ?? false},
          ${JSON.stringify(measured)}, ${chosen.generate_text}, ${chosen.auto_footer ?? false}, ${declinesFooter(account, chosen.auto_footer)}, ${signed}, ${inline}, ${chosen.time_match},
          ${chosen.ln ? languageCodes[chosen.ln] : ''}, ${texts.html}, ${texts.plain}, ${texts.plainGenerated}, ${texts.templateId},
          ${texts.sourceUrl}, ${given.content.archive_type ?? 'zip'}, ${JSON.stringify(imported?.warnings ?? [])}, clock_timestamp())
        returning id`);
      const campaignId = row!.id;
      await setLists(context, campaignId, chosen.list_id, 'options.list_id');
      await setSegments(context, campaignId, chosen.segment_id ?? [], 'options.segment_id');
      await setExclusions(context, campaignId, 'list', chosen.exclude_list_id ?? [], 'options.exclude_list_id');
      await setExclusions(
        context,
        campaignId,
        'segment',
        chosen.exclude_segment_id ?? [],
        'options.exclude_segment_id',
      );
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
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', ...unsendable],
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
      await enqueue(tx, 'launchCampaign', { account_id: account.id, campaign_id: campaign.id });
      return true;
    },
  }),
  method({
    name: 'campaignSchedule',
    group: 'campaigns',
    summary: 'Schedules the delivery of a draft.',
    description:
      'The time is GMT unless a zone offset is written after it: "2027-03-01 12:00:00 +0100" is 11:00:00 GMT. A time in the past is fault 501. With time_match it starts, and can be unscheduled until, the moment at which the first recipients are due by their clocks. The campaign is looked over again when its time has come: one that is no longer fit is paused with the reason, its owner is told by mail, and campaignResume sends it after mending.',
    params: params({
      cid,
      schedule_time: text('YYYY-MM-DD HH:MM:SS, and a zone offset such as +0100 when it is not GMT.', 100),
    }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', 'DATE_INVALID', ...unsendable],
    scope: 'send',
    example: { params: { cid: '{{campaign}}', schedule_time: '2099-01-31 09:00:00 +0100' } },
    async run(context, given) {
      const { tx, account } = context;
      const at = needDate(parseScheduleTime(given.schedule_time), 'schedule_time');
      const campaign = await lockCampaign(context, given.cid);
      needStatus(campaign, 'draft', 'only a draft can be scheduled');
      if (at <= context.now) throw new Fault('DATE_INVALID', 'schedule_time lies in the past');
      await needSendable(context, campaign.id);
      await tx.run(sql`
        update campaign
        set status = 'scheduled', schedule_at = ${at}, match_at = null, match_asked_at = now(), changed_at = now()
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
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT'],
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
      send_type: unlessEmpty(
        word(
          'html: both parts; plain: the plain text only; both parts when not given.',
          ['html', 'plain'],
          { text: 'plain' },
          { fault: 'SEND_TYPE_INVALID' },
        ),
      ),
    }),
    returns: z.boolean(),
    faults: [
      'CAMPAIGN_UNKNOWN',
      'CAMPAIGN_STATE_CONFLICT',
      'ADDRESS_INVALID',
      'SEND_TYPE_INVALID',
      'TOO_LARGE',
      'TOO_MANY_CALLS',
      'SENDING_NOT_ALLOWED',
    ],
    scope: 'send',
    example: { params: { cid: '{{campaign}}', test_emails: ['me@example.com'], send_type: 'html' } },
    async run(context, given) {
      const { tx, account } = context;
      const campaign = await lockCampaign(context, given.cid);
      needStatus(campaign, 'draft', 'test mails are sent of drafts only');
      if (!account.maySend) throw new Fault('SENDING_NOT_ALLOWED', 'This account may not send');
      // As many as were given count, equal ones too, so that the limit does not depend on what is in them.
      if (given.test_emails.length > testLimits.addresses)
        throw new Fault(
          'TOO_LARGE',
          `test_emails has ${given.test_emails.length} addresses, more than ${testLimits.addresses}`,
        );
      const emails = [...new Set(given.test_emails.map((one, i) => needAddress(one, `test_emails.${i}`)))];
      if (emails.length === 0) throw new Fault('ADDRESS_INVALID', 'test_emails names no address');
      needAsciiAddress(campaign.sender || account.email, 'sender');
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
      await enqueue(tx, 'sendTestMails', {
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
    params: params({ cid, idempotency_key: idempotencyKey }),
    returns: z.string(),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'write',
    example: { params: { cid: '{{campaign}}' } },
    async run(context, given) {
      const { tx, account } = context;
      const original = await lockCampaign(context, given.cid);
      const copy = await tx.row<{ id: number }>(sql`
        insert into campaign (account_id, type, title, subject, from_name, reply_to, sender, to_name, track_opens, track_html_clicks,
          track_text_clicks, analytics, generate_text, auto_footer, footer_declined, authenticate, inline_img, time_match, language, html, plain,
          plain_generated, template_id, source_url, archive_type, import_warnings, auto, created_at)
        select account_id, type, left(title, 990) || ' (copy)', subject, from_name, reply_to, sender, to_name, track_opens, track_html_clicks,
          track_text_clicks, analytics, generate_text, auto_footer, footer_declined, authenticate, inline_img, time_match, language, html, plain,
          plain_generated, template_id, source_url, archive_type, import_warnings, auto, clock_timestamp()
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
        insert into campaign_exclusion (account_id, campaign_id, kind, target_id)
        select account_id, ${copy!.id}::int, kind, target_id from campaign_exclusion where account_id = ${account.id} and campaign_id = ${original.id}`);
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
      'A delivery under way stops within two seconds. Unsubscribe links of mails already delivered keep working for ever, and click links keep leading to their targets. What is still to be sent to a segment that asks about the campaign, an autoresponder or a scheduled campaign, pauses with the reason rather than go to nobody or everybody: change the segment and resume it.',
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
      await enqueue(
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
