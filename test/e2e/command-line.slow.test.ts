// Accounts, sign-in, imports and the audit log on the command line, and databases that cannot be used.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { codeOf, stepAt } from '../../src/accounts/sign-in/totp.ts';
import { freePort } from '../../src/base/free-port.ts';
import { connect, sql } from '../../src/db/connect.ts';
import { readEmbeddedUrl } from '../../src/db/embedded/embedded.ts';
import { installation, postrider } from '../support/installation/command-line.ts';

test('an account is not created twice for one address by mistake, nor for an invalid address', async () => {
  const create = (...args: string[]) => postrider(['account', 'create', '--email', ...args]);
  const first = await create('twin@example.com', '--name', 'First');
  assert.equal(first.code, 0, first.errors);
  const [, id] = /account {3}([0-9a-f]{8})/.exec(first.output)!;
  const again = await create('Twin@example.com', '--name', 'Second');
  assert.equal(again.code, 1);
  assert.match(
    again.errors,
    new RegExp(`${id} \\(First\\) already has .*Nothing was created\\. To create another .*--another\\.`),
  );
  assert.doesNotMatch((await postrider(['account', 'list'])).output, /Second/);
  for (const wrong of ['nope', 'a@b', 'a b@example.com', '<a@example.com>']) {
    const refused = await create(wrong);
    assert.deepEqual([refused.code, /is not an email address/.test(refused.errors)], [1, true], wrong);
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
  assert.deepEqual([unlocked.code, unlocked.output], [0, `${email} can sign in again now.\n`]);
  const { status, cookie } = await signIn(password);
  assert.equal(status, 200);
  assert.match((await postrider(['user', 'unlock', email])).output, /was not locked/);

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
  const wrong = await fetch(`${installation.base}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'wrong' }),
  });
  assert.equal(wrong.status, 401);
  // The second unlock and the first and last revocations change nothing, so they leave no entry.
  await postrider(['user', 'unlock', email]);
  assert.match((await postrider(['user', 'unlock', email])).output, /was not locked/);
  await postrider(['user', 'reset-second-factor', email]);
  const revoke = async () => (await postrider(['rotate-secret', '--revoke'])).output;
  assert.match(await revoke(), /no old secret/);
  await postrider(['rotate-secret']);
  await passFiveMinutes();
  assert.match(await revoke(), /removed: 1/);
  assert.match(await revoke(), /no old secret/);
  const log = await postrider(['call', 'auditLog', '{}', '--account', account]);
  const entries = JSON.parse(log.output) as Record<'method' | 'door' | 'subject' | 'user', string>[];
  assert.deepEqual(
    entries.map(({ method, door, subject, user }) => [method, door, subject, user]),
    [
      ['revokeSecrets', 'cli', '', ''],
      ['rotateSecret', 'cli', '', ''],
      ['userResetSecondFactor', 'cli', email, ''],
      ['userUnlock', 'cli', email, ''],
      ['userPassword', 'cli', email, ''],
      ['accountLimitsUpdate', 'cli', '', ''],
      ['accountKey', 'cli', 'reader', ''],
      ['accountCreate', 'cli', email, ''],
    ],
  );
  assert.match(log.output, /plan pro/);
  for (const secret of [key.output.trim(), password.output.trim()]) assert.ok(!log.output.includes(secret));
});

/** Lets the newest secret of links sign now. */
async function passFiveMinutes(): Promise<void> {
  const db = connect(readEmbeddedUrl(installation.dataDir)!, { maxConnections: 1 });
  await db.run(sql`
    update installation
    set value = jsonb_set(value, '{-1,signs_at}', to_jsonb(now()))
    where key = 'token_secrets'`);
  await db.close();
}

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
    assert.match(nowhere.errors, /There are 6 accounts/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
