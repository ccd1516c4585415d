// Partitions by month (UTC) of the tables that grow with every message. They are made ahead, at migration and by a task. A
// month without one is no error: its rows go to the default partition, and move when the month gets its own. Old months
// are dropped whole. Making and dropping lock the table. Each attempt waits at most a fifth of a second for that lock, so
// other statements never wait longer behind it.

import { connect, type Database, type Queries, raw, type Sql, sql, type Tx } from './connect.ts';
import { LockBusy, type LockLimits, locks, retryBlocked } from './locks.ts';

/** The tables and the column that names the month. Their storage parameters are those of the default partition. */
export const partitionedTables = {
  delivery: 'month',
  hit: 'at',
  webhook_attempt: 'at',
  engagement: 'month',
  link_engagement: 'month',
  contact_event: 'at',
} as const;
export type PartitionedTable = keyof typeof partitionedTables;

/** One month of a table, from its first day up to the first day of the next month, as YYYY-MM-DD. */
export type Partition = { name: string; from: string; to: string };

/** Months after the present one that have partitions. */
const monthsAhead = 2;

/**
 * Months before the present one that always have partitions, full or empty. Programs report events of the past: in the default
 * partition those of a year would be read, under a lock, whenever a month gets its own.
 */
export const alwaysBehind: Readonly<Partial<Record<PartitionedTable, number>>> = { contact_event: 12 };

/** How long and how often a lock on a table is waited for. */
const defaultLimits: LockLimits = { waitMs: 200, maxAttempts: 20, pauseMs: 100 };

/**
 * Makes the partitions of this month and the next ones that are missing; returns their names. By the database's clock.
 * @param behind months before this one, or before those that always have partitions, that get them too
 */
export async function makePartitions(
  db: Database,
  { behind = 0, limits = defaultLimits }: { behind?: number; limits?: LockLimits } = {},
): Promise<string[]> {
  const made: string[] = [];
  for (const table of Object.keys(partitionedTables) as PartitionedTable[]) {
    const missing = await db.rows<Partition>(sql`
      select name, "from", "to"
      from (
        select ${table}::text || to_char(month, '_YYYY_MM') as name, month::date::text as "from",
          (month + interval '1 month')::date::text as "to"
        from generate_series(
          date_trunc('month', now() at time zone 'UTC') - make_interval(months => ${behind + (alwaysBehind[table] ?? 0)}),
          date_trunc('month', now() at time zone 'UTC') + make_interval(months => ${monthsAhead}),
          interval '1 month'
        ) as month
      ) as months
      -- A database that is not upgraded yet lacks later tables.
      where to_regclass(${table}::text) is not null
        and not exists (select from pg_inherits where inhrelid = to_regclass(name))
      order by name`);
    for (const partition of missing)
      if (await withBriefLocks(db, limits, (tx) => makePartition(tx, table, partition))) made.push(partition.name);
  }
  return made;
}

/** As above, over a connection of its own. */
export async function makePartitionsAt(url: string): Promise<void> {
  const db = connect(url, { maxConnections: 1 });
  try {
    await makePartitions(db);
  } finally {
    await db.close();
  }
}

/** The partitions of months of a table, the oldest first. */
export function partitionsOf(db: Database, table: PartitionedTable): Promise<Partition[]> {
  return db.rows<Partition>(sql`
    select name, month::text as "from", (month + interval '1 month')::date::text as "to"
    from (
      select c.relname as name, to_date(right(c.relname, 7), 'YYYY_MM') as month
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      where i.inhparent = ${table}::text::regclass
        and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
    ) as months
    order by month`);
}

/** SQL: the default partition, which has the rows of months without one. */
export const defaultPartition = (table: PartitionedTable): Sql => raw(`${table}_default`);

/** Whether a month must stay. Asked again when the table is locked, so that nothing committed until then is lost. */
export type IsNeeded = (db: Queries, partition: Partition) => Promise<unknown>;

export const hasRows: IsNeeded = (db, { name }) => db.row(sql`select from ${raw(name)} limit 1`);

