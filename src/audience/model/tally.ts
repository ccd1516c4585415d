// The numbers of members of a list by status, and of those who subscribed and unsubscribed by month. Read from
// member_tally instead of counting subscriptions; triggers keep it exact (src/db/migrations/0003_audience.sql).
import { type Queries, type Sql, sql } from '../../db/connect.ts';
import type { TaskContext } from '../../jobs/tasks.ts';
import type { Status } from './subscription-status.ts';

/** The number of members of a list by status; a status without members is missing. */
export async function membersByStatus(tx: Queries, accountId: number, listId: number): Promise<Map<Status, number>> {
  const rows = await tx.rows<{ status: Status; count: number }>(sql`
    select fact as status, sum(count)::int as count
    from member_tally
    where account_id = ${accountId}
      and list_id = ${listId}
      and month = '-infinity'
    group by fact
    having sum(count) <> 0
    order by fact`);
  return new Map(rows.map(({ status, count }) => [status, count]));
}

/** The number of members with one status, as a value within a statement. */
export const membersWithStatus = (accountId: Sql, listId: Sql, status: string) => sql`
  (select coalesce(sum(count), 0)::int
  from member_tally
  where account_id = ${accountId}
    and list_id = ${listId}
    and fact = ${status})`;

export type MonthOfMembers = {
  /** YYYY-MM, UTC. */
  month: string;
  /** Members who confirmed. */
  joined: number;
  /** Of the confirmed members, those who unsubscribed, bounced or became inactive. */
  gone: number;
  /** Members who unsubscribed. */
  left: number;
};

/** The months in which the numbers changed, oldest first: of one list, or of all lists of the account. */
export function monthsOfMembers(tx: Queries, accountId: number, listId?: number): Promise<MonthOfMembers[]> {
  return tx.rows<MonthOfMembers>(sql`
    select to_char(month, 'YYYY-MM') as month, coalesce(sum(count) filter (where fact = 'joined'), 0)::int as joined,
      coalesce(sum(count) filter (where fact = 'gone'), 0)::int as gone,
      coalesce(sum(count) filter (where fact = 'left'), 0)::int as "left"
    from member_tally
    where account_id = ${accountId}
      and (${listId ?? null}::int is null or list_id = ${listId ?? null})
      and month > '-infinity'
    group by month
    having bool_or(count <> 0)
    order by month`);
}

/** Merges rows of the same fact in the member counts. */
export async function foldMemberTally({ app }: TaskContext): Promise<void> {
  await foldTally(app.db);
}

/** Deletes and re-inserts in one statement, so the sums are right at any moment, however many run at the same time. */
export async function foldTally(db: Queries): Promise<void> {
  await db.run(sql`
    with several as (
      select account_id, list_id, fact, month
      from member_tally
      group by account_id, list_id, fact, month
      having count(*) > 1 or sum(count) = 0
    ), deleted as (
      delete from member_tally t
      using several f
      where t.account_id = f.account_id
        and t.list_id = f.list_id
        and t.fact = f.fact
        and t.month = f.month
      returning t.account_id, t.list_id, t.fact, t.month, t.count
    )
    insert into member_tally (account_id, list_id, fact, month, count)
    select account_id, list_id, fact, month, sum(count)
    from deleted
    group by account_id, list_id, fact, month
    having sum(count) <> 0`);
}
