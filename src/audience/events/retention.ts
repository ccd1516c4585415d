// How long events are kept, and the ids by which they count once. The names stay.
import { accountsThatForget, dropExpiredMonths, longestDays } from '../../accounts/account/retention.ts';
import { type Database, sql } from '../../db/connect.ts';
import type { TaskContext } from '../../jobs/tasks.ts';

const atOnce = 2_000;

/** Deletes events older than their account keeps them, and ids that are older. */
export async function purgeEvents({ app: { db }, signal }: TaskContext): Promise<void> {
  await dropExpiredMonths(db, 'contact_event', 'keep_events_days');
  const longest = await longestDays(db, 'keep_events_days');
  for (const { id, days } of await accountsThatForget(db, 'keep_events_days')) {
    for (const no of await namesWithOldEvents(db, id, days, days === longest))
      await deleteOld(db, signal, id, no, days);
    for (let count = atOnce; count === atOnce && !signal.aborted; )
      count = await db.run(sql`
        delete from event_id
        where account_id = ${id}
          and digest in (
            select digest
            from event_id
            where account_id = ${id}
              and received_at < now() - make_interval(days => ${days})
            limit ${atOnce}
          )`);
  }
}

/**
 * Found by the oldest event of each name: one index lookup.
 * @param byMonth whether the account keeps them longest: its events go with the month, except in the default partition
 */
async function namesWithOldEvents(db: Database, accountId: number, days: number, byMonth: boolean): Promise<number[]> {
  const table = byMonth ? sql`contact_event_default` : sql`contact_event`;
  const rows = await db.rows<{ no: number }>(sql`
    select n.no
    from event_name n
    cross join lateral (
      select at
      from ${table}
      where account_id = n.account_id
        and name_no = n.no
      order by at
      limit 1
    ) as first
    where n.account_id = ${accountId}
      and first.at < now() - make_interval(days => ${days})`);
  return rows.map(({ no }) => no);
}

/** Deletes a portion in each transaction. Those of one moment go together. */
async function deleteOld(
  db: Database,
  signal: AbortSignal,
  accountId: number,
  no: number,
  days: number,
): Promise<void> {
  const old = sql`account_id = ${accountId} and name_no = ${no} and at < now() - make_interval(days => ${days})`;
  for (let count = atOnce; count >= atOnce && !signal.aborted; )
    count = await db.run(sql`
      delete from contact_event
      where ${old}
        and at <= (select max(at) from (select at from contact_event where ${old} order by at limit ${atOnce}) as portion)`);
}
