// The server's log file, kept small: past 8 MB the file is moved to one older copy and begun again.
// The server writes to it by itself, so that its last words are there even when we are gone.
import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readFileSync, rmSync } from 'node:fs';

export type BoundedLog = {
  fd: number;
  size(): number;
  /** What the server complained of (or just said last) after the file had this size. */
  problemsSince(size: number): string;
  close(): void;
};

export function openLog(file: string, limitBytes = 8 * 2 ** 20, checkMs = 10_000): BoundedLog {
  // Appending, so that the server goes on at the new end after we cut the file.
  const fd = openSync(file, 'a', 0o600);
  const size = () => fstatSync(fd).size;
  const cut = () => {
    if (size() < limitBytes) return;
    // Removed first: it may be another user's, who started the program in this directory before.
    rmSync(`${file}.1`, { force: true });
    copyFileSync(file, `${file}.1`);
    ftruncateSync(fd, 0);
  };
  cut();
  const timer = setInterval(cut, checkMs).unref();
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

// Mistakes in the settings are told at the level LOG.
const problem = /\b((FATAL|PANIC|ERROR|HINT|DETAIL): |LOG: +(invalid|could not|unrecognized|syntax error))/;
const prefix = /^.*?(?=\b(FATAL|PANIC|ERROR|HINT|DETAIL|LOG): )/;
