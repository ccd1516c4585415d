// Runs the whole test suite: static checks, then every *.test.ts with Node's own runner.
// Promises a last line "N passed, N failed" and an exit code of 0 only when nothing failed and something ran.
// Arguments are file name parts: `npm test -- segment` runs only the test files whose path contains "segment".
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const filters = process.argv.slice(2);
let passed = 0;
let failed = 0;

/** The static checks, each counted as one test. */
const checks: [string, string[]][] = [
  ['linter and formatter', ['biome', 'check', '.']],
  ['types', ['tsc', '-p', 'tsconfig.json']],
  ['types of the web application', ['tsc', '-p', 'ui/tsconfig.json']],
  ['dependency rules', ['depcruise', '--config', '.dependency-cruiser.cjs', 'src']],
];

if (filters.length === 0) {
  const runs = checks.map(async ([name, [command, ...args]]) => {
    const { code, output } = await outputOf(join(root, 'node_modules/.bin', command!), args);
    // A rule checker that has read nothing has checked nothing.
    const ok = code === 0 && !output.includes('(0 modules');
    console.log(`${ok ? '✔' : '✖'} ${name}`);
    if (!ok) console.log(output);
    ok ? passed++ : failed++;
  });
  await Promise.all(runs);
}

/**
 * Minutes of waiting for leases and due times (`npm run test:faults` runs them with the rest of test/faults), or of
 * looking at every screen in every way (`npm run test:screens`).
 */
const onDemand = [
  'test/e2e/demo.test.ts',
  'test/e2e/scripts.test.ts',
  'test/faults/auto.test.ts',
  'test/faults/connections.test.ts',
  'test/faults/database.test.ts',
  'test/faults/fence.test.ts',
  'test/faults/guards.test.ts',
  'test/faults/lanes.test.ts',
  'test/faults/names.test.ts',
  'test/faults/processes.test.ts',
  'test/faults/rates.test.ts',
  'test/faults/relay.test.ts',
  'test/faults/replies.test.ts',
  'test/faults/schedule.test.ts',
  'test/faults/stages.test.ts',
  'test/faults/stalls.test.ts',
  'test/faults/stops.test.ts',
  'test/faults/tls.test.ts',
  'test/faults/webhooks.test.ts',
  'test/ui/hostile-mail.test.ts',
  'test/ui/keyboard.test.ts',
  'test/ui/screens.test.ts',
  'test/ui/stored-scripts.test.ts',
];

const files = ['src/**/*.test.ts', 'ui/src/**/*.test.ts', 'test/**/*.test.ts']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .filter((file) => (filters.length === 0 ? !onDemand.includes(file) : filters.some((part) => file.includes(part))))
  .sort();

if (filters.length === 0)
  console.log(`Not in this run, but in npm run test:faults or test:screens: ${onDemand.join(', ')}`);
if (files.length > 0) {
  const code = await runFiles(files);
  if (code !== 0 && failed === 0) failed++;
}
if (passed + failed === 0) {
  console.log('No test ran.');
  failed++;
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/** Runs the files four at a time (many wait for timers and other processes), passes the readable report on, and counts from the runner's closing summary. */
function runFiles(list: string[]): Promise<number> {
  // Long runs take the time they need; all others would rather fail than hang.
  const minutes = list.some((file) => onDemand.includes(file)) ? 40 : 15;
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      ['--test', '--test-concurrency=4', `--test-timeout=${minutes * 60_000}`, '--test-reporter=spec', ...list],
      { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_ENV: 'test' } },
    );
    // The closing summary is lines such as "ℹ pass 12"; long reports of failures follow it.
    const summary = new Map<string, number>();
    let rest = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text: string) => {
      process.stdout.write(text);
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const match = /^ℹ (pass|fail|cancelled) (\d+)$/.exec(line);
        if (match) summary.set(match[1]!, Number(match[2]));
      }
    });
    child.on('close', (code) => {
      const count = (word: string) => summary.get(word) ?? 0;
      passed += count('pass');
      failed += count('fail') + count('cancelled');
      resolve(code ?? 1);
    });
  });
}

/** Runs a command to its end. */
function outputOf(command: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
