// Which browser takes the pictures of templates, and that the packaged one is unpacked completely and once.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findChromium, launchChromium, packagedChromium } from './chromium.ts';

const cacheDir = mkdtempSync(join(tmpdir(), 'pr-chromium-'));
after(() => rmSync(cacheDir, { recursive: true, force: true }));

test('a path in the settings that does not exist means no browser, not the packaged one', async () => {
  assert.equal(await findChromium('none', cacheDir), undefined);
  assert.equal(await findChromium('/nowhere/chromium', cacheDir), undefined);
  assert.deepEqual(readdirSync(cacheDir), []);
});

test('two simultaneous callers unpack the packaged browser once, and it starts; a dead process holds no lock', async () => {
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../node_modules/@sparticuz/chromium/package.json'), 'utf8'),
  ) as { version: string };
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  writeFileSync(join(cacheDir, `chromium-${version}.lock`), String(pid));
  const startedAt = performance.now();
  const [chromium, same] = await Promise.all([packagedChromium(cacheDir), packagedChromium(cacheDir)]);
  assert.ok(chromium);
  assert.ok(performance.now() - startedAt < 100_000, 'the lock is not waited for until it is two minutes old');
  assert.deepEqual(chromium, same);
  assert.equal(readdirSync(cacheDir).length, 1, 'no lock and no temporary directory is left');
  assert.ok(existsSync(join(chromium.executablePath, '../lib/libnss3.so')));
  const browser = await launchChromium(chromium);
  try {
    const page = await browser.newPage();
    await page.setContent('<p>text</p>');
    assert.ok((await page.locator('p').evaluate((element) => element.getBoundingClientRect().height)) > 0);
  } finally {
    await browser.close();
  }
});

test('a browser that crashes while it starts is started once more', async () => {
  const { executablePath, env } = (await packagedChromium(cacheDir))!;
  const crashing = join(cacheDir, 'crashing');
  const crashed = join(cacheDir, 'crashed');
  const script = `#!/bin/sh\n[ -e ${crashed} ] && exec ${executablePath} "$@"\n: > ${crashed}\nkill -s SEGV $$\n`;
  writeFileSync(crashing, script, { mode: 0o755 });
  const browser = await launchChromium({ executablePath: crashing, env });
  await browser.close();
  assert.ok(existsSync(crashed));
});

test('a browser that does not start fails at once with its path, and is not started again', async () => {
  const executablePath = join(cacheDir, 'broken');
  writeFileSync(executablePath, '#!/bin/sh\necho libmissing.so: cannot open >&2\nexit 127\n');
  chmodSync(executablePath, 0o755);
  const broken = { executablePath, env: {} };
  await assert.rejects(launchChromium(broken), /broken does not start:[\s\S]*libmissing\.so: cannot open/);
  rmSync(executablePath);
  await assert.rejects(launchChromium(broken), /libmissing\.so: cannot open/);
});
