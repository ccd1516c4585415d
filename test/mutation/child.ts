// A process that runs the tests of one source file with one change after the other. The changed source exists in memory only.
// For each change it imports the file, the tests and what is between them under a new URL; all other modules stay loaded.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Change } from './changes.ts';
import { firstFailure } from './harness.ts';

/** The tests and the files through which they reach the source, as absolute paths. */
export type Subject = { root: string; file: string; tests: string[]; between: string[] };

const { root, file, tests, between } = JSON.parse(process.env['SUBJECT']!) as Subject;
const harness = pathToFileURL(join(import.meta.dirname, 'harness.ts')).href;
const path = join(root, file);
const reloaded = new Set([path, ...between]);
const original = readFileSync(path, 'utf8');
let version = 0;
let source = original;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'node:test') return { url: harness, format: 'module-typescript', shortCircuit: true };
    const result = next(specifier, context);
    const isReloaded = result.url.startsWith('file:') && reloaded.has(fileURLToPath(result.url));
    return isReloaded ? { ...result, url: `${result.url.split('?')[0]}?version=${version}` } : result;
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || fileURLToPath(url) !== path) return next(url, context);
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});

// A failure that no test waits for.
let failed = false;
process.on('uncaughtException', () => {
  failed = true;
});
process.on('message', async ({ change }: { change: Change | null }) => {
  version++;
  source = change ? original.slice(0, change.start) + change.replacement + original.slice(change.end) : original;
  failed = false;
  const failure = await firstFailure(tests);
  process.send!(failure !== undefined || failed ? 'failed' : 'passed');
});
process.on('disconnect', () => process.exit());
