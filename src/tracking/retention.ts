// How long single opens and clicks are kept. The counts of reports, and what each recipient opened and clicked at first and
// last, are kept apart (engagement) and stay as they are.
import { accountsThatForget, deleteOldest, dropExpiredMonths, longestDays } from '../accounts/account/retention.ts';
import { type Database, raw, type Sql, sql } from '../db/connect.ts';
import { partitionsOf } from '../db/partitions.ts';
import type { TaskContext } from '../jobs/tasks.ts';

type OldHits = { accountId: number; campaignId: number; days: number };

/** Deletes opens and clicks older than their account keeps them. */
export async function purgeHits({ app: { db }, signal }: TaskContext): Promise<void> {
  await dropExpiredMonths(db, 'hit', 'keep_hits_days');
  const longest = await longestDays(db, 'keep_hits_days');
  for (const { id, days } of await accountsThatForget(db, 'keep_hits_days'))
    for (const table of await tablesWithOldHits(db, id, days, longest))
      for (const { accountId, campaignId } of await campaignsWithOldHits(db, table, id, days))
        await deleteOldest(
          db,
          signal,
          table,
          sql`account_id = ${accountId} and campaign_id = ${campaignId} and at < now() - make_interval(days => ${days})`,
        );
}

/**
 * The partitions from which an account's hits are deleted one by one. Those of the accounts that keep them longest go with
 * the partition; only the default partition is never dropped.
 */
async function tablesWithOldHits(
  db: Database,
  accountId: number,
  days: number,
  longest: number | undefined,
): Promise<Sql[]> {
  const row = await db.row<{ limit: string }>(sql`
    select ((now() at time zone 'UTC')::date - ${days}::int)::text as limit`);
  const months = days === longest ? [] : await partitionsOf(db, 'hit');
  const old = months.filter(({ from }) => from <= row!.limit).map(({ name }) => name);
  const found: Sql[] = [];
  for (const table of [...old, 'hit_default'].map((name) => raw(name)))
    if (await db.row(sql`select from ${table} where account_id = ${accountId} limit 1`)) found.push(table);
  return found;
}

/** Found by the first hit of each campaign: one index lookup, however many hits there are. */
async function campaignsWithOldHits(db: Database, table: Sql, accountId: number, days: number): Promise<OldHits[]> {
  const rows = await db.rows<{ id: number }>(sql`
    select c.id
    from campaign c
    cross join lateral (
      select at
      from ${table}
      where account_id = c.account_id
        and campaign_id = c.id
      order by id
      limit 1
    ) as first
    where c.account_id = ${accountId}
      and first.at < now() - make_interval(days => ${days})`);
  return rows.map(({ id }) => ({ accountId, campaignId: id, days }));
}
