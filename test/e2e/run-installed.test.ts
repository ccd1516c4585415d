// bin/run-installed on a small copy of the folders, with a stand-in for npm that installs two packages.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';

let folder: string;
const at = (path: string) => join(folder, path);

const lockOf = (versions: Record<string, string>) => ({
  lockfileVersion: 3,
  packages: {
    ...Object.fromEntries(
      Object.entries(versions).map(([name, version]) => [`node_modules/${name}`, { version, license: 'MIT' }]),
    ),
    // As for another platform: never installed here.
    'node_modules/elsewhere': { version: '1.0.0', optional: true },
  },
});
const writeLock = (versions: Record<string, string>) =>
  writeFileSync(at('package-lock.json'), JSON.stringify(lockOf(versions), null, 2));

const installs = `echo install >>npm.log
mkdir -p node_modules/.bin node_modules/left node_modules/@scope/right
echo '{}' >node_modules/left/package.json
echo '{}' >node_modules/@scope/right/package.json
printf '#!/bin/sh\\necho "ran $*"\\n' >node_modules/.bin/node
chmod +x node_modules/.bin/node
grep -v '"elsewhere"' package-lock.json | sed '/elsewhere/,/}/d' >node_modules/.package-lock.json`;
const npm = (script: string) => writeFileSync(at('tools/npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
const countInstalls = () =>
  existsSync(at('npm.log')) ? readFileSync(at('npm.log'), 'utf8').split('\n').length - 1 : 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-installed-'));
  for (const path of ['bin', 'tools']) mkdirSync(at(path));
  copyFileSync(join(import.meta.dirname, '../../bin/run-installed'), at('bin/run-installed'));
  writeLock({ left: '1.0.0', '@scope/right': '2.0.0' });
  npm(installs);
});
afterEach(() => rmSync(folder, { recursive: true }));

const start = (): ChildProcess =>
  spawn('sh', [at('bin/run-installed'), 'x.ts', 'y'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that an interruption reaches npm too.
    detached: true,
    env: { ...process.env, PATH: `${at('tools')}:${process.env['PATH']}` },
  });

async function end(child: ChildProcess): Promise<{ code: number | null; output: string; errors: string }> {
  const [[code], output, errors] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    textOf(child.stdout!),
    textOf(child.stderr!),
  ]);
  return { code, output, errors };
}

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const part of stream) text += String(part);
  return text;
}

async function outputUntil(child: ChildProcess, words: string): Promise<void> {
  let output = '';
  for await (const text of child.stderr!.iterator({ destroyOnReturn: false })) {
    output += text;
    if (output.includes(words)) return;
  }
  assert.fail(`no "${words}" in: ${output}`);
}

const run = () => end(start());
const ran = () => `ran ${at('x.ts')} y\n`;

test('dependencies are installed once, and again when one is missing, is gone or has another version', async () => {
  const first = await run();
  assert.deepEqual([first.code, first.output], [0, ran()], first.errors);
  assert.match(first.errors, /^Installing dependencies/);
  assert.deepEqual(await run(), { code: 0, output: ran(), errors: '' });
  assert.equal(countInstalls(), 1);

  rmSync(at('node_modules/left'), { recursive: true });
  assert.equal((await run()).code, 0);
  assert.equal(countInstalls(), 2);

  writeLock({ left: '1.0.1', '@scope/right': '2.0.0' });
  // Older than the installation, as after copying node_modules from elsewhere.
  utimesSync(at('package-lock.json'), 1, 1);
  assert.equal((await run()).code, 0);
  assert.equal(countInstalls(), 3);

  utimesSync(at('package-lock.json'), Date.now() / 1000 + 5, Date.now() / 1000 + 5);
  assert.equal((await run()).code, 0);
  assert.equal(countInstalls(), 4);
  assert.ok(!existsSync(at('.installing')));
});

test('an interrupted installation starts again from the beginning', async () => {
  assert.equal((await run()).code, 0);
  writeLock({ left: '3.0.0', '@scope/right': '2.0.0' });
  npm('rm node_modules/left/package.json; echo half >node_modules/left/half; echo started >&2; sleep 60');
  const child = start();
  await outputUntil(child, 'started');
  process.kill(-child.pid!, 'SIGTERM');
  assert.notEqual((await end(child)).code, 0);
  assert.ok(!existsSync(at('.installing')));
  npm(installs);
  const again = await run();
  assert.deepEqual([again.code, again.output], [0, ran()], again.errors);
  assert.match(again.errors, /did not finish/);
  assert.ok(!existsSync(at('node_modules/left/half')));
});

test('of two starts one installs and the other waits; the lock of a process that is gone is ignored', async () => {
  symlinkSync(String(process.pid), at('.installing'));
  const child = start();
  await outputUntil(child, 'Waiting for another installation');
  assert.equal(countInstalls(), 0);
  const gone = spawn('true');
  await once(gone, 'exit');
  symlinkSync(String(gone.pid), at('.installing.new'));
  renameSync(at('.installing.new'), at('.installing'));
  assert.equal((await end(child)).code, 0);

  rmSync(at('node_modules'), { recursive: true });
  npm(`sleep 1\n${installs}`);
  const both = await Promise.all([run(), run()]);
  assert.deepEqual(
    both.map(({ code, output }) => [code, output]),
    [
      [0, ran()],
      [0, ran()],
    ],
  );
  assert.equal(countInstalls(), 2);
});

test('when npm fails or leaves packages out, one sentence names the next step', async () => {
  npm('echo "npm error network" >&2; exit 7');
  const failed = await run();
  assert.deepEqual([failed.code, failed.output], [1, '']);
  assert.match(
    failed.errors,
    /npm error network\nnpm could not install the dependencies\. Fix .* then start again\.\n$/,
  );
  npm(`${installs}\nrm -r node_modules/left`);
  const partly = await run();
  assert.equal(partly.code, 1);
  assert.match(partly.errors, /packages are missing from node_modules\. Delete node_modules, then start again\.\n$/);
  assert.ok(!existsSync(at('.installing')));
});

test('nothing is installed into a linked node_modules, and a difference is reported', async () => {
  assert.equal((await run()).code, 0);
  renameSync(at('node_modules'), at('shared'));
  symlinkSync('shared', at('node_modules'));
  assert.deepEqual(await run(), { code: 0, output: ran(), errors: '' });
  writeLock({ left: '9.0.0', '@scope/right': '2.0.0' });
  const linked = await run();
  assert.deepEqual([linked.code, linked.output], [0, ran()]);
  assert.match(
    linked.errors,
    /^node_modules is a link to shared and does not match package-lock\.json\. Nothing .*\n$/,
  );
  assert.equal(countInstalls(), 1);
});
