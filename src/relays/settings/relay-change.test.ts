// Relays that are set up in the application: presets, credentials that never come back, networks, order, who may do it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { type SignInRelay, startSignInRelay } from '../../../test/support/network/sign-in-relay.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { relaysOf } from './relay-list.ts';

type Relay = {
  id: string;
  name: string;
  source: string;
  preset: string;
  host: string;
  port: number;
  tls: string;
  username: string;
  signs_in: boolean;
  rate: number;
  weight: number;
  max_connections: number;
  accounts: string[];
  sender_domains: string[];
  paused: boolean;
  state: string;
  reason: string;
};
type Outcome = { id: string; ok: boolean; stage: string; problem: string };

let app: TestApp;
let server: SignInRelay;
let port: number;
let signIns: string[];
before(async () => {
  server = await startSignInRelay();
  ({ port, signIns } = server);
  app = await testApp({ OUTBOUND_ALLOW: `127.0.0.1:${port}`, INBOX_PORT: '9' });
});
after(async () => {
  await app.close();
  await server.close();
});

const inUse = async () => (await relaysOf(app.app)).filter(({ isPaused }) => !isPaused);
const relays = () => app.call<Relay[]>('relays');
const byId = async (id: string) => (await relays()).find((relay) => relay.id === id)!;
const create = (options: Record<string, unknown>) => app.call<string>('relayCreate', options);
const local = () => server.options();
const clear = () => app.app.db.run(sql`delete from relay`);

test('the built-in inbox keeps its id, by which its messages are counted, at another port', async () => {
  const at = (inboxPort: number) => relaysOf({ ...app.app, config: { ...app.app.config, inboxPort } });
  const [[before], [after]] = [await at(1_025), await at(1_026)] as const;
  assert.deepEqual([before!.port, after!.port], [1_025, 1_026]);
  assert.equal(before!.id, after!.id);
});

test('without a relay mail stays in the built-in inbox; after the last one was deleted it waits', async () => {
  const sources = async () => (await relays()).map(({ source }) => source);
  assert.deepEqual(await sources(), ['inbox']);
  const id = await create(local());
  assert.deepEqual(await sources(), ['application']);
  await assert.rejects(app.call('relayUseInbox'), { fault: 'NOT_ALLOWED' });
  await app.call('relayDelete', { id });
  assert.deepEqual(await sources(), []);
  assert.deepEqual(await inUse(), []);
  await app.call('relayUseInbox');
  assert.deepEqual(await sources(), ['inbox']);
});

test('a preset fills in what is not given', async () => {
  const presets = await app.call<Relay[]>('relayPresets');
  const names = ['ses', 'postmark', 'mailgun', 'sendgrid', 'brevo', 'mailjet', 'resend', 'sparkpost', 'postfix'];
  assert.deepEqual(
    presets.map(({ name }) => name),
    names,
  );
  for (const preset of presets.filter(({ name }) => !['ses', 'postfix'].includes(name))) {
    const id = await create({ preset: preset.name, username: 'me', password: 'right-secret', paused: true });
    const { host, port, tls, rate, max_connections, preset: kept } = await byId(id);
    assert.deepEqual([host, port, tls, rate, kept], [preset.host, 587, 'require', preset.rate, preset.name]);
    assert.ok(max_connections > 0);
  }
  const id = await create({ preset: 'sendgrid', password: 'SG.secret', rate: 50, port: 465 });
  const sendgrid = await byId(id);
  assert.deepEqual(
    [sendgrid.name, sendgrid.username, sendgrid.rate, sendgrid.port, sendgrid.tls],
    ['SendGrid', 'apikey', 50, 465, 'implicit'],
  );
  await assert.rejects(create({ preset: 'ses', username: 'a', password: 'b' }), { message: /host: replace the part/ });
  await clear();
});

test('a relay of a service that requires signing in needs a password', async () => {
  const refusal = (service: string) => ({
    fault: 'INVALID_PARAMETER',
    message: `password is required: ${service} does not accept mail without signing in`,
  });
  const presets = await app.call<{ name: string; title: string }[]>('relayPresets');
  for (const { name, title } of presets.filter(({ name }) => name !== 'postfix'))
    await assert.rejects(create({ preset: name, host: 'relay.example' }), refusal(title));
  assert.deepEqual(await app.app.db.rows(sql`select id from relay`), []);
  const id = await create({ preset: 'postfix', host: 'relay.example' });
  await assert.rejects(app.call('relayUpdate', { id, preset: 'sendgrid' }), refusal('SendGrid'));
  await app.call('relayUpdate', { id, preset: 'sendgrid', username: 'apikey', password: 'right-secret' });
  await assert.rejects(app.call('relayUpdate', { id, username: '' }), refusal('SendGrid'));
  assert.equal((await byId(id)).signs_in, true);
  await clear();
});

