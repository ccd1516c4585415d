// Home: the last results against the account's average, how the lists grow, what needs attention, and which of
// the first steps are done.
import { z } from 'zod';
import { isOperatorAccount } from '../accounts/account/account.ts';
import { monthlyUse } from '../accounts/account/monthly-quota.ts';
import { mayDo } from '../accounts/keys/permissions.ts';
import { noticedShares } from '../accounts/notices/quota-notice.ts';
import { monthsOfMembers } from '../audience/model/tally.ts';
import type { Context } from '../base/context.ts';
import { message, packedPrefix, renderMessage, renderPacked } from '../base/messages.ts';
import type { Permission } from '../base/permissions.ts';
import { approvalsInNeed } from '../campaigns/review/read.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { heldIn } from '../delivery/control/held-recipients.ts';
import { warningsOf } from '../delivery/daily/warnings.ts';
import { repliesToMessages } from '../delivery/outcomes/refused-replies.ts';
import { whyNothingIsSent } from '../delivery/progress/worker-status.ts';
import { diskMessage, fullDisks, stopsSending } from '../jobs/full-disks.ts';
import { formatDate } from '../method/date.ts';
import { method } from '../method/method.ts';
import { named } from '../method/named.ts';
import { params } from '../method/params.ts';
import { issuesInNeed } from '../recurring/read.ts';
import { together, waitingEmails } from '../relays/settings/waiting-emails.ts';
import { conversionsRecord, recentConversions } from '../tracking/conversions.ts';
import { reactionsOf } from '../tracking/reports/reactions.ts';
import { inProgressRecord, whatIsInProgress } from './in-progress.ts';
import { noRecent, recentDays, recentFigures, recentRecord } from './recent.ts';
import { stepsDone, stepsRecord } from './steps.ts';

const shownResults = 5;
const averagedResults = 12;
/** Most opens and clicks come within two days: the rates of a younger campaign still grow. */
const settledHours = 48;
const shownMonths = 12;
const conversionDays = 30;
/** Fewer new suppressions a week than this are normal. */
const noteworthySuppressions = 20;

const attention = named(
  'Attention',
  z.object({
    kind: z
      .enum([
        'disk',
        'relay',
        'webhook',
        'domain',
        'suppression',
        'campaign',
        'held',
        'issue',
        'quota',
        'operator',
        'reputation',
        'approval',
      ])
      .meta({
        description:
          'disk: it is full; campaign: it is paused; held: a campaign with recipients that a person decides about; issue: of a recurring campaign; quota: the monthly quota is nearly or fully used up; reputation: too many complaints; operator: the operator was signed in to the account within seven days, shown to owners; approval: a campaign that waits for the answer of the caller, or whose author must answer.',
      }),
    id: z.string().meta({
      description:
        'Of the webhook or (recurring) campaign, the domain; of reputation: account, or that of the list or provider; database, journal, log or backup for a disk; empty otherwise.',
    }),
    name: z.string(),
    detail: z.string().meta({ description: 'The problem; waiting for an issue that waits for approval.' }),
    count: z.int().meta({
      description:
        'Suppressions: how many in the last seven days; held: how many recipients; quota: percent; relay: emails that are due and wait.',
    }),
  }),
);

type Attention = z.input<typeof attention>;

/** What one must be allowed to read to see it. */
const attentionNeeds: Partial<Record<Attention['kind'], Permission>> = {
  webhook: 'webhooks:read',
  suppression: 'contacts:read',
  campaign: 'campaigns:read',
  held: 'campaigns:read',
  issue: 'campaigns:read',
  approval: 'campaigns:read',
};

