// A bounce mailbox that is opened with access tokens, over real IMAP and POP3 dialogues: they are renewed when they end or are refused, and
// `problem` says why the mailbox cannot be read.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import {
  type MailServer,
  mailUser,
  startImapServer,
  startPop3Server,
} from '../../../test/support/network/mail-servers.ts';
import { startTokenServer, type TokenServer, tokenClient } from '../../../test/support/network/token-server.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { mailboxOf, readMailbox } from '../../returned/mailboxes/mailbox.ts';
import { readBounceMailbox } from '../../returned/mailboxes/read.ts';

let app: TestApp;
let tokens: TokenServer;
const servers = {} as Record<'imap' | 'pop3', MailServer>;

before(async () => {
  tokens = await startTokenServer();
  const isValid = (token: string) => tokens.isValid(token);
  const raw = 'From: a@b.example\nSubject: Hello\n\nHello\n';
  servers.imap = await startImapServer([raw, raw], undefined, isValid);
  servers.pop3 = await startPop3Server([raw, raw], undefined, isValid);
  app = await testApp({ OUTBOUND_ALLOW: '127.0.0.1' });
});
afterEach(async () => {
  await app.app.db.run(sql`delete from bounce_mailbox`);
  Object.assign(tokens, { lifetimeS: 3_600, fail: undefined });
});
after(async () => {
  await app.close();
  for (const server of Object.values(servers)) await server.close();
  await tokens.close();
});

type Listed = { id: string; auth: string; problem: string; messages: number; oauth: Record<string, unknown> };

const byPerson = () => ({ ...tokenClient, token_url: tokens.tokenUrl, refresh_token: tokens.refreshToken() });
const create = (protocol: 'imap' | 'pop3', oauth: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  app.call<string>('bounceMailboxCreate', {
    protocol,
    host: '127.0.0.1',
    port: servers[protocol].port,
    security: 'none',
    user_name: mailUser.user,
    auth: 'oauth',
    oauth,
    remove: false,
    ...more,
  });
const listed = async () => (await app.call<Listed[]>('bounceMailboxes'))[0]!;
const context = () => ({ app: app.app, log: app.app.log, signal: new AbortController().signal });
const read = async (id: string) => {
  await readBounceMailbox(context() as never, { account_id: app.account.id, mailbox_id: parseId(id) });
  return listed();
};

for (const protocol of ['imap', 'pop3'] as const) {
  test(`${protocol}: a mailbox is opened and read with a token, and no secret comes back`, async () => {
    const id = await create(protocol, byPerson());
    const { problem, messages, auth, oauth } = await read(id);
    assert.deepEqual([problem, messages, auth, oauth.signed_in], ['', 2, 'oauth', true]);
    assert.ok(!JSON.stringify(await app.call('bounceMailboxes')).includes(tokenClient.client_secret));
  });

  test(`${protocol}: client credentials`, async () => {
    const oauth = { flow: 'client_credentials', ...tokenClient, token_url: tokens.tokenUrl, scope: 'mail' };
    assert.equal((await read(await create(protocol, oauth))).problem, '');
  });

  test(`${protocol}: a token that the server refuses is renewed once, at once`, async () => {
    const id = await create(protocol, byPerson());
    tokens.revokeTokens();
    const before = tokens.issued.length;
    assert.equal((await read(id)).problem, '');
    assert.equal(tokens.issued.length, before + 1);
  });

  test(`${protocol}: a token that has ended is renewed`, async () => {
    tokens.lifetimeS = 1;
    const id = await create(protocol, byPerson());
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const signIns = servers[protocol].signIns.length;
    assert.equal((await read(id)).problem, '');
    assert.equal(servers[protocol].signIns.length, signIns + 1);
  });

  test(`${protocol}: another user's mailbox: the words of the server, without the token`, async () => {
    const id = await create(protocol, byPerson(), { user_name: 'other@sender.example' });
    assert.match((await listed()).problem, /the server refuses the access token; it replied: /);
    const mailbox = await mailboxOf(app.app, app.account.id, parseId(id));
    await assert.rejects(
      readMailbox(app.app, mailbox!, async () => false, 0),
      /refuses the access token/,
    );
  });
}

test('the provider refuses: nothing is saved at first; later the mailbox shows why', async () => {
  await assert.rejects(create('imap', { ...byPerson(), refresh_token: 'an old one' }), { message: /invalid_grant/ });
  tokens.lifetimeS = 1;
  const id = await create('imap', byPerson());
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  tokens.fail = { status: 400, body: '{"error":"invalid_grant","error_description":"revoked"}' };
  assert.match((await read(id)).problem, /no access token from .*: invalid_grant revoked/);
});

test('without a sign-in the mailbox waits and says so', async () => {
  const id = await create('imap', { ...tokenClient, token_url: tokens.tokenUrl });
  assert.match((await listed()).problem, /sign in at the provider first/);
  await app.app.db.run(sql`update bounce_mailbox set host = 'nowhere.invalid'`);
  assert.match((await read(id)).problem, /sign in at the provider first/);
  await app.app.db.run(sql`update bounce_mailbox set host = '127.0.0.1'`);
  await app.call('bounceMailboxUpdate', { id, oauth: { refresh_token: tokens.refreshToken() } });
  assert.equal((await read(id)).problem, '');
});

test('a secret goes to the servers it was entered for only; a password takes its place', async () => {
  const id = await create('imap', byPerson());
  for (const change of [
    { host: 'mail.example.net', security: 'tls' },
    { port: 9 },
    { oauth: { token_url: 'https://login.example.net/token' } },
  ])
    await assert.rejects(app.call('bounceMailboxUpdate', { id, ...change }), { message: /oauth\.client_secret/ });
  await assert.rejects(app.call('bounceMailboxUpdate', { id, auth: 'password' }), { message: /password/ });
  await app.call('bounceMailboxUpdate', { id, auth: 'password', password: mailUser.password });
  assert.equal((await listed()).auth, 'password');
  assert.equal(await app.app.db.row(sql`select from oauth_grant`), undefined);
});

test('a change that is refused after the provider has replaced the refresh token leaves the access as it was', async () => {
  const id = await create('imap', byPerson());
  const change = { folder: 'nowhere', oauth: { scope: 'another' } };
  await assert.rejects(app.call('bounceMailboxUpdate', { id, ...change }), { message: /host/ });
  tokens.revokeTokens();
  assert.equal((await read(id)).problem, '');
});

test('tokens are not sent without encryption, and a password is needed without them', async () => {
  await assert.rejects(create('imap', byPerson(), { host: 'mail.example.com' }), { message: /security/ });
  await assert.rejects(create('imap', {}, { auth: 'password' }), { message: /password/ });
});
