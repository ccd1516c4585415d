// The methods about webhooks: what they store, check and show, and which secrets they never show.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decodeResponse, encodeCall } from '../../test/support/builders/xmlrpc-client.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { appWithReceiver, type Receiver } from '../../test/support/network/receiver.ts';
import { Fault } from '../base/faults.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { eventTypes, usualTypes } from '../events/types.ts';
import { openSecret } from './signature.ts';

let t: TestApp;
let receiver: Receiver;
let close: () => Promise<void>;

before(async () => {
  ({ t, receiver, close } = await appWithReceiver());
});
after(() => close());

type Shown = Record<string, unknown> & { id: string; status: string; status_reason: string; secret_key: string };
const shown = async (wid: string) => (await t.call<Shown[]>('webhooks')).find(({ id }) => id === wid)!;
const create = (options: Record<string, unknown> = {}) =>
  t.call<string>('webhookCreate', { title: 'Sign-ups', options: { url: receiver.url, ...options } });
const fails = (code: string, promise: Promise<unknown>, text: RegExp) =>
  assert.rejects(promise, (error) => error instanceof Fault && error.fault === code && text.test(error.message));

test('a new webhook has all sources and all types but those as many as messages, is checked with HEAD, and shows no secret', async () => {
  const wid = await create({ secret_key: 'a secret of some length' });
  const one = await shown(wid);
  assert.match(wid, /^[abcdf][0-9a-f]{7}$/);
  assert.deepEqual(one['events'], [...usualTypes]);
  assert.deepEqual(one['sources'], ['subscriber', 'admin', 'api']);
  assert.equal(one.status, 'active');
  assert.equal(one.secret_key, '********ngth');
  assert.equal(receiver.heads.length, 1);
  assert.ok(!JSON.stringify(await t.call('webhooks')).includes('a secret'));
});

test('an address that does not answer 200 to HEAD is saved as unverified with the reason', async () => {
  const wid = await create({ url: receiver.url.replace(/:\d+/, ':9') });
  assert.equal((await shown(wid)).status, 'unverified');
  assert.match((await shown(wid)).status_reason, /could not be fetched/);
  await t.call('webhookUpdate', { wid, name: 'url', value: receiver.url });
  assert.deepEqual([(await shown(wid)).status, (await shown(wid)).status_reason], ['active', '']);
});

test('no connection is made to an address in a private network that is not allowed', async () => {
  const closed = await testApp();
  const before = receiver.heads.length;
  await closed.call('webhookCreate', { title: 'Inside', options: { url: receiver.url } });
  const [one] = await closed.call<Shown[]>('webhooks');
  assert.equal(one!.status, 'unverified');
  const tried = await closed.call<{ delivered: boolean; status: number }>('webhookTest', { wid: one!.id });
  assert.deepEqual([tried.delivered, tried.status], [false, 0]);
  assert.equal(receiver.heads.length, before);
  assert.equal(receiver.posts.length, 0);
  await closed.close();
});

test('every option can be changed on its own', async () => {
  const wid = await create();
  const list = await t.call<string>('listCreate', { title: 'News' });
  const changes: [string, unknown, string, unknown][] = [
    ['title', 'Other', 'title', 'Other'],
    ['list_id', list, 'list_id', list],
    ['events', ['email.open', 'email.click'], 'events', ['email.open', 'email.click']],
    ['events', 'email.bounce', 'events', ['email.bounce']],
    ['events', ['Email.*', 'campaign.sent'], 'events', ['email.*', 'campaign.sent']],
    ['events', '*', 'events', ['*']],
    ['sources', ['api'], 'sources', ['api']],
    ['algorithm', 'sha1', 'algorithm', 'sha1'],
    ['format', 'classic', 'format', 'classic'],
    ['signature_header', 'X-Vendor-Signature', 'signature_header', 'X-Vendor-Signature'],
    ['signature_header', 'x-service-signature', 'signature_header', ''],
    ['signature_header', '', 'signature_header', ''],
    ['status', 'disabled', 'status', 'paused'],
    ['status', 'enabled', 'status', 'active'],
    ['status', 'paused', 'status', 'paused'],
    ['status', 'active', 'status', 'active'],
    ['list_id', '', 'list_id', ''],
  ];
  for (const [name, value, member, expected] of changes) {
    assert.equal(await t.call('webhookUpdate', { wid, name, value }), true);
    assert.deepEqual((await shown(wid))[member], expected, name);
  }
});

