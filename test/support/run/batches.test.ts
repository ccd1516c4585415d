// Which test files share a process.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { folderOfRun, processesOf } from './batches.ts';

const root = join(import.meta.dirname, '../../..');
const files = ['test/ui/inbox.test.ts', 'test/ui/templates.test.ts'];
const browser = join('test/support/browser', 'chromium.ts');
/** It has an installation for those who import it. */
const composer = join('test/support/browser', 'composer.ts');

/** The processes of the files if each imported these modules. */
const processes = (...modules: string[]) => {
  const imports = new Map([...files, ...modules].map((file) => [file, new Set(files.includes(file) ? modules : [])]));
  return processesOf(root, files, imports).map(({ together }) => together);
};

test('short files of one kind share a process', () => {
  assert.deepEqual(processes(browser), [files]);
});

test('a file that reads what no other changes shares a process, one that changes or measures it does not', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'batches-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const shared = (text: string) => {
    writeFileSync(join(folder, 'a.test.ts'), text);
    return processesOf(folder, ['a.test.ts'], new Map([['a.test.ts', new Set()]]), () => 1)[0]!.shared;
  };
  const environment = `${'process'}.env`;
  for (const text of ["execPath, ['-e', '']", 'pid', 'cpuUsage()', "env.HOME === ''", "env['HOME'] ?? 1"])
    assert.ok(shared(`process.${text}`), text);
  assert.ok(shared(`spawn(program, { env: { ...${environment}, HOME: folder } })`));
  for (const text of ['memoryUsage()', "on('exit', end)", 'chdir(folder)', "env.HOME = '/'", "env['HOME'] = '/'"])
    assert.ok(!shared(`process.${text}`), text);
  for (const text of [`delete ${environment}.HOME`, `Object.assign(${environment}, secrets)`, 't.mock.timers.enable()'])
    assert.ok(!shared(text), text);
});

test('files that need a module which sets up as it is loaded do not', () => {
  assert.deepEqual(
    processes(browser, composer),
    files.map((file) => [file]),
  );
});

test('a run leaves the folder of another run that has not ended alone', (t) => {
  const parent = mkdtempSync(join(tmpdir(), 'batches-'));
  t.after(() => rmSync(parent, { recursive: true }));
  // The parent of this process runs; no process has a number this high.
  const [running, ended] = [String(process.ppid), '999999999'];
  for (const name of [running, ended]) mkdirSync(join(parent, name));
  const own = folderOfRun(parent);
  assert.deepEqual(readdirSync(parent).sort(), [running, String(process.pid)].sort());
  assert.equal(own, join(parent, String(process.pid)));
});
