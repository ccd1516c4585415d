// The methods about recurring campaigns. See docs/flows.md, "Recurring campaign".
import { z } from 'zod';
import { statuses } from '../campaigns/model/campaign.ts';
import { unsendable } from '../campaigns/release/sendable.ts';
import { idempotencyKey } from '../method/idempotency.ts';
import { method } from '../method/method.ts';
import { named } from '../method/named.ts';
import { paging } from '../method/paging.ts';
import { boolean, filledLine, filledText, id, integer, oneOf, params, text, unlessEmpty } from '../method/params.ts';
import { createRecurring, deleteRecurring, pauseRecurring, resumeRecurring, updateRecurring } from './change.ts';
import { approveIssue, skipIssue } from './decide.ts';
import { sourceKinds } from './feed/fetch.ts';
import { feedContents, itemStates, prepareFeed, prepareSource, previewIssue, runNow } from './preview.ts';
import { listIssues, listRecurring, recurringInfo } from './read.ts';
import { schedule } from './read-schedule.ts';
import { issueStates } from './schedule/recurring.ts';
import { scheduleTypes } from './schedule/schedule.ts';

const recurring = id('The recurring campaign.');
const issueCampaign = id('The campaign of the issue.');
const settings = {
  title: filledLine('Name of the recurring campaign; issues are named after it and their day.', 200),
  schedule,
  time_zone: text('The time zone of the schedule, such as Europe/Berlin.', 64),
  source: oneOf('feed (RSS, Atom or JSON Feed), or page: a web page that is the content of each issue.', sourceKinds),
  source_url: filledText('The address of the feed or page.', 2_000),
  max_items: integer('Items of an issue at most; further new ones are not sent later.', 1, 50),
  approve: boolean('Whether each issue waits until a user approves it.'),
};
const issue = named(
  'RecurringIssue',
  z.object({
    at: z.string().meta({ description: 'When it was due.' }),
    state: z.enum(issueStates),
    reason: z.string().meta({
      description: 'Why it was skipped, has expired or failed, or why it waits although no approval was asked for.',
    }),
    by_hand: z.boolean(),
    attempts: z.int().meta({ description: 'Attempts to read the source that failed.' }),
    items: z.int(),
    campaign: z.string().meta({ description: 'Empty without one.' }),
    campaign_deleted: z.boolean(),
    title: z.string(),
    subject: z.string(),
    delivery_status: z.enum(['', ...statuses]),
    emails_sent: z.int(),
  }),
);
const record = {
  id: z.string(),
  title: z.string(),
  status: z.enum(['active', 'paused']),
  started: z.boolean().meta({ description: 'Whether it was ever started: it is created paused.' }),
  problem: z.string().meta({ description: 'Why no issue can be made; empty if there is no problem.' }),
  campaign: z.string().meta({ description: 'The original, which is copied for each issue.' }),
  list: z.string(),
  list_name: z.string(),
  schedule: named(
    'RecurringSchedule',
    z.object({
      type: z.enum(scheduleTypes),
      time: z.string(),
      weekdays: z.array(z.int()),
      day: z.int(),
      cron: z.string(),
    }),
  ),
  time_zone: z.string(),
  source: z.enum(sourceKinds),
  source_url: z.string(),
  max_items: z.int(),
  approve: z.boolean(),
  next_at: z.string().meta({ description: 'When the next issue is due; empty while it is paused.' }),
  latest: z.array(issue).meta({ description: 'The latest issue; empty before the first.' }),
  date_created: z.string(),
};
const item = {
  title: z.string(),
  url: z.string(),
  author: z.string(),
  date: z.string(),
  summary: z.string(),
  image: z.string(),
};
const stateFaults = ['RECURRING_UNKNOWN', 'RECURRING_STATE_CONFLICT'] as const;

