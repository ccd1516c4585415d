// Brings the schema up to date: applies each migration once, in order, one process at a time. A migration is a
// transaction, unless its first line is the marker for none. Waits only briefly for locks, so that a busy table does not make
// the whole installation queue behind it. Refuses a database whose migrations this program does not have.

import pg from 'pg';
import { type Queries, sql } from './connect.ts';
import { type LockLimits, locks, retryBlocked } from './locks.ts';
import { type Migration, readMigrations, runsInTransaction } from './migration-files.ts';
import { refusePooler } from './pooler.ts';
import { splitStatements } from './statements.ts';

/** The first migration of the schema before 0.1.0. */
const developmentSchema = '0001_foundation';

export class SchemaMismatch extends Error {
  /** @param unknown migrations of the database that this program does not have */
  constructor(unknown: readonly string[]) {
    super(
      unknown.includes(developmentSchema)
        ? `The database was made by a development version before 0.1.0 (it has ${developmentSchema}), which cannot be ` +
            'upgraded. Dump what you need and start with an empty database; nothing was changed.'
        : `The database was made by a newer Postrider (it has ${unknown.join(', ')}). Start that version instead; nothing was changed.`,
    );
  }
}

export type MigrationLimits = LockLimits & {
  /** `waitMs` of statements with CONCURRENTLY, behind which no one waits. */
  concurrentWaitMs: number;
};

const defaultLimits: MigrationLimits = { waitMs: 5_000, concurrentWaitMs: 300_000, maxAttempts: 10, pauseMs: 1_000 };

/**
 * Checks that this program can work with the database.
 * @throws SchemaMismatch when the database has a migration this program does not
 */
export async function needKnownSchema(db: Queries): Promise<void> {
  const unknown = await db.rows<{ name: string }>(
    sql`select name from migration where name <> all (${knownNames()}::text[]) order by name`,
  );
  if (unknown.length > 0) throw new SchemaMismatch(unknown.map((row) => row.name));
}

/**
 * Applies the migrations that are missing; returns their names.
 * @throws SchemaMismatch when the database has a migration this program does not
 * @throws PoolerRefused when sessions are not kept
 */
export async function migrate(
  url: string,
  {
    migrations = readMigrations(),
    limits = {},
  }: { migrations?: readonly Migration[]; limits?: Partial<MigrationLimits> } = {},
): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'postrider migrate' });
  // A connection lost between two statements; the next one reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await refusePooler(client, url);
    await client.query('select pg_advisory_lock($1)', [locks.migration]);
    await client.query(
      'create table if not exists migration (name text primary key, applied_at timestamptz not null default now())',
    );
    const { rows } = await client.query<{ name: string }>('select name from migration order by name');
    const missing = missingMigrations(
      migrations,
      rows.map((row) => row.name),
    );
    for (const migration of missing) await apply(client, migration, { ...defaultLimits, ...limits });
    return missing.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

let names: string[] | undefined;
/** As they were when the program started: an upgrade may replace the files under it. */
function knownNames(): string[] {
  names ??= readMigrations().map(({ name }) => name);
  return names;
}

function missingMigrations(migrations: readonly Migration[], applied: readonly string[]): Migration[] {
  const unknown = applied.filter((name) => !migrations.some((migration) => migration.name === name));
  if (unknown.length > 0) throw new SchemaMismatch(unknown);
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

async function apply(client: pg.Client, migration: Migration, limits: MigrationLimits): Promise<void> {
  try {
    if (runsInTransaction(migration)) await applyInTransaction(client, migration, limits);
    else await applyByStatement(client, migration, limits);
  } catch (error) {
    throw new Error(`Migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
  }
}

async function applyInTransaction(client: pg.Client, migration: Migration, limits: MigrationLimits): Promise<void> {
  await withLocks(client, limits, async () => {
    await client.query('begin');
    try {
      await client.query(migration.text);
      await record(client, migration);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    }
  });
}

/** Recorded after the last statement only: cut short, it starts again with the first one. */
async function applyByStatement(client: pg.Client, migration: Migration, limits: MigrationLimits): Promise<void> {
  for (const statement of splitStatements(migration.text)) {
    const waitMs = /\bconcurrently\b/i.test(statement) ? limits.concurrentWaitMs : limits.waitMs;
    await withLocks(client, { ...limits, waitMs }, async () => {
      await dropUnfinishedIndex(client, statement);
      await client.query(statement);
    });
  }
  await record(client, migration);
}

async function record(client: pg.Client, { name }: Migration): Promise<void> {
  await client.query('insert into migration (name) values ($1)', [name]);
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