test('invalid options are refused by name', async () => {
  const wid = await create();
  const options = (more: Record<string, unknown>) => create(more);
  await fails('WEBHOOK_OPTION_INVALID', options({ url: 'ftp://example.com' }), /url/);
  await fails('WEBHOOK_OPTION_INVALID', options({ url: 'https://user:pw@example.com' }), /url/);
  await fails('WEBHOOK_OPTION_INVALID', options({ events: ['contact.born'] }), /contact\.born/);
  await fails('WEBHOOK_OPTION_INVALID', options({ events: ['email.o*'] }), /email\.o\*/);
  await fails('WEBHOOK_OPTION_INVALID', options({ events: [] }), /events/);
  await fails('WEBHOOK_OPTION_INVALID', options({ algorithm: 'md5' }), /algorithm/);
  for (const signature_header of ['Host', 'X-', 'X-A:b', 'X-A\r\nB', 'X-Ä', `X-${'a'.repeat(99)}`])
    await fails('WEBHOOK_OPTION_INVALID', options({ signature_header }), /signature_header/);
  await fails('WEBHOOK_OPTION_INVALID', options({ colour: 'red' }), /colour/);
  await fails('LIST_UNKNOWN', options({ list_id: 'a0000000' }), /list/);
  await fails('WEBHOOK_OPTION_INVALID', t.call('webhookUpdate', { wid, name: 'colour', value: 'red' }), /colour/);
  await fails('WEBHOOK_OPTION_INVALID', t.call('webhookUpdate', { wid, name: 'status', value: 'off' }), /status/);
  await fails('WEBHOOK_OPTION_INVALID', t.call('webhookResend', { wid }), /since/);
  await fails('WEBHOOK_OPTION_INVALID', t.call('webhookResend', { wid, attempt: '99999' }), /attempt/);
  await fails('DATE_INVALID', t.call('webhookResend', { wid, since: 'yesterday' }), /since/);
});

test("another account's webhook is unknown to every method, and nothing of it changes", async () => {
  const wid = await create({ secret_key: 'mine' });
  const before = await shown(wid);
  const other = await t.anotherAccount();
  const heads = receiver.heads.length;
  const calls: [string, Record<string, unknown>][] = [
    ['webhookUpdate', { name: 'title', value: 'Theirs' }],
    ['webhookUpdate', { name: 'url', value: receiver.url }],
    ['webhookDelete', {}],
    ['webhookReplicate', {}],
    ['webhookRotateSecret', {}],
    ['webhookAttempts', {}],
    ['webhookResend', { since: '2020-01-01' }],
    ['webhookTest', {}],
  ];
  for (const [name, params] of calls) {
    await fails('WEBHOOK_UNKNOWN', other.call(name, { wid, ...params }), /does not exist/);
    await fails('WEBHOOK_UNKNOWN', t.call(name, { wid: 'a0000000', ...params }), /does not exist/);
  }
  assert.deepEqual(await other.call('webhooks'), []);
  assert.deepEqual(await shown(wid), before);
  assert.equal(receiver.heads.length, heads);
});

