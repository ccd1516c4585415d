// Brings the schema up to date: applies each migration once, in order, one process at a time. A migration is a
// transaction, unless its first line is the marker for none. Waits only briefly for locks, so that a busy table does not make
// the whole installation queue behind it. Refuses a database that other migrations have made (applied/).

import pg from 'pg';
import type { Database, Queries, Sql } from '../connect.ts';
import { prepareSession, unlimited } from '../connection/session-settings.ts';
import { target } from '../connection/target.ts';
import { type LockLimits, locks, retryBlocked } from '../locks.ts';
import { hashOf, type Migration, readMigrations, runsInTransaction } from '../migration-files.ts';
import { dropNarrowed, makeNarrowed } from '../narrowed/views.ts';
import { refusePooler } from '../pooler.ts';
import { splitStatements } from '../statements.ts';
import { needKnownMigrations, needOwnTables, needSameContents, readApplied, SchemaMismatch } from './applied.ts';

export { SchemaMismatch };

export type MigrationLimits = LockLimits & {
  /** `waitMs` of statements with CONCURRENTLY, behind which no one waits. */
  concurrentWaitMs: number;
};

const defaultLimits: MigrationLimits = { waitMs: 5_000, concurrentWaitMs: 300_000, maxAttempts: 10, pauseMs: 1_000 };

/**
 * Checks that this program can work with the database; cheap enough to be repeated while it works.
 * @throws SchemaMismatch when the database has a migration that this program does not, or that had other contents
 */
export async function needKnownSchema(db: Queries): Promise<void> {
  needKnownMigrations(await readApplied(db), ownMigrations());
}

/**
 * Checks before a process begins that the database is the one that this program's migrations make.
 * @throws SchemaMismatch as needKnownSchema does, and when its tables are others
 * @throws Error when migrations are missing
 */
export async function needMigratedSchema(db: Database): Promise<void> {
  const client = await db.pool.connect();
  try {
    const missing = await planMigration(client, ownMigrations());
    if (missing.length > 0)
      throw new Error(
        `The database lacks migrations of this Postrider (${missing.map(({ name }) => name).join(', ')}). ` +
          'Run "postrider migrate" first; nothing was changed.',
      );
  } finally {
    client.release();
  }
}

/**
 * The migrations that are missing, in order. Changes nothing.
 * @throws SchemaMismatch when the database was made by others
 */
export async function planMigration(
  client: pg.ClientBase,
  migrations: readonly Migration[] = readMigrations(),
): Promise<Migration[]> {
  const applied = await readApplied(queriesOf(client));
  needKnownMigrations(applied, migrations);
  const missing = missingMigrations(
    migrations,
    applied.map(({ name }) => name),
  );
  await needOwnTables(client, applied, migrations);
  return missing;
}

/**
 * Checks that the migrations of the database had the contents that this program knows; it may have more or fewer of them.
 * @throws SchemaMismatch
 */
export async function needOwnContents(client: pg.ClientBase): Promise<void> {
  const applied = await readApplied(queriesOf(client));
  const migrations = readMigrations();
  needSameContents(applied, migrations);
  if (applied.every(({ name }) => migrations.some((migration) => migration.name === name)))
    await needOwnTables(client, applied, migrations);
}

/**
 * Applies the migrations that are missing; returns their names.
 * @throws SchemaMismatch when the database was made by others; nothing was changed
 * @throws PoolerRefused when sessions are not kept
 */
export async function migrate(
  url: string,
  {
    migrations = readMigrations(),
    limits = {},
  }: { migrations?: readonly Migration[]; limits?: Partial<MigrationLimits> } = {},
): Promise<string[]> {
  const client = new pg.Client({ ...target(url), application_name: 'postrider migrate' });
  // A connection lost between two statements; the next one reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await refusePooler(client, url);
    await prepareSession(client, unlimited);
    await client.query('select pg_advisory_lock($1)', [locks.migration]);
    const missing = await planMigration(client, migrations);
    if (missing.length === migrations.length) await needUtf8(client);
    await client.query(
      'create table if not exists migration (name text primary key, applied_at timestamptz not null default now(), hash text)',
    );
    const lockLimits = { ...defaultLimits, ...limits };
    if (missing.length > 0) await withLocks(client, lockLimits, () => dropNarrowed(client));
    for (const migration of missing) await apply(client, migration, migrations, lockLimits);
    if (missing.length === 0) await recordHashes(client, migrations);
    await withLocks(client, lockLimits, () => makeNarrowed(client));
    return missing.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** Before the first table: a database cannot change its encoding. @throws Error */
async function needUtf8(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string; encoding: string }>(
    "select current_database() as name, current_setting('server_encoding') as encoding",
  );
  const { name, encoding } = rows[0]!;
  if (encoding !== 'UTF8')
    throw new Error(
      `The database "${name}" has the encoding ${encoding}; Postrider needs UTF8: create it with ` +
        `"create database NAME encoding 'UTF8' template template0".`,
    );
}

