// A relay with access tokens: how it is set up; a token that the relay refuses is renewed once; the reason when there is none; secrets go
// nowhere else and never come back.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { startTokenServer, type TokenServer, tokenClient } from '../../../test/support/network/token-server.ts';
import { type Sink, startSink } from '../../../test/support/smtp-sink/sink.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { tokenFor } from './tokens.ts';

const user = 'sender@sender.example';
let app: TestApp;
let folder: string;
let tokens: TokenServer;
let sink: Sink;
let auth: {
  user: string;
  password: string;
  required: boolean;
  mechanisms: string[];
  isValid: (token: string) => boolean;
};

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  tokens = await startTokenServer();
  auth = { user, password: '', required: true, mechanisms: ['XOAUTH2'], isValid: (token) => tokens.isValid(token) };
  sink = await startSink({ auth });
  app = await testApp({ DATA_DIR: folder, OUTBOUND_ALLOW: '127.0.0.1', INBOX_PORT: '9' });
});
afterEach(async () => {
  await app.app.db.run(sql`delete from relay`);
  Object.assign(tokens, { lifetimeS: 3_600, fail: undefined });
  auth.mechanisms = ['XOAUTH2'];
});
after(async () => {
  await app.close();
  await sink.close();
  await tokens.close();
  rmSync(folder, { recursive: true });
});

type Relay = {
  id: string;
  auth: string;
  signs_in: boolean;
  state: string;
  reason: string;
  oauth: Record<string, unknown>;
};
type Outcome = { ok: boolean; stage: string; problem: string };

const byClient = () => ({ flow: 'client_credentials', ...tokenClient, token_url: tokens.tokenUrl, scope: 'mail' });
const byPerson = () => ({ ...tokenClient, token_url: tokens.tokenUrl, refresh_token: tokens.refreshToken() });
const relay = (oauth: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  app.call<string>('relayCreate', {
    host: '127.0.0.1',
    port: sink.port,
    tls: 'none',
    username: user,
    auth: 'oauth',
    oauth,
    ...more,
  });
const relays = () => app.call<Relay[]>('relays');
const testRelay = async (id: string) => (await app.call<Outcome[]>('relayTest', { id }))[0]!;
const issuedNow = () => tokens.issued.length;

for (const mechanism of ['XOAUTH2', 'OAUTHBEARER'])
  for (const [flow, oauth] of [
    ['client credentials', byClient],
    ['a refresh token', byPerson],
  ] as const)
    test(`${mechanism} with ${flow}`, async () => {
      auth.mechanisms = [mechanism];
      const id = await relay(oauth());
      assert.deepEqual(await testRelay(id).then(({ ok, problem }) => [ok, problem]), [true, '']);
      const [listed] = await relays();
      assert.deepEqual([listed!.auth, listed!.signs_in, listed!.oauth.signed_in], ['oauth', true, true]);
      const shown = JSON.stringify(await relays());
      assert.ok(!shown.includes(tokenClient.client_secret));
      const rows = await app.app.db.row<{ text: string }>(sql`select oauth_grant::text as text from oauth_grant`);
      const hex = Buffer.from(tokenClient.client_secret).toString('hex');
      assert.ok(!rows!.text.includes(tokenClient.client_secret) && !rows!.text.includes(hex));
    });

test('settings with client credentials are tested before they are saved, those that need a person are not', async () => {
  const settings = (oauth: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
    ...{ host: '127.0.0.1', port: sink.port, tls: 'none', username: user, auth: 'oauth', oauth },
    ...more,
  });
  const tested = (given: Record<string, unknown>) => app.call<Outcome>('relayTestSettings', given);
  assert.deepEqual((({ ok, problem }) => [ok, problem])(await tested(settings(byClient()))), [true, '']);
  assert.equal((await tested(settings(byClient(), { username: 'other@sender.example' }))).stage, 'auth');
  const unknown = await tested(settings({ ...byClient(), client_secret: 'wrong' }));
  assert.deepEqual([unknown.ok, unknown.stage], [false, 'auth']);
  assert.match(unknown.problem, /invalid_client/);
  assert.deepEqual(await app.app.db.rows(sql`select id from relay union all select id from oauth_grant`), []);
  const before = tokens.requests;
  for (const oauth of [byPerson(), { ...byPerson(), refresh_token: '', authorize_url: tokens.authorizeUrl }])
    await assert.rejects(tested(settings(oauth)), { message: /a person has signed in at the provider/ });
  assert.equal(tokens.requests, before, 'a refresh token that may work once is not used up');
});

test('a change of a relay with a stored refresh token is tested, and the token that replaces it is kept', async () => {
  const id = await relay(byPerson());
  assert.ok((await testRelay(id)).ok);
  for (let i = 0; i < 3; i++) {
    const { ok } = await app.call<Outcome>('relayTestSettings', { id, connections: 7 + i });
    assert.ok(ok);
  }
  tokens.revokeTokens();
  assert.ok((await testRelay(id)).ok);
  await assert.rejects(app.call('relayTestSettings', { id, host: 'localhost' }), { message: /client_secret/ });
});

test('a token that the relay refuses before its end is renewed once, at once', async () => {
  const id = await relay(byPerson());
  assert.ok((await testRelay(id)).ok);
  tokens.revokeTokens();
  const before = issuedNow();
  assert.ok((await testRelay(id)).ok);
  assert.equal(issuedNow(), before + 1);
});

