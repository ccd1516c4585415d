// How many members a list has in each state, and who came and went in which month, without counting them: read from
// member_tally, which triggers keep exact with every change of a subscription (src/db/migrations/0003_audience.sql).
import { type Queries, type Sql, sql } from '../../db/connect.ts';
import type { TaskContext } from '../../jobs/tasks.ts';

/** How many members of a list stand in each state; those without any are missing. */
export async function membersByState(tx: Queries, accountId: number, listId: number): Promise<Map<string, number>> {
  const rows = await tx.rows<{ status: string; count: number }>(sql`
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

/** The same as a value within a statement. */
export const membersInState = (accountId: Sql, listId: Sql, status: string) => sql`
  (select coalesce(sum(count), 0)::int
  from member_tally
  where account_id = ${accountId}
    and list_id = ${listId}
    and fact = ${status})`;

export type MonthOfMembers = {
  /** YYYY-MM, UTC. */
  month: string;
  /** Who confirmed. */
  joined: number;
  /** Of those who confirmed, who unsubscribed, bounced or fell silent. */
  gone: number;
  /** Who unsubscribed. */
  left: number;
};

/** The months in which anybody came or went, oldest first: of one list, or of all lists of the account. */
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

/** What is taken away is added in the same statement, so the sums are right at every moment, however many do this at once. */
export async function foldTally(db: Queries): Promise<void> {
  await db.run(sql`
    with several as (
      select account_id, list_id, fact, month
      from member_tally
      group by account_id, list_id, fact, month
      having count(*) > 1 or sum(count) = 0
    ), taken as (
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
    from taken
    group by account_id, list_id, fact, month
    having sum(count) <> 0`);
}
