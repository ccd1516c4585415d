// Measures whether tests detect changes: makes one-token changes in all pure files (pure.ts), runs the nearest tests with each, and
// counts the changes that no test notices. Exits with 1 when less than 90 % are detected. The changed source exists in memory only
// (child.ts), so a killed run leaves no change behind. equivalent.ts lists the changes that no test can detect, with the reason.
//
//   npm run test:mutation                        10 random changes in every pure file
//   npm run test:mutation -- src/base            only in files whose path contains src/base
//   npm run test:mutation -- --n=25 --seed=7     25 changes in every file, other changes
//   npm run test:mutation -- --all src/base/z    every change
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Change, changesOf, parses } from './changes.ts';
import type { Subject } from './child.ts';
import { equivalent } from './equivalent.ts';
import { pureFiles } from './pure.ts';

const root = dirname(dirname(import.meta.dirname));
const minDetected = 0.9;
const { values, positionals } = parseArgs({
  options: {
    n: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    all: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

const pure = pureFiles(root);
const changes = new Map(
  [...pure.keys()].map((file) => [file, changesOf(file, readFileSync(join(root, file), 'utf8'))]),
);
const described = new Set([...changes.values()].flat().map(describe));
const outdated = equivalent.filter((entry) => !described.has(describe(entry)));
for (const entry of outdated) console.error(`No such change, remove it from equivalent.ts: ${describe(entry)}`);
if (outdated.length > 0) process.exit(2);

const excused = new Set(equivalent.map(describe));
const selected = [...pure.keys()].filter(
  (file) => positionals.length === 0 || positionals.some((part) => file.includes(part)),
);
const samples = selected.map((file) => sampleOf(file)).filter((sample) => sample.length > 0);
const total = samples.flat().length;
const possible = selected.flatMap((file) => changes.get(file)!).length;
console.log(`${samples.length} pure files, ${total} of ${possible} changes, seed ${values.seed}`);
if (total === 0) process.exit(2);

// Tests that are killed leave their temporary files here.
const temporary = mkdtempSync(join(tmpdir(), 'mutation-'));
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

const count = { failed: 0, passed: 0, 'timed out': 0 };
type Outcome = keyof typeof count;
let broken = 0;
// Each processor takes the next file.
const queue = samples.values();
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (const sample of queue) await measure(sample);
  }),
);
const detected = count.failed + count['timed out'];
const share = detected / (total - broken);
console.log(
  `${samples.length} files, ${total - broken} changes, ${detected} detected (${count['timed out']} of them timed out), ` +
    `${count.passed} survived: ${(share * 100).toFixed(1)} % detected`,
);
process.exit(share >= minDetected && broken === 0 ? 0 : 1);

function sampleOf(file: string): Change[] {
  const source = readFileSync(join(root, file), 'utf8');
  const sample: Change[] = [];
  const size = values.all ? Infinity : Number(values.n);
  for (const change of shuffled(changes.get(file)!, Number(values.seed)))
    if (sample.length < size && !excused.has(describe(change)) && parses(change, source)) sample.push(change);
  return sample.sort((a, b) => a.start - b.start);
}

/** Lists the survivors of one file. */
async function measure(sample: Change[]): Promise<void> {
  const { file } = sample[0]!;
  const startedAt = performance.now();
  let child = start(file);
  // The second time in another order, from quick to slow.
  for (let i = 0; i < 2; i++)
    if ((await outcomeOf(child, null, 120_000)) !== 'passed') {
      child.kill('SIGKILL');
      broken += sample.length;
      return console.error(`${file}: its tests fail without a change`);
    }
  const limitMs = 5_000 + 5 * (performance.now() - startedAt);
  const survivors: string[] = [];
  for (const change of sample) {
    const outcome = await outcomeOf(child, change, limitMs);
    count[outcome]++;
    if (outcome === 'passed') survivors.push(`survived  ${file}:${change.line}  ${change.what}    ${change.code}`);
    if (outcome === 'timed out') child = start(file);
  }
  child.kill('SIGKILL');
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`${file}: ${sample.length - survivors.length} of ${sample.length} detected in ${seconds} s`);
  for (const survivor of survivors) console.log(survivor);
}

function start(file: string): ChildProcess {
  const { tests, between } = pure.get(file)!;
  const absolute = (path: string) => join(root, path);
  const subject: Subject = { root, file, tests: tests.map(absolute), between: between.map(absolute) };
  const child = fork(join(import.meta.dirname, 'child.ts'), {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, NODE_ENV: 'test', TMPDIR: temporary, SUBJECT: JSON.stringify(subject) },
  });
  child.setMaxListeners(0);
  return child;
}

/** A process that ends with a change detects it; one that takes too long is killed. */
async function outcomeOf(child: ChildProcess, change: Change | null, limitMs: number): Promise<Outcome> {
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  child.send({ change });
  const [outcome] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => ['timed out'])]);
  clearTimeout(timer);
  return outcome as Outcome;
}

function describe({ file, code, what }: Pick<Change, 'file' | 'code' | 'what'>): string {
  return `${file}  ${what}  ${code}`;
}

/** Fisher–Yates with mulberry32, the same order for the same seed. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const result = [...items];
  let state = seed;
  for (let i = result.length - 1; i > 0; i--) {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    const j = ((t ^ (t >>> 14)) >>> 0) % (i + 1);
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}
