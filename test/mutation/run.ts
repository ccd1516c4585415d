// Measures whether tests detect changes: makes random one-token changes in pure files, runs the test beside the file with each,
// and counts the changes that no test notices. Exits with 1 when less than 90 % are detected.
// A file counts as pure when it has a test beside it (x.ts, x.test.ts) and the imports of that test reach no module for
// networks, processes, databases or work on files that takes a while (node:fs/promises). The changed source exists in memory only (hook.ts), so a killed run leaves no change behind.
//
//   npm run test:mutation                        60 changes anywhere
//   npm run test:mutation -- src/base            only in files whose path contains src/base
//   npm run test:mutation -- --n=150 --seed=7    more changes, other changes
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { parseArgs } from 'node:util';
import { type Change, changesOf, parses } from './changes.ts';
import { equivalent } from './equivalent.ts';

const root = dirname(dirname(import.meta.dirname));
const minDetected = 0.9;
const { values, positionals } = parseArgs({
  options: { n: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
});

const pure = globSync('src/**/*.test.ts', { cwd: root })
  .map((test) => test.replace('.test.ts', '.ts'))
  .filter((file) => globSync(file, { cwd: root }).length > 0 && isPure(testOf(file)))
  .sort();
const changes = pure.flatMap((file) => changesOf(file, readFileSync(join(root, file), 'utf8')));
const described = new Set(changes.map(describe));
const outdated = equivalent.filter((entry) => !described.has(describe(entry)));
for (const entry of outdated) console.error(`No such change, remove it from equivalent.ts: ${describe(entry)}`);
if (outdated.length > 0) process.exit(2);

const excused = new Set(equivalent.map(describe));
const wanted = changes.filter(
  (change) =>
    !excused.has(describe(change)) && (positionals.length === 0 || positionals.some((at) => change.file.includes(at))),
);
const sample: Change[] = [];
for (const change of shuffled(wanted, Number(values.seed)))
  if (sample.length < Number(values.n) && parses(change, readFileSync(join(root, change.file), 'utf8')))
    sample.push(change);
console.log(`${pure.length} pure files; ${sample.length} of ${wanted.length} changes, seed ${values.seed}`);
if (sample.length === 0) process.exit(2);

// Tests that are killed leave their temporary files here.
const temporary = mkdtempSync(join(tmpdir(), 'mutation-'));
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

const limitsMs = new Map<string, number>();
const count = { detected: 0, survived: 0, 'timed out': 0 };
for (const change of sample.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line)) {
  const outcome = await outcomeOf(change);
  count[outcome]++;
  if (outcome === 'survived') console.log(`survived  ${change.file}:${change.line}  ${change.what}    ${change.code}`);
}
const share = (count.detected + count['timed out']) / sample.length;
console.log(
  `${count.detected} detected, ${count['timed out']} timed out, ${count.survived} survived: ${(share * 100).toFixed(1)} % detected`,
);
process.exit(share < minDetected ? 1 : 0);

async function outcomeOf(change: Change): Promise<keyof typeof count> {
  if (!limitsMs.has(change.file)) {
    const startedAt = performance.now();
    if (runTest(change.file, 120_000) !== 'passed') throw new Error(`${testOf(change.file)} fails without a change`);
    limitsMs.set(change.file, Math.ceil(10_000 + 4 * (performance.now() - startedAt)));
  }
  // Lets signals be handled between two tests.
  await new Promise(setImmediate);
  const result = runTest(change.file, limitsMs.get(change.file)!, change);
  return result === 'passed' ? 'survived' : result === 'failed' ? 'detected' : 'timed out';
}

function runTest(file: string, timeout: number, change?: Change): 'passed' | 'failed' | 'timed out' {
  const { status, error } = spawnSync(
    process.execPath,
    ['--import', join(import.meta.dirname, 'hook.ts'), join(root, testOf(file))],
    {
      cwd: root,
      stdio: 'ignore',
      timeout,
      killSignal: 'SIGKILL',
      env: {
        ...process.env,
        NODE_ENV: 'test',
        NODE_DISABLE_COMPILE_CACHE: '1',
        TMPDIR: temporary,
        MUTATION: change ? JSON.stringify(change) : '',
      },
    },
  );
  if (error) return 'timed out';
  return status === 0 ? 'passed' : 'failed';
}

function testOf(file: string): string {
  return file.replace(/\.ts$/, '.test.ts');
}

function describe({ file, code, what }: Pick<Change, 'file' | 'code' | 'what'>): string {
  return `${file}  ${what}  ${code}`;
}

/** Follows imports of values; src/db/connect.ts may import pg, which opens nothing until a test connects. */
function isPure(test: string): boolean {
  const impure =
    /^(node:(net|https?|http2|tls|dgram|dns.*|fs\/promises|child_process|worker_threads|cluster)|pg|playwright-core)$/;
  const reached = new Set([test]);
  for (const file of reached) {
    const source = readFileSync(join(root, file), 'utf8');
    for (const [, names, from] of source.matchAll(/^(?:import|export) (?!type)([^;]*?from )?'([^']+)';/gm)) {
      if (from!.startsWith('.')) reached.add(normalize(join(dirname(file), from!)));
      else if (impure.test(from!) && file !== 'src/db/connect.ts' && !/^\{ isIP(v[46])? \} from $/.test(names ?? ''))
        return false;
      if (/\.(json|css|html)$/.test(from!)) reached.delete(normalize(join(dirname(file), from!)));
    }
  }
  return true;
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
