// The program from the operator's side: help, wrong settings, a second start, calls and accounts on the command line,
// and the README's first campaign with the real Python client.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { codeOf, stepAt } from '../../src/accounts/sign-in/totp.ts';
import { freePort } from '../../src/base/free-port.ts';
import { settings } from '../../src/config.ts';
import { connect, sql } from '../../src/db/connect.ts';
import { readEmbeddedUrl } from '../../src/db/embedded/embedded.ts';
import { Installation } from '../support/installation/installation.ts';
import { bareEnvironment, testKey } from '../support/installation/service.ts';

const root = join(import.meta.dirname, '../..');
let installation: Installation;
before(async () => {
  installation = new Installation({ LOG_LEVEL: 'warn' });
  await installation.start();
});
after(() => installation.remove());

type Ended = { code: number | null; output: string; errors: string };

function run(command: string, args: string[], environment: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...bareEnvironment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [output, errors] = ['', ''];
    child.stdout.on('data', (text) => {
      output += text;
    });
    child.stderr.on('data', (text) => {
      errors += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output, errors }));
  });
}
const postrider = (args: string[], environment: Record<string, string> = {}) =>
  run(process.execPath, [join(root, 'src/main.ts'), ...args], {
    DATA_DIR: installation.dataDir,
    LOG_LEVEL: 'silent',
    ...environment,
  });

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
  for (const command of ['serve', 'web', 'work', 'inbox', 'bounces', 'migrate', 'call', 'account', 'user'])
    assert.match(output, new RegExp(`^ {2}${command}\\b`, 'm'));
});

test('a method can be called on the command line, and a fault is printed', async () => {
  const good = await postrider(['call', 'ping']);
  assert.deepEqual([good.code, JSON.parse(good.output)], [0, "Everything's Ok!"]);
  const lists = await postrider(['call', 'lists', '{"limit": 5}']);
  assert.equal(JSON.parse(lists.output)[0].name, 'Readers');
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
  const wrong = await postrider(['serve'], { SETUP_EMAIL: 'nobody' });
  assert.match(wrong.errors, /SETUP_EMAIL .*not an email address/);
});

test('generated credentials are printed once at the first start, a given key never', () => {
  assert.equal(installation.output.match(/First account/g)?.length, 1);
  assert.match(installation.output, /password {2}[0-9a-f]{16}/);
  assert.doesNotMatch(installation.output, new RegExp(testKey));
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

test('an account is not created twice for one address by mistake, nor for an invalid address', async () => {
  const create = (...args: string[]) => postrider(['account', 'create', '--email', ...args]);
  const first = await create('twin@example.com', '--name', 'First');
  assert.equal(first.code, 0, first.errors);
  const [, id] = /account {3}([0-9a-f]{8})/.exec(first.output)!;
  const again = await create('Twin@example.com', '--name', 'Second');
  assert.equal(again.code, 1);
  assert.match(again.errors, new RegExp(`${id} \\(First\\).*already.*--another`));
  assert.doesNotMatch((await postrider(['account', 'list'])).output, /Second/);
  for (const wrong of ['nope', 'a@b', 'a b@example.com', '<a@example.com>']) {
    const refused = await create(wrong);
    assert.deepEqual([refused.code, /is not an e-mail address/.test(refused.errors)], [1, true], wrong);
  }
  const second = await create('twin@example.com', '--name', 'Second', '--another');
  assert.equal(second.code, 0, second.errors);
  assert.match(second.output, /existing user/);
});

test('an address of several accounts is refused as ambiguous, and their ids are listed', async () => {
  const before = (await postrider(['account', 'list'])).output;
  const ids = before
    .split('\n')
    .filter((line) => line.includes('twin@'))
    .map((line) => line.slice(0, 8));
  assert.equal(ids.length, 2);
  for (const args of [
    ['account', 'set', 'twin@example.com', '--plan', 'pro'],
    ['account', 'key', 'twin@example.com'],
    ['call', 'ping', '--account', 'twin@example.com'],
  ]) {
    const refused = await postrider(args);
    assert.equal(refused.code, 1, args.join(' '));
    for (const id of ids) assert.ok(refused.errors.includes(id), refused.errors);
  }
  assert.equal((await postrider(['account', 'list'])).output, before);
  assert.equal((await postrider(['account', 'set', ids[1]!, '--plan', 'pro'])).code, 0);
  assert.match((await postrider(['account', 'list'])).output, new RegExp(`${ids[1]} .*\\(pro\\)`));
});

test('an unusable database is reported in one sentence, without its password', async () => {
  const port = await freePort();
  for (const [url, words] of [
    [`postgres://ada:hunter2@127.0.0.1:${port}/x`, `nothing is listening at 127.0.0.1:${port}`],
    [`postgres://ada:hunter2@localhost:${port}/x`, 'nothing is listening at'],
    ['postgres://ada:hunter2@host.invalid/x', 'host.invalid'],
  ] as const)
    for (const command of [['serve'], ['migrate'], ['account', 'list']]) {
      const { code, errors, output } = await postrider(command, { DATABASE_URL: url, PORT: String(await freePort()) });
      assert.equal(code, 1, `${command}: ${errors}`);
      assert.match(errors, /^The database in DATABASE_URL cannot be used: [^\n]+\.\n$/, `${command} ${url}`);
      assert.ok(errors.includes(words), errors);
      assert.doesNotMatch(errors + output, /hunter2/);
    }
  const typed = await postrider(['account', 'list'], { DATABASE_URL: 'mysql://ada:hunter2@localhost/x' });
  assert.match(typed.errors, /DATABASE_URL must begin with postgres:\/\//);
  assert.doesNotMatch(typed.errors, /hunter2/);
});

test('a number out of range is reported with the range', async () => {
  const { code, errors } = await postrider(['serve'], { WORKERS: '-1' });
  assert.equal(code, 1);
  assert.match(errors, /WORKERS "-1" must be between 0 and 64/);
});

test('a lock-out is cleared and a lost second factor removed on the command line', async () => {
  const email = 'locked@example.com';
  const made = await postrider(['account', 'create', '--email', email, '--another']);
  const password = /password (\S+)/.exec(made.output)![1]!;
  const signIn = async (given: string) => {
    const response = await fetch(`${installation.base}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: given }),
    });
    return { status: response.status, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' };
  };
  for (let i = 0; i < 10; i++) await signIn('wrong');
  assert.equal((await signIn(password)).status, 429);
  const unlocked = await postrider(['user', 'unlock', email]);
  assert.deepEqual([unlocked.code, unlocked.output], [0, `${email} may try again at once.\n`]);
  const { status, cookie } = await signIn(password);
  assert.equal(status, 200);
  assert.match((await postrider(['user', 'unlock', email])).output, /nothing was locked/);

  const own = async (method: string, params: Record<string, unknown>) => {
    const response = await fetch(`${installation.base}/api/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie },
      body: JSON.stringify(params),
    });
    return response.status === 200 ? response.json() : response.status;
  };
  const { secret } = (await own('totpBegin', { password })) as { secret: string };
  const bits = [...secret].map((sign) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign).toString(2).padStart(5, '0'));
  const bytes = Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  );
  const codes = await own('totpConfirm', { code: codeOf(bytes, stepAt(Date.now())) });
  assert.equal((codes as string[]).length, 10);
  assert.equal((await signIn(password)).status, 401, 'a code is wanted');
  assert.equal((await postrider(['user', 'reset-second-factor', email])).code, 0);
  assert.equal(await own('ping', {}), 401, 'the sessions have ended');
  assert.equal((await signIn(password)).status, 200, 'the password is enough again');
  assert.match((await postrider(['user', 'reset-second-factor', email])).output, /no second factor/);
  assert.equal((await postrider(['user', 'unlock', 'nobody@example.com'])).code, 1);
});

