// Runs the tests with Node's own runner, after static checks. Ends with a line "N passed, N failed" and exits with 0 only when
// nothing failed and something ran. The web application is built, and the browser unpacked, once for all files.
//
//   npm test                 everything except *.slow.test.ts
//   npm test -- segment      the test files whose path contains "segment", slow ones too
//   npm test -- --changed    the static checks and what the changes since main touch, in about a minute
//   npm run test:slow        all *.slow.test.ts, the property tests with all their cases, and then the fault matrix
//
// With --profile it lists the files by the time they took.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, freemem } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { faultFiles } from './faults/files.ts';
import { testBrowser } from './support/browser/chromium.ts';
import { type Batch, inBatches } from './support/run/batches.ts';
import { reachedFrom, readImports } from './support/run/imports.ts';
import { measure } from './support/run/processor-time.ts';
import { byChange, byPath, isSlow, longestFirst, type Times, testFiles } from './support/run/selection.ts';

const root = dirname(import.meta.dirname);
const timesFile = join(root, 'node_modules/.cache/test-times.json');
const flags = new Set(process.argv.slice(2).filter((word) => word.startsWith('--')));
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const unknown = [...flags].filter((flag) => !['--slow', '--changed', '--profile'].includes(flag));
if (unknown.length > 0) {
  console.error(`Unknown option ${unknown.join(', ')}`);
  process.exit(2);
}

/** Twice the processors: many tests wait for timers and other processes, and each has some. Slow tests are busy for minutes. */
const atOnce = flags.has('--slow') ? availableParallelism() : Math.max(2, availableParallelism() * 2);
/**
 * What a folder may take of a processor, in times of the static checks before it: they are as slow as the tests on a slow
 * machine, and half as much again as they take on a quiet one. Folders that are not named have `otherBudget`.
 */
const budgets: Record<string, number> = {
  'test/ui': 2.5,
  'test/e2e': 1.6,
  'test/conformance': 3,
  'src/campaigns': 1.6,
  'src/delivery': 1.6,
};
const otherBudget = 1.2;

const times = readTimes();
const imports = readImports(root);
let passed = 0;
let failed = 0;
/** What the static checks took of a processor. */
let checkSeconds = 0;

