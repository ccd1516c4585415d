// THE list of the methods about campaigns as a whole: find, create, change, send, schedule, test, copy, delete.
// Declares names, parameters, results and faults; what a method does is in the function named after `run:`.
import { z } from 'zod';
import { orderFilters, withoutLabels } from '../accounts/labels/label.ts';
import { type FamilyParam, withoutOrder } from '../method/family.ts';
import { idempotencyKey } from '../method/idempotency.ts';
import { method } from '../method/method.ts';
import { numbers } from '../method/numbers.ts';
import { anything, arrayOf, boolean, id, integer, oneOf, params, text, unlessEmpty } from '../method/params.ts';
import { deleteCampaign } from './delete.ts';
import { arrangements } from './draft/arrange.ts';
import { changeable } from './draft/changes.ts';
import { createCampaign } from './draft/create.ts';
import { known } from './draft/editors/edits.ts';
import { importContent, showContent } from './draft/read-content.ts';
import { replicateCampaign } from './draft/replicate.ts';
import { prepareUpdate, updateCampaign } from './draft/update.ts';
import { belongsTo } from './list/automated.ts';
import { filters } from './list/filters.ts';
import { campaignRecord } from './list/record.ts';
import { listCampaigns, searchCampaigns, sorts } from './list/search.ts';
import { statuses } from './model/campaign.ts';
import { analyticsOption, campaignType, content, options, trackingOption, typeOpts } from './model/options.ts';
import { bodyFormats } from './model/source-format.ts';
import { maxLanguages } from './model/variant.ts';
import { correctLink } from './release/correct-link.ts';
import { publishCorrection } from './release/publish.ts';
import { scheduleCampaign, unscheduleCampaign } from './release/schedule.ts';
import { maxUndoSeconds, sendCampaign } from './release/send.ts';
import { sendTest, testLimits } from './release/send-test.ts';
import { unsendable } from './release/sendable.ts';

const cid = id('The campaign.');
const start = integer('Page number from which the selection starts.', 0, 1_000_000, {
  fault: 'START_OUT_OF_RANGE',
}).default(0);
const limit = integer('Results per page, 1 to 1000.', 1, 1_000, { fault: 'LIMIT_OUT_OF_RANGE' }).default(25);

/** Faults of an option that campaignCreate and campaignUpdate do not accept. */
const optionFaults = [
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
] as const;

/** Clients that know split tests always send it. */
/** An empty struct, or as PHP writes one in a form. */
const isEmpty = (value: unknown) =>
  value === '' || (typeof value === 'object' && value !== null && Object.values(value).every((item) => item === ''));

const withoutSegment: FamilyParam = {
  meaning: 'Must be empty: options.segment_id names a segment.',
  read: (value) => (isEmpty(value) ? {} : { segment_opts: value }),
};

const withoutSecondTime: FamilyParam = {
  meaning: 'Must be empty: campaignTestUpdate sets up an A/B test.',
  read: (value) => (value === '' || value === undefined ? {} : { schedule_time_b: value }),
};

