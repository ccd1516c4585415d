// Backups as files. A backup is written as a .part file and renamed when it is complete and synced to disk, so a .backup file is
// always complete. Only the newest ones are kept in BACKUP_DIR.
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { connect, sql } from '../db/connect.ts';
import { type BackupOptions, type BackupSummary, type LastBackup, makeBackup } from './backup.ts';

const ending = '.backup';
const partEnding = `${ending}.part`;
/** postrider-20261123-021100Z.backup: sorted by name, they are sorted by time. */
const named = /^postrider-\d{8}-\d{6}Z\.backup$/;
/** A part of this age belongs to a backup that was killed. */
const deadPartMs = 24 * 3_600_000;

/** Writes a backup to a file, which is readable by this user only. An existing file is replaced when the backup is complete. */
export async function backupToFile(url: string, path: string, options: BackupOptions): Promise<BackupSummary> {
  const part = `${path}.part`;
  try {
    // `flush` syncs the file before it is closed.
    const summary = await makeBackup(url, createWriteStream(part, { mode: 0o600, flush: true }), options);
    await rename(part, path);
    await syncDirectory(dirname(path));
    await recordBackup(url, summary);
    return summary;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Writes a backup to a stream such as stdout. */
export async function backupToStream(url: string, out: Writable, options: BackupOptions): Promise<BackupSummary> {
  const summary = await makeBackup(url, out, options);
  await recordBackup(url, summary);
  return summary;
}

/**
 * Adds a backup to a directory and deletes all but the newest.
 * @returns the new file and the deleted ones
 */
export async function backupToDirectory(
  url: string,
  directory: string,
  keep: number,
  options: BackupOptions,
): Promise<BackupSummary & { path: string; deleted: string[] }> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const time = new Date().toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  const path = join(directory, `postrider-${time}Z${ending}`);
  const summary = await backupToFile(url, path, options);
  return { ...summary, path, deleted: await deleteOld(directory, keep) };
}

/** The backups of a directory, the newest first. */
export async function backupsIn(directory: string): Promise<string[]> {
  const files = await readdir(directory);
  return files
    .filter((file) => named.test(file))
    .sort()
    .reverse();
}

async function deleteOld(directory: string, keep: number): Promise<string[]> {
  const old = (await backupsIn(directory)).slice(keep);
  for (const file of await readdir(directory)) {
    if (!file.endsWith(partEnding) || !named.test(file.slice(0, -'.part'.length))) continue;
    const written = await stat(join(directory, file)).catch(() => undefined);
    if (written !== undefined && written.mtimeMs < Date.now() - deadPartMs) old.push(file);
  }
  for (const file of old) await rm(join(directory, file), { force: true });
  return old;
}

/** For `postrider doctor` and `postrider upgrade --check`. */
async function recordBackup(url: string, { madeAt, bytes, rows }: BackupSummary): Promise<void> {
  const last: LastBackup = { at: madeAt, bytes, rows };
  const db = connect(url, { name: 'postrider backup', maxConnections: 1 });
  try {
    await db.run(sql`
      insert into installation (key, value)
      values ('last_backup', ${JSON.stringify(last)})
      on conflict (key) do update set value = excluded.value`);
  } finally {
    await db.close();
  }
}

/** The name of a file is on the disk only when its directory is. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
