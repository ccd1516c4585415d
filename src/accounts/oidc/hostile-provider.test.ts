// What a hostile person or provider tries at a sign-in. Each attempt is refused with a clear text, and leaves no session, user,
// identity or membership behind.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { Browser } from '../../../test/support/browser/session.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import {
  type HostileProvider,
  type Lie,
  startHostileProvider,
} from '../../../test/support/network/hostile-provider.ts';
import { sql } from '../../db/connect.ts';
import { setAccount } from '../account/account.ts';
import { addMember, createUser } from '../people/user.ts';
import { providerLimits } from './client.ts';

let provider: HostileProvider;
let app: TestApp;
let base: string;
before(async () => {
  providerLimits.totalMs = 1_000;
  provider = await startHostileProvider();
  const setting = (id: string, issuer: string) => ({
    id,
    label: 'Company',
    issuer,
    client_id: 'postrider',
    client_secret: 'secret',
    create: true,
    default_role: 'viewer',
    groups: [{ group: 'heads', role: 'owner' }],
  });
  app = await testApp({
    OUTBOUND_ALLOW: '127.0.0.1',
    OIDC_PROVIDERS: JSON.stringify([setting('company', provider.issuer), setting('down', 'http://127.0.0.1:9999')]),
  });
  base = await app.listen();
});
beforeEach(async () => {
  await app.app.db.run(sql`delete from sign_in_try`);
  provider.lieAbout({});
  // A provider that was read before is read again.
  app.app.config.oidcProviders[0] = { ...app.app.config.oidcProviders[0]! };
  left = await state();
});
afterEach(() => setAccount(app.app.db, app.account.id, { active: true }));
after(async () => {
  await app.close();
  await provider.close();
});

const invalid = /The answer of Company is not valid, so you are not signed in/;
const over = /took too long, has already been used or was begun in another browser/;

/** How many there are of what a sign-in can leave behind. */
let left: unknown;
const state = () =>
  app.app.db.row(sql`
    select (select count(*)::int from session) as sessions, (select count(*)::int from app_user) as users,
      (select count(*)::int from identity) as identities, (select count(*)::int from membership) as memberships`);

type Answer = { status: number; body: { error?: string; to?: string; password?: boolean } };

const begin = (browser: Browser, given: Record<string, unknown> = {}) =>
  browser.ask<{ url: string; error?: string }>('POST', '/session/provider', { provider: 'company', ...given });
const end = (browser: Browser, search: string, as = 'company'): Promise<Answer> =>
  browser.ask('POST', '/session/provider/end', { provider: as, search });

async function enter(lie: Lie = {}, browser = new Browser(base)): Promise<Answer & { browser: Browser }> {
  provider.lieAbout(lie);
  const { url } = (await begin(browser)).body;
  return { ...(await end(browser, provider.comeBack(url))), browser };
}

async function refused(answer: Answer, status: number, why: RegExp, browser?: Browser): Promise<void> {
  assert.deepEqual([answer.status, why.test(answer.body.error ?? '')], [status, true], JSON.stringify(answer.body));
  assert.equal(browser?.cookie, undefined);
  assert.deepEqual(await state(), left);
}

test('without a lie the person enters', async () => {
  const { status, browser } = await enter({ claims: { sub: 'honest', email: 'honest@example.net' } });
  assert.equal(status, 200);
  assert.equal((await browser.call('ping')).status, 200);
});

test('a wrong state', async () => {
  const browser = new Browser(base);
  const { url } = (await begin(browser)).body;
  await refused(await end(browser, provider.comeBack(url, { state: 'wrong' })), 410, over, browser);
});

test('a state and a code that were used before', async () => {
  const browser = new Browser(base);
  const { url } = (await begin(browser)).body;
  const search = provider.comeBack(url);
  provider.lieAbout({ claims: { email_verified: false } });
  await refused(await end(browser, search), 403, /has not verified your email address/, browser);
  provider.lieAbout({});
  await refused(await end(browser, search), 410, over, browser);
});

