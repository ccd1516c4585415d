// The backup before the schema changes: a migration cannot be taken back.
import type { Config } from '../config.ts';
import { connect, sql } from '../db/connect.ts';
import { readMigrations } from '../db/migration-files.ts';

/** The migrations that a database lacks, and whether it has anything to lose. */
export async function pendingMigrations(url: string): Promise<{ pending: string[]; hasAccounts: boolean }> {
  const db = connect(url, { name: 'postrider migrate', maxConnections: 1 });
  try {
    const tables = await db.row<{ migration: boolean; account: boolean }>(sql`
      select to_regclass('migration') is not null as migration, to_regclass('account') is not null as account`);
    const applied = tables!.migration ? await db.rows<{ name: string }>(sql`select name from migration`) : [];
    const pending = readMigrations()
      .map(({ name }) => name)
      .filter((name) => !applied.some((row) => row.name === name));
    const account = tables!.account ? await db.row(sql`select from account limit 1`) : undefined;
    return { pending, hasAccounts: account !== undefined };
  } finally {
    await db.close();
  }
}

/**
 * Writes a backup to BACKUP_DIR if migrations are about to change a database that has accounts.
 * @returns what was done, in one sentence; undefined if there was no reason to
 */
export async function backupBeforeMigration(config: Config, url: string): Promise<string | undefined> {
  const { pending, hasAccounts } = await pendingMigrations(url);
  if (pending.length === 0 || !hasAccounts) return undefined;
  if (config.backupDir === '') return 'No backup was made before the migration, because BACKUP_DIR is not set.';
  const { backupToDirectory } = await import('./files.ts');
  const { path } = await backupToDirectory(url, config.backupDir, config.backupKeep, {
    passphrase: config.backupPassphrase,
    sealKey: config.sealKey,
  });
  return `Backup before the migration: ${path}`;
}