if (!flags.has('--slow')) keepFilesInMemory();
if (words.length > 0) process.env.SLOW_TESTS = 'yes';
const selected = select();
const withChecks = words.length === 0 && !flags.has('--slow');
const ready = makeReady(selected);
const checks = withChecks ? staticChecks().map(check) : [];
const files = await ready;
// The last check would leave a processor without work.
await allButLast(checks);
if (files.length > 0) await runFiles(longestFirst(inBatches(root, files, imports), times));
await Promise.all(checks);
if (flags.has('--slow') && words.length === 0) await runFaultMatrix();
if (passed + failed === 0) {
  console.log('No test ran.');
  failed++;
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/**
 * Temporary files, and with them the databases, are kept in memory where there is enough: creating the 600 files of a
 * database takes 30 ms there and up to 400 ms on a disk. Slow tests stay on the disk, as an installation does.
 */
function keepFilesInMemory(): void {
  const memory = '/dev/shm';
  if (process.env.TMPDIR !== undefined || !existsSync(memory) || freemem() < 6 * 2 ** 30) return;
  const { bavail, bsize } = statfsSync(memory);
  // Some tests run what they have written.
  const mayRun = !/ \/dev\/shm \S+ \S*\bnoexec\b/.test(readFileSync('/proc/mounts', 'utf8'));
  if (bavail * bsize < 6 * 2 ** 30 || !mayRun) return;
  process.env.TMPDIR = join(memory, `postrider-${process.getuid!()}`);
  mkdirSync(process.env.TMPDIR, { recursive: true, mode: 0o711 });
}

function select(): string[] {
  const all = testFiles(root);
  if (flags.has('--slow')) {
    process.env.RUNS = 'all';
    const slow = all.filter((file) => isSlow(file) || imports.get(file)!.has('test/support/run/runs.ts'));
    if (words.length > 0) return byPath(slow, words);
    const later = new Set(faultFiles(root));
    return slow.filter((file) => !later.has(file));
  }
  if (!flags.has('--changed')) return byPath(all, words);
  const { files, leftOut } = byChange(root, imports, all, times, atOnce);
  console.log(`The changes since main touch ${files.length + leftOut.length} test files; ${files.length} run.`);
  if (leftOut.length > 0) console.log(`Left out, as the minute is over: ${leftOut.join(', ')}`);
  return files;
}

/** Name, program and arguments; each counts as one test. */
function staticChecks(): [string, string[]][] {
  return [
    ['linter and formatter', ['biome', 'check', '.']],
    // Several checkers would each work out the types of all methods again.
    ['types', ['tsc', '-p', 'tsconfig.json', '--checkers', '1']],
    ['types of the web application', ['tsc', '-p', 'ui/tsconfig.json', '--checkers', '1']],
    ['words of STYLE.md', ['node', 'test/language.ts']],
    ['dependency rules', ['depcruise', '--config', '.dependency-cruiser.cjs', 'src']],
  ];
}

/** Resolves when one is left to wait for. */
function allButLast(promises: readonly Promise<void>[]): Promise<void> {
  let left = promises.length - 1;
  return new Promise((resolve, reject) => {
    if (left < 1) resolve();
    for (const promise of promises) promise.then(() => --left < 1 && resolve(), reject);
  });
}

async function check([name, [program, ...args]]: [string, string[]]): Promise<void> {
  const { code, output, seconds } = await outputOf(join(root, 'node_modules/.bin', program!), args);
  checkSeconds += seconds;
  // A rule checker that has read nothing has checked nothing.
  report(name, code === 0 && !output.includes('(0 modules'), output);
}

function report(name: string, ok: boolean, output: string): void {
  console.log(`${ok ? '✔' : '✖'} ${name}`);
  if (!ok) console.log(output);
  ok ? passed++ : failed++;
}

/** Builds the web application and tries the browser where a file needs them; without a browser those files are left out. */
async function makeReady(selected: readonly string[]): Promise<readonly string[]> {
  const reached = new Map(selected.map((file) => [file, reachedFrom(imports, file)]));
  const needs = (file: string, module: string) => reached.get(file)!.has(module);
  const built = selected.some((file) => needs(file, 'bin/build-ui') || needs(file, 'test/support/browser/ui.ts'))
    ? outputOf('sh', [join(root, 'bin/build-ui')])
    : undefined;
  let files = selected;
  if (selected.some((file) => needs(file, 'test/support/browser/chromium.ts')))
    try {
      // Each file starts its own; here it is unpacked, once, and found to work.
      const browser = await testBrowser();
      await browser.close();
    } catch (error) {
      report('the browser of the tests starts', false, String(error));
      files = selected.filter((file) => !needs(file, 'test/support/browser/chromium.ts'));
      console.log(`Left out without it: ${selected.filter((file) => !files.includes(file)).join(', ')}`);
    }
  const result = await built;
  if (result) {
    if (result.code !== 0) report('the web application is built', false, result.output);
    else process.env.TEST_UI_BUILT = '1';
  }
  return files;
}

async function runFiles(batches: readonly Batch[]): Promise<void> {
  // Long runs take the time they need; all others would rather fail than hang.
  const minutes = batches.some(({ path }) => isSlow(path)) ? 40 : 5;
  process.env.NODE_ENV = 'test';
  const skipped: string[] = [];
  const measured = measure();
  Object.assign(process.env, measured.env);
  const took: Times = {};
  const loaded = new Set(batches.flatMap(({ files }) => files));
  const stuck = new AbortController();
  const stream = run({
    files: batches.map(({ path }) => path),
    cwd: root,
    concurrency: atOnce,
    execArgv: measured.execArgv,
    // Of a process with several files too.
    timeout: Math.max(minutes, 20) * 60_000,
    signal: stuck.signal,
  });
  // The limit is that of one test: a process that lives on after its tests would otherwise hold up the whole run.
  const silence = setTimeout(() => stuck.abort(), (minutes + 1) * 60_000);
  stream.on('data', () => silence.refresh());
  stream.on('test:pass', ({ name, skip }) => {
    if (skip !== undefined) skipped.push(`${name}${typeof skip === 'string' ? ` (${skip})` : ''}`);
  });
  stream.on('test:summary', ({ file, counts, duration_ms }) => {
    if (file === undefined) {
      passed += counts.passed;
      failed += counts.tests - counts.passed - counts.skipped - counts.todo;
    } else if (loaded.has(relative(root, file))) took[relative(root, file)] = Math.round(duration_ms) / 1_000;
  });
  stream.on('test:complete', ({ name, details }) => {
    if (details.type !== 'suite') return;
    if (loaded.has(name)) took[name] = Math.round(details.duration_ms) / 1_000;
    // A file that cannot be loaded, or whose hook fails, counts as a failed test; its failed tests are counted already.
    const cause = details.error as { failureType?: string } | undefined;
    if (cause && cause.failureType !== 'subtestsFailed') failed++;
  });
  const output = stream.compose(spec());
  output.pipe(process.stdout, { end: false });
  await new Promise((resolve) => output.once('end', resolve));
  clearTimeout(silence);
  if (stuck.signal.aborted)
    report('the processes of the tests end', false, `Stopped after ${minutes + 1} minutes without a result.`);
  saveTimes({ ...times, ...took });
  if (flags.has('--profile')) printProfile(took);
  const byFolder = measured.byFolder(batches, took, root);
  await Promise.all(checks);
  if (withChecks || flags.has('--profile')) printSeconds(byFolder);
  if (withChecks && !flags.has('--changed') && checkSeconds > 0) checkBudgets(byFolder);
  if (skipped.length > 0) console.log(`Skipped:\n${skipped.map((line) => `  ${line}\n`).join('')}`);
}

function printSeconds(byFolder: ReadonlyMap<string, number>): void {
  const sum = [...byFolder.values()].reduce((total, seconds) => total + seconds, 0);
  console.log(`Seconds of a processor: ${Math.round(checkSeconds)} for the checks, ${Math.round(sum)} for the tests`);
  for (const [folder, seconds] of byFolder)
    if (seconds >= 1)
      console.log(`${seconds.toFixed(1).padStart(7)}  ${(seconds / checkSeconds).toFixed(2).padStart(5)}  ${folder}`);
}

function checkBudgets(byFolder: ReadonlyMap<string, number>): void {
  const over = [...byFolder].filter(([folder, seconds]) => seconds / checkSeconds > (budgets[folder] ?? otherBudget));
  const lines = over.map(([folder, seconds]) => {
    const times = (seconds / checkSeconds).toFixed(2);
    return `${folder} takes ${times} times as much of a processor as the checks, more than ${budgets[folder] ?? otherBudget}`;
  });
  report('each folder keeps its budget of processor time', over.length === 0, lines.join('\n'));
}

/** Its files kill processes and measure: they run one at a time, after all others. */
async function runFaultMatrix(): Promise<void> {
  const child = spawn(process.execPath, [join(root, 'test/faults/run.ts')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let last = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    last = (last + text).slice(-200);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const sums = /(\d+) passed, (\d+) failed\s*$/.exec(last);
  passed += Number(sums?.[1] ?? 0);
  failed += Math.max(Number(sums?.[2] ?? 0), code === 0 ? 0 : 1);
}

function printProfile(took: Times): void {
  const lines = Object.entries(took).sort(([, a], [, b]) => b - a);
  for (const [file, seconds] of lines) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
}

function readTimes(): Times {
  try {
    return JSON.parse(readFileSync(timesFile, 'utf8')) as Times;
  } catch {
    return {};
  }
}

function saveTimes(all: Times): void {
  mkdirSync(dirname(timesFile), { recursive: true });
  writeFileSync(timesFile, JSON.stringify(all, undefined, 1));
}

/** Runs a command to its end. `seconds`: of a processor, as a shell counts them. */
function outputOf(
  command: string,
  args: readonly string[],
): Promise<{ code: number | null; output: string; seconds: number }> {
  return new Promise((resolve, reject) => {
    const script = '"$@"; code=$?; times >&3; exit $code';
    const child: ChildProcess = spawn('sh', ['-c', script, 'sh', command, ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    let times = '';
    (child.stdio[3] as Readable).setEncoding('utf8').on('data', (text: string) => {
      times += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      // The shell's own user and system time, and below those of its children: 0m7.32s 0m0.51s
      const [, , user = 0, system = 0] = [...times.matchAll(/(\d+)m([\d.]+)s/g)].map(
        ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
      );
      resolve({ code, output, seconds: user + system });
    });
  });
}
