// A second factor from setup to removal, as a browser sees it: codes and recovery codes work once, and the database
// contains none of them in clear text.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Browser } from '../../../test/support/browser/session.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { seal, unseal } from '../installation/seal.ts';
import { codeOf, stepAt } from './totp.ts';

const password = 'correct horse';
let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
beforeEach(async () => {
  await app.app.db.run(sql`delete from sign_in_try`);
  // A test uses the codes of the step before and after: the step must not end within it.
  const leftMs = 30_000 - (Date.now() % 30_000);
  if (leftMs < 8_000) await sleep(leftMs);
});
after(() => app.close());

/** The secret from its base 32, read by another way than it was written. */
function bytesOf(text: string): Buffer {
  let bits = 0n;
  for (const sign of text) bits = bits * 32n + BigInt('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign));
  return Buffer.from(bits.toString(16).padStart(40, '0'), 'hex');
}

const codeNow = (secret: string, later = 0) => codeOf(bytesOf(secret), stepAt(Date.now()) + later);

async function withSecondFactor() {
  const { account } = await app.anotherAccount();
  const browser = new Browser(base);
  await browser.signIn(account.email, password);
  const begun = await browser.call<{ secret: string; uri: string; qr: string }>('totpBegin', { password });
  const { secret } = begun.body;
  const confirmed = await browser.call<string[]>('totpConfirm', { code: codeNow(secret, -1) });
  assert.equal(confirmed.status, 200);
  return { browser, email: account.email, secret, recovery: confirmed.body, begun: begun.body };
}

test('setup returns the secret, its URL and its QR code, and ten recovery codes once', async () => {
  const { begun, recovery, browser } = await withSecondFactor();
  assert.match(begun.secret, /^[A-Z2-7]{32}$/);
  assert.ok(begun.uri.includes(`secret=${begun.secret}&`));
  assert.match(Buffer.from(begun.qr.replace('data:image/svg+xml;base64,', ''), 'base64').toString(), /^<svg /);
  assert.equal(new Set(recovery).size, 10);
  for (const code of recovery) assert.match(code, /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  assert.equal((await browser.call('totpBegin', { password })).status, 400, 'a second one on top is refused');
  assert.equal((await browser.call('totpConfirm', { code: codeNow(begun.secret) })).status, 400);
  const info = await browser.call<{ user: { totp: boolean } }>('sessionGet');
  assert.equal(info.body.user.totp, true);
});

test('until the first code is confirmed, the password alone is enough to sign in', async () => {
  const { account } = await app.anotherAccount();
  const browser = new Browser(base);
  await browser.signIn(account.email, password);
  await browser.call('totpBegin', { password });
  assert.equal((await browser.call('totpConfirm', { code: '000000' })).status, 400);
  assert.equal((await new Browser(base).signIn(account.email, password)).status, 200);
});

test('a wrong code, and a code before the set-up has begun, have reasons of their own', async () => {
  const { account } = await app.anotherAccount();
  const browser = new Browser(base);
  await browser.signIn(account.email, password);
  const refused = async () => JSON.stringify((await browser.call('totpConfirm', { code: '000000' })).body);
  assert.match(await refused(), /call totpBegin\(\) first/);
  await browser.call('totpBegin', { password });
  const wrong = await refused();
  assert.match(wrong, /this code is wrong/);
  assert.doesNotMatch(wrong, /totpBegin/);
});

test('with a second factor, a right password alone is answered with a request for the code; a wrong password is not', async () => {
  const { email, secret } = await withSecondFactor();
  const wanted = await new Browser(base).signIn(email, password);
  assert.deepEqual([wanted.status, wanted.body.totp, wanted.headers.get('set-cookie')], [401, true, null]);
  const wrong = await new Browser(base).signIn(email, 'wrong');
  assert.deepEqual([wrong.status, 'totp' in wrong.body], [401, false]);
  const both = await new Browser(base).signIn(email, 'wrong', codeNow(secret));
  assert.deepEqual([both.status, 'totp' in both.body], [401, false]);
  const code = await new Browser(base).signIn(email, password, 'AAAA');
  assert.deepEqual([code.status, code.body.totp], [401, true]);
  assert.equal((await new Browser(base).signIn(email, password, codeNow(secret))).status, 200);
});

test('a code works once, even in two simultaneous requests', async () => {
  const { email, secret } = await withSecondFactor();
  const code = codeNow(secret);
  const statuses = await Promise.all(
    [1, 2, 3].map(async () => (await new Browser(base).signIn(email, password, code)).status),
  );
  assert.deepEqual(statuses.sort(), [200, 401, 401]);
  assert.equal((await new Browser(base).signIn(email, password, code)).status, 401);
  assert.equal((await new Browser(base).signIn(email, password, codeNow(secret, 1))).status, 200);
});

test('a recovery code works once, in any case and without dashes', async () => {
  const { email, recovery } = await withSecondFactor();
  const written = recovery[0]!.toLowerCase().replaceAll('-', ' ');
  const statuses = await Promise.all(
    [1, 2].map(async () => (await new Browser(base).signIn(email, password, written)).status),
  );
  assert.deepEqual(statuses.sort(), [200, 401]);
  assert.equal((await new Browser(base).signIn(email, password, recovery[1])).status, 200);
  const other = await withSecondFactor();
  assert.equal((await new Browser(base).signIn(other.email, password, recovery[2])).status, 401, 'of another person');
});

test('after ten wrong codes the user has to wait, even with the right one', async () => {
  const { email, secret } = await withSecondFactor();
  for (let i = 0; i < 10; i++) assert.equal((await new Browser(base).signIn(email, password, 'AAAA-AAAA')).status, 401);
  assert.equal((await new Browser(base).signIn(email, password, codeNow(secret))).status, 429);
});

test('setting up or removing a second factor ends the other sessions', async () => {
  const { account } = await app.anotherAccount();
  const [here, there] = [new Browser(base), new Browser(base)];
  for (const browser of [here, there]) await browser.signIn(account.email, password);
  const { secret } = (await here.call<{ secret: string }>('totpBegin', { password })).body;
  const recovery = (await here.call<string[]>('totpConfirm', { code: codeNow(secret, -1) })).body;
  assert.deepEqual([(await here.call('ping')).status, (await there.call('ping')).status], [200, 401]);
  await there.signIn(account.email, password, codeNow(secret));
  assert.equal((await there.call('ping')).status, 200);
  assert.equal((await here.call('totpDelete', { password: 'wrong', code: recovery[0] })).status, 400);
  assert.equal((await here.call('totpDelete', { password, code: '123456' })).status, 400);
  assert.equal((await here.call('totpDelete', { password, code: recovery[0] })).status, 200);
  assert.deepEqual([(await here.call('ping')).status, (await there.call('ping')).status], [200, 401]);
  assert.equal((await new Browser(base).signIn(account.email, password)).status, 200);
});

test('the database contains neither secret nor recovery codes in clear text', async () => {
  const { secret, recovery } = await withSecondFactor();
  const rows = await app.app.db.rows<{ text: string }>(sql`
    select app_user::text || coalesce((select string_agg(recovery_code::text, ' ') from recovery_code), '') as text
    from app_user`);
  const everything = rows.map((row) => row.text).join('\n');
  for (const shown of [
    secret,
    bytesOf(secret).toString('hex'),
    recovery[0]!,
    Buffer.from(recovery[0]!).toString('hex'),
  ])
    assert.ok(!everything.includes(shown), shown);
});

test('a sealed value cannot be opened for another purpose, with another key, or after a change', () => {
  const one = app.app;
  const sealed = seal(one, 'totp 1', 'secret');
  assert.equal(unseal(one, 'totp 1', sealed), 'secret');
  assert.equal(unseal(one, 'totp 2', sealed), null);
  assert.equal(unseal({ ...one, secret: Buffer.alloc(32, 8) }, 'totp 1', sealed), null);
  assert.equal(unseal({ ...one, config: { ...one.config, sealKey: 'another seal key' } }, 'totp 1', sealed), null);
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at]! ^= 1;
    assert.equal(unseal(one, 'totp 1', changed), null, String(at));
  }
  assert.notDeepEqual(seal(one, 'totp 1', 'secret'), sealed);
});

test('each guess at SEAL_KEY takes time to derive the key', () => {
  const withPhrase = { ...app.app, config: { ...app.app.config, sealKey: 'four words of a phrase' } };
  const sealed = seal(withPhrase, 'totp 1', 'secret');
  const cpuMs = (sealKey: string) => {
    const startedAt = process.cpuUsage();
    assert.equal(unseal({ ...withPhrase, config: { ...withPhrase.config, sealKey } }, 'totp 1', sealed), null);
    const { user, system } = process.cpuUsage(startedAt);
    return (user + system) / 1_000;
  };
  // A single hash takes some microseconds.
  assert.ok(Math.min(...['one', 'two', 'three'].map((guess) => cpuMs(`${guess} words of a phrase`))) > 5);
});

test('a second factor that can no longer be decrypted refuses codes, but recovery codes still work', async () => {
  const { email, secret, recovery } = await withSecondFactor();
  const { config } = app.app;
  app.app.config = { ...config, sealKey: 'it has been lost' };
  try {
    assert.equal((await new Browser(base).signIn(email, password, codeNow(secret))).status, 401);
    assert.equal((await new Browser(base).signIn(email, password, recovery[0])).status, 200);
  } finally {
    app.app.config = config;
  }
});
