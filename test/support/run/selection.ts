// Which test files a run includes, and in which order.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Batch } from './batches.ts';
import { changedFiles, type Imports, leadingTo } from './imports.ts';

/** File → the seconds that it took the last time. */
export type Times = Record<string, number>;

export type Selection = { files: string[]; leftOut: string[] };

const root = join(import.meta.dirname, '../../..');

/**
 * Guesses the seconds of a file that has not run yet: browsers and whole programs take longest, what looks at its process
 * often waits for it, and long files take longer.
 */
export function guessedSeconds(file: string): number {
  const text = readFileSync(join(root, file), 'utf8');
  const min = /^test\/(ui|e2e|faults)\//.test(file) ? 20 : 0;
  const weight = /^test\/(ui|e2e)\//.test(file)
    ? 10
    : file.startsWith('test/')
      ? 4
      : /\bprocess\.[a-z]/.test(text)
        ? 5
        : 1;
  return Math.max(min, (text.split('\n').length * weight) / 60);
}
/** What `--changed` may take, with the static checks beside it. */
const changedSeconds = 45;

export function testFiles(root: string): string[] {
  return ['src/**/*.test.ts', 'ui/src/**/*.test.ts', 'test/**/*.test.ts']
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .sort();
}

export const isSlow = (file: string) => file.endsWith('.slow.test.ts');

/** The files whose path contains one of the words, the slow ones too; without words all that are not slow. */
export function byPath(files: readonly string[], words: readonly string[]): string[] {
  if (words.length > 0) return files.filter((file) => words.some((word) => file.includes(word)));
  return files.filter((file) => !isSlow(file));
}

/**
 * The files that a change touches, those nearest to it first, as many as run within a minute: the quick ones, and all of the web
 * application, where each screen has its own.
 */
export function byChange(
  root: string,
  imports: Imports,
  files: readonly string[],
  times: Times,
  atOnce: number,
): Selection {
  const steps = leadingTo(imports, changedFiles(root, imports));
  const touched = files
    .filter((file) => steps.has(file) && (!isSlow(file) || file.startsWith('test/ui/')))
    .sort((a, b) => steps.get(a)! - steps.get(b)! || secondsOf(times, a) - secondsOf(times, b));
  // Seconds were measured while others ran beside: half of them overlap.
  let left = changedSeconds * (atOnce / 2);
  const fitting = touched.findIndex((file) => {
    left -= secondsOf(times, file);
    return left < 0;
  });
  const count = fitting < 0 ? touched.length : Math.max(1, fitting);
  return { files: touched.slice(0, count), leftOut: touched.slice(count) };
}

/** Those that take longest first, so that no processor waits for the last one. */
export function longestFirst(batches: readonly Batch[], times: Times): Batch[] {
  const seconds = ({ files }: Batch) => files.reduce((sum, file) => sum + secondsOf(times, file), 0);
  return [...batches].sort((a, b) => seconds(b) - seconds(a) || (a.path < b.path ? 1 : -1));
}

function secondsOf(times: Times, file: string): number {
  return times[file] ?? guessedSeconds(file);
}
