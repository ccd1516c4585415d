// The daily quota of an account or a relay that is being warmed up, counted in the database so that all workers share it.
// Guarantees that a day, by the database's clock, never gets more than the ramp allows; unused grants can be given back.
import { parseRamp, type Ramp } from '../../base/relay/warm-up-ramp.ts';
import { type Database, type Queries, sql } from '../../db/connect.ts';
import { allowanceOf, allowedOn, dayOf } from './warm-up.ts';

/** `account` is 0 for a relay of the installation. */
export type Quota = { account: number; relay: string; ramp: Ramp & { startedAt: Date } };

/** `day` is null once the ramp is over and nothing is counted; `retryMs` until the next day, 0 if all was granted. */
export type Grant = { granted: number; day: number | null; retryMs: number };

export function reserve(db: Database, quota: Quota, count: number): Promise<Grant> {
  const { account, relay, ramp } = quota;
  return db.transaction(async (tx) => {
    const { now } = (await tx.row<{ now: Date }>(sql`select clock_timestamp() as now`))!;
    const day = dayOf(ramp.startedAt, now);
    const allowed = allowedOn(ramp, day);
    if (allowed === null) return { granted: count, day: null, retryMs: 0 };
    await tx.run(sql`
      insert into day_quota (account_id, relay, day)
      values (${account}, ${relay}, ${day})
      on conflict do nothing`);
    const row = await tx.row<{ granted: number; used: number }>(sql`
      update day_quota q
      set used = greatest(q.used, least(${allowed}::int, q.used + ${count}::int))
      from (
        select used
        from day_quota
        where account_id = ${account}
          and relay = ${relay}
          and day = ${day}
        for update
      ) as before
      where q.account_id = ${account}
        and q.relay = ${relay}
        and q.day = ${day}
      returning q.used - before.used as granted, q.used`);
    const { granted, used } = row!;
    const left = allowanceOf(ramp, ramp.startedAt, now, used);
    const retryMs = left.left === null ? 0 : Math.max(1_000, left.nextDayAt.getTime() - now.getTime());
    return { granted, day, retryMs: granted === count ? 0 : retryMs };
  });
}

export async function giveBack(db: Database, quota: Quota, grant: Grant, count: number): Promise<void> {
  if (grant.day === null || count <= 0) return;
  await db.run(sql`
    update day_quota
    set used = greatest(0, used - ${count}::int)
    where account_id = ${quota.account}
      and relay = ${quota.relay}
      and day = ${grant.day}`);
}

export type UsedUp = { nextDayAt: Date; ramp: Ramp & { startedAt: Date }; now: Date };

/** When an account has used up today's quota: when the next day starts. */
export async function usedUp(tx: Queries, account: number): Promise<UsedUp | undefined> {
  const row = await tx.row<{ warmUp: string | null; now: Date }>(sql`
    select settings ->> 'warm_up' as "warmUp", clock_timestamp() as now
    from account
    where id = ${account}`);
  const ramp = parseRamp(row?.warmUp ?? '');
  if (!row || 'wrong' in ramp) return undefined;
  const day = dayOf(ramp.startedAt, row.now);
  const counted = await tx.row<{ used: number }>(sql`
    select used
    from day_quota
    where account_id = ${account}
      and relay = ''
      and day = ${day}`);
  const allowance = allowanceOf(ramp, ramp.startedAt, row.now, counted?.used ?? 0);
  return allowance.left === 0 ? { nextDayAt: allowance.nextDayAt, ramp, now: row.now } : undefined;
}
