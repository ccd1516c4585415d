// How long an account keeps details as opposed to totals: single opens and clicks, caught messages, attempts of webhooks,
// the audit log. Each night each slice deletes its older rows, a few thousand at a time (task-handlers.ts); where a table has a
// partition a month, those of the accounts that keep them longest go with the partition instead.
import { type Database, type Sql, sql } from '../../db/connect.ts';
import {
  alwaysBehind,
  dropPartitions,
  hasRows,
  type Partition,
  type PartitionedTable,
  partitionsOf,
} from '../../db/partitions.ts';
import type { TaskContext } from '../../jobs/tasks.ts';
import { type RetentionSetting, retentionDays } from './retention-days.ts';

const atOnce = 2_000;

/** SQL of the days an account keeps something; refers to the table `account`. */
export function keptDays(setting: RetentionSetting): Sql {
  return sql`coalesce((account.settings ->> ${setting}::text)::int, ${retentionDays[setting]})`;
}

/** Deletes audit entries older than their account keeps them. */
export async function purgeAudit({ app: { db }, signal }: TaskContext): Promise<void> {
  for (const { id, days } of await accountsThatForget(db, 'keep_audit_days'))
    await deleteOldest(
      db,
      signal,
      sql`audit_entry`,
      sql`account_id = ${id} and at < now() - make_interval(days => ${days})`,
    );
}

/** The days that an account keeps something; 0 permanently. */
export const daysKept = ({ settings }: { settings: Record<string, unknown> }, setting: RetentionSetting): number =>
  Number(settings[setting] ?? retentionDays[setting]);

/** @param most the days that the operator allows; 0 for any number */
export async function accountsThatForget(
  db: Database,
  setting: RetentionSetting,
  most = 0,
): Promise<{ id: number; days: number }[]> {
  const rows = await db.rows<{ id: number; days: number }>(sql`
    select id, ${keptDays(setting)} as days
    from account
    order by id`);
  const within = (days: number) => (most > 0 && (days === 0 || days > most) ? most : days);
  return rows.map(({ id, days }) => ({ id, days: within(days) })).filter((row) => row.days > 0);
}

/** The days of the account that keeps something longest; undefined while one keeps it permanently. */
export async function longestDays(db: Database, setting: RetentionSetting): Promise<number | undefined> {
  const row = await db.row<{ days: number | null; permanent: boolean }>(sql`
    select max(${keptDays(setting)}) as days, coalesce(bool_or(${keptDays(setting)} = 0), false) as permanent
    from account`);
  return row!.permanent ? undefined : (row!.days ?? undefined);
}

/** Drops the months of a table that no account needs any more, and past ones whose rows have all been deleted. */
export async function dropExpiredMonths(
  db: Database,
  table: PartitionedTable,
  setting: RetentionSetting,
): Promise<string[]> {
  const days = (await longestDays(db, setting)) ?? null;
  const limits = await db.row<{ needed: string | null; present: string; standing: string }>(sql`
    select ((now() at time zone 'UTC')::date - ${days}::int)::text as needed,
      month::date::text as present,
      (month - make_interval(months => ${alwaysBehind[table] ?? 0}))::date::text as standing
    from date_trunc('month', now() at time zone 'UTC') as month`);
  const { needed, present, standing } = limits!;
  const past = (await partitionsOf(db, table)).filter(({ to }) => to <= present);
  const isExpired = ({ to }: Partition) => needed !== null && to <= needed;
  // Those that would be made again soon stay while they are empty.
  const stays = ({ from }: Partition) => from >= standing;
  const dropped = await dropPartitions(
    db,
    table,
    past.filter(isExpired),
    async (queries, month) => stays(month) && !(await hasRows(queries, month)),
  );
  return [
    ...dropped,
    ...(await dropPartitions(
      db,
      table,
      past.filter((month) => !isExpired(month) && !stays(month)),
      hasRows,
    )),
  ];
}

/**
 * Deletes rows of a table, those with the lowest ids first, a portion in each transaction, until there is nothing more or the
 * process ends: the next run continues. A range of ids: a list of them may be compared row by row where the table has no statistics.
 */
export async function deleteOldest(db: Database, signal: AbortSignal, table: Sql, rows: Sql): Promise<void> {
  for (let gone = atOnce; gone === atOnce && !signal.aborted; )
    gone = await db.run(sql`
      delete from ${table}
      where ${rows}
        and id <= (select max(id) from (select id from ${table} where ${rows} order by id limit ${atOnce}) as portion)`);
}
