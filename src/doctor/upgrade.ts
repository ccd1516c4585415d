// `postrider upgrade --check`: what this version would change in the database, and whether it can be done safely now.

import { version } from '../base/version.ts';
import type { Config } from '../config.ts';
import { type Database, sql } from '../db/connect.ts';
import { readApplied } from '../db/migrate/applied.ts';
import { readMigrations, runsInTransaction } from '../db/migration-files.ts';
import { checkBackups, checkSchema } from './database.ts';
import { type Finding, ok, warning } from './finding.ts';
import { gigabytes, spaceOf } from './machine.ts';

/** A backup and its restore, on a small machine. */
const bytesPerMinute = 6e8;

export async function checkUpgrade(db: Database, config: Config): Promise<Finding[]> {
  const size = (await db.row<{ bytes: number }>(sql`select pg_database_size(current_database()) as bytes`))!.bytes;
  // Missing ones are listed below.
  const schema = (await checkSchema(db)).filter(
    ({ text, state }) => state === 'problem' && !/^\d+ migrations are missing/.test(text),
  );
  const applied = new Set((await readApplied(db)).map(({ name }) => name));
  const pending = readMigrations().filter(({ name }) => !applied.has(name));
  const findings = [ok('version', `Postrider ${version}`), ...schema];
  if (pending.length === 0 && schema.length === 0) findings.push(ok('schema', 'up to date: nothing to migrate'));
  for (const migration of pending)
    findings.push(
      ok(
        'schema',
        `${migration.name} is pending; ${runsInTransaction(migration) ? 'one transaction, waits 5 s at most for each lock' : 'builds indexes beside running workers'}`,
      ),
    );
  findings.push(await checkBackups(db, config));
  const minutes = Math.max(1, Math.round(size / bytesPerMinute));
  findings.push(ok('size', `The database has ${gigabytes(size)} GB: a backup takes about ${minutes} min`));
  findings.push(await checkRoom(config, size));
  return findings;
}

/** An index that is built again, and a backup, need as much as the largest tables. */
async function checkRoom(config: Config, size: number): Promise<Finding> {
  const directory = config.backupDir || config.dataDir;
  const space = await spaceOf(directory).catch(() => undefined);
  if (!space) return warning('disk', `${directory} does not exist.`, 'Create it.');
  const text = `${gigabytes(space.freeBytes)} GB free in ${directory}`;
  if (space.freeBytes < size / 2 + 1e9)
    return warning('disk', text, `Make room: a backup and a migration may need ${gigabytes(size / 2 + 1e9)} GB.`);
  return ok('disk', text);
}
