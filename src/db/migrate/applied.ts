// What a database says was applied, against the files of this program: names, and a hash of the contents of each. A database of
// other files is refused before anything is changed. One from before the hashes is compared with what the files make.
import type pg from 'pg';
import { type Queries, sql } from '../connect.ts';
import { hashOf, type Migration } from '../migration-files.ts';
import { differences } from './catalogue.ts';

/** The first migration of the schema before 0.1.0. */
const developmentSchema = '0001_foundation';

/** How many of something a sentence names. */
const maxNamed = 5;

/** The database and this program do not fit; the message is one sentence for the operator. */
export class SchemaMismatch extends Error {
  /** @param problem the sentence, or the migrations of the database that this program does not have */
  constructor(problem: string | readonly string[]) {
    super(typeof problem === 'string' ? problem : unknownText(problem));
  }
}

/** `hash` is null where it was applied by a version that recorded none. */
export type Applied = { name: string; hash: string | null };

/** The migrations of the database, ordered; none if it is empty. */
export async function readApplied(db: Pick<Queries, 'rows'>): Promise<Applied[]> {
  const table = await db.rows<{ exists: boolean }>(sql`select to_regclass('migration') is not null as exists`);
  if (!table[0]!.exists) return [];
  return db.rows<Applied>(sql`select name, to_jsonb(m) ->> 'hash' as hash from migration m order by name`);
}

/** @throws SchemaMismatch when a migration of the database is unknown to this program, or had other contents */
export function needKnownMigrations(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const known = new Map(migrations.map((migration) => [migration.name, hashOf(migration)]));
  const unknown = applied.filter(({ name }) => !known.has(name));
  if (unknown.length > 0) throw new SchemaMismatch(unknown.map(({ name }) => name));
  needSameContents(applied, migrations);
}

/** @throws SchemaMismatch when a migration that both have had other contents in the database */
export function needSameContents(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const known = new Map(migrations.map((migration) => [migration.name, hashOf(migration)]));
  const changed = applied.filter(({ name, hash }) => hash !== null && known.has(name) && known.get(name) !== hash);
  if (changed.length > 0)
    throw new SchemaMismatch(
      `The database was made by other contents of migrations than this Postrider has (${listed(changed.map(({ name }) => name))}). ` +
        'Start the version that made it; nothing was changed.',
    );
}

/**
 * Compares the tables with what the migrations make, where no hash says which contents those had.
 * @throws SchemaMismatch
 */
export async function needOwnTables(
  client: pg.ClientBase,
  applied: readonly Applied[],
  migrations: readonly Migration[],
): Promise<void> {
  if (applied.every(({ hash }) => hash !== null)) return;
  const names = new Set(applied.map(({ name }) => name));
  const found = await differences(
    client,
    migrations.filter(({ name }) => names.has(name)),
  );
  if (found.length === 0) return;
  throw otherTables(found);
}

/** @param differing such as "column contact.email" */
export function otherTables(differing: readonly string[], what = 'The database'): SchemaMismatch {
  return new SchemaMismatch(
    `${what} does not have the tables that its migrations make (${listed(differing)}): it was made by a development version ` +
      'whose migrations had other contents, and cannot be upgraded. Start that version, or start with an empty database; ' +
      'nothing was changed.',
  );
}

function unknownText(unknown: readonly string[]): string {
  return unknown.includes(developmentSchema)
    ? `The database was made by a development version before 0.1.0 (it has ${developmentSchema}), which cannot be ` +
        'upgraded. Dump what you need and start with an empty database; nothing was changed.'
    : `The database was made by a newer Postrider (it has ${unknown.join(', ')}). Start that version instead; nothing was changed.`;
}

const listed = (names: readonly string[]): string =>
  names.length <= maxNamed
    ? names.join(', ')
    : `${names.slice(0, maxNamed).join(', ')} and ${names.length - maxNamed} more`;
