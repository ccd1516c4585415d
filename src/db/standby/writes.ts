// What a standby must have replayed before it answers an account: the calls that have changed something, counted in their own transactions.
// A count arrives with its change, so no position of the log needs to be stored after the commit.
import { type Queries, type Sql, sql } from '../connect.ts';

/** The counts by slot. */
export type Writes = Readonly<Record<string, number>>;

/** Connections share a slot only by chance. The counts of a slot grow in the order of the commits, because its row is locked until then. */
const slots = 8;

/** SQL: counts a call that changes an account. The last statement of its transaction, because others may wait for the row. */
export const countedWrite = (accountId: number, firstSlot = 0): Sql => sql`
  insert into account_write as w (account_id, slot, writes)
  values (${accountId}, ${firstSlot}::int + pg_backend_pid() % ${slots}::int, 1)
  on conflict (account_id, slot) do update set writes = w.writes + 1`;

/**
 * Counts a change that is no call, such as the end of an import, in its transaction or after it: who learns of it reads it. Transactions of
 * workers hold more locks after it than calls do, so they have slots of their own.
 */
export async function countWrite(db: Queries, accountId: number): Promise<void> {
  await db.run(countedWrite(accountId, slots));
}

/** SQL: the counts of an account, on the primary. */
export const writesOf = (accountId: Sql): Sql => sql`
  (select coalesce(json_object_agg(slot, writes), '{}') from account_write where account_id = ${accountId})`;

/** SQL: whether a server has replayed these counts of an account. */
export const hasReplayed = (accountId: number, writes: Writes): Sql => sql`
  not exists (
    select
    from jsonb_each_text(${JSON.stringify(writes)}::jsonb) needed
    left join account_write w on w.account_id = ${accountId} and w.slot = needed.key::smallint
    where coalesce(w.writes, 0) < needed.value::bigint
  )`;
