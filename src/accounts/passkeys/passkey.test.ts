// Passkeys with a device that makes real signatures: adding, signing in, confirming, removing, and what an attacker may try.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Browser } from '../../../test/support/browser/session.ts';
import { Authenticator } from '../../../test/support/builders/authenticator.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { addMember, createUser } from '../people/user.ts';
import { maxPasskeys } from './passkey.ts';

const password = 'correct horse';
type Options = { challenge: string; rpId: string };
type Body = { error?: string; code?: number };

let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = (await app.listen()).replace('127.0.0.1', 'localhost');
  app.app.baseUrl = base;
});
beforeEach(async () => {
  await app.app.db.run(sql`delete from sign_in_try`);
  app.app.baseUrl = base;
  Object.assign(app.app.config, { passwordSignIn: 'yes' });
});
after(() => app.close());

let people = 0;
/** A signed-in person with a passkey. */
async function personWithPasskey() {
  const email = `p${++people}@example.com`;
  const { id: userId } = await createUser(app.app.db, { email, password });
  await addMember(app.app.db, app.account.id, userId, 'editor');
  const browser = new Browser(base);
  assert.equal((await browser.signIn(email, password)).status, 200);
  const device = new Authenticator(base);
  const { status, body } = await add(browser, device);
  assert.equal(status, 200, JSON.stringify(body));
  return { email, userId, browser, device, id: body as string };
}

const options = async (browser: Browser) => (await browser.call<string>('passkeyBegin')).body;
const add = async (browser: Browser, device: Authenticator, claims = {}) =>
  browser.call<string | Body>('passkeyCreate', {
    name: 'Laptop',
    response: device.register(await options(browser), claims),
  });
const begin = async (browser: Browser, purpose = 'sign-in') =>
  (await browser.ask<Options>('POST', '/session/passkey/begin', { purpose })).body;
const enter = (browser: Browser, response: string, more = {}) =>
  browser.ask<Body>('POST', '/session/passkey', { response, ...more });
const info = async (browser: Browser) =>
  (await browser.call<{ user: { email: string } }>('sessionGet')).body.user?.email;

test('a person adds a passkey and signs in with it alone, without a code', async () => {
  const { email, userId, device } = await personWithPasskey();
  await app.app.db.run(sql`update app_user set totp_confirmed_at = now(), totp_secret = '' where id = ${userId}`);
  const browser = new Browser(base);
  const asked = await begin(browser);
  const answer = await enter(browser, device.sign(asked));
  assert.deepEqual([answer.status, answer.body], [200, {}]);
  assert.equal(await info(browser), email);
  const audit = await app.app.db.rows<{ method: string; subject: string }>(sql`
    select method, subject from audit_entry where user_id = ${userId} order by at desc, id desc limit 1`);
  assert.deepEqual(audit, [{ method: 'signInPasskey', subject: 'Laptop' }]);
  const row = await app.app.db.row<{ counter: string; used: boolean }>(sql`
    select counter::text, last_used_at is not null as used from passkey where user_id = ${userId}`);
  assert.deepEqual(row, { counter: String(device.counter), used: true });
});

test('a challenge works once, in the browser that asked, for its purpose, for five minutes', async () => {
  const { device, browser: own } = await personWithPasskey();
  const browser = new Browser(base);
  const asked = await begin(browser);
  const response = device.sign(asked);
  assert.equal((await enter(new Browser(base), response)).status, 401);
  assert.equal((await enter(browser, response)).status, 200);
  const replayed = await enter(browser, response);
  assert.deepEqual([replayed.status, /took too long/.test(replayed.body.error!)], [401, true]);

  const late = await begin(browser);
  await app.app.db.run(sql`update passkey_challenge set expires_at = now()`);
  assert.equal((await enter(browser, device.sign(late))).status, 401);

  const forConfirming = await begin(own, 'confirm');
  assert.equal((await enter(own, device.sign(forConfirming))).status, 401);
  const forAdding = JSON.parse(await options(own)) as { challenge: string };
  assert.equal((await enter(own, device.sign({ ...forAdding, rpId: 'localhost' }))).status, 401);
});

test('another page, another host, a frame, no verification of the user: refused', async () => {
  const { device } = await personWithPasskey();
  const browser = new Browser(base);
  const attempts: ((asked: Options) => string)[] = [
    (asked) => device.sign(asked, { origin: 'https://evil.example' }),
    (asked) => device.sign(asked, { origin: base.replace(/\d+$/, '1') }),
    (asked) => device.sign({ ...asked, rpId: 'evil.example' }),
    (asked) => device.sign(asked, { crossOrigin: true }),
    (asked) => device.sign(asked, { flags: 0x01 }),
    (asked) => device.sign(asked, { flags: 0x04 }),
    (asked) => device.sign({ ...asked, challenge: 'x'.repeat(43) }),
    () => '{}',
    () => 'no JSON',
  ];
  for (const [i, attempt] of attempts.entries())
    assert.equal((await enter(browser, attempt(await begin(browser)))).status, 401, `attempt ${i}`);
  assert.equal((await enter(browser, device.sign(await begin(browser)))).status, 200);
});