const reading = [
  method({
    name: 'recurringCampaigns',
    group: 'recurring',
    summary: 'Returns the recurring campaigns, newest first, each with its latest issue.',
    params: params(paging(25, 200)),
    returns: z.object({ total: z.int(), data: z.array(named('RecurringCampaign', z.object(record))) }),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { limit: 10 } },
    run: listRecurring,
  }),
  method({
    name: 'recurringGet',
    group: 'recurring',
    summary: 'Returns a recurring campaign and the next five times of its schedule.',
    params: params({ id: recurring }),
    returns: z.object({ ...record, next_times: z.array(z.string()) }),
    faults: ['RECURRING_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { id: '{{recurring}}' } },
    run: recurringInfo,
  }),
  method({
    name: 'recurringIssues',
    group: 'recurring',
    summary:
      'Returns the issues of a recurring campaign, the latest first: every time at which one was due, with its state.',
    description:
      'sent: delivery has begun. waiting: for recurringApprove. skipped: nothing new, or by hand. expired: not approved before the next issue was due. failed: the source could not be read, which is retried until the next issue is due; or its campaign could not be sent and is kept as a draft.',
    params: params({ id: recurring, ...paging(25, 200) }),
    returns: z.object({ total: z.int(), data: z.array(issue) }),
    faults: ['RECURRING_UNKNOWN', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { id: '{{recurring}}' } },
    run: listIssues,
  }),
  method({
    name: 'recurringFeed',
    group: 'recurring',
    summary: 'Reads a feed: RSS, RSS 1.0, Atom or JSON Feed, or the one that a web page names.',
    description: 'A feed that cannot be read is no fault: ok is false then, with the reason.',
    params: params({
      url: filledText('The address of the feed, or of a page that names one.', 2_000),
      limit: integer('Items to return, at most 50.', 1, 50, { fault: 'LIMIT_OUT_OF_RANGE' }).default(10),
    }),
    returns: z.object({
      ok: z.boolean(),
      reason: z.string(),
      url: z.string().meta({ description: 'The address of the feed itself.' }),
      title: z.string(),
      description: z.string(),
      total: z.int(),
      items: z.array(named('FeedItem', z.object(item))),
    }),
    faults: ['LIMIT_OUT_OF_RANGE'],
    // It makes the server send a request to any address.
    scope: 'write',
    narrowed: true,
    reads: true,
    example: { params: { url: 'https://blog.example.com/feed.xml' } },
    prepare: prepareFeed,
    run: feedContents,
  }),
  method({
    name: 'recurringPreview',
    group: 'recurring',
    summary: 'Returns the next issue as it would be now, with what is new, or with the latest items if nothing is.',
    description:
      'state of an item: next (it is new), sent (an issue has it) or passed (it was in the feed at an earlier issue, beyond max_items). Other merge tags are not replaced.',
    params: params({ id: recurring }),
    returns: z.object({
      ok: z.boolean(),
      reason: z.string().meta({ description: 'Why there is none; if ok, why it would wait for approval, or empty.' }),
      subject: z.string(),
      html: z.string(),
      plain: z.string(),
      items: z.array(z.object({ ...item, state: z.enum(itemStates) })),
    }),
    faults: ['RECURRING_UNKNOWN', 'TOO_LARGE'],
    scope: 'write',
    narrowed: true,
    reads: true,
    example: { params: { id: '{{recurring}}' } },
    prepare: prepareSource,
    run: previewIssue,
  }),
];