let own: Migration[] | undefined;
/** As they were when the program started: an upgrade may replace the files under it. */
function ownMigrations(): Migration[] {
  own ??= readMigrations();
  return own;
}

const queriesOf = (client: pg.ClientBase): Pick<Queries, 'rows'> => ({
  rows: async <T>({ text, values }: Sql) => (await client.query(text, values)).rows as T[],
});

/** @param applied their names, all known */
function missingMigrations(migrations: readonly Migration[], applied: readonly string[]): Migration[] {
  const missing = migrations.filter(({ name }) => !applied.includes(name));
  const last = applied.at(-1) ?? '';
  const late = missing.find(({ name }) => name < last);
  if (late) {
    throw new Error(
      `Migration ${late.name} comes before ${last}, which the database already has. Migrations go forward only: ` +
        'give it the next free number. Nothing was changed.',
    );
  }
  return missing;
}

async function apply(
  client: pg.Client,
  migration: Migration,
  all: readonly Migration[],
  limits: MigrationLimits,
): Promise<void> {
  try {
    if (runsInTransaction(migration)) await applyInTransaction(client, migration, all, limits);
    else await applyByStatement(client, migration, all, limits);
  } catch (error) {
    throw new Error(`Migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
  }
}

async function applyInTransaction(
  client: pg.Client,
  migration: Migration,
  all: readonly Migration[],
  limits: MigrationLimits,
): Promise<void> {
  await withLocks(client, limits, async () => {
    await client.query('begin');
    try {
      await client.query(migration.text);
      await record(client, migration, all);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    }
  });
}

/** Recorded after the last statement only: cut short, it starts again with the first one. */
async function applyByStatement(
  client: pg.Client,
  migration: Migration,
  all: readonly Migration[],
  limits: MigrationLimits,
): Promise<void> {
  for (const statement of splitStatements(migration.text)) {
    const waitMs = /\bconcurrently\b/i.test(statement) ? limits.concurrentWaitMs : limits.waitMs;
    await withLocks(client, { ...limits, waitMs }, async () => {
      await dropUnfinishedIndex(client, statement);
      await client.query(statement);
    });
  }
  await record(client, migration, all);
}

async function record(client: pg.Client, { name }: Migration, all: readonly Migration[]): Promise<void> {
  await client.query('insert into migration (name) values ($1)', [name]);
  await recordHashes(client, all);
}

/** Also of those that were applied before hashes were recorded, which have been compared. */
async function recordHashes(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  const { rowCount } = await client.query(
    "select from pg_attribute where attrelid = 'migration'::regclass and attname = 'hash'",
  );
  if (rowCount === 0) await client.query('alter table migration add column hash text');
  await client.query(
    `update migration
    set hash = file.hash
    from unnest($1::text[], $2::text[]) as file (name, hash)
    where migration.name = file.name
      and migration.hash is null`,
    [migrations.map(({ name }) => name), migrations.map(hashOf)],
  );
}

/**
 * A "create index concurrently" that was cut short leaves an invalid index, which "if not exists" would take for the
 * real one. It cannot be one that is still being built: its builder would have the lock that we hold.
 */
async function dropUnfinishedIndex(client: pg.Client, statement: string): Promise<void> {
  const index = /^create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+([\w".]+)\s/i.exec(statement)?.[1];
  if (index === undefined) return;
  const { rowCount } = await client.query(
    'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [index],
  );
  if (rowCount !== 0) await client.query(`drop index concurrently ${index}`);
}

/** Runs `work` with a short `lock_timeout`, until it gets its locks. */
async function withLocks(client: pg.Client, limits: LockLimits, work: () => Promise<void>): Promise<void> {
  await client.query(`set lock_timeout = ${limits.waitMs}`);
  await retryBlocked(limits, work);
}
