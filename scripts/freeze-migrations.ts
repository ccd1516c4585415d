// `npm run migrations:freeze`: adds the migrations that are not in src/db/migrations/frozen.json yet, with the hash of their
// contents. A test fails when a file in that list changes. Refuses when one has changed already.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, type Migration, readMigrations } from '../src/db/migration-files.ts';

const frozenFile = join(import.meta.dirname, '../src/db/migrations/frozen.json');

/** The hashes of the frozen migrations by name. */
export const readFrozen = (): Record<string, string> => JSON.parse(readFileSync(frozenFile, 'utf8'));

/** What is wrong with `migrations`: frozen ones that are missing or changed, and new ones that come before a frozen one. */
export function frozenProblems(frozen: Record<string, string>, migrations: readonly Migration[]): string[] {
  const present = new Map(migrations.map((migration) => [migration.name, hashOf(migration)]));
  const last = Object.keys(frozen).sort().at(-1) ?? '';
  return [
    ...Object.entries(frozen)
      .filter(([name, hash]) => present.get(name) !== hash)
      .map(([name]) => `${name} is frozen, but was ${present.has(name) ? 'changed' : 'removed'}`),
    ...[...present.keys()]
      .filter((name) => !Object.hasOwn(frozen, name) && name < last)
      .map((name) => `${name} comes before ${last}, which is frozen`),
  ];
}

if (import.meta.main) {
  const migrations = readMigrations();
  const problems = frozenProblems(readFrozen(), migrations);
  if (problems.length > 0) throw new Error(`${problems.join('; ')}. Undo that, and correct a mistake in a new file.`);
  const all = Object.fromEntries(migrations.map((migration) => [migration.name, hashOf(migration)]));
  writeFileSync(frozenFile, `${JSON.stringify(all, null, 2)}\n`);
}
