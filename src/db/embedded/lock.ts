// Lets one process at a time run the server of a directory.
// The lock is the operating system's, on an open file: it ends with the process, by kill -9 too, and is visible to other
// containers on the same volume, where process ids mean nothing.
// Node has no call for file locks, but its SQLite takes one for an exclusive transaction; nothing is ever written.
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EmbeddedPostgresError } from './problem.ts';

export type Lock = { release(): void };

/** Takes the lock `file`. Throws the problem 'in-use' immediately when another process holds it, and names that process. */
export function takeLock(file: string, dataDir: string): Lock {
  let database: DatabaseSync | undefined;
  try {
    // SQLite would open another user's file for reading and lock nothing.
    accessSync(dirname(file), constants.W_OK);
    if (existsSync(file)) accessSync(file, constants.W_OK);
    database = new DatabaseSync(file, { timeout: 0 });
    // Without a journal on disk and without a write, the lock file stays empty.
    database.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    database?.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) {
      throw new EmbeddedPostgresError(
        'in-use',
        `The database in ${dataDir} is already in use${holder(file)}. ` +
          'Stop that program first, or use another directory (DATA_DIR).',
        error,
      );
    }
    throw new EmbeddedPostgresError(
      'not-permitted',
      `Cannot open ${file}: ${(error as Error).message}. The directory must belong to the user who starts the program.`,
      error,
    );
  }
  // In a separate file: to open and close the locked file again would drop the lock (POSIX record locks).
  rmSync(`${file}.holder`, { force: true });
  writeFileSync(`${file}.holder`, String(process.pid));
  return {
    release() {
      if (database?.isOpen) database.close();
    },
  };
}

// https://www.sqlite.org/rescode.html#busy
const sqliteBusy = 5;

function holder(file: string): string {
  const holderFile = `${file}.holder`;
  return existsSync(holderFile) ? ` by process ${readFileSync(holderFile, 'utf8').trim()}` : '';
}
