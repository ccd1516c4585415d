// Brings the schema up to date: the SQL files of migrations/, each once, in the order of their numbers, one runner at
// a time, each file in a transaction of its own. Refuses a schema that a newer program has made.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type Queries, sql } from './connect.ts';

const folder = join(import.meta.dirname, 'migrations');
/** Any fixed number: the key of the advisory lock that makes runners take turns. */
const migrationLock = 7_067_318;

export class SchemaTooNew extends Error {
  /** @param unknown migrations of the database that this program does not have */
  constructor(unknown: readonly string[]) {
    super(
      `The database was made by a newer Postrider (it has ${unknown.join(', ')}). Start that version instead; nothing was changed.`,
    );
  }
}

/** The migrations this program knows, in order. */
export function knownMigrations(): { name: string; text: string }[] {
  return readdirSync(folder)
    .filter((file) => /^\d{4}_.*\.sql$/.test(file))
    .sort()
    .map((file) => ({ name: file.slice(0, -4), text: readFileSync(join(folder, file), 'utf8') }));
}

/**
 * Makes sure that this program may work with the database.
 * @throws SchemaTooNew when the database holds a migration this program does not know.
 */
export async function needKnownSchema(db: Queries): Promise<void> {
  const known = knownNames();
  const unknown = await db.rows<{ name: string }>(
    sql`select name from migration where name <> all (${known}::text[]) order by name`,
  );
  if (unknown.length > 0) throw new SchemaTooNew(unknown.map((row) => row.name));
}

let names: string[] | undefined;
/** Those that were there when the program started: files may be replaced under it. */
function knownNames(): string[] {
  names ??= knownMigrations().map((one) => one.name);
  return names;
}

/** A short hash of all migrations: names the template database that tests clone. */
export function migrationsKey(): string {
  const hash = createHash('sha256');
  for (const { name, text } of knownMigrations()) hash.update(name).update('\0').update(text).update('\0');
  return hash.digest('hex').slice(0, 16);
}

/**
 * Applies what is missing; returns the names of what was applied.
 * @throws SchemaTooNew when the database holds a migration this program does not know.
 */
export async function migrate(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'postrider migrate' });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    await client.query(
      'create table if not exists migration (name text primary key, applied_at timestamptz not null default now())',
    );
    const applied = new Set((await client.query('select name from migration')).rows.map((row) => row.name as string));
    const known = knownMigrations();
    const unknown = [...applied].filter((name) => !known.some((migration) => migration.name === name));
    if (unknown.length > 0) throw new SchemaTooNew(unknown);
    const done: string[] = [];
    for (const { name, text } of known) {
      if (applied.has(name)) continue;
      await client.query('begin');
      try {
        await client.query(text);
        await client.query('insert into migration (name) values ($1)', [name]);
        await client.query('commit');
      } catch (error) {
        await client.query('rollback');
        throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error });
      }
      done.push(name);
    }
    return done;
  } finally {
    await client.end();
  }
}