export const homeMethod = method({
  name: 'homeSummary',
  group: 'account',
  summary: 'Returns the data of a start page: last results, growth of the lists, what needs attention, first steps.',
  description: `results are the last ${shownResults} campaigns sent that are not hidden, average the mean over the last ${averagedResults} that were sent at least ${settledHours} hours ago (rates from 0 to 1; opens and clicks count people). growth is month by month over all lists. steps shows which first steps are done. What the caller may not read (results, campaigns, webhooks) is left out.`,
  params: params({}),
  returns: z.object({
    members: z.int().meta({ description: 'Subscriptions of all lists now.' }),
    results: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        send_time: z.string(),
        emails_sent: z.int(),
        opens: z.int(),
        clicks: z.int(),
        unsubscribes: z.int(),
        early: z.boolean().meta({ description: 'Sent too recently to be compared: it is not part of the average.' }),
      }),
    ),
    average: z.object({
      campaigns: z.int(),
      open_rate: z.number(),
      click_rate: z.number(),
      unsubscribe_rate: z.number(),
    }),
    recent: recentRecord.meta({
      description: `What campaigns sent in the last ${recentDays} days delivered, with those still being sent, and the parts that people opened and clicked, without those if others have ended; before is the same of the ${recentDays} days before.`,
    }),
    growth: z.array(z.object({ month: z.string(), joined: z.int(), left: z.int(), members: z.int() })),
    conversions: z
      .object(conversionsRecord)
      .meta({ description: `Of all campaigns within the last ${conversionDays} days: see campaignConversions.` }),
    in_progress: inProgressRecord,
    attention: z.array(attention),
    steps: stepsRecord,
  }),
  faults: [],
  scope: 'read',
  narrowed: true,
  reads: true,
  primary: true,
  example: { params: {} },
  async run(context) {
    const all = mayDo(context.caller, 'reports:read') ? await lastResults(context) : [];
    const isEarly = ({ sendAt }: Result) =>
      sendAt === null || sendAt.getTime() > context.now.getTime() - settledHours * 3_600_000;
    const rated = all.filter((result) => result.emails_sent > 0 && !isEarly(result));
    const mean = (of: (result: Result) => number) =>
      rated.length === 0 ? 0 : rated.reduce((sum, result) => sum + of(result) / result.emails_sent, 0) / rated.length;
    const { growth, members } = await growthOf(context);
    return {
      members,
      results: all
        .filter(({ hidden }) => !hidden)
        .slice(0, shownResults)
        .map((result) => {
          const { sendAt, id, hidden: _, ...one } = result;
          return { ...one, id: formatId(id), send_time: formatDate(sendAt), early: isEarly(result) };
        }),
      average: {
        campaigns: rated.length,
        open_rate: mean(({ opens }) => opens),
        click_rate: mean(({ clicks }) => clicks),
        unsubscribe_rate: mean(({ unsubscribes }) => unsubscribes),
      },
      recent: mayDo(context.caller, 'reports:read')
        ? await recentFigures(context, new Date(context.now.getTime() - settledHours * 3_600_000))
        : noRecent,
      growth,
      conversions: mayDo(context.caller, 'reports:read')
        ? await recentConversions(context.tx, context.account.id, conversionDays)
        : { people: 0, values: [] },
      in_progress: await whatIsInProgress(context),
      attention: (await needsAttention(context)).filter(isFor(context)).filter(({ kind }) => {
        const needed = attentionNeeds[kind];
        return needed === undefined || mayDo(context.caller, needed);
      }),
      steps: await stepsDone(context, members),
    };
  },
});

type Result = {
  id: number;
  title: string;
  sendAt: Date | null;
  emails_sent: number;
  opens: number;
  clicks: number;
  unsubscribes: number;
  hidden: boolean;
};

