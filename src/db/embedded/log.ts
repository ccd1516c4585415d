// The server's log file, kept small: past 8 MB the file is moved to one older copy and begun again.
// The server writes to it by itself, so that its last words are there even when we are gone.
import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readFileSync } from 'node:fs';

export type BoundedLog = {
  fd: number;
  size(): number;
  /** What the server complained of after the file had this size, without time stamps; '' when of nothing. */
  problemsSince(size: number): string;
  close(): void;
};

export function openLog(file: string, limitBytes = 8 * 2 ** 20): BoundedLog {
  // Appending, so that the server goes on at the new end after we cut the file.
  const fd = openSync(file, 'a', 0o600);
  const size = () => fstatSync(fd).size;
  const cut = () => {
    if (size() < limitBytes) return;
    copyFileSync(file, `${file}.1`);
    ftruncateSync(fd, 0);
  };
  cut();
  const timer = setInterval(cut, 10_000).unref();
  return {
    fd,
    size,
    problemsSince(from) {
      const lines = readFileSync(file).subarray(from).toString().split('\n');
      const problems = lines.filter((line) => /\b(FATAL|PANIC|ERROR|HINT|DETAIL): |error while loading/.test(line));
      return problems.map((line) => line.replace(/^.*?(?=(FATAL|PANIC|ERROR|HINT|DETAIL): )/, '')).join(' ');
    },
    close() {
      clearInterval(timer);
      closeSync(fd);
    },
  };
}