/**
 * Removes months of a table with all rows. First they are detached, which locks the table for a moment. Then they are dropped,
 * which locks nothing in use. @returns the names of those removed; the others were in use
 */
export async function dropPartitions(
  db: Database,
  table: PartitionedTable,
  partitions: readonly Partition[],
  isNeeded: IsNeeded = async () => false,
  limits: LockLimits = defaultLimits,
): Promise<string[]> {
  const detached: string[] = [];
  for (const partition of partitions) {
    const { name } = partition;
    if (await isNeeded(db, partition)) continue;
    const done = await withBriefLocks(db, limits, async (tx) => {
      await tx.run(sql`lock table ${raw(table)} in access exclusive mode`);
      if (await isNeeded(tx, partition)) return false;
      // Not with CONCURRENTLY, which is impossible beside a default partition.
      await tx.run(sql`alter table ${raw(table)} detach partition ${raw(name)}`);
      return true;
    });
    if (done) detached.push(name);
  }
  // Those of an interrupted run too.
  const loose = await db.rows<{ name: string }>(sql`
    select relname as name
    from pg_class
    where relkind = 'r'
      and relnamespace = (select relnamespace from pg_class where oid = ${table}::text::regclass)
      and not relispartition
      and relname ~ ('^' || ${table}::text || '_[0-9]{4}_[0-9]{2}$')`);
  for (const { name } of loose) await db.run(sql`drop table if exists ${raw(name)}`);
  return detached;
}

/**
 * Statistics over all partitions, which the server collects only when asked: it analyses each partition on its own, and
 * a statement that joins a whole table is planned from those of the whole.
 */
export async function analysePartitioned(db: Database): Promise<void> {
  const version = await db.row<{ number: number }>(sql`select current_setting('server_version_num')::int as number`);
  // Before PostgreSQL 18 the partitions are read a second time, each for itself.
  const only = version!.number >= 180_000 ? sql`only` : sql``;
  for (const table of Object.keys(partitionedTables)) await db.run(sql`analyze (skip_locked) ${only} ${raw(table)}`);
}

/** @returns whether the partition was missing */
async function makePartition(tx: Tx, table: PartitionedTable, { name, from, to }: Partition): Promise<boolean> {
  if (await tx.row(sql`select from pg_inherits where inhrelid = to_regclass(${name})`)) return false;
  const fallback = defaultPartition(table);
  const key = raw(partitionedTables[table]);
  const like = await tx.row<{ options: string; schema: string }>(sql`
    select coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '') as options,
      quote_ident(relnamespace::regnamespace::text) as schema
    from pg_class
    where oid = ${`${table}_default`}::text::regclass`);
  const place = raw(name);
  // Attached rather than made as a partition, which would lock the whole table exclusively.
  await tx.run(sql`
    create table ${raw(like!.schema)}.${place} (
      like ${raw(table)} including defaults including constraints including storage including compression
    )${raw(like!.options)}`);
  await tx.run(sql`lock table ${fallback} in access exclusive mode`);
  await tx.run(sql`
    with moved as (
      delete from ${fallback}
      where ${key} >= ${from}
        and ${key} < ${to}
      returning *
    )
    insert into ${place}
    select *
    from moved`);
  await tx.run(sql`
    alter table ${raw(table)}
    attach partition ${place} for values from (${raw(`'${from} 00:00+00'`)}) to (${raw(`'${to} 00:00+00'`)})`);
  return true;
}

/** Runs `work` until it gets its locks; false when it never did. */
async function withBriefLocks(db: Database, limits: LockLimits, work: (tx: Tx) => Promise<boolean>): Promise<boolean> {
  try {
    return await retryBlocked(limits, () =>
      db.transaction(async (tx) => {
        await tx.run(sql`select pg_advisory_xact_lock(${locks.partitions})`);
        await tx.run(
          sql`select set_config('lock_timeout', ${`${limits.waitMs}ms`}, true), set_config('TimeZone', 'UTC', true)`,
        );
        return work(tx);
      }),
    );
  } catch (error) {
    if (error instanceof LockBusy) return false;
    throw error;
  }
}