/** The last campaigns, newest first: those that are shown, and those of the average. */
async function lastResults({ tx, account, now }: Context): Promise<Result[]> {
  const settledBefore = new Date(now.getTime() - settledHours * 3_600_000);
  const rows = await tx.rows<Pick<Result, 'id' | 'title' | 'sendAt' | 'emails_sent' | 'hidden'>>(sql`
    -- "materialized", as what is used twice would be, reads and sorts all campaigns of the account.
    with sent as not materialized (
      select id, account_id, coalesce(nullif(title, ''), subject) as title, send_at, is_hidden
      from campaign
      where account_id = ${account.id}
        and status = 'sent'
        and type not in ('auto', 'message')
    ), last as (
      (select * from sent where not is_hidden order by send_at desc nulls last, id limit ${shownResults})
      union
      (select * from sent where send_at <= ${settledBefore} order by send_at desc nulls last, id limit ${averagedResults})
    )
    select id, title, send_at as "sendAt", is_hidden as hidden,
      (select coalesce(sum(accepted), 0)::int from tally t where t.account_id = l.account_id and t.campaign_id = l.id) as emails_sent
    from last l
    order by send_at desc nulls last, id`);
  const reactions = await reactionsOf(
    tx,
    account.id,
    rows.map(({ id }) => id),
  );
  const leavers = await tx.rows<{ cid: string; count: number }>(sql`
    select detail ->> 'campaign' as cid, count(distinct contact_id)::int as count
    from consent
    where account_id = ${account.id}
      and detail ? 'campaign'
      and detail ->> 'campaign' = any(${rows.map(({ id }) => formatId(id))}::text[])
      and kind = 'unsubscribe'
    group by 1`);
  const left = new Map(leavers.map(({ cid, count }) => [cid, count]));
  return rows.map((row) => ({
    ...row,
    opens: reactions.get(row.id)?.unique_opens ?? 0,
    clicks: reactions.get(row.id)?.users_who_clicked ?? 0,
    unsubscribes: left.get(formatId(row.id)) ?? 0,
  }));
}

async function growthOf({ tx, account, now }: Context) {
  const months = await monthsOfMembers(tx, account.id);
  let members = 0;
  const byMonth = months.map(({ month, joined, gone }) => {
    members += joined - gone;
    return { month, joined, left: gone, members };
  });
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - shownMonths + 1, 1));
  const growth = [];
  for (let i = 0; i < shownMonths; i++) {
    const month = formatDate(new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + i, 1))).slice(0, 7);
    const before = byMonth.findLast((entry) => entry.month <= month);
    growth.push(before?.month === month ? before : { month, joined: 0, left: 0, members: before?.members ?? 0 });
  }
  const begun = growth.findIndex((month) => month.members > 0 || month.joined > 0);
  return { growth: begun < 0 ? [] : growth.slice(begun), members };
}

/** The monthly quota from the first notice on. */
async function quotaInNeed({ tx, account, language }: Context): Promise<Attention[]> {
  const { quota, used, nextMonthAt } = await monthlyUse(tx, account.id);
  if (quota === null || used * 100 < quota * noticedShares[0]) return [];
  const day = formatDate(nextMonthAt).slice(0, 10);
  const text = message(used >= quota ? 'delivery.quota_used' : 'delivery.quota_near', { used, quota, day });
  const count = Math.floor((used * 100) / quota);
  return [{ kind: 'quota', id: '', name: '', detail: renderMessage(text, language), count }];
}

/** The last time that the operator was signed in to the account, for those who see its log. */
async function visitsOfOperator({ tx, account, caller }: Context): Promise<Attention[]> {
  if (!mayDo(caller, 'account:admin')) return [];
  const visit = await tx.row<{ at: Date; email: string | null; count: number }>(sql`
    select max(e.at) as at, (array_agg(u.email order by e.at desc))[1] as email, count(*)::int as count
    from audit_entry e
    left join app_user u on u.id = e.user_id
    where e.account_id = ${account.id}
      and e.method = 'accountSignIn'
      and e.detail ->> 'by' = 'operator'
      and e.at > now() - interval '7 days'
    having count(*) > 0`);
  if (!visit) return [];
  return [
    {
      kind: 'operator',
      id: '',
      name: '',
      detail: `${visit.email ?? ''} ${formatDate(visit.at)} GMT`.trim(),
      count: visit.count,
    },
  ];
}

/** What is of the whole account is for callers who have all lists. */
const isFor =
  ({ caller }: Pick<Context, 'caller'>) =>
  ({ kind }: Attention): boolean =>
    caller.lists === null || ['campaign', 'held', 'issue', 'approval'].includes(kind);

