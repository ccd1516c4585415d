// The monthly quota of an account: how many emails it may hand out in a month (UTC). An email counts once, in the transaction that
// hands it out for the first time, and no more if it turns out that no relay was given it. Guarantees that campaigns and single
// messages together never exceed the quota: a transaction that hands out holds the lock of the account until it commits.
// docs/flows.md, "Accounts of an operator".
import { fault } from '../../base/faults.ts';
import { type Queries, type Sql, sql, type Tx } from '../../db/connect.ts';
import { lockClasses } from '../../db/locks.ts';

/** SQL: the first day of the present month. */
export const thisMonth: Sql = sql`date_trunc('month', now() at time zone 'UTC')::date`;
/** SQL: when the next month begins. */
const nextMonthAt: Sql = sql`(date_trunc('month', now() at time zone 'UTC') + interval '1 month') at time zone 'UTC'`;

/** SQL: what the account `a` has handed out this month. */
export const sentThisMonth = (a: Sql): Sql => sql`(
  select coalesce(sum(s.count), 0)::int
  from sent_count s
  where s.account_id = ${a}.id
    and s.month = ${thisMonth}
)`;

/** SQL: how many emails the account `a` may still hand out: null without a limit, 0 also while it is suspended. */
export const leftToHandOut = (a: Sql): Sql => sql`
  case
    when not ${a}.active then 0
    when ${a}.monthly_quota is not null then greatest(0, ${a}.monthly_quota - ${sentThisMonth(a)})
  end`;

/** SQL: whether the account of this id may begin with no further recipient of a campaign now. */
export const handsOutNothing = (accountId: Sql): Sql => sql`exists (
  select
  from account a
  where a.id = ${accountId}
    and (
      not a.active
      -- Nothing is summed up where there is no quota.
      or case when a.monthly_quota is null then false else a.monthly_quota <= ${sentThisMonth(sql`a`)} end
    )
)`;

/**
 * To be called first in a transaction that hands out. Those of an account without a quota do not wait for each other, but for a
 * change of the quota. @returns whether no other transaction hands out until this one ends: a quota that was set in the meantime
 * needs that
 */
export async function lockQuota(tx: Tx, accountId: number): Promise<boolean> {
  const row = await tx.row<{ alone: boolean }>(sql`
    with asked as materialized (
      select exists (select from account where id = ${accountId} and monthly_quota is not null) as alone
    )
    select alone, case
        when alone then pg_advisory_xact_lock(${lockClasses.monthlyQuota}::int, ${accountId}::int)
        else pg_advisory_xact_lock_shared(${lockClasses.monthlyQuota}::int, ${accountId}::int)
      end::text as locked
    from asked`);
  return row!.alone;
}

/** To be called before the quota is changed: a group that is being marked counts under the former one. */
export async function lockQuotaForChange(tx: Tx, accountId: number): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(${lockClasses.monthlyQuota}::int, ${accountId}::int)`);
}

/**
 * Counts single messages when they are taken. @param count recipients of all of them
 * @throws Fault QUOTA_USED
 */
export async function countMessages(tx: Tx, accountId: number, count: number): Promise<void> {
  const row = await tx.row<{ left: number | null; quota: number | null; nextAt: string }>(sql`
    select ${leftToHandOut(sql`a`)} as left, a.monthly_quota as quota, to_char(${nextMonthAt} at time zone 'UTC', 'YYYY-MM-DD') as "nextAt"
    from account a
    where a.id = ${accountId}`);
  if (row && row.quota !== null && row.left !== null && row.left < count)
    throw fault('QUOTA_USED', 'quota.used', { quota: row.quota, left: row.left, count, day: row.nextAt });
  await tx.run(sql`
    insert into sent_count (account_id, month, kind, count)
    values (${accountId}, ${thisMonth}, 'message', ${count})`);
}

export type MonthlyUse = { quota: number | null; used: number; suspended: boolean; nextMonthAt: Date };

/** What an account may hand out and has handed out this month. */
export async function monthlyUse(db: Queries, accountId: number): Promise<MonthlyUse> {
  const row = await db.row<MonthlyUse>(sql`
    select a.monthly_quota as quota, ${sentThisMonth(sql`a`)} as used, not a.active as suspended, ${nextMonthAt} as "nextMonthAt"
    from account a
    where a.id = ${accountId}`);
  return row!;
}

/** When the next month begins, if the account has used up its quota. */
export async function quotaUsedUntil(db: Queries, accountId: number): Promise<Date | undefined> {
  const { quota, used, nextMonthAt: at } = await monthlyUse(db, accountId);
  return quota !== null && used >= quota ? at : undefined;
}

/** Replaces the rows of each account and month by their sum. */
export async function foldSentCounts(db: Queries): Promise<void> {
  await db.run(sql`
    with many as (
      select account_id, month, kind
      from sent_count
      group by account_id, month, kind
      having count(*) > 1
    ), gone as (
      delete from sent_count s
      using many m
      where s.account_id = m.account_id
        and s.month = m.month
        and s.kind = m.kind
      returning s.*
    )
    insert into sent_count (account_id, month, kind, count)
    select account_id, month, kind, sum(count)
    from gone
    group by account_id, month, kind`);
}
