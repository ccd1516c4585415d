// The test files of the fault matrix: everything in this folder, and each file with a test named after a row (F01 …).
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const named = /\b(?:t|slowT)est\(\s*[`'"]F\d\d/;

/** Paths relative to `root`, sorted. */
export function faultFiles(root: string): string[] {
  return ['src/**/*.test.ts', 'test/**/*.test.ts']
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => file.startsWith('test/faults/') || named.test(readFileSync(join(root, file), 'utf8')))
    .sort();
}
