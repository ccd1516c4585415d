// A person signs in at a provider for a relay or a mailbox: the way of the browser, what works once only, and what another person,
// another account or a hostile page cannot do.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { Browser } from '../../../test/support/browser/session.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { startTokenServer, type TokenServer, tokenClient } from '../../../test/support/network/token-server.ts';
import { type Sink, startSink } from '../../../test/support/smtp-sink/sink.ts';
import { addMember, createUser } from '../../accounts/people/user.ts';
import { sql } from '../../db/connect.ts';

const user = 'sender@sender.example';
const password = 'correct horse battery';
let app: TestApp;
let tokens: TokenServer;
let sink: Sink;
let base: string;
let owner: Browser;
let colleague: Browser;

async function signedIn(email: string): Promise<Browser> {
  const { id } = await createUser(app.app.db, { email, password });
  await addMember(app.app.db, app.account.id, id, 'owner');
  const browser = new Browser(base);
  assert.equal((await browser.ask('POST', '/session', { email, password })).status, 200);
  return browser;
}

before(async () => {
  tokens = await startTokenServer();
  sink = await startSink({
    auth: { user, password: '', required: true, mechanisms: ['XOAUTH2'], isValid: (token) => tokens.isValid(token) },
  });
  app = await testApp({ OUTBOUND_ALLOW: '127.0.0.1', INBOX_PORT: '9' });
  base = await app.listen();
  owner = await signedIn('ann@example.net');
  colleague = await signedIn('bob@example.net');
});
afterEach(() => app.app.db.run(sql`delete from relay`));
after(async () => {
  await app.close();
  await sink.close();
  await tokens.close();
});

const relay = (oauth: Record<string, unknown> = {}) =>
  app.call<string>('relayCreate', {
    host: '127.0.0.1',
    port: sink.port,
    tls: 'none',
    username: user,
    auth: 'oauth',
    oauth: { ...tokenClient, token_url: tokens.tokenUrl, authorize_url: tokens.authorizeUrl, ...oauth },
  });

type Begun = { url: string; redirect_uri: string };
const begin = async (given: Record<string, unknown>, browser = owner): Promise<Begun> => {
  const { status, body } = await browser.call<Begun>('oauthBegin', given);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const comeBack = (url: string) => Object.fromEntries(new URL(tokens.signIn(url)).searchParams);
const end = (given: Record<string, unknown>, browser = owner) =>
  browser.call<{ relay?: string; error?: string; problem?: string; paused?: boolean }>('oauthEnd', given);
const works = async (id: string) => (await app.call<{ ok: boolean }[]>('relayTest', { id }))[0]!.ok;

test('a person signs in once, and the relay works', async () => {
  const id = await relay();
  assert.equal(await works(id), false);
  const { url, redirect_uri } = await begin({ relay: id });
  assert.equal(redirect_uri, `${app.app.baseUrl}/app/mail-access`);
  const { status, body } = await end(comeBack(url));
  assert.deepEqual([status, body.relay], [200, id]);
  assert.ok(await works(id));
});

test('a relay that refuses the new access takes no message: it is saved, paused and failing', async () => {
  const id = await relay();
  await app.call('relayUpdate', { id, username: 'other@sender.example' });
  const refused = await end(comeBack((await begin({ relay: id })).url));
  assert.deepEqual([refused.status, refused.body.relay, refused.body.paused], [200, id, true]);
  assert.match(refused.body.problem ?? '', /^535 /);
  const state = async () => (await app.call<{ state: string; paused: boolean }[]>('relays'))[0]!;
  assert.equal((await state()).paused, true);
  await app.call('relayResume', { id });
  assert.equal((await state()).state, 'failing');
  // It has access now, so its right user name is tested like a password.
  const settings = { id, username: user };
  const { ok, problem } = await app.call<{ ok: boolean; problem: string }>('relayTestSettings', settings);
  assert.deepEqual([ok, problem], [true, '']);
  await app.call('relayUpdate', settings);
  assert.ok(await works(id));
});

test('a relay that has worked with access is not paused when a later sign-in does not work', async () => {
  const id = await relay();
  assert.equal((await end(comeBack((await begin({ relay: id })).url))).body.problem, '');
  await app.call('relayUpdate', { id, username: 'other@sender.example' });
  const { body } = await end(comeBack((await begin({ relay: id })).url));
  assert.deepEqual([body.paused, body.problem?.slice(0, 3)], [false, '535']);
});

test('a code works once, within ten minutes, and for the user who began', async () => {
  const id = await relay();
  const first = comeBack((await begin({ relay: id })).url);
  assert.match((await end(first, colleague)).body.error ?? '', /begun by another user/);
  assert.equal((await end(first)).status, 200);
  assert.match((await end(first)).body.error ?? '', /has already been used/);
  const late = comeBack((await begin({ relay: id })).url);
  await app.app.db.run(sql`update oauth_grant set state_until = now() - interval '1 second'`);
  assert.match((await end(late)).body.error ?? '', /took too long/);
});

test('a later begin replaces the former, and a code of another sign-in is refused by PKCE', async () => {
  const id = await relay();
  const before = comeBack((await begin({ relay: id })).url);
  const now = comeBack((await begin({ relay: id })).url);
  assert.match((await end(before)).body.error ?? '', /took too long/);
  assert.match((await end({ state: now.state, code: before.code })).body.error ?? '', /invalid_grant/);
  assert.equal(await works(id), false);
});

test('settings that change in between end the sign-in', async () => {
  const id = await relay();
  const answer = comeBack((await begin({ relay: id })).url);
  await app.call('relayUpdate', { id, oauth: { scope: 'other' } });
  assert.match((await end(answer)).body.error ?? '', /took too long/);
});

test('the person refuses', async () => {
  const id = await relay();
  const { state } = comeBack((await begin({ relay: id })).url);
  assert.match((await end({ state, error: 'access_denied' })).body.error ?? '', /gave no access: access_denied/);
});

test('nothing to sign in to', async () => {
  const clients = await relay({ flow: 'client_credentials', scope: 'mail' });
  for (const [given, why] of [
    [{ relay: clients }, /no one signs in/],
    [{ relay: '00000000' }, /relay/],
    [{ mailbox: '00000000' }, /mailbox/],
    [{}, /either a relay or a mailbox/],
    [{ relay: clients, mailbox: clients }, /either a relay or a mailbox/],
  ] as const)
    assert.match((await owner.call<{ error: string }>('oauthBegin', given)).body.error, why);
});

test('an API key signs in nowhere, and another account has no relays', async () => {
  const id = await relay();
  await assert.rejects(app.call('oauthBegin', { relay: id }));
  const { account } = await app.anotherAccount();
  const { id: stranger } = await createUser(app.app.db, { email: 'eve@example.net', password });
  await addMember(app.app.db, account.id, stranger, 'owner');
  const browser = new Browser(base);
  assert.equal((await browser.ask('POST', '/session', { email: 'eve@example.net', password })).status, 200);
  assert.match((await browser.call<{ error: string }>('oauthBegin', { relay: id })).body.error, /no access by OAuth/);
});
