// The backup before the schema changes: a migration cannot be taken back. Without BACKUP_DIR, the built-in database is backed up
// beside its data, if that is quick and there is room; otherwise the operator is informed that there is no backup, and why.
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { connect, type Queries, sql } from '../db/connect.ts';
import { planMigration } from '../db/migrate/migrate.ts';

/** In DATA_DIR, where BACKUP_DIR is not set. */
export const ownFolder = 'before-migration';
/** In that folder, where BACKUP_PASSPHRASE is not set. */
const passphraseFile = 'passphrase';
const ownKeep = 2;
/** A start that takes longer for a backup that was not asked for would be a surprise: about 15 minutes. */
const maxOwnBytes = 10e9;
/** Backups have a fifth to a half of the size of the database. */
const spareBytes = 2e8;

/**
 * The migrations that a database lacks, and whether it has anything to lose.
 * @throws SchemaMismatch when it cannot be migrated
 */
export async function pendingMigrations(
  url: string,
): Promise<{ pending: string[]; hasAccounts: boolean; bytes: number }> {
  const db = connect(url, { name: 'postrider migrate', maxConnections: 1 });
  try {
    const client = await db.pool.connect();
    const missing = await planMigration(client).finally(() => client.release());
    return { pending: missing.map(({ name }) => name), ...(await contentOf(db)) };
  } finally {
    await db.close();
  }
}

async function contentOf(db: Queries): Promise<{ hasAccounts: boolean; bytes: number }> {
  const found = (await db.row<{ account: boolean; bytes: number }>(sql`
    select to_regclass('account') is not null as account, pg_database_size(current_database()) as bytes`))!;
  const account = found.account ? await db.row(sql`select from account limit 1`) : undefined;
  return { hasAccounts: account !== undefined, bytes: found.bytes };
}

/**
 * Writes a backup if migrations are about to change a database that has accounts.
 * @param started called with a sentence before a backup is written, which may take minutes
 * @returns what was done, in one sentence; undefined if there was no reason to
 * @throws Error when the backup to BACKUP_DIR fails; SchemaMismatch when the database cannot be migrated
 */
export async function backupBeforeMigration(
  config: Config,
  url: string,
  started: (text: string) => void = () => {},
): Promise<string | undefined> {
  const { pending, hasAccounts, bytes } = await pendingMigrations(url);
  if (pending.length === 0 || !hasAccounts) return undefined;
  if (config.backupDir !== '') {
    started(`making a backup in ${config.backupDir} before the migration`);
    const path = await write(config, url, config.backupDir, config.backupKeep, config.backupPassphrase).catch(
      (error: Error) => {
        throw new Error(
          `No backup could be made in BACKUP_DIR before the migration, so nothing was changed: ${error.message}. Make room or ` +
            'correct BACKUP_DIR, or migrate without a backup: "postrider migrate --no-backup".',
          { cause: error },
        );
      },
    );
    return `Backup before the migration: ${path}`;
  }
  const none = (why: string) => `No backup was made before the migration, because BACKUP_DIR is not set and ${why}.`;
  if (config.databaseUrl !== '') return none('the database in DATABASE_URL is left to the backups of its server');
  if (bytes > maxOwnBytes) return none(`a database of ${gigabytes(bytes)} GB takes long`);
  const folder = join(config.dataDir, ownFolder);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(folder);
    const freeBytes = bavail * bsize;
    const neededBytes = bytes / 2 + spareBytes;
    if (freeBytes < neededBytes)
      return none(
        `${folder} has ${gigabytes(freeBytes)} GB free of the ${gigabytes(neededBytes)} GB that one may need`,
      );
    started(`making a backup in ${folder} before the migration`);
    const path = await write(config, url, folder, ownKeep, config.backupPassphrase || (await ownPassphrase(folder)));
    const opens = config.backupPassphrase === '' ? ` (its passphrase is in ${join(folder, passphraseFile)})` : '';
    return `Backup before the migration: ${path}${opens}`;
  } catch (error) {
    return none(`it could not be made in ${folder}: ${(error as Error).message}`);
  }
}

async function write(config: Config, url: string, folder: string, keep: number, passphrase: string): Promise<string> {
  const { backupToDirectory } = await import('./files.ts');
  return (await backupToDirectory(url, folder, keep, { passphrase, sealKey: config.sealKey })).path;
}

/** Readable, as the data beside it, by this user only. */
async function ownPassphrase(folder: string): Promise<string> {
  const file = join(folder, passphraseFile);
  try {
    await writeFile(file, `${randomBytes(24).toString('base64url')}\n`, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const passphrase = (await readFile(file, 'utf8')).trim();
  if (passphrase === '') throw new Error(`${file} is empty`);
  return passphrase;
}

const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(1);
