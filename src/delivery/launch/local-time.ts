// Campaigns sent by their recipients' clocks: when the first recipients are due, when each is, and what happens to those
// whose time has passed while no worker ran. Until the first is due a campaign stays scheduled, so that it can be changed;
// then its due times are fixed. zones.ts decides which instant a wall time is.

import { isWorking } from '../../accounts/account/moves.ts';
import { audienceCondition } from '../../audience/segments/audience.ts';
import { message } from '../../base/messages.ts';
import { isZone, timeMatchedAt, type WhenPast } from '../../base/zones.ts';
import { type Database, type Sql, sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { pauseAutomatically } from '../outcomes/pause-automatically.ts';
import { inPortion, type Portion } from './portion.ts';

/** The largest difference between two time zones: no recipient is due earlier than this before the sender's time. */
export const widestSpread = sql`interval '26 hours'`;
/** How often the contacts' zones are re-read: a contact that gets an earlier zone is late by this much at most. */
const rereadAfter = sql`interval '5 minutes'`;
/** A million contacts take longer than an ordinary statement may. */
const readMs = 5 * 60_000;

/** When a scheduled campaign starts; null until its recipients' zones have been read. */
export const startsAt: Sql = sql`case when time_match then match_at else schedule_at end`;

/** Computes when the first recipients of scheduled campaigns are due by their clocks. @returns for how many campaigns */
export async function computeStarts(db: Database): Promise<number> {
  let count = 0;
  while (await db.transaction(computeStart, readMs + 5_000)) count += 1;
  return count;
}

async function computeStart(tx: Tx): Promise<boolean> {
  const due = await tx.row<CampaignKey & { scheduledAt: Date; asOf: Date }>(sql`
    select account_id as account, id as campaign, schedule_at as "scheduledAt",
      -- Times are compared with the last reading: a time that passed while no worker ran is not missed.
      coalesce(match_asked_at, now()) as "asOf"
    from campaign
    where status = 'scheduled'
      and time_match
      and ${isWorking(sql`account_id`)}
      and schedule_at <= now() + ${widestSpread}
      and (match_at is null or (match_at > now() and match_asked_at < now() - ${rereadAfter}))
    order by schedule_at
    limit 1
    for update skip locked`);
  if (!due) return false;
  await tx.run(sql`select set_config('statement_timeout', ${String(readMs)}, true)`);
  const chosen = await audienceCondition(tx, due);
  const at = await matching(tx, due.account, due.scheduledAt, () => due.asOf);
  const dueAt = (await zonesOf(tx, due, chosen)).map((zone) => at(zone).getTime());
  const first = new Date(dueAt.length > 0 ? Math.min(...dueAt) : due.scheduledAt.getTime());
  await tx.run(sql`
    update campaign
    set match_at = ${first}, match_asked_at = now()
    where account_id = ${due.account}
      and id = ${due.campaign}`);
  return true;
}

/** When the contacts of each zone get a campaign that is being launched, as of the launch. */
export async function dueTimes(
  tx: Tx,
  of: CampaignKey,
  campaign: { scheduledAt: Date; matchAt: Date | null },
  portion: Portion,
): Promise<{ byZone: Record<string, string>; otherwise: Date }> {
  let launchedAt = new Date(0);
  const asOf = (now: Date) => {
    launchedAt = now;
    // Started late: a recipient whose time was ahead when it should have started gets it now, not on the next day.
    return campaign.matchAt && campaign.matchAt < now ? campaign.matchAt : now;
  };
  const at = await matching(tx, of.account, campaign.scheduledAt, asOf, sql`${portion.startedAt}::timestamptz`);
  const notBefore = (due: Date) => (due < launchedAt ? launchedAt : due);
  const zones = await zonesOf(tx, of, sql`true ${inPortion(portion)}`);
  return {
    byZone: Object.fromEntries(zones.map((zone) => [zone, notBefore(at(zone)).toISOString()])),
    otherwise: notBefore(at('')),
  };
}

/** @param asOf the moment at which a wall time is over or ahead, given the present one */
async function matching(
  tx: Tx,
  account: number,
  scheduledAt: Date,
  asOf: (now: Date) => Date,
  moment: Sql = sql`now()`,
): Promise<(zone: string) => Date> {
  const row = await tx.row<{ now: Date; zone: string; whenPast: WhenPast | null }>(sql`
    select ${moment} as now, time_zone as zone, nullif(settings ->> 'when_past', '') as "whenPast"
    from account
    where id = ${account}`);
  const { now, zone: accountZone, whenPast } = row!;
  const from = asOf(now);
  return (zone) =>
    timeMatchedAt({
      scheduledAt,
      accountZone,
      contactZone: isZone(zone) ? zone : accountZone,
      now: from,
      whenPast: whenPast ?? 'at-once',
    });
}

/** The zones of a campaign's contacts; '' means the account's zone. */
export async function zonesOf(tx: Tx, of: CampaignKey, chosen: Sql): Promise<string[]> {
  const rows = await tx.rows<{ zone: string }>(sql`
    select distinct coalesce(nullif(c.time_zone, ''), nullif(li.time_zone, ''), '') as zone
    from campaign_list l
    join list li on li.account_id = l.account_id and li.id = l.list_id
    join subscription s on s.account_id = l.account_id and s.list_id = l.list_id and s.status = 'subscribed'
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where l.account_id = ${of.account}
      and l.campaign_id = ${of.campaign}
      and ${chosen}`);
  return rows.map((row) => row.zone);
}

/**
 * Releases the recipients that have come due since the last call. A campaign is paused instead when some have been due for
 * so long that its sender may no longer want it; campaignResume sends to them.
 * @returns how many campaigns may continue
 */
export async function releaseDue(db: Database, latenessSeconds: number): Promise<number> {
  const found = await db.rows<CampaignKey & { last: Date; lateSeconds: number }>(sql`
    select p.account_id as account, p.id as campaign, k.last, extract(epoch from now() - k.first)::int as "lateSeconds"
    from campaign p,
      lateral (
        select min(due_at) as first, max(due_at) as last
        from chunk
        where account_id = p.account_id
          and campaign_id = p.id
          and state = 'waiting'
          and kind = 'first'
          and due_at > p.due_until
          and due_at <= now()
      ) as k
    where p.status = 'sending'
      and p.due_until is not null
      and k.first is not null`);
  let count = 0;
  for (const due of found) {
    if (due.lateSeconds > latenessSeconds) await db.transaction((tx) => pauseLate(tx, due));
    else
      count += await db.run(sql`
        update campaign
        -- A date read here has milliseconds only.
        set due_until = greatest(due_until, ${due.last}::timestamptz + interval '1 millisecond')
        where account_id = ${due.account}
          and id = ${due.campaign}`);
  }
  return count;
}

async function pauseLate(tx: Tx, late: CampaignKey & { lateSeconds: number }): Promise<void> {
  if (!(await pauseAutomatically(tx, late, message('pause.late_for_some')))) return;
  await tx.run(sql`
    update campaign
    set late_seconds = ${late.lateSeconds}
    where account_id = ${late.account}
      and id = ${late.campaign}`);
}