test('a password is sealed, never returned, and kept by an update without it', async () => {
  const id = await create({ ...local(), name: 'Main', password: 'wrong-secret' });
  const test_ = async () => (await app.call<Outcome[]>('relayTest', { id }))[0]!;
  assert.deepEqual([(await test_()).ok, (await test_()).stage], [false, 'auth']);
  await app.call('relayUpdate', { id, password: 'right-secret' });
  await app.call('relayUpdate', { id, rate: 5, password: '' });
  await app.call('relayUpdate', { id, username: 'bob' });
  assert.equal((await test_()).ok, true);
  assert.equal(signIns.at(-1), 'bob right-secret');
  const relay = await byId(id);
  assert.deepEqual([relay.name, relay.username, relay.signs_in, relay.rate], ['Main', 'bob', true, 5]);
  const row = await app.app.db.row(sql`select r::text as text, r.credentials from relay r`);
  const entries = await app.call('auditLog', {});
  const seen = [relay, row, entries, await test_()].map((value) => JSON.stringify(value)).join();
  assert.doesNotMatch(seen, /right-secret|wrong-secret/);
  await app.call('relayUpdate', { id, username: 'token', password: 'token' });
  assert.equal((await byId(id)).username, '', 'one token for both is a secret');
  await app.call('relayUpdate', { id, username: '' });
  assert.deepEqual([(await byId(id)).signs_in, (await inUse())[0]!.auth], [false, undefined]);
  await clear();
});

test('the stored password does not go to another host', async () => {
  const id = await create(local());
  await assert.rejects(app.call('relayUpdate', { id, host: 'relay.attacker.example' }), {
    fault: 'INVALID_PARAMETER',
    message: 'password: the host has changed; enter the password again',
  });
  await app.call('relayUpdate', { id, host: 'relay.example', password: 'another' });
  assert.equal((await byId(id)).host, 'relay.example');
  await clear();
});

test('a relay whose password cannot be decrypted is not used and shows why', async () => {
  const id = await create(local());
  await app.app.db.run(sql`update relay set credentials = '\\x00'`);
  assert.deepEqual(await inUse(), []);
  const { state, reason } = await byId(id);
  assert.equal(state, 'unusable');
  assert.match(reason, /SEAL_KEY/);
  const [outcome] = await app.call<Outcome[]>('relayTest', { id });
  assert.deepEqual([outcome!.ok, outcome!.stage], [false, 'auth']);
  await assert.rejects(app.call('relayUpdate', { id, username: 'bob' }), { message: /^password: enter user name and/ });
  await assert.rejects(app.call('relayUpdate', { id, password: 'x' }), { message: /^username: enter user name and/ });
  await app.call('relayUpdate', { id, username: 'ann', password: 'right-secret' });
  assert.equal((await inUse()).length, 1);
  await clear();
});

test('a relay in a private network needs OUTBOUND_ALLOW, when it is saved and when it is connected to', async () => {
  for (const host of ['10.0.0.7', '127.0.0.1', '[::1]', '169.254.169.254', 'localhost'])
    await assert.rejects(create({ host, port: 25 }), {
      fault: 'INVALID_PARAMETER',
      message: /^host: .*OUTBOUND_ALLOW/,
    });
  const id = await create(local());
  for (const host of ['127.0.0.1', 'localhost']) {
    // As if the name had another address when it was saved.
    await app.app.db.run(sql`update relay set host = ${host}, port = 9`);
    const [outcome] = await app.call<Outcome[]>('relayTest', { id });
    assert.deepEqual([outcome!.ok, outcome!.stage], [false, 'connect']);
    assert.match(outcome!.problem, /OUTBOUND_ALLOW/);
  }
  await clear();
});

