// bin/build-ui on a small copy of the folders, with a stand-in for Vite.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';

let folder: string;
const at = (path: string) => join(folder, path);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'build-ui-'));
  for (const path of ['bin', 'ui/src', 'node_modules/.bin']) mkdirSync(at(path), { recursive: true });
  copyFileSync(join(import.meta.dirname, '../../bin/build-ui'), at('bin/build-ui'));
  writeFileSync(at('package-lock.json'), '{}');
  writeFileSync(at('ui/src/main.ts'), '');
});
afterEach(() => rmSync(folder, { recursive: true }));

const vite = (script: string) => writeFileSync(at('node_modules/.bin/vite'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
const build = (): ChildProcess => spawn('sh', [at('bin/build-ui')], { stdio: ['ignore', 'ignore', 'pipe'] });

async function outputUntil(child: ChildProcess, words: string): Promise<void> {
  let output = '';
  for await (const text of child.stderr!.iterator({ destroyOnReturn: false })) {
    output += text;
    if (output.includes(words)) return;
  }
  assert.fail(`no "${words}" in: ${output}`);
}

test('an interrupted build leaves no lock', async () => {
  vite('echo started >&2; sleep 2');
  const child = build();
  await outputUntil(child, 'started');
  assert.ok(existsSync(at('ui/.building')));
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.equal(code, 130);
  assert.ok(!existsSync(at('ui/.building')));
});

test('the lock of a process that is gone is ignored, that of a living one is waited for and reported', async () => {
  vite('mkdir "ui/$UI_OUT"');
  mkdirSync(at('ui/.building'));
  writeFileSync(at('ui/.building/pid'), String(process.pid));
  const child = build();
  await outputUntil(child, 'Waiting for another build');
  writeFileSync(at('ui/.building/pid'), String(spawnSync('true').pid));
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
  assert.ok(existsSync(at('ui/dist/.sources')));
  assert.ok(!existsSync(at('ui/.building')));
});

test('a user who may not write there learns at once who can build', () => {
  vite('mkdir "ui/$UI_OUT"');
  chmodSync(folder, 0o755);
  chmodSync(at('ui'), 0o555);
  // Root may write anywhere.
  const user = process.getuid!() === 0 ? { uid: 65534, gid: 65534 } : {};
  const { status, stderr } = spawnSync('sh', [at('bin/build-ui')], { encoding: 'utf8', timeout: 20_000, ...user });
  chmodSync(at('ui'), 0o755);
  assert.equal(status, 1, stderr);
  assert.match(stderr, /ui is not writable\. Run "npm run ui:build" there as its owner/);
});
