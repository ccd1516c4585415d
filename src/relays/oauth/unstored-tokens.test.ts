// The database fails between the answer of the provider and the storing of the token, and the refresh token before works no longer:
// access continues meanwhile, and no one has to sign in again.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { startTokenServer, type TokenServer, tokenClient } from '../../../test/support/network/token-server.ts';
import { until } from '../../../test/support/run/until.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { renewDueTokens, tokenFor } from './tokens.ts';

let app: TestApp;
let tokens: TokenServer;

before(async () => {
  tokens = await startTokenServer();
  app = await testApp({ OUTBOUND_ALLOW: '127.0.0.1' });
  await app.app.db.run(sql`
    create function refuse_token() returns trigger language plpgsql as $$
    begin
      raise exception 'no space left on device' using errcode = '53100';
    end $$`);
});
afterEach(async () => {
  tokens.fail = undefined;
  await storingWorks();
});
after(async () => {
  await app.close();
  await tokens.close();
});

const storingFails = () =>
  app.app.db.run(sql`
    create trigger refuse_token
    before update on oauth_grant
    for each row when (new.renewals > old.renewals)
    execute function refuse_token()`);
const storingWorks = () => app.app.db.run(sql`drop trigger if exists refuse_token on oauth_grant`);

async function relayKey(): Promise<{ accountId: number; id: number }> {
  const id = await app.call<string>('relayCreate', {
    host: '127.0.0.1',
    port: 9,
    tls: 'none',
    username: 'sender@sender.example',
    auth: 'oauth',
    oauth: { ...tokenClient, token_url: tokens.tokenUrl, refresh_token: tokens.refreshToken() },
  });
  return { accountId: 0, id: parseId(id) };
}
type Key = Awaited<ReturnType<typeof relayKey>>;

const renewals = async ({ id }: Key) =>
  (await app.app.db.row<{ renewals: number }>(sql`select renewals from oauth_grant where id = ${id}`))!.renewals;

async function tokenOf(key: Key, refused?: string): Promise<string> {
  const token = await tokenFor(app.app, key, refused);
  assert.ok('value' in token, JSON.stringify(token));
  return token.value;
}

test('a token that could not be stored is used, and stored when the database takes it', async () => {
  const key = await relayKey();
  await storingFails();
  const [requests, before] = [tokens.requests, await renewals(key)];
  const value = await tokenOf(key);
  assert.ok(tokens.isValid(value));
  // The claim is over: only the token in memory prevents another request with the old refresh token.
  await app.app.db.run(sql`update oauth_grant set renewing_until = null, renew_at = now()`);
  assert.equal(await tokenOf(key), value);
  await renewDueTokens(app.app);
  assert.equal(tokens.requests, requests + 1);
  await storingWorks();
  await until('the token is stored', async () => (await renewals(key)) === before + 1);
  // The refresh token that came with it is stored too.
  const next = await tokenOf(key, value);
  assert.notEqual(next, value);
  assert.ok(tokens.isValid(next));
});

test('a token that the mail server refuses before it was stored is renewed once it is', async () => {
  const key = await relayKey();
  await storingFails();
  const value = await tokenOf(key);
  await app.app.db.run(sql`update oauth_grant set renewing_until = null`);
  tokens.revokeTokens();
  const next = tokenOf(key, value);
  await storingWorks();
  assert.ok(tokens.isValid(await next));
});

test('newer settings are not overwritten by a token that is stored late', async () => {
  const key = await relayKey();
  await storingFails();
  const value = await tokenOf(key);
  await app.app.db.run(sql`update oauth_grant set version = version + 1, renewing_until = null where id = ${key.id}`);
  await storingWorks();
  const token = await tokenFor(app.app, key);
  // The refresh token of these settings is the old one here; what matters is that the late token did not come back.
  assert.ok(!('value' in token) || token.value !== value);
});

test('a provider that asks for a pause is not asked before its end', async () => {
  const key = await relayKey();
  tokens.fail = { status: 429, body: '{}', headers: { 'retry-after': '300' } };
  const token = await tokenFor(app.app, key);
  assert.ok('problem' in token);
  const row = await app.app.db.row<{ seconds: number }>(sql`
    select extract(epoch from retry_at - now())::float8 as seconds from oauth_grant where id = ${key.id}`);
  assert.ok(row!.seconds > 290 && row!.seconds <= 300, String(row!.seconds));
});
