// Signing in by a real identity provider: the whole way of a browser, who may enter, groups, signing out, and what changes when
// passwords are off.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Browser } from '../../../test/support/browser/session.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import {
  clientSecret,
  type IdentityProvider,
  signInAt,
  startIdentityProvider,
} from '../../../test/support/network/identity-provider.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { makeLinkToken } from '../access/sign-in-link.ts';
import { addMember, createUser } from '../people/user.ts';

let provider: IdentityProvider;
let app: TestApp;
let base: string;
before(async () => {
  provider = await startIdentityProvider();
  app = await testApp({
    OUTBOUND_ALLOW: '127.0.0.1',
    OIDC_PROVIDERS: JSON.stringify([
      {
        id: 'company',
        label: 'Company',
        issuer: provider.issuer,
        client_id: 'postrider',
        client_secret: clientSecret,
        scopes: 'openid email profile groups',
        groups: [
          { group: 'mailing', role: 'editor' },
          { group: 'heads', role: 'owner' },
        ],
      },
    ]),
  });
  base = await app.listen();
  provider.open(base);
});
beforeEach(async () => {
  await app.app.db.run(sql`delete from sign_in_try`);
  Object.assign(app.app.config.oidcProviders[0]!, { create: false, defaultRole: '' });
  Object.assign(app.app.config, { passwordSignIn: 'yes' });
});
after(async () => {
  await app.close();
  await provider.close();
});

let count = 0;
/** A person at the provider. */
function personAtProvider(given: { email?: string; groups?: string[]; name?: string } = {}) {
  count += 1;
  const person = { sub: `s${count}`, email: `p${count}@example.com`, email_verified: true, ...given };
  provider.people.set(person.sub, person);
  return person;
}

/** A person here, in the first account. */
async function personHere(email: string, password: string | undefined, role: 'owner' | 'editor' | 'viewer' = 'viewer') {
  const { id } = await createUser(app.app.db, { email, password });
  await addMember(app.app.db, app.account.id, id, role);
  return id;
}

const begin = (browser: Browser, given: Record<string, unknown> = {}) =>
  browser.ask<{ url: string; error?: string }>('POST', '/session/provider', { provider: 'company', ...given });
const end = (browser: Browser, search: string) =>
  browser.ask<{ to?: string; password?: boolean; email?: string; error?: string }>('POST', '/session/provider/end', {
    provider: 'company',
    search,
  });

async function enter(sub: string | undefined, browser = new Browser(base), given: Record<string, unknown> = {}) {
  const begun = await begin(browser, given);
  assert.equal(begun.status, 200, JSON.stringify(begun.body));
  return { browser, answer: await end(browser, await signInAt(begun.body.url, sub)) };
}

type Info = { user: { email: string; name: string }; role: string };
const info = async (browser: Browser) => (await browser.call<Info>('sessionGet')).body;
const audit = (userId: number) =>
  app.app.db.rows<{ method: string; subject: string }>(sql`
    select method, subject from audit_entry where user_id = ${userId} order by at, id`);

test('a new person is created with the role of a group, and returns to the page asked for', async () => {
  app.app.config.oidcProviders[0]!.create = true;
  const person = personAtProvider({ groups: ['mailing', 'other'], name: 'Ada Byron' });
  const { browser, answer } = await enter(person.sub, new Browser(base), { to: '/lists?page=2' });
  assert.deepEqual([answer.status, answer.body], [200, { to: '/lists?page=2' }]);
  const { user, role } = await info(browser);
  assert.deepEqual([user.email, user.name, role], [person.email, 'Ada Byron', 'editor']);
  const again = await enter(person.sub);
  assert.equal((await info(again.browser)).user.email, person.email);
  const rows = await app.app.db.rows<{ user_id: number; email: string }>(
    sql`select user_id, email from identity where subject = ${person.sub}`,
  );
  assert.deepEqual([rows.length, rows[0]!.email], [1, person.email]);
  assert.deepEqual(
    (await audit(rows[0]!.user_id)).map(({ method }) => method),
    ['providerRole', 'providerUser', 'identityConnect', 'signIn', 'signIn'],
  );
});