test('two requests with one state at the same time: one of them at most gets it', async () => {
  const browser = new Browser(base);
  const { url } = (await begin(browser)).body;
  provider.lieAbout({ claims: { email_verified: false } });
  const search = provider.comeBack(url);
  const answers = await Promise.all([end(browser, search), end(browser, search)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [403, 410]);
});

test('another browser, without the cookie or with its own', async () => {
  const { url } = (await begin(new Browser(base))).body;
  const stranger = new Browser(base);
  await refused(await end(stranger, provider.comeBack(url)), 410, over, stranger);
  await begin(stranger);
  await refused(await end(stranger, provider.comeBack(url)), 410, over, stranger);
});

test('the state of one provider at another', async () => {
  const browser = new Browser(base);
  const { url } = (await begin(browser)).body;
  await refused(await end(browser, provider.comeBack(url), 'down'), 410, over, browser);
});

test('a replayed code in a new sign-in', async () => {
  const first = new Browser(base);
  const { url } = (await begin(first)).body;
  provider.lieAbout({ claims: { email_verified: false } });
  const search = provider.comeBack(url);
  await end(first, search);
  provider.lieAbout({});
  const browser = new Browser(base);
  const again = (await begin(browser)).body.url;
  const code = new URLSearchParams(search).get('code')!;
  await refused(await end(browser, provider.comeBack(again, { code })), 403, invalid, browser);
});

const hourAgo = Math.floor(Date.now() / 1_000) - 3_600;
const lies: [string, Lie, RegExp][] = [
  ['a wrong nonce', { claims: { nonce: 'wrong' } }, invalid],
  ['no nonce', { claims: { nonce: undefined } }, invalid],
  ['a token of another issuer', { claims: { iss: 'https://other.example.com' } }, invalid],
  ['a token for another audience', { claims: { aud: 'another client' } }, invalid],
  ['a token for several audiences, given to another', { claims: { aud: ['postrider', 'x'], azp: 'x' } }, invalid],
  ['an expired token', { claims: { iat: hourAgo, exp: hourAgo + 60 } }, invalid],
  ['an unsigned token', { sign: 'none' }, invalid],
  [
    'an unsigned token of a provider that allows it',
    { sign: 'none', discovery: { id_token_signing_alg_values_supported: ['none', 'RS256'] } },
    invalid,
  ],
  ['HS256 with the public key', { sign: 'HS256 with the public key' }, invalid],
  [
    'HS256 with the public key of a provider that allows it',
    {
      sign: 'HS256 with the public key',
      discovery: { id_token_signing_alg_values_supported: ['HS256', 'RS256'] },
    },
    invalid,
  ],
  ['an unknown key', { sign: 'unknown key' }, invalid],
  ['another key under the kid of a known one', { sign: 'another key under this kid' }, invalid],
  ['an unverified address', { claims: { email_verified: false } }, /has not verified your email address/],
  ['an address not verified as a text', { claims: { email_verified: 'false' } }, /has not verified your email address/],
  ['an address verified as a number', { claims: { email_verified: 1 } }, /has not verified your email address/],
  [
    'a verified address in the user info, and another one in the token',
    {
      claims: { email: 'owner@example.com', email_verified: undefined },
      userInfo: { sub: 'person 1', email: 'new@example.net', email_verified: true },
    },
    /has not verified your email address/,
  ],
  ['an address without a word about verification', { claims: { email_verified: undefined } }, /has not verified/],
  ['no address', { claims: { email: undefined } }, /did not send an email address/],
  [
    'an address of look-alike letters',
    { claims: { email: 'o\u212aner@example.com' } },
    /characters that are not allowed/,
  ],
  [
    'an address in full-width letters',
    { claims: { email: '\uff4fwner@example.com' } },
    /characters that are not allowed/,
  ],
  ['no subject', { claims: { sub: undefined } }, invalid],
  ['an empty subject', { claims: { sub: '' } }, invalid],
  ['a subject that is a number', { claims: { sub: 7 } }, invalid],
  [
    'user info of another person',
    { claims: { email: undefined }, userInfo: { sub: 'person 2', email: 'owner@example.com', email_verified: true } },
    invalid,
  ],
  ['groups that are a number', { claims: { groups: 7 } }, /did not send a readable list of your groups/],
  [
    'more groups than fit',
    { claims: { _claim_names: { groups: 'x' } } },
    /in so many groups that Company did not send/,
  ],
  ['a token that begins in an hour', { claims: { nbf: Math.floor(Date.now() / 1_000) + 3_600 } }, invalid],
  ['groups of several types', { claims: { groups: ['heads', { id: 1 }] } }, /did not send a readable list/],
];
for (const [name, lie, why] of lies)
  test(name, async () => {
    const answer = await enter(lie);
    await refused(answer, 403, why, answer.browser);
  });

/** Seconds since 1970, when the test runs: the file takes longer than the clocks may differ. */
const now = () => Math.floor(Date.now() / 1_000);
const shapes: [string, () => Lie][] = [
  ['an address verified as a text', () => ({ claims: { email_verified: 'true' } })],
  ['an address in the user info', () => ({ claims: { email: undefined, email_verified: undefined } })],
  ['a list with one audience', () => ({ claims: { aud: ['postrider'] } })],
  ['several audiences, given to us', () => ({ claims: { aud: ['account', 'postrider'], azp: 'postrider' } })],
  ['a clock a minute ahead', () => ({ claims: { iat: now() + 60, nbf: now() + 60, exp: now() + 360 } })],
  ['a clock a minute behind', () => ({ claims: { iat: now() - 360, exp: now() - 60 } })],
  ['groups that are a text', () => ({ claims: { groups: 'staff' } })],
  ['groups that are null', () => ({ claims: { groups: null } })],
];
for (const [name, lie] of shapes)
  test(`a person enters with ${name}`, async () => {
    const sub = `shape ${name}`;
    const email = `shape${name.length}.${name.split(' ').at(-1)}@example.net`;
    const userInfo = { sub, email, email_verified: 'true' };
    const answer = await enter({ claims: { sub, email, ...lie().claims }, userInfo });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  });

for (const email of ['owner@example.com', 'OWNER@Example.COM'])
  test(`the address of a person with a password is not taken over: ${email}`, async () => {
    const { browser, status, body } = await enter({ claims: { email, sub: 'thief' } });
    assert.deepEqual([status, body.password], [200, true]);
    assert.equal(browser.cookie, undefined);
    const answer = await browser.ask('POST', '/session/provider/password', { password: 'a guess' });
    await refused(answer as Answer, 401, /The password is wrong/, browser);
  });

test('the address of a person who is connected to another subject', async () => {
  const first = { sub: 'rightful', email: 'rightful@example.net' };
  assert.equal((await enter({ claims: first })).status, 200);
  left = await state();
  const answer = await enter({ claims: { ...first, sub: 'successor' } });
  await refused(answer, 403, /connected to another person at Company/, answer.browser);
  const noted = await app.app.db.row(sql`
    select from audit_entry where method = 'signInRefused' and subject = 'oidc.other_identity'`);
  assert.ok(noted, 'the refusal is in the audit log');
});

test('an account that is suspended', async () => {
  const { id } = await createUser(app.app.db, { email: 'off@example.net', password: undefined });
  const claims = { sub: 'off', email: 'off@example.net' };
  await addMember(app.app.db, app.account.id, id, 'viewer');
  assert.equal((await enter({ claims })).status, 200);
  await setAccount(app.app.db, app.account.id, { active: false });
  left = await state();
  const answer = await enter({ claims });
  await refused(answer, 403, /Your account is suspended/, answer.browser);
  const stranger = await enter({ claims: { sub: 'late', email: 'late@example.net' } });
  await refused(stranger, 403, /None of your groups/, stranger.browser);
});

test('a return path to another host', async () => {
  for (const to of ['//evil.example', 'https://evil.example', '/\\evil.example', '\\\\evil', '/a\n/b', '/.//evil', ''])
    assert.equal((await begin(new Browser(base), { to })).status, 400, to);
});

test('a foreign page cannot begin or end a sign-in', async () => {
  const browser = new Browser(base);
  browser.headers = { 'sec-fetch-site': 'cross-site' };
  assert.equal((await begin(browser)).status, 403);
  assert.equal((await end(browser, '?code=x&state=y')).status, 403);
});

test('a provider that is down, refuses, or says nothing in time', async () => {
  const down = await begin(new Browser(base), { provider: 'down' });
  await refused(down, 503, /Company does not answer as it should/);
  provider.lieAbout({ status: 500 });
  await refused(await begin(new Browser(base)), 503, /does not answer as it should/);
  provider.lieAbout({ delayMs: 3_000 });
  await refused(await begin(new Browser(base)), 503, /does not answer as it should/);
});

test('a provider that fails between the two steps', async () => {
  const browser = new Browser(base);
  const { url } = (await begin(browser)).body;
  provider.lieAbout({ status: 502 });
  await refused(await end(browser, provider.comeBack(url)), 503, /does not answer as it should/, browser);
});

test('a discovery document of another issuer', async () => {
  provider.lieAbout({ discovery: { issuer: 'https://login.example.com' } });
  await refused(await begin(new Browser(base)), 503, /does not answer as it should/);
});

test('endpoints in a network that is not allowed', async () => {
  provider.lieAbout({ discovery: { token_endpoint: 'http://10.0.0.1:8080/token' } });
  const browser = new Browser(base);
  const { url } = (await begin(browser)).body;
  await refused(await end(browser, provider.comeBack(url)), 503, /does not answer as it should/, browser);
});

test('keys are kept, and read again when one is unknown', async () => {
  const claims = (sub: string) => ({ claims: { sub, email: `${sub}@example.net` } });
  await enter(claims('key1'));
  await enter(claims('key2'));
  const reads = () => provider.requests.filter((path) => path === '/jwks').length;
  const before = reads();
  await enter(claims('key3'));
  assert.equal(reads(), before);
  await provider.changeKey();
  await enter(claims('key4'));
  assert.equal((await enter(claims('key4'))).status, 200);
  assert.equal(reads(), before + 1);
});
