// The commands that back up and restore an installation.
import { createReadStream } from 'node:fs';
import { type Command, Option } from 'commander';
import { Usage, withDatabase } from '../command-line.ts';
import { type Config, readConfig } from '../config.ts';
import type { RestoreSummary } from './restore.ts';

export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('write an encrypted backup of the database, while Postrider runs; needs BACKUP_PASSPHRASE')
    .argument('[file]', 'file to write; - for standard output; without it, a new file in BACKUP_DIR')
    .option('--quiet', 'print nothing when it succeeds')
    .action(async (file: string | undefined, { quiet }: { quiet?: true }) => {
      const config = readConfig();
      const options = { passphrase: needPassphrase(config), sealKey: config.sealKey };
      if (file === undefined && config.backupDir === '')
        throw new Usage('Name a file, or - for standard output, or set BACKUP_DIR.');
      const { backupToDirectory, backupToFile, backupToStream } = await import('./files.ts');
      const written = await withDatabase(config, async (url) => {
        if (file === undefined) return backupToDirectory(url, config.backupDir, config.backupKeep, options);
        if (file === '-') return { ...(await backupToStream(url, process.stdout, options)), path: 'standard output' };
        return { ...(await backupToFile(url, file, options)), path: file };
      });
      if (quiet) return;
      // Standard output may be the backup.
      console.error(
        `Backup of ${written.madeAt} written to ${written.path}: ${written.tables} tables, ${written.rows} rows, ` +
          `${megabytes(written.bytes)} MB.`,
      );
    });

  program
    .command('restore')
    .description('replace everything in the database with a backup; stop Postrider first; sending is held afterwards')
    .argument('<file>', 'backup to restore; - for standard input')
    .option('--check', 'read the backup to its end and change nothing')
    .option('--yes', 'replace a database that has accounts')
    .option('--without-seal-key', 'restore although SEAL_KEY is not the one of the backup; sealed values are lost')
    .action(async (file: string, options: { check?: true; yes?: true; withoutSealKey?: true }) => {
      const config = readConfig();
      const passphrase = needPassphrase(config);
      const source = file === '-' ? process.stdin : createReadStream(file);
      const { checkBackup, restoreBackup } = await import('./restore.ts');
      if (options.check) {
        console.log(`The backup is complete and unchanged.\n${describe(await checkBackup(source, passphrase))}`);
        return;
      }
      const restored = await withDatabase(config, async (url) => {
        if (!options.yes) await refuseAccounts(url);
        return restoreBackup(url, source, {
          passphrase,
          sealKey: config.sealKey,
          withoutSealKey: options.withoutSealKey ?? false,
        });
      });
      console.log(
        `Restored.\n${describe(restored)}\n` +
          'Sending is held. Start Postrider, look around, and when the original no longer sends, run\n' +
          '  postrider confirm-sending --queued unclear   if the original may have sent anything after the backup\n' +
          '  postrider confirm-sending --queued send      if it has sent nothing since\n' +
          'All users have to sign in again, and invitations were withdrawn. Contacts that were erased after the backup are back: erase them again.\n' +
          `What was revoked or removed after the backup is valid again. Check these:\n${restored.rights.join('\n')}`,
      );
    });
}

/** The choice that `confirm-sending` needs after a restore. */
export const queuedOption = new Option(
  '--queued <how>',
  'after a restore, for recipients queued in the backup: send to them (send), or mark them unclear because the original may have sent to them since (unclear)',
).choices(['send', 'unclear']);

function needPassphrase({ backupPassphrase }: Config): string {
  if (backupPassphrase === '')
    throw new Usage('Set BACKUP_PASSPHRASE, or BACKUP_PASSPHRASE_FILE to a file that contains it.');
  return backupPassphrase;
}

/** Of a database that has none of our tables yet, nothing is lost. */
async function refuseAccounts(url: string): Promise<void> {
  const { connect, sql } = await import('../db/connect.ts');
  const db = connect(url, { name: 'postrider restore', maxConnections: 1 });
  try {
    const table = await db.row<{ exists: boolean }>(sql`select to_regclass('account') is not null as exists`);
    if (!table!.exists || !(await db.row(sql`select from account limit 1`))) return;
    throw new Usage('The database has accounts. With --yes, they and everything else in it are replaced.');
  } finally {
    await db.close();
  }
}

function describe({ manifest, tables, rows, skipped }: RestoreSummary): string {
  const left = skipped.length === 0 ? '' : ` Left out, because they do not belong to Postrider: ${skipped.join(', ')}.`;
  return `Backup of ${manifest.madeAt}, made by Postrider ${manifest.version}: ${tables} tables, ${rows} rows.${left}`;
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