const changing = [
  method({
    name: 'recurringCreate',
    group: 'recurring',
    summary: 'Creates a recurring campaign, paused, and returns its id. recurringResume starts it.',
    description:
      'Each issue is a copy of a campaign, the original: the one given, or a draft made for the list, with a block that is repeated for each item of the feed. Change it as any campaign.',
    params: params({
      ...settings,
      time_zone: settings.time_zone.optional(),
      source: settings.source.default('feed'),
      max_items: settings.max_items.default(10),
      approve: settings.approve.default(false),
      list: unlessEmpty(id('The list, for which a draft is made.')),
      campaign: unlessEmpty(id('Or a campaign to copy.')),
      idempotency_key: idempotencyKey,
    }),
    returns: z.string(),
    faults: ['RECURRING_INVALID', 'LIST_UNKNOWN', 'CAMPAIGN_UNKNOWN'],
    scope: 'write',
    narrowed: true,
    example: {
      params: {
        title: 'News of the week',
        list: '{{list}}',
        schedule: { type: 'weekly', time: '09:00', weekdays: [1] },
        time_zone: 'Europe/Berlin',
        source_url: 'https://blog.example.com/feed.xml',
        approve: true,
      },
    },
    run: createRecurring,
  }),
  method({
    name: 'recurringUpdate',
    group: 'recurring',
    summary: 'Changes a recurring campaign; members that are left out stay as they are.',
    params: params({
      id: recurring,
      title: settings.title.optional(),
      schedule: settings.schedule.optional(),
      time_zone: settings.time_zone.optional(),
      source: settings.source.optional(),
      source_url: settings.source_url.optional(),
      max_items: settings.max_items.optional(),
      approve: settings.approve.optional(),
    }),
    returns: z.boolean(),
    faults: ['RECURRING_UNKNOWN', 'RECURRING_INVALID'],
    scope: 'write',
    narrowed: true,
    example: { params: { id: '{{recurring}}', schedule: { type: 'monthly', time: '08:30', day: 31 }, max_items: 5 } },
    run: updateRecurring,
  }),
  method({
    name: 'recurringDelete',
    group: 'recurring',
    summary: 'Deletes a recurring campaign. Its original and its issues stay as campaigns.',
    params: params({ id: recurring }),
    returns: z.boolean(),
    faults: ['RECURRING_UNKNOWN'],
    scope: 'write',
    narrowed: true,
    example: { params: { id: '{{recurring}}' } },
    run: deleteRecurring,
  }),
  method({
    name: 'recurringResume',
    group: 'recurring',
    summary: 'Starts a recurring campaign, or resumes it: the next issue is made at the next time of the schedule.',
    params: params({ id: recurring }),
    returns: z.boolean(),
    faults: [...stateFaults, 'RECURRING_INVALID'],
    scope: 'send',
    narrowed: true,
    example: { params: { id: '{{recurring}}' } },
    run: resumeRecurring,
  }),
  method({
    name: 'recurringPause',
    group: 'recurring',
    summary: 'Pauses a recurring campaign: no issue is made until recurringResume.',
    params: params({ id: recurring }),
    returns: z.boolean(),
    faults: stateFaults,
    scope: 'send',
    narrowed: true,
    example: { params: { id: '{{recurring_active}}' } },
    run: pauseRecurring,
  }),
  method({
    name: 'recurringRunNow',
    group: 'recurring',
    summary: 'Makes an issue now, besides the schedule, and returns what became of it.',
    description:
      'As an issue of the schedule it is sent, waits for approval, or is skipped if nothing is new. An issue whose items may have been sent before, because the site seems to have moved, waits in any case.',
    params: params({ id: recurring }),
    returns: z.object({ state: z.enum(issueStates), reason: z.string(), campaign: z.string(), items: z.int() }),
    faults: ['RECURRING_UNKNOWN'],
    scope: 'send',
    narrowed: true,
    example: { params: { id: '{{recurring}}' } },
    prepare: prepareSource,
    run: runNow,
  }),
  method({
    name: 'recurringApprove',
    group: 'recurring',
    summary: 'Sends an issue that waits for approval, or one that failed with a draft.',
    params: params({ campaign: issueCampaign }),
    returns: z.boolean(),
    faults: [...stateFaults, 'CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', ...unsendable],
    scope: 'send',
    narrowed: true,
    example: { params: { campaign: '{{recurring_issue}}' } },
    run: approveIssue,
  }),
  method({
    name: 'recurringSkip',
    group: 'recurring',
    summary:
      'Skips an issue that waits for approval or failed. Its campaign stays a draft, and its items are not sent again.',
    params: params({ campaign: issueCampaign }),
    returns: z.boolean(),
    faults: stateFaults,
    scope: 'send',
    narrowed: true,
    example: { params: { campaign: '{{recurring_issue}}' } },
    run: skipIssue,
  }),
];

export const recurringMethods = [...reading, ...changing];