test('the request has PKCE, state and nonce, and the cookie is out of reach of scripts', async () => {
  const browser = new Browser(base);
  const { body, headers } = await begin(browser);
  const { searchParams } = new URL(body.url);
  assert.equal(searchParams.get('code_challenge_method'), 'S256');
  for (const name of ['state', 'nonce', 'code_challenge']) assert.match(searchParams.get(name)!, /^[\w-]{43}$/);
  assert.match(
    headers.getSetCookie().join(),
    /^postrider_provider=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const rows = await app.app.db.rows<{ text: string }>(
    sql`select provider_attempt::text as text from provider_attempt`,
  );
  assert.ok(!rows.some(({ text }) => text.includes(searchParams.get('state')!)));
});

test('the provider refuses a request without PKCE, so it is in use', async () => {
  const url = new URL((await begin(new Browser(base))).body.url);
  for (const name of ['code_challenge', 'code_challenge_method']) url.searchParams.delete(name);
  const person = personAtProvider();
  assert.match(await signInAt(url.href, person.sub), /error=invalid_request/);
});

test('a person who cancels at the provider gets a clear text', async () => {
  const { answer } = await enter(undefined);
  assert.deepEqual([answer.status, answer.body.error], [403, 'Company did not sign you in']);
});

test('an unknown address is refused unless people are created or the address is invited', async () => {
  const person = personAtProvider({ groups: ['mailing'] });
  const { browser, answer } = await enter(person.sub);
  assert.equal(answer.status, 403);
  assert.match(answer.body.error!, /There is no user with your email address/);
  assert.equal(browser.cookie, undefined);
  assert.equal(await app.app.db.row(sql`select from app_user where email = ${person.email}`), undefined);

  const list = await app.call<string>('listCreate', { title: 'Only this one' });
  await app.call('userInvite', { email: person.email.toUpperCase(), role: 'viewer', name: 'Eve', lists: [list] });
  const invited = await enter(person.sub);
  assert.equal(invited.answer.status, 200);
  assert.deepEqual(
    (await info(invited.browser)).role,
    'viewer',
    'the invitation is by a person, and not the provider’s',
  );
  const people = await app.call<{ email: string; all_lists: boolean; lists: string[] }[]>('users');
  const joined = people.find(({ email }) => email.toLowerCase() === person.email.toLowerCase())!;
  assert.deepEqual([joined.all_lists, joined.lists], [false, [list]]);
});

test('people are created with the default role; without it and a group, they are refused', async () => {
  const setting = app.app.config.oidcProviders[0]!;
  setting.create = true;
  const without = await enter(personAtProvider().sub);
  assert.match(without.answer.body.error!, /None of your groups at Company gives access/);
  setting.defaultRole = 'viewer';
  const { browser } = await enter(personAtProvider().sub);
  assert.equal((await info(browser)).role, 'viewer');
});

test('a person with a password enters it once, and is then connected', async () => {
  const person = personAtProvider({ email: 'Paula@example.com' });
  const userId = await personHere('paula@example.com', 'correct horse');
  const { browser, answer } = await enter(person.sub);
  assert.deepEqual([answer.status, answer.body], [200, { password: true, email: 'paula@example.com' }]);
  assert.equal(browser.cookie, undefined);
  const give = (password: string, by = browser) => by.ask('POST', '/session/provider/password', { password });
  assert.equal((await give('wrong horse')).status, 401);
  const other = new Browser(base);
  assert.equal((await give('correct horse', other)).status, 410, 'only the browser that came back');
  assert.equal((await give('correct horse')).status, 200);
  assert.equal((await info(browser)).user.email, 'paula@example.com');
  assert.equal((await give('correct horse')).status, 410, 'once');
  const notice = await app.app.db.row<{ payload: { text: string } }>(sql`
    select payload from graphile_worker._private_jobs as job where payload ->> 'text' like '%connected to Company%'`);
  assert.ok(notice);
  assert.ok((await audit(userId)).some(({ method }) => method === 'identityConnect'));
  const later = await enter(person.sub);
  assert.deepEqual(later.answer.body, { to: '/' });
});

test('groups change and end the memberships that they gave, and no others', async () => {
  app.app.config.oidcProviders[0]!.create = true;
  const { account } = await app.anotherAccount();
  const person = personAtProvider({ groups: ['heads'] });
  const { browser } = await enter(person.sub);
  assert.equal((await info(browser)).role, 'owner');
  person.groups = ['mailing'];
  assert.equal((await info((await enter(person.sub)).browser)).role, 'editor');
  const { id } = (await app.app.db.row<{ id: number }>(sql`select id from app_user where email = ${person.email}`))!;
  await addMember(app.app.db, account.id, id, 'viewer');
  person.groups = [];
  const last = await enter(person.sub);
  const { body } = await last.browser.call<{ account: { id: string } }>('sessionGet');
  assert.equal(body.account.id, formatId(account.id), 'the membership that a person gave stays');
  assert.equal((await browser.call('ping')).status, 401, 'the sessions in the account ended');
});

test('a set of lists ends when a group makes its person an owner, and with the membership', async () => {
  app.app.config.oidcProviders[0]!.create = true;
  const list = await app.call<string>('listCreate', { title: 'Choir' });
  const person = personAtProvider({ groups: ['mailing'] });
  await enter(person.sub);
  const { id } = (await app.app.db.row<{ id: number }>(sql`select id from app_user where email = ${person.email}`))!;
  const limit = () => app.call('userUpdate', { id: formatId(id), role: 'editor', lists: [list] });
  const isLimited = async () => {
    const users = await app.call<{ email: string; all_lists: boolean }[]>('users');
    return users.find(({ email }) => email === person.email)?.all_lists === false;
  };
  await limit();
  await enter(person.sub);
  assert.ok(await isLimited(), 'the same role changes nothing');
  person.groups = ['heads'];
  await enter(person.sub);
  assert.ok(!(await isLimited()), 'an owner has all lists');
  person.groups = ['mailing'];
  await enter(person.sub);
  await limit();
  person.groups = [];
  await enter(person.sub);
  person.groups = ['mailing'];
  await enter(person.sub);
  assert.ok(!(await isLimited()), 'a membership that is given again has all lists');
});

test('the last owner keeps the account when the group is gone', async () => {
  app.app.config.oidcProviders[0]!.create = true;
  const person = personAtProvider({ groups: ['heads'] });
  await enter(person.sub);
  const others = await app.app.db.rows<{ user_id: number }>(sql`
    update membership set role = 'viewer'
    where account_id = ${app.account.id}
      and role = 'owner'
      and user_id <> (select user_id from identity where subject = ${person.sub})
    returning user_id`);
  person.groups = [];
  const { browser } = await enter(person.sub);
  assert.equal((await info(browser)).role, 'owner');
  for (const { user_id } of others) await addMember(app.app.db, app.account.id, user_id, 'owner');
  assert.equal((await enter(person.sub)).answer.status, 403, 'with another owner, it ends');
});

test('a signed-in person connects an identity, confirms with it, and disconnects', async () => {
  const userId = await personHere('carol@example.com', 'correct horse', 'owner');
  const browser = new Browser(base);
  await browser.signIn('carol@example.com', 'correct horse');
  const person = personAtProvider({ email: 'c.other@example.net' });
  const connected = await enter(person.sub, browser, { purpose: 'connect', to: '/settings/security' });
  assert.deepEqual(connected.answer.body, { to: '/settings/security' });
  const list = async () =>
    (await browser.call<{ providers: { issuer: string; connected: boolean }[] }>('identities')).body.providers;
  assert.deepEqual(
    (await list()).map((one) => one.connected),
    [true],
  );
  await app.app.db.run(sql`update session set confirmed_at = now() - interval '1 hour' where user_id = ${userId}`);
  const { issuer } = provider;
  assert.equal((await browser.call('identityDelete', { issuer })).status, 403);
  assert.equal((await begin(browser, { purpose: 'connect' })).status, 403);
  assert.equal((await enter(person.sub, browser, { purpose: 'confirm' })).answer.status, 200);
  assert.equal((await browser.call('identityDelete', { issuer })).status, 200);
  assert.deepEqual(
    (await list()).map((one) => one.connected),
    [false],
  );
});

test('an identity that is the only way to sign in stays', async () => {
  await personHere('dora@example.com', undefined);
  const { browser } = await enter(personAtProvider({ email: 'dora@example.com' }).sub);
  const answer = await browser.call<{ error: string }>('identityDelete', { issuer: provider.issuer });
  assert.deepEqual(
    [answer.status, answer.body.error],
    [409, 'issuer: without this provider you could no longer sign in'],
  );
});

test('an identity of another person is not connected, and confirms nothing', async () => {
  const taken = personAtProvider();
  await personHere(taken.email, undefined);
  await enter(taken.sub);
  await personHere('frank@example.com', 'correct horse');
  const browser = new Browser(base);
  await browser.signIn('frank@example.com', 'correct horse');
  const refusal = await enter(taken.sub, browser, { purpose: 'connect' });
  assert.equal(refusal.answer.status, 403);
  assert.match(refusal.answer.body.error!, /connected to another user/);
  assert.equal((await enter(taken.sub, browser, { purpose: 'confirm' })).answer.status, 403);
});

test('signing out leads to the provider', async () => {
  const person = personAtProvider();
  await personHere(person.email, undefined);
  const { browser } = await enter(person.sub);
  const { body } = await browser.ask<{ url: string }>('DELETE', '/session');
  const url = new URL(body.url);
  assert.equal(url.origin, provider.issuer);
  assert.equal(url.searchParams.get('post_logout_redirect_uri'), `${base}/app/sign-in`);
  assert.ok(url.searchParams.get('id_token_hint'));
  assert.equal((await fetch(url)).status, 200);
});

test('a session that a provider started ends when it is idle for twelve hours', async () => {
  const person = personAtProvider();
  await personHere(person.email, undefined);
  const { browser } = await enter(person.sub);
  const idle = (hours: number) =>
    app.app.db.run(sql`
      update session set last_seen_at = now() - make_interval(hours => ${hours})
      where issuer = ${provider.issuer}`);
  await idle(11);
  assert.equal((await browser.call('ping')).status, 200);
  await idle(13);
  assert.equal((await browser.call('ping')).status, 401);
});

test('with passwords off, only the provider and a printed link sign in', async () => {
  const person = personAtProvider();
  const userId = await personHere(person.email, 'correct horse', 'owner');
  Object.assign(app.app.config, { passwordSignIn: 'no' });
  const browser = new Browser(base);
  const refusal = await browser.signIn(person.email, 'correct horse');
  assert.deepEqual(
    [refusal.status, refusal.body.error],
    [403, 'Passwords cannot be used here; sign in by an identity provider'],
  );
  assert.equal((await browser.ask('POST', '/session/forgotten', { email: person.email })).status, 403);
  assert.equal(
    (await browser.ask('POST', '/session/reset', { token: 'x', password: 'a heron by the lake' })).status,
    403,
  );
  const login = await browser.ask('POST', '/api/login', { username: person.email, password: 'correct horse' });
  assert.equal(login.status, 403);
  const { body } = await browser.ask('GET', '/session/providers');
  assert.deepEqual(body, { password: false, passkeys: false, providers: [{ id: 'company', label: 'Company' }] });

  const token = await makeLinkToken(app.app.db, 'sign in', userId);
  assert.equal((await browser.ask('POST', '/session/reset', { token, password: 'a heron by the lake' })).status, 403);
  assert.equal((await browser.ask('POST', '/session/link', { token })).status, 200);
  assert.equal((await info(browser)).user.email, person.email);
  assert.equal((await new Browser(base).ask('POST', '/session/link', { token })).status, 410, 'once');

  const connecting = await enter(person.sub);
  assert.equal(connecting.answer.body.password, true, 'the way from a password to the provider stays open');
});