export const campaignMethods = [
  method({
    name: 'campaigns',
    group: 'campaigns',
    summary: 'Returns the campaigns of the account, newest first; filters combine as AND.',
    params: params({ filters: filters.optional(), start, limit }).meta({ aliases: withoutOrder }),
    returns: z.array(campaignRecord),
    family: { answer: withoutLabels(campaignRecord) },
    faults: ['OPTIONS_STRUCT_INVALID', 'DATE_INVALID', 'START_OUT_OF_RANGE', 'LIMIT_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { filters: { status: 'draft' }, limit: 5 } },
    run: listCampaigns,
  }),
  method({
    name: 'campaignCreate',
    group: 'campaigns',
    summary: 'Creates a campaign as a draft and returns its id.',
    description:
      "from_email is the address that replies go to (Reply-To). The sender address is options.sender, or the account's main address. Content comes from the first of archive, url, template_id, html and plain that is given; a url is fetched during the call. markdown or mjml can be given instead of html, and is converted during the call; its plain text is made if none is given.",
    params: params({
      type: campaignType.meta({ fault: undefined, selfFault: 'CAMPAIGN_OPTION_INVALID' }),
      options,
      // A form cannot send an empty struct, which is enough with options.template_id.
      content: content.default({}),
      type_opts: unlessEmpty(typeOpts),
      tracking: trackingOption.optional(),
      analytics: analyticsOption.optional(),
      idempotency_key: idempotencyKey,
    }),
    family: { params: { segment_opts: withoutSegment } },
    returns: z.string(),
    faults: optionFaults,
    scope: 'write',
    narrowed: true,
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
    run: createCampaign,
  }),
  method({
    name: 'campaignSendNow',
    group: 'campaigns',
    summary: 'Starts the delivery of a draft or a scheduled campaign at once; an autoresponder becomes active.',
    description:
      'Refuses only what makes sending impossible: no list, no content, a sender, domain or setting that may not be used. Warnings of campaignCheck do not prevent sending: a campaign with an empty audience goes to no one and counts as sent. A second call returns fault 313, which names the state of the campaign. With undo_seconds, delivery starts that many seconds later, and campaignUnschedule takes the campaign back until then.',
    params: params({
      cid,
      undo_seconds: integer(
        `Seconds in which campaignUnschedule takes it back, 0 to ${maxUndoSeconds}.`,
        0,
        maxUndoSeconds,
      ).default(0),
    }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', ...unsendable],
    scope: 'send',
    narrowed: true,
    example: { params: { cid: '{{campaign}}' } },
    run: sendCampaign,
  }),
  method({
    name: 'campaignSchedule',
    group: 'campaigns',
    summary: 'Schedules the delivery of a draft, or sets a new time for a scheduled campaign.',
    description:
      'The time is GMT unless followed by a zone offset: "2027-03-01 12:00:00 +0100" is 11:00:00 GMT. A time in the past is fault 501. With time_match, delivery starts when the first recipients are due by their local time, and the campaign can be changed or unscheduled until then. Warnings of campaignCheck do not prevent scheduling. The campaign is checked again at its time. If it is no longer fit to send, it is paused with the reason and the owner gets an email; correct it and call campaignResume.',
    params: params({
      cid,
      schedule_time: text('YYYY-MM-DD HH:MM:SS, and a zone offset such as +0100 when it is not GMT.', 100),
    }),
    returns: z.boolean(),
    family: { params: { schedule_time_b: withoutSecondTime } },
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', 'DATE_INVALID', ...unsendable],
    scope: 'send',
    narrowed: true,
    example: { params: { cid: '{{campaign}}', schedule_time: '2099-01-31 09:00:00 +0100' } },
    run: scheduleCampaign,
  }),
  method({
    name: 'campaignUnschedule',
    group: 'campaigns',
    summary: 'Cancels the scheduled delivery; the campaign is a draft again.',
    description: 'Also takes back campaignSendNow within its undo_seconds.',
    params: params({ cid }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT'],
    scope: 'send',
    narrowed: true,
    example: { params: { cid: '{{scheduled}}' } },
    run: unscheduleCampaign,
  }),
  method({
    name: 'campaignRevisionCreate',
    group: 'campaigns',
    summary: 'Publishes the corrected text of an autoresponder, or of an email of an automation, that is being sent.',
    description:
      'campaignUpdate changes the text; no one gets the change before this call. Recipients who are queued already keep the text that they were queued with, those who come later get the new one. To give it to those too whom no message was sent to, pause the campaign and resume it: campaignResume publishes the corrected text of any paused campaign. automationStart publishes those of its emails. campaignRevisions shows who got which text.',
    params: params({ cid }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', ...unsendable],
    scope: 'send',
    narrowed: true,
    example: { params: { cid: '{{corrected}}' } },
    run: publishCorrection,
  }),
  method({
    name: 'campaignLinkUpdate',
    group: 'campaigns',
    summary: 'Corrects where a link leads, in all messages of a campaign, delivered or not.',
    description:
      'For links whose clicks are counted; campaignClickStats lists them. A click leads to the new address a few seconds later at most, in the web version and the archive too; clicks are counted on. The address is read as one in the content would be, with merge tags and web analytics. The audit log keeps both addresses. Messages that are already delivered to contacts who are not tracked have the old address.',
    params: params({
      cid,
      link_id: text('Id of the link, from campaignClickStats.', 20),
      url: text('The new address; may contain merge tags.', 4_000),
    }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_OPTION_INVALID', 'URL_INVALID', 'APPROVAL_NEEDED'],
    scope: 'send',
    narrowed: true,
    example: { params: { cid: '{{linked}}', link_id: '1', url: 'https://example.com/offer' } },
    run: correctLink,
  }),
  method({
    name: 'campaignSendTest',
    group: 'campaigns',
    summary: `Sends test messages of a campaign to up to ${testLimits.addresses} addresses, at most ${testLimits.perHour} messages an hour.`,
    description:
      'The messages show the values of the contact with the address, or else of the first contact on the list. Their subject starts with [Test]. They appear in no report. The campaign is a draft, scheduled or paused, or an autoresponder or an email of an automation that is running: the test has the text as it is being changed, also a correction that is not published. Without the permission campaigns:send they go to people of the account only.',
    params: params({
      cid,
      test_emails: arrayOf('The addresses.', text('An address.', 1_000), 1_000),
      send_type: unlessEmpty(
        oneOf(
          'html: both parts; plain: the plain text only; both parts when not given.',
          ['html', 'plain'],
          { text: 'plain' },
          { fault: 'SEND_TYPE_INVALID' },
        ),
      ),
      variant: integer(
        'The variant of its A/B test or the language version; 0 is the campaign itself.',
        0,
        maxLanguages,
      ).default(0),
    }),
    returns: z.boolean(),
    faults: [
      'NOT_ALLOWED',
      'CAMPAIGN_OPTION_INVALID',
      'CAMPAIGN_UNKNOWN',
      'CAMPAIGN_STATE_CONFLICT',
      'INVALID_PARAMETER',
      'ADDRESS_INVALID',
      'SEND_TYPE_INVALID',
      'TOO_LARGE',
      'TOO_MANY_CALLS',
      'SENDING_NOT_ALLOWED',
    ],
    scope: 'send',
    permission: 'campaigns:write',
    narrowed: true,
    example: { params: { cid: '{{campaign}}', test_emails: ['me@example.com'], send_type: 'html' } },
    run: sendTest,
  }),
  method({
    name: 'campaignReplicate',
    group: 'campaigns',
    summary: 'Copies a campaign; the copy is a draft without statistics. Returns its id.',
    params: params({ cid, idempotency_key: idempotencyKey }),
    returns: z.string(),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'write',
    narrowed: true,
    example: { params: { cid: '{{campaign}}' } },
    run: replicateCampaign,
  }),
  method({
    name: 'campaignDelete',
    group: 'campaigns',
    summary: 'Deletes a campaign in any state, with its reports. This cannot be undone.',
    description:
      'A delivery in progress stops within two seconds. Unsubscribe and click links in delivered messages keep working permanently. A scheduled campaign or autoresponder whose segment has a condition on the deleted campaign is paused with the reason, since the segment would match no one or everyone: change the segment and resume.',
    params: params({ cid }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'write',
    narrowed: true,
    example: { params: { cid: '{{campaign}}' } },
    run: deleteCampaign,
  }),
  method({
    name: 'campaignContent',
    group: 'campaigns',
    summary: 'Returns the HTML and the plain text of a campaign, and the source they were made from.',
    // The content is always that of the archive.
    params: params({ cid }).meta({ aliases: { for_archive: '' } }),
    returns: z.object({
      html: z.string(),
      plain: z.string(),
      source: z.string().meta({ description: 'The Markdown or MJML; "" where the HTML is the source.' }),
      source_format: z.enum(bodyFormats),
    }),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: showContent,
  }),
  method({
    name: 'campaignSearch',
    group: 'campaigns',
    summary:
      'Returns the campaigns whose title or subject contains a text, newest first, and how many are in each state.',
    description:
      'total counts what matches everything; counts holds, for each delivery_status, what matches everything but the state; automated counts the autoresponders, emails of automations and originals of recurring campaigns that match everything but the state and automated; hidden counts the hidden ones that match everything but the state, automated and hidden. Case does not matter.',
    params: params({
      query: text('Part of the title or of the subject; all campaigns when empty.', 200).default(''),
      state: oneOf('Only campaigns with this delivery_status.', statuses).optional(),
      automated: boolean(
        'Whether autoresponders, the emails of automations and the originals of recurring campaigns are returned alone (true), not at all (false), or with the others (not given).',
      ).optional(),
      list_id: unlessEmpty(id('Only campaigns that go to this list.')),
      ...orderFilters,
      sent_from: unlessEmpty(text('Only campaigns that were started at this date (GMT) or later.', 100)),
      sent_to: unlessEmpty(text('Only campaigns that were started before this date (GMT).', 100)),
      sort: oneOf(
        'The order; with a minus sign descending. date is when a campaign starts or started, or when it was created.',
        sorts,
      ).default('-created'),
      start,
      limit,
    }),
    returns: z.object({
      total: z.int(),
      counts: numbers(statuses),
      automated: z.int(),
      hidden: z.int(),
      data: z.array(campaignRecord.extend({ belongs_to: belongsTo })),
    }),
    faults: ['DATE_INVALID', 'START_OUT_OF_RANGE', 'LIMIT_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { query: 'news', state: 'draft', limit: 5 } },
    run: searchCampaigns,
  }),
  method({
    name: 'campaignUpdate',
    group: 'campaigns',
    summary: 'Changes one option of a campaign that has not been sent, or corrects a text of one that is running.',
    description:
      "A new list_id removes all previous lists and the segments built on them; a template_id overwrites the HTML with the template's. A scheduled campaign keeps its schedule; a change that would make sending impossible is refused. A paused campaign can be changed as long as no one has received it; campaignResume then sends the new content to the present audience. After that, and while an autoresponder or an email of an automation is being sent, subject, names and content can be corrected: no one gets the correction until it is published, with campaignResume or campaignRevisionCreate. In any other state the fault is 313. Labels can be added and removed in every state. A hidden campaign is left out by the screens and by Home; its report, its links and its place in the public archive stay. Only a draft or a sent campaign can be hidden, and sending or scheduling a draft shows it again. A program that gives base_version never overwrites the change of another person. A fault about the value names the option: subject, tracking.opens.",
    params: params({
      cid,
      name: text(
        `Which option: ${Object.keys(changeable).join(', ')}; in every state: ${arrangements.join(', ')}.`,
        100,
      ).meta({
        aliases: { to_name: 'to_email', text: 'plain' },
      }),
      value: anything(
        'The value, of the type the option has in campaignCreate; of add_label and remove_label the id of a label; of hidden a boolean.',
      ),
      ...known,
    }),
    returns: z.boolean(),
    faults: [
      'CAMPAIGN_UNKNOWN',
      'CAMPAIGN_STATE_CONFLICT',
      'CAMPAIGN_CHANGED',
      'SENDING_NOT_ALLOWED',
      'LABEL_UNKNOWN',
      'LABEL_INVALID',
      ...optionFaults,
    ],
    scope: 'write',
    narrowed: true,
    example: { params: { cid: '{{campaign}}', name: 'subject', value: 'News of May' } },
    prepare: prepareUpdate,
    run: updateCampaign,
  }),
];