test('a relay that refuses every token: one renewal for each attempt, and its reply as the reason', async () => {
  const id = await relay(byPerson(), { username: 'other@sender.example' });
  const before = issuedNow();
  const { ok, stage, problem } = await testRelay(id);
  assert.deepEqual([ok, stage], [false, 'auth']);
  assert.match(problem, /^535 .*"status":"401"/);
  assert.equal(issuedNow(), before + 2);
});

test('only one process asks when a token has ended, as a refresh token works once', async () => {
  const id = await relay(byPerson());
  const key = { accountId: 0, id: parseId(id) };
  const before = tokens.requests;
  tokens.fail = undefined;
  const all = await Promise.all(Array.from({ length: 12 }, () => tokenFor(app.app, key)));
  assert.equal(tokens.requests, before + 1);
  const [first] = all;
  assert.ok('value' in first!);
  const refused = first.value;
  const again = await Promise.all(Array.from({ length: 12 }, () => tokenFor(app.app, key, refused)));
  assert.equal(tokens.requests, before + 2);
  assert.ok(again.every((token) => 'value' in token && token.value !== refused));
});

test('a provider that refuses: the reason is its own, without the secret, and it is not asked again at once', async () => {
  const id = await relay({ ...byPerson(), refresh_token: 'an old one' });
  const { problem, stage } = await testRelay(id);
  assert.equal(stage, 'auth');
  assert.match(problem, /no access token from 127\.0\.0\.1:\d+: invalid_grant the grant was revoked/);
  const before = tokens.requests;
  await testRelay(id);
  assert.equal(tokens.requests, before);
  await app.call('relayUpdate', { id, oauth: { refresh_token: tokens.refreshToken() } });
  assert.ok((await testRelay(id)).ok);
});

for (const [name, fail, reason] of [
  ['a wrong secret', undefined, /invalid_client/],
  ['a page instead of an answer', { status: 200, body: '<html>secret page' }, /: status 200$/],
  ['an error page', { status: 502, body: 'secret page' }, /: status 502$/],
  ['a token that would end the line', { status: 200, body: '{"access_token":"a\\r\\nb"}' }, /: status 200$/],
  ['another type of token', { status: 200, body: '{"access_token":"a","token_type":"mac"}' }, /: status 200$/],
  ['a redirect', { status: 302, body: '{"access_token":"a"}' }, /: status 302$/],
] as const)
  test(`no token: ${name}`, async () => {
    const id = await relay({ ...byClient(), ...(fail === undefined && { client_secret: 'a wrong one' }) });
    tokens.fail = fail;
    const { problem } = await testRelay(id);
    assert.match(problem, reason);
    assert.doesNotMatch(problem, /secret page|a wrong one/);
  });

for (const [name, changed, member] of [
  ['no settings', { oauth: undefined }, /oauth/],
  ['no client', { oauth: { token_url: 'https://login.example.com' } }, /oauth\.client_id/],
  ['no address', { oauth: { client_id: 'x' } }, /oauth\.token_url/],
  ['Microsoft without a tenant', { oauth: { provider: 'microsoft', client_id: 'x' } }, /oauth\.tenant/],
  ['http', { oauth: { client_id: 'x', token_url: 'http://login.example.com/token' } }, /oauth\.token_url/],
  [
    'no secret',
    { oauth: { client_id: 'x', token_url: 'https://l.example', flow: 'client_credentials' } },
    /client_secret/,
  ],
  [
    'Google without a person',
    { oauth: { provider: 'google', client_id: 'x', flow: 'client_credentials' } },
    /oauth\.flow/,
  ],
  ['a password', { password: 'x' }, /password/],
  ['no TLS', { host: 'smtp.example.com', tls: 'opportunistic' }, /tls/],
  ['another way to sign in', { auth: 'plain', password: 'x' }, /oauth/],
] as const)
  test(`refused: ${name}`, async () => {
    await assert.rejects(relay(byClient(), changed as Record<string, unknown>), { message: member });
  });

test('the presets of Microsoft and Google know their addresses', async () => {
  const tenant = 'sender.example';
  await relay({ provider: 'microsoft', tenant, ...tokenClient });
  await relay({ provider: 'microsoft', tenant, flow: 'client_credentials', ...tokenClient });
  await relay({ provider: 'google', ...tokenClient });
  assert.deepEqual(
    (await relays()).map(({ oauth }) => [oauth.token_url, oauth.scope, oauth.signed_in]),
    [
      [
        'https://login.microsoftonline.com/sender.example/oauth2/v2.0/token',
        'https://outlook.office.com/SMTP.Send offline_access',
        false,
      ],
      [
        'https://login.microsoftonline.com/sender.example/oauth2/v2.0/token',
        'https://outlook.office365.com/.default',
        true,
      ],
      ['https://oauth2.googleapis.com/token', 'https://mail.google.com/', false],
    ],
  );
});

test('a secret goes to the address and the relay it was entered for only', async () => {
  const id = await relay(byClient());
  for (const change of [
    { oauth: { token_url: 'https://login.example.net/token' } },
    { host: 'smtp.example.net', tls: 'require' },
    { port: sink.port + 1 },
  ])
    await assert.rejects(app.call('relayUpdate', { id, ...change }), { message: /oauth\.client_secret/ });
  await app.call('relayUpdate', { id, rate: 100 });
  assert.ok((await testRelay(id)).ok);
  await app.call('relayUpdate', { id, auth: 'plain', username: user, password: 'x' });
  assert.equal(await app.app.db.row(sql`select from oauth_grant`), undefined);
});

test('without a sign-in the relay waits and says so', async () => {
  const id = await relay({ ...tokenClient, token_url: tokens.tokenUrl });
  assert.match((await testRelay(id)).problem, /sign in at the provider first/);
});