test("a signature of another user's passkey is refused, also with that user's id", async () => {
  const one = await personWithPasskey();
  const other = await personWithPasskey();
  const browser = new Browser(base);
  for (const claims of [
    { id: one.device.id },
    { id: one.device.id, userHandle: one.device.userHandle },
    { userHandle: one.device.userHandle },
  ])
    assert.equal((await enter(browser, other.device.sign(await begin(browser), claims))).status, 401);
  // After a password, only a passkey of that person replaces the code.
  const wrong = await enter(browser, other.device.sign(await begin(browser)), { email: one.email });
  assert.equal(wrong.status, 401);
  const right = await enter(browser, one.device.sign(await begin(browser)), { email: one.email.toUpperCase() });
  assert.equal(right.status, 200);
  const foreign = await one.browser.ask('POST', '/session/passkey/confirm', {
    response: other.device.sign(await begin(one.browser, 'confirm')),
  });
  assert.equal(foreign.status, 401);
  assert.equal((await one.browser.call('passkeyDelete', { id: other.id })).status, 404);
});

test('a counter that goes back or stays is refused: the device was copied', async () => {
  const { device } = await personWithPasskey();
  const browser = new Browser(base);
  device.counter = 10;
  assert.equal((await enter(browser, device.sign(await begin(browser)))).status, 200);
  for (const counter of [10, 4]) {
    device.counter = counter;
    assert.equal((await enter(browser, device.sign(await begin(browser)))).status, 401);
  }
  device.counter = 11;
  assert.equal((await enter(browser, device.sign(await begin(browser)))).status, 200);
});

test('a new passkey needs a challenge of this session, verification of the user, and no certificate', async () => {
  const { browser, device: known } = await personWithPasskey();
  const device = new Authenticator(base);
  const response = device.register(await options(browser));
  const second = new Browser(base);
  await second.signIn('owner@example.com', password);
  const refused = await second.call<Body>('passkeyCreate', { name: 'x', response });
  assert.deepEqual([refused.status, refused.body.code], [400, 171]);
  for (const claims of [
    { flags: 0x41 },
    { origin: 'https://evil.example' },
    { crossOrigin: true },
    { format: 'packed', attestation: new Map([['x5c', [new Uint8Array(3)]]]) },
    { format: 'tpm' },
  ])
    assert.equal((await add(browser, new Authenticator(base), claims)).status, 400, JSON.stringify(claims));
  assert.equal((await add(browser, known)).status, 400);
  assert.equal((await browser.call('passkeyCreate', { name: 'Phone', response })).status, 200);
  assert.equal((await browser.call('passkeyCreate', { name: 'Phone', response })).status, 400);
});

test('adding and removing need a confirmed session, which a passkey can confirm', async () => {
  const { browser, device, userId, id } = await personWithPasskey();
  const age = () =>
    app.app.db.run(sql`update session set confirmed_at = now() - interval '16 minutes' where user_id = ${userId}`);
  await age();
  for (const [method, params] of [
    ['passkeyBegin', {}],
    ['passkeyDelete', { id }],
  ] as const)
    assert.equal((await browser.call<Body>(method, params)).body.code, 137);
  const confirmed = await browser.ask('POST', '/session/passkey/confirm', {
    response: device.sign(await begin(browser, 'confirm')),
  });
  assert.equal(confirmed.status, 200);
  assert.equal((await browser.call('passkeyUpdate', { id, name: 'Key on my ring' })).status, 200);
  const listed = (await browser.call<{ passkeys: { id: string; name: string }[] }>('passkeys')).body.passkeys;
  assert.deepEqual(
    listed.map(({ id, name }) => [id, name]),
    [[id, 'Key on my ring']],
  );
  await app.app.db.run(sql`update app_user set password_hash = null where id = ${userId}`);
  assert.equal((await browser.call<Body>('passkeyDelete', { id })).body.code, 143);
  await app.app.db.run(sql`update app_user set password_hash = 'x' where id = ${userId}`);
  assert.equal((await browser.call('passkeyDelete', { id })).status, 200);
  assert.equal((await enter(new Browser(base), device.sign(await begin(new Browser(base))))).status, 401);
  const notices = await app.app.db.rows<{ text: string }>(sql`
    select payload::text as text from graphile_worker._private_jobs where payload::text like ${'%passkey%'}`);
  assert.ok(notices.length >= 2);
});

test('refused attempts count like wrong passwords, and a user has a limited number of passkeys', async () => {
  const { userId, browser } = await personWithPasskey();
  await app.app.db.run(sql`
    insert into passkey (user_id, credential_id, public_key, counter, name)
    select ${userId}, int4send(n), '', 0, 'n'
    from generate_series(1, ${maxPasskeys - 1}::int) as n`);
  assert.equal((await browser.call<Body>('passkeyBegin')).body.code, 171);
  const stranger = new Browser(base);
  for (let i = 0; i < 50; i++) await enter(stranger, '{}');
  assert.equal((await enter(stranger, '{}')).status, 429);
});

test('there are no passkeys at an IP address, without https, or where only providers sign in', async () => {
  const { browser } = await personWithPasskey();
  const available = async () => (await browser.call<{ available: boolean }>('passkeys')).body.available;
  assert.equal(await available(), true);
  for (const url of ['http://127.0.0.1:8080', 'http://mail.example.com', 'http://[::1]:8080']) {
    app.app.baseUrl = url;
    assert.equal(await available(), false, url);
    assert.equal((await browser.call('passkeyBegin')).status, 403);
    assert.equal((await browser.ask('POST', '/session/passkey/begin', {})).status, 403);
  }
  app.app.baseUrl = base;
  Object.assign(app.app.config, { passwordSignIn: 'no' });
  assert.equal(await available(), false);
});