test('a generated secret is shown once, and a given one is returned masked', async () => {
  const wid = await create();
  const made = await t.call<{ secret_key: string; old_valid_until: string }>('webhookRotateSecret', { wid });
  assert.match(made.secret_key, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(made.old_valid_until, '');
  const own = await t.call<{ secret_key: string; old_valid_until: string }>('webhookRotateSecret', {
    wid,
    secret_key: 'one that I made up',
  });
  assert.equal(own.secret_key, '********e up');
  assert.match(own.old_valid_until, /^\d{4}-/);
  const row = await t.app.db.row<{ secret: Buffer; old: Buffer }>(sql`
    select secret, old_secret as old from webhook where id = ${parseId(wid)}`);
  assert.deepEqual(
    [row!.secret, row!.old].map((sealed) => openSecret(t.app, t.account.id, sealed)),
    ['one that I made up', made.secret_key],
  );
  assert.ok(!Buffer.concat([row!.secret, row!.old]).includes('made up'), 'stored sealed');
});

test('a copy is paused and has the settings of the original, a deleted one leaves nothing', async () => {
  const wid = await create({ events: ['email.open'], secret_key: 'kept' });
  const copy = await t.call<string>('webhookReplicate', { wid });
  const { title, status, events } = await shown(copy);
  assert.deepEqual([title, status, events], ['Sign-ups (copy)', 'paused', ['email.open']]);
  await t.call('webhookTest', { wid });
  await t.call('webhookDelete', { wid });
  for (const table of ['webhook_delivery', 'webhook_attempt', 'webhook_event']) {
    const { rows } = await t.app.db.pool.query(`select 1 from ${table} where webhook_id = $1`, [parseId(wid)]);
    assert.equal(rows.length, 0, table);
  }
});

test('a test event of every type arrives signed and marked as a test', async () => {
  const wid = await create({ secret_key: 'abc' });
  const types = await t.call<{ type: string; example: Record<string, unknown> }[]>('eventTypes');
  assert.deepEqual(
    types.map(({ type }) => type),
    Object.keys(eventTypes),
  );
  receiver.posts.length = 0;
  for (const { type, example } of types) {
    const result = await t.call<{ delivered: boolean; status: number; event: string }>('webhookTest', { wid, type });
    assert.deepEqual([result.delivered, result.status], [true, 200]);
    const sent = JSON.parse(receiver.posts.at(-1)!.body.toString()) as { events: { type: string; data: object }[] };
    assert.equal(sent.events[0]!.type, type);
    assert.deepEqual(sent.events[0]!.data, { ...example, id: result.event, test: true });
    assert.match(String(receiver.posts.at(-1)!.headers['x-service-signature']), /^sha256=[0-9a-f]{64}$/);
  }
  const log = await t.call<{ kind: string; outcome: string }[]>('webhookAttempts', { wid, limit: 100 });
  assert.equal(log.length, types.length);
  assert.ok(log.every(({ kind, outcome }) => kind === 'test' && outcome === 'delivered'));
});

test('the log and the event types come through XML-RPC with all their members', async () => {
  const url = await t.listen();
  const wid = await create({ secret_key: 'abc' });
  await t.call('webhookTest', { wid, type: 'email.click' });
  const ask = async (method: string, params: Record<string, string>) => {
    const body = encodeCall(method, [{ apikey: t.key, ...params }]);
    const response = await fetch(`${url}/`, { method: 'POST', headers: { 'content-type': 'text/xml' }, body });
    return JSON.stringify(decodeResponse(Buffer.from(await response.arrayBuffer())));
  };
  const log = await ask('webhookAttempts', { wid });
  assert.match(log, /"X-Service-Signature":"sha256=[0-9a-f]{64}"/);
  assert.match(log, /"outcome":"delivered"/);
  assert.match(await ask('eventTypes', {}), /"type":"email.click".*"url":"https:\/\/www\.example\.com\/"/);
});

test('a read-only key sees the webhooks and cannot change them', async () => {
  const url = t.app.baseUrl;
  const wid = await create();
  const reader = await t.anotherKey('read');
  const ask = async (method: string, params: object) => {
    const response = await fetch(`${url}/api/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${reader}` },
      body: JSON.stringify(params),
    });
    return { status: response.status, answer: (await response.json()) as unknown };
  };
  const list = await ask('webhooks', {});
  assert.equal(list.status, 200);
  for (const [name, params] of [
    ['webhookCreate', { title: 'Mine', options: { url: receiver.url } }],
    ['webhookDelete', { wid }],
    ['webhookRotateSecret', { wid }],
    ['webhookStats', { wid }],
    ['webhookAttempts', { wid }],
    ['webhookTest', { wid }],
  ] as const) {
    const { status, answer } = await ask(name, params);
    assert.equal(status, 403, name);
    assert.match(JSON.stringify(answer), /120/, name);
  }
  assert.deepEqual((await ask('webhooks', {})).answer, list.answer);
});