test('wrong options are named and leave nothing behind', async () => {
  const wrong: [Record<string, unknown>, RegExp][] = [
    [{}, /^host: a relay needs a host/],
    [{ host: 'a b' }, /^host: "a b" is neither/],
    [{ host: 'smtp://relay.example' }, /^host: /],
    [{ host: 'relay.example', port: 0 }, /^port /],
    [{ host: 'relay.example', tls: 'maybe' }, /^tls .*none, opportunistic, require, implicit/],
    [{ host: 'relay.example', username: 'ann' }, /^password is missing/],
    [{ host: 'relay.example', password: 'secret-word' }, /^username is missing/],
    [{ host: 'relay.example', username: 'ann', password: 'secret-word\r\n' }, /^password contains a control/],
    [{ host: 'relay.example', weight: -1 }, /^weight /],
    [{ host: 'relay.example', rate: 'fast' }, /^rate /],
    [{ host: 'relay.example', warm_up: '5:1:10:2026-11-21' }, /^warm_up is not first/],
    [{ host: 'relay.example', accounts: ['a0000001'] }, /^accounts: the account "a0000001" does not exist/],
    [{ host: 'relay.example', sender_domains: ['not a domain'] }, /^sender_domains: "not a domain" is not/],
    [{ preset: 'pigeon' }, /^preset .*ses, postmark/],
    [{ preset: 'mailgun', username: 'postmaster@{domain}', password: 'x' }, /^username: replace/],
    [{ host: 'relay.example', colour: 'red' }, /colour/],
  ];
  for (const [options, reason] of wrong)
    await assert.rejects(create(options), (error: Error) => {
      assert.match(error.message, reason, JSON.stringify(options));
      assert.doesNotMatch(error.message, /secret-word/);
      return true;
    });
  for (const name of ['relayUpdate', 'relayPause', 'relayResume', 'relayDelete'])
    await assert.rejects(app.call(name, { id: 'a0000001' }), { message: /id: the relay does not exist/ });
  assert.deepEqual(await app.app.db.rows(sql`select id from relay`), []);
});

test('relays are paused, resumed and ordered', async () => {
  const [a, b] = [await create({ ...local(), name: 'A' }), await create({ ...local(), name: 'B', weight: 0 })];
  await app.call('relayPause', { id: a });
  await app.call('relayPause', { id: a });
  assert.deepEqual((await relays()).map(({ name, state, paused }) => [name, state, paused])[0], ['A', 'paused', true]);
  assert.deepEqual(
    (await inUse()).map(({ id }) => id),
    [b],
  );
  await app.call('relayResume', { id: a });
  await app.call('relayOrderUpdate', { ids: [b, a] });
  assert.deepEqual(
    (await inUse()).map(({ id }) => id),
    [b, a],
  );
  for (const ids of [[a], [a, a], [a, b, b], [a, 'a0000001'], []])
    await assert.rejects(app.call('relayOrderUpdate', { ids }), {
      fault: 'INVALID_PARAMETER',
      message: /^ids must have/,
    });
  await clear();
});

test('a relay can be limited to accounts and domains, and stays limited when the account is gone', async () => {
  const other = await app.anotherAccount();
  const otherId = formatId(other.account.id);
  const id = await create({ ...local(), accounts: [otherId], sender_domains: ['@News.Example', 'müller.example'] });
  const open = await create(local());
  const { accounts, sender_domains } = await byId(id);
  assert.deepEqual([accounts, sender_domains], [[otherId], ['news.example', 'xn--mller-kva.example']]);
  assert.deepEqual((await inUse())[0]!.limitedTo, {
    accounts: [other.account.id],
    senderDomains: ['news.example', 'xn--mller-kva.example'],
  });
  const third = await app.anotherAccount();
  const seen = async (call: TestApp['call']) =>
    (await call<Relay[]>('relays')).map(({ id, host, name }) => [id, host, name]);
  assert.deepEqual(await seen(other.call), [
    ['1', '', ''],
    ['2', '', ''],
  ]);
  assert.deepEqual(await seen(third.call), [['1', '', '']]);
  await app.app.db.run(sql`delete from account where id = ${other.account.id}`);
  assert.equal((await byId(id)).accounts.length, 1);
  await app.call('relayUpdate', { id: open, accounts: [], sender_domains: [] });
  await clear();
});

test('only the account of the operator changes relays', async () => {
  const id = await create(local());
  const other = await app.anotherAccount('pro');
  for (const [name, params] of [
    ['relayCreate', local()],
    ['relayUpdate', { id, rate: 1 }],
    ['relayTestSettings', local()],
    ['relayPause', { id }],
    ['relayResume', { id }],
    ['relayDelete', { id }],
    ['relayOrderUpdate', { ids: [id] }],
    ['relayUseInbox', {}],
  ] as const)
    await assert.rejects(other.call(name, params), { fault: 'NOT_ALLOWED', message: /operator/ });
  assert.equal((await byId(id)).rate, 0);
  await clear();
});
