// campaignStats and campaignGeoOpens: totals of a campaign. The plain numbers are those of people; hits of machines
// (scanners, prefetching, privacy proxies) are counted separately.
import type { Context } from '../../base/context.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatDate } from '../../method/date.ts';
import { keptSums, opensOf, type ReportedCampaign, refusalsOf, reportedCampaign } from './campaign.ts';
import { addNumbers, foldedPart, type Numbers } from './folded.ts';
import { namedBounces, unsubscribers } from './recipients.ts';

/** @throws Fault CAMPAIGN_UNKNOWN */
export async function showStats(context: Context, { cid }: { cid: string }) {
  const { tx } = context;
  const of = await reportedCampaign(context, cid);
  const { bounces: counted, complaints, sums, pairs } = await reportedStats(tx, of);
  const bounces = new Map(counted);
  const generic = counted.filter(([bounce]) => !(namedBounces as readonly string[]).includes(bounce));
  return {
    hard_bounces: bounces.get('hard') ?? 0,
    soft_bounces: bounces.get('soft') ?? 0,
    blocked_bounces: bounces.get('blocked') ?? 0,
    temporary_bounces: bounces.get('temporary') ?? 0,
    generic_bounces: generic.reduce((sum, [, count]) => sum + count, 0),
    unsubscribes: (await unsubscribers(tx, of, { start: 0, limit: 1 })).total,
    complaints,
    forwards: 0,
    opens: sums.opens,
    last_open: formatDate(momentOf(sums.lastOpenAt)),
    unique_opens: sums.uniqueOpens,
    clicks: sums.clicks,
    unique_clicks: pairs.people,
    last_click: formatDate(momentOf(sums.lastClickAt)),
    users_who_clicked: sums.usersWhoClicked,
    emails_sent: await acceptedCount(tx, of),
    machine_opens: sums.machineOpens,
    unique_machine_opens: sums.uniqueMachineOpens,
    machine_clicks: sums.machineClicks,
    unique_machine_clicks: pairs.machines,
    users_with_machine_clicks: sums.usersWithMachineClicks,
  };
}

/** Returns all opens under the country "", as countries are not known. @throws Fault CAMPAIGN_UNKNOWN */
export async function showCountries(context: Context, { cid }: { cid: string }) {
  const { opens, uniqueOpens } = (await reportedStats(context.tx, await reportedCampaign(context, cid))).sums;
  return opens === 0 ? [] : [{ code: '', name: 'not known', opens, unique_opens: uniqueOpens }];
}

/** Returns the opens from one country: all of them under the code "". @throws Fault CAMPAIGN_UNKNOWN */
export async function showCountry(context: Context, { cid, code }: { cid: string; code: string }) {
  const [unknown] = await showCountries(context, { cid });
  if (code.trim() === '' && unknown) return unknown;
  return { code: code.trim().toUpperCase(), name: '', opens: 0, unique_opens: 0 };
}

/** Returns no rows, as messages cannot be forwarded to a friend. @throws Fault CAMPAIGN_UNKNOWN */
export async function listForwards(context: Context, { cid }: { cid: string }): Promise<string[]> {
  await reportedCampaign(context, cid);
  return [];
}

/** Numbers of a report that are counted from its recipients. */
export type StatsSums = {
  bounces: [bounce: string, count: number][];
  complaints: number;
  sums: EngagementSums;
  pairs: { people: number; machines: number };
};

/** The numbers from the recipients there are, and those of an autoresponder whose recipients were deleted by age. */
export async function statsSums(db: Queries, of: ReportedCampaign): Promise<StatsSums> {
  const bounces = await bounceCounts(db, of);
  const present = {
    complaints: await complaintCount(db, of),
    ...(await engagementSums(db, of)),
    ...(await uniqueClicks(db, of)),
  };
  for (const [bounce, { count }] of Object.entries(await foldedPart(db, of, 'bounces')))
    bounces.set(bounce, (bounces.get(bounce) ?? 0) + Number(count));
  const { all } = await foldedPart(db, of, 'stats');
  const { complaints, people, machines, ...sums } = all ? added(present, all) : present;
  return { bounces: [...bounces], complaints, sums, pairs: { people, machines } };
}

