// Which browser takes the pictures of templates, which user it runs as, and that the packaged one is unpacked completely and once.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { slowTest } from '../../../test/support/run/runs.ts';
import { type Chromium, findChromium, launchChromium, packagedChromium } from './chromium.ts';
import { browserUser, isRoot } from './chromium-user.ts';

const cacheDir = mkdtempSync(join(tmpdir(), 'pr-chromium-'));
// Open to the user that the browser runs as under root, as a data directory is.
chmodSync(cacheDir, 0o711);
after(() => rmSync(cacheDir, { recursive: true, force: true }));

test('a path in the settings that does not exist means no browser, not the packaged one', async () => {
  assert.equal(await findChromium('none', cacheDir), undefined);
  assert.equal(await findChromium('/nowhere/chromium', cacheDir), undefined);
  assert.deepEqual(readdirSync(cacheDir), []);
});

slowTest(
  'two simultaneous callers unpack the packaged browser once, and it starts; a dead process holds no lock',
  async () => {
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
  },
);

/** What a start logged about the user and the sandbox. */
function recorder() {
  const lines: string[] = [];
  const record = (_about: unknown, text: string) => lines.push(text);
  return { lines, log: { info: record, warn: record } as unknown as NonNullable<Chromium['log']> };
}

/** A browser that writes its user id and arguments, then runs `script`, then the packaged one. */
async function wrapped(name: string, script = ''): Promise<Chromium & { started(): string }> {
  const { executablePath, env } = (await packagedChromium(cacheDir))!;
  const notes = mkdtempSync(join(tmpdir(), 'pr-chromium-notes-'));
  chmodSync(notes, 0o777);
  after(() => rmSync(notes, { recursive: true, force: true }));
  const path = join(cacheDir, name);
  const file = join(notes, 'started');
  writeFileSync(path, `#!/bin/sh\necho "$(id -u) $*" >> ${file}\n${script}\nexec ${executablePath} "$@"\n`, {
    mode: 0o755,
  });
  return { executablePath: path, env, started: () => readFileSync(file, 'utf8') };
}

test('the environment of the browser contains no setting of the program', async () => {
  const secrets = { SEAL_KEY: 'canary-of-the-key', DATABASE_URL: 'postgres://canary-of-the-database' };
  Object.assign(process.env, secrets);
  try {
    const executablePath = join(cacheDir, 'environment');
    const notes = mkdtempSync(join(tmpdir(), 'pr-chromium-environment-'));
    chmodSync(notes, 0o777);
    after(() => rmSync(notes, { recursive: true, force: true }));
    writeFileSync(executablePath, `#!/bin/sh\nenv > ${notes}/env\necho no browser >&2\nexit 1\n`, { mode: 0o755 });
    await assert.rejects(launchChromium({ executablePath, env: { FONTS: 'here' } }), /no browser/);
    const environment = readFileSync(join(notes, 'env'), 'utf8');
    assert.match(environment, /^FONTS=here$/m);
    assert.doesNotMatch(environment, /canary|SEAL_KEY|DATABASE_URL/);
  } finally {
    for (const name of Object.keys(secrets)) delete process.env[name];
  }
});

slowTest(
  'the browser never runs as root where another user can run it',
  { skip: !isRoot() && 'not root' },
  async () => {
    const { started, ...chromium } = await wrapped('as-user');
    const { lines, log } = recorder();
    for (let i = 0; i < 2; i++) {
      const browser = await launchChromium({ ...chromium, log });
      const page = await browser.newPage();
      await page.setContent('<p>text</p>');
      await browser.close();
    }
    const users = [...started().matchAll(/^\d+/gm)].map(([id]) => Number(id));
    assert.ok(users.length >= 2);
    assert.deepEqual([...new Set(users)], [browserUser]);
    assert.equal(lines.length, 1, 'logged once');
    assert.match(lines[0]!, new RegExp(`^Chromium runs as user id ${browserUser}, with`));
  },
);

slowTest(
  'where the kernel allows no sandbox, root still starts the browser as another user',
  {
    skip: !isRoot(),
  },
  async () => {
    const refusal = 'case "$*" in *--no-sandbox*) ;; *) echo "No usable sandbox!" >&2; exit 1;; esac';
    const { started, ...chromium } = await wrapped('no-sandbox', refusal);
    const { lines, log } = recorder();
    for (let i = 0; i < 2; i++) await (await launchChromium({ ...chromium, log })).close();
    const starts = started().trim().split('\n');
    assert.deepEqual(
      starts.map((line) => [Number(line.split(' ')[0]), line.includes('--no-sandbox')]),
      [
        [browserUser, false],
        [browserUser, true],
        [browserUser, true],
      ],
    );
    assert.deepEqual(lines, [
      `Chromium runs as user id ${browserUser}, without its sandbox: the kernel does not allow that`,
    ]);
  },
);

slowTest('a browser that only root can run runs as root, which is logged', { skip: !isRoot() }, async () => {
  const { started, ...chromium } = await wrapped('closed');
  chmodSync(chromium.executablePath, 0o700);
  const { lines, log } = recorder();
  await (await launchChromium({ ...chromium, log })).close();
  assert.match(started(), /^0 .*--no-sandbox/);
  assert.deepEqual(lines, [`Chromium runs as root, without its sandbox: user id ${browserUser} cannot run it`]);
});

slowTest('a browser that crashes while it starts is started once more', async () => {
  const { executablePath, env } = (await packagedChromium(cacheDir))!;
  const crashing = join(cacheDir, 'crashing');
  const open = mkdtempSync(join(tmpdir(), 'pr-chromium-crashed-'));
  chmodSync(open, 0o777);
  after(() => rmSync(open, { recursive: true, force: true }));
  const crashed = join(open, 'crashed');
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
