import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { measure } from './processor-time.ts';

test('the time of a process and of those it waited for goes to the folders of its files, as their durations do', () => {
  const root = mkdtempSync(join(tmpdir(), 'processor-time-'));
  try {
    const measured = measure();
    // Asking for the time takes longer than counting does.
    const busy = (ms: number) => `while (process.cpuUsage().user < ${ms} * 1_000) for (let i = 0; i < 1e6; i++);`;
    const path = join(root, 'batch.mjs');
    const child = `execFileSync(process.execPath, ['-e', ${JSON.stringify(busy(300))}]);`;
    writeFileSync(path, `import { execFileSync } from 'node:child_process';\n${busy(300)}\n${child}`);
    execFileSync(process.execPath, [...measured.execArgv, path], { env: { ...process.env, ...measured.env } });
    const batches = [{ path, files: ['src/a/x.test.ts', 'src/b/y.test.ts', 'src/b/z.test.ts'] }];
    const took = { 'src/a/x.test.ts': 1, 'src/b/y.test.ts': 2, 'src/b/z.test.ts': 1 };
    const seconds = measured.byFolder(batches, took, root);
    assert.deepEqual([...seconds.keys()], ['src/b', 'src/a'], 'those that take most first');
    const [b, a] = [...seconds.values()] as [number, number];
    assert.ok(a + b > 0.5, `${a + b} s of both processes`);
    assert.ok(Math.abs(b / a - 3) < 0.01, 'three of four seconds');
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test('files that are measured in their process get their own time', () => {
  const root = mkdtempSync(join(tmpdir(), 'processor-time-'));
  try {
    const measured = measure();
    const path = join(root, 'batch.mjs');
    const module = pathToFileURL(join(import.meta.dirname, 'processor-time.ts')).href;
    const [quick, busy] = ['src/a/x.test.ts', 'src/b/y.test.ts'];
    writeFileSync(
      path,
      `import { timeFile } from '${module}';
      timeFile('${quick}')();
      const end = timeFile('${busy}');
      while (process.cpuUsage().user < 500_000) for (let i = 0; i < 1e6; i++);
      end();`,
    );
    execFileSync(process.execPath, [...measured.execArgv, path], { env: { ...process.env, ...measured.env } });
    // The quick one waited longer.
    const seconds = measured.byFolder([{ path, files: [quick, busy] }], { [quick]: 3, [busy]: 1 }, root);
    assert.ok(seconds.get('src/b')! - seconds.get('src/a')! > 0.2, JSON.stringify([...seconds]));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test('a process that a test starts is counted by the test alone', () => {
  const measured = measure();
  const own = { ...process.env, ...measured.env, TEST_RUNNER: '1' };
  const { status } = spawnSync(process.execPath, [...measured.execArgv, '-e', ''], { env: own });
  assert.equal(status, 0);
  assert.equal(measured.byFolder([], {}, '/').size, 0);
});
