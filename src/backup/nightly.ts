// The nightly backup, in a process of its own: compressing and encrypting must not slow down the send loops of a worker.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { noteFailure, noteSuccess } from '../base/full-disk.ts';
import { moduleUrl } from '../base/threads/module-url.ts';
import { childEnvironment } from '../config.ts';
import type { TaskContext } from '../jobs/tasks.ts';

const program = fileURLToPath(moduleUrl('../main', import.meta.url));

/** Adds a backup to BACKUP_DIR and deletes old ones. Does nothing where BACKUP_DIR is not set. */
export async function makeNightlyBackup({ app, log, signal }: TaskContext): Promise<void> {
  const { config, db } = app;
  if (config.backupDir === '') return;
  const child = spawn(process.execPath, [program, 'backup'], {
    env: childEnvironment({
      DATABASE_URL: db.url,
      BACKUP_DIR: config.backupDir,
      BACKUP_KEEP: String(config.backupKeep),
      BACKUP_PASSPHRASE: config.backupPassphrase,
      SEAL_KEY: config.sealKey,
      NODE_NO_WARNINGS: '1',
    }),
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  });
  let printed = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    printed = (printed + text).slice(-2_000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) {
    const error = new Error(`The nightly backup failed: ${printed.trim() || `exit code ${code}`}`);
    noteFailure('backup', error);
    throw error;
  }
  noteSuccess('backup');
  log.info({ result: printed.trim() }, 'nightly backup written');
}
