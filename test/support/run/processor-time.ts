// How much of a processor each folder of tests takes, so that a suite that grows is noticed before it is slow. A process of
// tests loads this file first and, as it ends, writes down its own time and that of the processes it has started and waited
// for. A database server that several processes share belongs to none of them.
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type { Batch } from './batches.ts';
import type { Times } from './selection.ts';

/** How the kernel counts; the same on every Linux that Node runs on. */
const ticksPerSecond = 100;
const { TEST_TIME_FILE: file, TEST_RUNNER: runner } = process.env;

/** What each test file of this process took, where several run in turn. */
const ofFiles: Times = {};

if (file && isMainThread && process.ppid === Number(runner))
  process.on('exit', () => appendFileSync(file, `${JSON.stringify([process.argv[1], ownSeconds(), ofFiles])}\n`));

/** To be called as a test file begins. @returns to be called as it ends */
export function timeFile(name: string): () => void {
  const before = ownSeconds();
  return () => {
    ofFiles[name] = ownSeconds() - before;
  };
}

/** Of this process, and of those that it has waited for. */
const ownSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000 + childSeconds();
};

/** Of the processes that this one has waited for; 0 where the kernel does not say. */
function childSeconds(): number {
  if (!existsSync('/proc/self/stat')) return 0;
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // The name, in parentheses, may contain anything. After it, the fields count from 3 (proc_pid_stat(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[16 - 3]) + Number(fields[17 - 3])) / ticksPerSecond;
}

export type Measured = {
  /** For the processes of the tests. */
  env: Record<string, string>;
  execArgv: string[];
  /**
   * Folder → seconds, those that take most first. Files of one process share what none of them was measured to take, such as
   * loading the program; of a process without measured files, its time as they shared its duration.
   */
  byFolder(batches: readonly Batch[], took: Times, root: string): Map<string, number>;
};

/** To be called before the tests start. */
export function measure(): Measured {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-test-time-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'seconds');
  return {
    env: { TEST_TIME_FILE: path, TEST_RUNNER: String(process.pid) },
    execArgv: ['--import', import.meta.url],
    byFolder(batches, took, root) {
      const sums = new Map<string, number>();
      const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
      for (const line of lines) {
        const [program, seconds, own] = JSON.parse(line) as [string, number, Times];
        const files = batches.find((batch) => batch.path === program)?.files ?? [relative(root, program)];
        const sum = (times: Times) => files.reduce((all, file) => all + (times[file] ?? 0), 0);
        const [duration, measured] = [sum(took), sum(own)];
        for (const file of files) {
          const share = measured > 0 || duration === 0 ? 1 / files.length : (took[file] ?? 0) / duration;
          const name = folderOf(file);
          sums.set(name, (sums.get(name) ?? 0) + (own[file] ?? 0) + (seconds - measured) * share);
        }
      }
      return new Map([...sums].sort(([, a], [, b]) => b - a));
    },
  };
}

const folderOf = (file: string) => {
  const [first, second = ''] = file.split('/');
  return second.endsWith('.ts') ? first! : `${first}/${second}`;
};
