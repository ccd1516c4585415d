// The program from the operator's side: help, wrong settings, a second start, calls on the command line, the first run, and the
// README's first campaign with the real Python client.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../../src/base/free-port.ts';
import { settings } from '../../src/config.ts';
import { installation, postrider, root, run } from '../support/installation/command-line.ts';
import { testKey } from '../support/installation/service.ts';

test('the first campaign of the README puts three personalised messages and the test message into the built-in inbox', async () => {
  const { code, output, errors } = await run('python3', [join(root, 'examples/first-campaign.py')], {
    BASE_URL: `${installation.base}/`,
    API_KEY: testKey,
  });
  assert.equal(code, 0, errors);
  const lines = output.trim().split('\n').sort();
  assert.deepEqual(
    lines.map((line) => line.split(/\s{2,}/)),
    [
      ['ada@example.com', 'Hello Ada'],
      ['bob@example.com', 'Hello Bob'],
      ['cy@example.com', 'Hello Cy'],
      ['me@example.com', '[Test] Hello Ada'],
    ],
  );
});

test('--help names every command and every setting', async () => {
  const { code, output } = await postrider(['--help']);
  assert.equal(code, 0);
  for (const { name } of Object.values(settings)) assert.ok(output.includes(name), name);
  for (const command of [
    'serve',
    'web',
    'work',
    'inbox',
    'bounces',
    'submission',
    'migrate',
    'call',
    'account',
    'user',
  ])
    assert.match(output, new RegExp(`^ {2}${command}\\b`, 'm'));
});

test('a method can be called on the command line, and a fault is printed', async () => {
  const good = await postrider(['call', 'ping']);
  assert.deepEqual([good.code, JSON.parse(good.output)], [0, "Everything's Ok!"]);
  const lists = await postrider(['call', 'lists', '{"limit": 5}']);
  assert.equal(JSON.parse(lists.output)[0].name, 'Readers');
  const { base_url } = JSON.parse((await postrider(['call', 'setupGet'])).output);
  assert.equal(base_url, installation.base, 'the command has neither PORT nor BASE_URL');
  const bad = await postrider(['call', 'lists', '{"limit": 0}']);
  assert.equal(bad.code, 1);
  assert.match(bad.errors, /Fault 553: limit/);
  assert.equal((await postrider(['call', 'lists', '{'])).code, 2);
});

test('plan and add-ons are set on the command line and apply to the methods', async () => {
  const details = async () => {
    const account = await installation.call<{ plan_type: string; addons: string[] }>('getAccountDetails');
    return [account.plan_type, ...account.addons];
  };
  assert.deepEqual(await details(), ['pro', 'inline_img'], 'the first account has everything');
  for (const [plan, addons, expected] of [
    ['free', 'none', ['free']],
    ['pro', 'inline_img', ['pro', 'inline_img']],
  ] as const) {
    const set = await postrider(['account', 'set', 'owner@localhost.localdomain', '--plan', plan, '--addons', addons]);
    assert.equal(set.code, 0, set.errors);
    assert.deepEqual(await details(), expected);
  }
  const limits = ['--monthly-quota', '500', '--rate', '2.5'];
  assert.equal((await postrider(['account', 'set', 'owner@localhost.localdomain', ...limits])).code, 0);
  assert.match((await postrider(['account', 'list'])).output, /\(pro, inline_img, 500 emails a month\)/);
  assert.equal((await postrider(['account', 'set', 'nobody@example.com', '--plan', 'pro'])).code, 1);
});

test('all invalid settings are reported together, by name, without secrets', async () => {
  const { code, errors } = await postrider(['serve'], {
    PORT: 'abc',
    LOG_LEVEL: 'loud',
    SMTP_URL: 'http://user:hunter2@host',
    SETUP_API_KEY: 'not-a-key-hunter3',
  });
  assert.equal(code, 1);
  for (const name of ['PORT', 'LOG_LEVEL', 'SMTP_URL', 'SETUP_API_KEY']) assert.ok(errors.includes(name), name);
  assert.doesNotMatch(errors, /hunter/);
});

test('a second start on the same data directory is refused and leaves the first alone', async () => {
  const second = await postrider(['serve'], { PORT: String(await freePort()) });
  assert.notEqual(second.code, 0);
  assert.match(second.output + second.errors, /in use|already/i);
  assert.equal(await installation.call('ping'), "Everything's Ok!");
});

test('a port in use is reported before anything is created', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'taken-'));
  const port = new URL(installation.base).port;
  const { code, output, errors } = await postrider(['serve'], { PORT: port, DATA_DIR: folder });
  assert.equal(code, 1);
  assert.match(errors, new RegExp(`Port ${port} .*in use`));
  assert.doesNotMatch(output, /First account/);
  assert.deepEqual(readdirSync(folder), []);
  rmSync(folder, { recursive: true });
  for (const command of ['serve', 'web']) {
    const unknown = await postrider([command], { HOST: 'banana.invalid', PORT: port });
    assert.equal(unknown.code, 1);
    assert.match(unknown.errors, /of banana\.invalid is not available: .* Set another PORT \(or HOST\)/);
    assert.doesNotMatch(unknown.errors, /DATABASE_URL/);
  }
  const wrong = await postrider(['serve'], { SETUP_EMAIL: 'nobody' });
  assert.match(wrong.errors, /SETUP_EMAIL .*not an email address/);
});

test('generated credentials are in a file that only its owner can read, a given key is nowhere', () => {
  const file = join(installation.dataDir, 'first-account.env');
  assert.equal(installation.output.split(file).length, 2);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const [, password, base] = /^EMAIL=owner@localhost\.localdomain\nPASSWORD=([0-9a-f]{16})\nBASE_URL=(.*)\n$/.exec(
    readFileSync(file, 'utf8'),
  )!;
  assert.equal(base, installation.base);
  assert.doesNotMatch(installation.output, new RegExp(`${testKey}|${password}`));
});

test('the URL printed at the first start creates the first owner, once', async () => {
  const [, token] = new RegExp(`${installation.base}/app/first-run#([\\w-]{43})`).exec(installation.output)!;
  const firstRun = (body: object) =>
    fetch(`${installation.base}/session/first-run`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const given = {
    token,
    email: 'ada@example.com',
    name: 'Ada',
    password: 'a heron by the quiet lake',
    company: 'Engines',
    postal_address: 'London',
  };
  assert.deepEqual(await (await fetch(`${installation.base}/session/first-run`)).json(), { needed: true });
  assert.equal((await firstRun({ ...given, token: 'guess' })).status, 410);
  const made = await firstRun(given);
  assert.equal(made.status, 200, await made.text());
  assert.match(made.headers.get('set-cookie')!, /^postrider_session=/);
  assert.deepEqual(await (await fetch(`${installation.base}/session/first-run`)).json(), { needed: false });
  assert.equal((await firstRun(given)).status, 410);
  const accounts = await postrider(['account', 'list']);
  assert.match(accounts.output, /ada@example\.com {2}Engines/);
});

test('a number out of range is reported with the range', async () => {
  const { code, errors } = await postrider(['serve'], { WORKERS: '-1' });
  assert.equal(code, 1);
  assert.match(errors, /WORKERS "-1" must be between 0 and 64/);
});

test('a missing file is named', async () => {
  const gone = await postrider(['import', '/nowhere/friends.csv', '--list', '1']);
  assert.deepEqual(
    [gone.code, gone.errors.trim()],
    [1, 'The file /nowhere/friends.csv cannot be read: there is no such file.'],
  );
});
