// The server's log file, kept small: beyond 8 MB its content moves to one older copy.
// The server writes to the file directly, so its last lines are there even when this program has died.
import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readFileSync, rmSync } from 'node:fs';

export type BoundedLog = {
  fd: number;
  size(): number;
  /** The server's error lines, or else its last lines, since the file had this size. */
  problemsSince(size: number): string;
  close(): void;
};

export function openLog(file: string, limitBytes = 8 * 2 ** 20, checkMs = 10_000): BoundedLog {
  // Appending, so that the server continues at the new end after the file is emptied.
  const fd = openSync(file, 'a', 0o600);
  const size = () => fstatSync(fd).size;
  const rotate = () => {
    if (size() < limitBytes) return;
    // Removed first: it may belong to another user who ran the program in this directory.
    rmSync(`${file}.1`, { force: true });
    copyFileSync(file, `${file}.1`);
    ftruncateSync(fd, 0);
  };
  rotate();
  const timer = setInterval(rotate, checkMs).unref();
  return {
    fd,
    size,
    problemsSince(from) {
      const lines = readFileSync(file).subarray(from).toString().trim().split('\n');
      const problems = lines.filter((line) => problem.test(line));
      return (problems.length > 0 ? problems : lines.slice(-3)).map((line) => line.replace(prefix, '')).join('; ');
    },
    close() {
      clearInterval(timer);
      closeSync(fd);
    },
  };
}

// Errors in the settings are logged at the level LOG.
const problem = /\b((FATAL|PANIC|ERROR|HINT|DETAIL): |LOG: +(invalid|could not|unrecognized|syntax error))/;
const prefix = /^.*?(?=\b(FATAL|PANIC|ERROR|HINT|DETAIL|LOG): )/;