test('what the operator changes on the command line is in the audit log, without secrets', async () => {
  const email = 'operated@example.com';
  const made = await postrider(['account', 'create', '--email', email]);
  assert.equal(made.code, 0, made.errors);
  const account = /account\s+(\S+)/.exec(made.output)![1]!;
  const key = await postrider(['account', 'key', account, '--label', 'reader', '--scope', 'read']);
  await postrider(['account', 'set', account, '--plan', 'pro', '--may-send', 'no']);
  const password = await postrider(['user', 'password', email]);
  await postrider(['user', 'unlock', email]);
  await postrider(['user', 'reset-second-factor', email]);
  const log = await postrider(['call', 'auditLog', '{}', '--account', account]);
  const entries = JSON.parse(log.output) as Record<'method' | 'door' | 'subject' | 'user', string>[];
  assert.deepEqual(
    entries.map(({ method, door, subject, user }) => [method, door, subject, user]),
    [
      ['userResetSecondFactor', 'cli', email, ''],
      ['userUnlock', 'cli', email, ''],
      ['userPassword', 'cli', email, ''],
      ['accountSet', 'cli', '', ''],
      ['accountKey', 'cli', 'reader', ''],
      ['accountCreate', 'cli', email, ''],
    ],
  );
  assert.match(log.output, /plan pro/);
  for (const secret of [key.output.trim(), password.output.trim()]) assert.ok(!log.output.includes(secret));
});

test('a missing file is named', async () => {
  const gone = await postrider(['import', '/nowhere/friends.csv', '--list', '1']);
  assert.deepEqual(
    [gone.code, gone.errors.trim()],
    [1, 'The file /nowhere/friends.csv cannot be read: there is no such file.'],
  );
});

async function uploadCount(): Promise<number> {
  const db = connect(readEmbeddedUrl(installation.dataDir)!, { maxConnections: 1 });
  try {
    return (await db.row<{ count: number }>(sql`select count(*)::int as count from upload`))!.count;
  } finally {
    await db.close();
  }
}

test('the import command finds the account by the list, and a refused import leaves no file behind', async () => {
  const made = await postrider(['account', 'create', '--email', 'importing@example.com']);
  const account = /account\s+(\S+)/.exec(made.output)![1]!;
  const call = async (method: string, params: object) =>
    JSON.parse((await postrider(['call', method, JSON.stringify(params), '--account', account])).output);
  const list = await call('listCreate', { title: 'Imported' });
  const folder = mkdtempSync(join(tmpdir(), 'postrider-'));
  try {
    const file = join(folder, 'friends.csv');
    writeFileSync(file, 'EMAIL,Town\nann@example.com,Bath\n');
    const refused = await postrider(['import', file, '--list', list, '--map', 'Town=NOWHERE', '--yes']);
    assert.equal(refused.code, 1);
    assert.match(refused.errors, /NOWHERE/);
    assert.equal(await uploadCount(), 0);
    const taken = await postrider(['import', file, '--list', list, '--map', 'Town=new:TOWN', '--yes']);
    assert.equal(taken.code, 0, taken.errors);
    const all = await postrider(['export', '--list', list]);
    assert.match(all.output, /ann@example\.com/);
    const nowhere = await postrider(['export', '--list', 'a0000000']);
    assert.match(nowhere.errors, /There are several accounts/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
