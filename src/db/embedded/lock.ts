// Makes sure that one process at a time runs the server of a directory.
// The lock is the operating system's own, on an open file: it goes with the process, whatever ends it, kill -9 included,
// and it is seen from other containers on the same volume, where process ids say nothing.
// Node has no call for file locks, but its SQLite takes one for an exclusive transaction; no row is ever written.
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EmbeddedPostgresError } from './problem.ts';

export type Lock = { release(): void };

/** Takes the lock `file`, or throws the problem 'in-use' at once, naming the process that holds it. */
export function takeLock(file: string, dataDir: string): Lock {
  let database: DatabaseSync | undefined;
  try {
    // SQLite would open a file of somebody else's for reading and lock nothing.
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
          'Stop that program first, or give this one a directory of its own (DATA_DIR).',
        error,
      );
    }
    throw new EmbeddedPostgresError(
      'not-permitted',
      `Cannot open ${file}: ${(error as Error).message}. The directory must belong to the user who starts the program.`,
      error,
    );
  }
  // In a file of its own: opening and closing the locked file again would drop the lock (POSIX record locks).
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