/** Times become text, as where sums are kept. */
const added = <T extends Record<string, Date | number | string | null>>(present: T, folded: Numbers): T =>
  addNumbers(
    Object.fromEntries(
      Object.entries(present).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
    ),
    folded,
  ) as T;

/** The numbers from the recipients, or those kept when the recipients were deleted. */
export const reportedStats = async (db: Queries, of: ReportedCampaign): Promise<StatsSums> =>
  (await keptSums<StatsSums>(db, of, 'stats')) ?? statsSums(db, of);

/** Kept sums have times as text. */
const momentOf = (at: Date | string | null): Date | null => (at === null ? null : new Date(at));

/** Bounced recipients by class. Refusals are only read if the tally or a notice shows that there are any. */
async function bounceCounts(db: Queries, of: ReportedCampaign): Promise<Map<string, number>> {
  const { account, campaign } = of;
  const rows = await db.rows<{ bounce: string; count: number }>(sql`
    select class as bounce, count(*)::int as count
    from ${refusalsOf(of)}
    where (
        exists (
          select from tally t
          where t.account_id = ${account} and t.campaign_id = ${campaign} and t.failed > 0
        )
        or exists (
          select from notice n
          where n.account_id = ${account} and n.campaign_id = ${campaign} and n.kind = 'bounce'
        )
      )
    group by 1`);
  return new Map(rows.map(({ bounce, count }) => [bounce, count]));
}

/** Recipients who reported the message as spam. */
async function complaintCount(db: Queries, { account, campaign }: ReportedCampaign): Promise<number> {
  const row = await db.row<{ count: number }>(sql`
    select count(distinct seq)::int as count
    from notice
    where account_id = ${account}
      and campaign_id = ${campaign}
      and kind = 'complaint'`);
  return row!.count;
}

async function acceptedCount(db: Queries, { account, campaign }: ReportedCampaign): Promise<number> {
  const row = await db.row<{ count: number }>(sql`
    select coalesce(sum(accepted), 0)::int as count
    from tally
    where account_id = ${account}
      and campaign_id = ${campaign}`);
  return row!.count;
}

type EngagementSums = {
  opens: number;
  uniqueOpens: number;
  lastOpenAt: Date | string | null;
  clicks: number;
  usersWhoClicked: number;
  lastClickAt: Date | string | null;
  machineOpens: number;
  uniqueMachineOpens: number;
  machineClicks: number;
  usersWithMachineClicks: number;
};

/** Sums over all recipients. Users are contacts, however many messages of an autoresponder they got. */
async function engagementSums(db: Queries, { account, campaign, month }: ReportedCampaign): Promise<EngagementSums> {
  const row = await db.row<EngagementSums>(sql`
    select coalesce(sum(opens), 0)::int as opens,
      count(*) filter (where opens > 0)::int as "uniqueOpens",
      max(last_open_at) as "lastOpenAt",
      coalesce(sum(clicks), 0)::int as clicks,
      count(*) filter (where clicks > 0)::int as "usersWhoClicked",
      max(last_click_at) as "lastClickAt",
      coalesce(sum(machine_opens), 0)::int as "machineOpens",
      count(*) filter (where machine_opens > 0)::int as "uniqueMachineOpens",
      coalesce(sum(machine_clicks), 0)::int as "machineClicks",
      count(*) filter (where machine_clicks > 0)::int as "usersWithMachineClicks"
    from (
      select sum(${opensOf}) as opens, sum(e.clicks) as clicks, sum(e.machine_opens) as machine_opens,
        sum(e.machine_clicks) as machine_clicks, max(coalesce(e.last_open_at, e.first_click_at)) as last_open_at,
        max(e.last_click_at) as last_click_at
      from engagement e
      where e.account_id = ${account}
        and e.campaign_id = ${campaign}
        and e.month = ${month}
      group by e.contact_id
    ) as person`);
  return row!;
}

/** Pairs of a recipient and a link that the recipient followed. */
async function uniqueClicks(
  db: Queries,
  { account, campaign, month }: ReportedCampaign,
): Promise<{ people: number; machines: number }> {
  const row = await db.row<{ people: number; machines: number }>(sql`
    select count(*) filter (where clicks > 0)::int as people, count(*) filter (where machine_clicks > 0)::int as machines
    from link_engagement
    where account_id = ${account}
      and campaign_id = ${campaign}
      and month = ${month}`);
  return row!;
}