async function needsAttention(context: Context): Promise<Attention[]> {
  const { tx, account, language } = context;
  const full = await fullDisks(tx);
  const isStopped = full.some(stopsSending);
  const isOperator = full.length > 0 && (await isOperatorAccount(tx, account));
  // Reported as disks.
  const reason = isStopped ? '' : await whyNothingIsSent(context);
  const refusing = await repliesToMessages(context.tx, context.account.id);
  const paused = await tx.rows<{ id: number; title: string; reason: string }>(sql`
    select id, coalesce(nullif(title, ''), subject) as title, status_reason as reason
    from campaign
    where account_id = ${account.id}
      and status = 'paused'
      and not starts_with(status_reason, ${packedPrefix('pause.by_')})
    limit 10`);
  const growing = (await tx.row<{ week: number; before: number }>(sql`
    select count(*) filter (where created_at > now() - interval '7 days')::int as week,
      count(*) filter (where created_at <= now() - interval '7 days')::int as before
    from suppression
    where account_id = ${account.id}
      and created_at > now() - interval '14 days'
      and reason in ('bounce', 'complaint')`))!;
  const grows = growing.week >= noteworthySuppressions && growing.week > 2 * growing.before;
  return [
    ...full
      .filter((disk) => stopsSending(disk) || isOperator)
      .map(
        (disk): Attention => ({
          kind: 'disk',
          id: disk,
          name: '',
          detail: renderMessage(diskMessage(disk), language),
          count: 0,
        }),
      ),
    ...(await quotaInNeed(context)),
    ...(await visitsOfOperator(context)),
    ...(reason ? [await relayInNeed(context, reason)] : []),
    ...refusing.map((reply): Attention => ({ kind: 'relay', id: '', name: '', detail: reply, count: 0 })),
    ...paused.map(
      ({ id, title, reason }): Attention => ({
        kind: 'campaign',
        id: formatId(id),
        name: title,
        detail: renderPacked(reason, language),
        count: 0,
      }),
    ),
    ...(await heldIn(tx, account.id)).map(
      ({ id, title, count }): Attention => ({
        kind: 'held',
        id: formatId(id),
        name: title,
        detail: renderMessage(message('delivery.held_recipients', { count }), language),
        count,
      }),
    ),
    ...(await approvalsInNeed(context)),
    ...(await issuesInNeed(context)),
    ...(await webhooksInNeed(context)),
    ...(await domainsInNeed(context)),
    ...(await warningsOf(tx, account.id)).map(
      ({ scope, id, name, reason }): Attention => ({
        kind: 'reputation',
        id: scope === 'list' ? formatId(Number(id)) : scope === 'provider' ? id : 'account',
        name,
        detail: renderMessage(reason, language),
        count: 0,
      }),
    ),
    ...(grows ? [{ kind: 'suppression' as const, id: '', name: '', detail: '', count: growing.week }] : []),
  ];
}

/** With the emails of the account that wait for a relay. */
async function relayInNeed({ tx, account }: Context, reason: string): Promise<Attention> {
  const { count } = together(await waitingEmails(tx, account.id));
  return { kind: 'relay', id: '', name: '', detail: reason, count };
}

async function webhooksInNeed({ tx, account, language }: Context): Promise<Attention[]> {
  const hooks = await tx.rows<{ id: number; title: string; status: string; reason: string }>(sql`
    select id, title, status, status_reason as reason
    from webhook
    where account_id = ${account.id}
      and (status = 'off' or (status in ('active', 'unverified') and failing_since is not null))
    order by title
    limit 10`);
  return hooks.map(
    ({ id, title, reason }): Attention => ({
      kind: 'webhook',
      id: formatId(id),
      name: title,
      detail: renderPacked(reason, language),
      count: 0,
    }),
  );
}

async function domainsInNeed({ tx, account }: Context): Promise<Attention[]> {
  const domains = await tx.rows<{ domain: string; broken: boolean }>(sql`
    select domain, broken_at is not null as broken
    from sender_domain
    where account_id = ${account.id}
      and not active
    order by domain
    limit 10`);
  return domains.map(
    ({ domain, broken }): Attention => ({
      kind: 'domain',
      id: domain,
      name: domain,
      detail: broken ? 'broken' : 'pending',
      count: 0,
    }),
  );
}
