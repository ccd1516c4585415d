// The dispatcher against real receivers and a real database.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { Sql } from 'sql-template-tag';
import { madeUpEvent } from '../../test/support/builders/events.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { type HostileServer, startHostileHttp } from '../../test/support/network/hostile-http.ts';
import { idsOf, type Receiver, startReceiver } from '../../test/support/network/receiver.ts';
import { until } from '../../test/support/run/until.ts';
import { type Queries, sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { emit } from '../events/emit.ts';
import type { EventType } from '../events/types.ts';
import { type Dispatcher, type DispatchSettings, startDispatcher } from './dispatch.ts';
import { leaseDueWebhooks } from './lease.ts';
import { serviceSignature, standardSignature } from './signature.ts';

let t: TestApp;
let receiver: Receiver;
let hostile: HostileServer;
let running: Dispatcher[] = [];

before(async () => {
  t = await testApp({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  hostile = await startHostileHttp();
});
after(async () => {
  await hostile.close();
  t.app.outbound.close();
  await t.close();
});
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await Promise.all(running.map((dispatcher) => dispatcher.stop()));
  running = [];
  for (const { id } of await t.call<{ id: string }[]>('webhooks')) await t.call('webhookDelete', { wid: id });
  await receiver.close();
});

const dispatch = (given: Partial<DispatchSettings> = {}) => {
  const dispatcher = startDispatcher(t.app, { gatherMs: 5, pollMs: 50, ...given });
  running.push(dispatcher);
  return dispatcher;
};
const create = (options: Record<string, unknown> = {}) =>
  t.call<string>('webhookCreate', { title: 'Test', options: { url: receiver.url, ...options } });
const send = (count: number, type: EventType = 'contact.subscribe', data: Record<string, unknown> = {}) =>
  t.app.db.transaction((tx) =>
    emit(
      tx,
      t.account.id,
      Array.from({ length: count }, (_, no) => madeUpEvent(type, { no, ...data })),
    ),
  );
const outbox = async (wid: string) =>
  (
    await t.app.db.rows<{ event_id: string }>(sql`
    select event_id from webhook_event where account_id = ${t.account.id} and webhook_id = ${parseId(wid)} order by id`)
  ).map((row) => row.event_id);
const empty = (wid: string) => until('the outbox is empty', async () => (await outbox(wid)).length === 0);
const record = async (wid: string) => (await t.call<WebhookRecord[]>('webhooks')).find(({ id }) => id === wid)!;
type WebhookRecord = Record<'id' | 'status' | 'status_reason' | 'failing_since' | 'next_try', string> & Totals;
type Totals = { total_events: number; waiting_events: number };
const totals = async (wid: string): Promise<Totals> => {
  const { total_events, waiting_events } = await record(wid);
  return { total_events, waiting_events };
};
/** Lets the next attempt of a webhook that failed be made in an hour. */
const inAnHour = (wid: string) =>
  t.app.db.run(sql`
    update webhook_delivery set next_at = now() + interval '1 hour', failures = 4 where webhook_id = ${parseId(wid)}`);
type Attempt = {
  id: string;
  outcome: string;
  try: number;
  status: number;
  answer: string;
  body: string;
  reason: string;
  next_try: string;
};
const attempts = (wid: string) => t.call<Attempt[]>('webhookAttempts', { wid, limit: 100 });

test('events arrive as a JSON POST whose signature matches the received bytes', async () => {
  const wid = await create({ secret_key: 'correct horse', algorithm: 'sha512' });
  dispatch();
  await send(3, 'contact.subscribe', { name: 'Zoë "the" </b> \u2028' });
  await empty(wid);
  const { headers, body, method } = receiver.posts[0]!;
  assert.equal(method, 'POST');
  assert.equal(headers['content-type'], 'application/json');
  const expected = createHmac('sha512', 'correct horse').update(body).digest('hex');
  assert.equal(headers['x-service-signature'], `sha512=${expected}`);
  const parsed = JSON.parse(body.toString()) as {
    timestamp: number;
    events: { type: string; data: { name: string } }[];
  };
  assert.deepEqual(Object.keys(parsed), ['timestamp', 'events']);
  assert.ok(Math.abs(parsed.timestamp - Date.now() / 1000) < 60);
  assert.deepEqual(Object.keys(parsed.events[0]!), ['type', 'data']);
  assert.equal(parsed.events[0]!.data.name, 'Zoë "the" </b> \u2028');
  assert.equal(receiver.eventIds().length, 3);
});

test('four hundred events arrive once each, at most a hundred a request and one request at a time', async () => {
  const wid = await create();
  receiver.answer = (_request, response) => void setTimeout(() => response.end(), 5);
  await send(400);
  const expected = await outbox(wid);
  dispatch();
  dispatch();
  await empty(wid);
  assert.deepEqual(receiver.eventIds(), expected);
  assert.equal(receiver.posts.length, 4);
  assert.equal(receiver.maxConcurrent, 1);
});

test('a failed request is repeated with the same events and message id until one succeeds', async () => {
  const wid = await create();
  receiver.answer = (_request, response) => void response.writeHead(receiver.posts.length < 4 ? 503 : 204).end('no');
  await send(2);
  const expected = await outbox(wid);
  dispatch({ pauseScale: 0.00001 });
  await empty(wid);
  assert.equal(receiver.posts.length, 4);
  for (const post of receiver.posts) assert.deepEqual(idsOf(post.body), expected);
  assert.equal(new Set(receiver.posts.map((post) => post.headers['webhook-id'])).size, 1);
  const log = await attempts(wid);
  assert.deepEqual(
    log.map(({ outcome, try: no, status }) => [outcome, no, status]),
    [
      ['delivered', 4, 204],
      ['failed', 3, 503],
      ['failed', 2, 503],
      ['failed', 1, 503],
    ],
  );
  assert.equal(log[1]!.answer, 'no');
  assert.equal((await record(wid)).status_reason, '');
  type Stats = { attempts: number; delivered: number; p95_ms: number; hours: { delivered: number; failed: number }[] };
  const stats = await t.call<Stats>('webhookStats', { wid });
  assert.deepEqual([stats.attempts, stats.delivered, stats.hours.length], [4, 1, 24]);
  assert.equal(
    stats.hours.reduce((sum, { failed }) => sum + failed, 0),
    3,
  );
  assert.ok(stats.p95_ms >= 0);
});

test('after the last attempt a request is given up and the next one starts', async () => {
  const wid = await create();
  receiver.answer = ({ body }, response) => void response.writeHead(body.includes('"bad"') ? 503 : 200).end();
  await send(100, 'contact.subscribe', { name: 'bad' });
  await send(1);
  const expected = await outbox(wid);
  dispatch({ pauseScale: 0.0000001, pollMs: 5 });
  await empty(wid);
  assert.equal(receiver.posts.length, 31);
  assert.deepEqual(idsOf(receiver.posts.at(-1)!.body), expected.slice(100));
  assert.equal((await attempts(wid)).filter(({ outcome }) => outcome === 'given_up').length, 1);
  // What was given up can still be sent again, under the same ids.
  receiver.answer = (_request, response) => void response.end();
  const given = (await t.call<Attempt[]>('webhookAttempts', { wid, outcome: 'given_up' }))[0]!;
  assert.equal(await t.call('webhookResend', { wid, attempt: given.id }), 100);
  await empty(wid);
  assert.deepEqual(new Set(idsOf(receiver.posts.at(-1)!.body)), new Set(expected.slice(0, 100)));
});

test('an event that the receiver rejects is isolated and given up alone, while the others arrive', async () => {
  const wid = await create();
  await send(300);
  const stored = await outbox(wid);
  const rejected = stored[36]!;
  receiver.answer = ({ body }, response) => void response.writeHead(body.includes(rejected) ? 422 : 200).end();
  dispatch({ pauseScale: 0.0001, pollMs: 5 });
  await empty(wid);
  const good = receiver.posts.filter(({ body }) => !body.includes(rejected)).flatMap(({ body }) => idsOf(body));
  assert.deepEqual([...good].sort(), stored.filter((id) => id !== rejected).sort(), 'the others arrive once');
  const givenUp = await t.call<(Attempt & { events: string[] })[]>('webhookAttempts', { wid, outcome: 'given_up' });
  assert.deepEqual(
    givenUp.map(({ events, try: no }) => [events, no]),
    [[[rejected], 4]],
  );
  assert.ok(receiver.posts.length < 40, `${receiver.posts.length} requests`);
  // Sent again on its own once the receiver is repaired.
  receiver.answer = (_request, response) => void response.end();
  assert.equal(await t.call('webhookResend', { wid, attempt: givenUp[0]!.id }), 1);
  await empty(wid);
  assert.deepEqual(idsOf(receiver.posts.at(-1)!.body), [rejected]);
});

/** A webhook with an event that its receiver rejects and that waits alone, for an hour since its second failure. */
async function oneRejected(): Promise<{ wid: string; rejected: string }> {
  const wid = await create();
  await send(1);
  const [rejected] = await outbox(wid);
  receiver.answer = ({ body }, response) => void response.writeHead(body.includes(rejected!) ? 500 : 200).end();
  dispatch({ pauseScale: 0.01 });
  await until('it has failed twice', () => receiver.posts.length === 2);
  await until('the second failure is written', async () => (await attempts(wid))[0]!.outcome === 'failed');
  await t.app.db.run(sql`update webhook_event set due_at = now() + interval '1 hour' where event_id = ${rejected}`);
  return { wid, rejected: rejected! };
}

test('while one event waits because it was rejected, new events arrive at once', async () => {
  const { wid, rejected } = await oneRejected();
  await send(2);
  await until('only the rejected event waits', async () => (await outbox(wid)).length === 1);
  assert.deepEqual(await outbox(wid), [rejected]);
});

test('looking for due webhooks reads nothing of those that are idle, however many there are', async () => {
  const { db } = t.app;
  await db.run(sql`
    insert into webhook (account_id, title, url, events)
    select ${t.account.id}::int, 'Idle', ${receiver.url}, '{email.open}'
    from generate_series(1, 3000)`);
  // As autovacuum does within a minute.
  await db.run(sql`analyze webhook, webhook_delivery`);
  const limits = { maxWebhooks: 16, allowFailing: true, fullAccounts: [], servedWebhooks: [] };
  /** Pages that the statement reads. */
  const pagesOf = async (accounts: number[] | 'all') => {
    let pages = 0;
    const explaining: Queries = {
      ...db,
      async rows<T>({ strings, values }: Sql): Promise<T[]> {
        const [first, ...rest] = strings;
        const explained = new Sql([`explain (analyze, buffers, format json) ${first}`, ...rest], values);
        const [row] = await db.rows<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(explained);
        const plan = row!['QUERY PLAN'][0].Plan;
        pages = plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
        return [];
      },
    };
    await leaseDueWebhooks(explaining, 'none', 1_000, { ...limits, accounts });
    return pages;
  };
  try {
    const all = await pagesOf('all');
    assert.ok(all > 1_000, `${all} pages`);
    // Each that is not idle is read: how many of those the tests before have left depends on the time.
    const pages = await pagesOf([]);
    assert.ok(pages < all / 10, `${pages} of ${all} pages`);
  } finally {
    await db.run(sql`delete from webhook where title = 'Idle'`);
  }
});

test('410 disables a webhook and keeps its events, and enabling it sends them', async () => {
  const wid = await create();
  receiver.answer = (_request, response) => void response.writeHead(410).end();
  await send(2);
  dispatch();
  await until('it is off', async () => (await record(wid)).status === 'off');
  assert.match((await record(wid)).status_reason, /410/);
  assert.equal((await outbox(wid)).length, 2);
  assert.equal(await send(1), 0);
  receiver.answer = (_request, response) => void response.end();
  await t.call('webhookUpdate', { wid, name: 'status', value: 'active' });
  await empty(wid);
  assert.equal(receiver.posts.length, 2);
});

test('five days of only failures disable a webhook, an hour less does not', async () => {
  const wid = await create();
  receiver.answer = (_request, response) => void response.writeHead(503).end();
  await t.app.db.run(sql`update webhook set failing_since = now() - interval '119 hours' where id = ${parseId(wid)}`);
  await send(1);
  dispatch();
  await until('it has failed', async () => (await attempts(wid))[0]?.outcome === 'failed');
  assert.equal((await record(wid)).status, 'active');
  await t.app.db.run(sql`
    update webhook_delivery
    set next_at = next_at - interval '2 hours'
    where webhook_id = ${parseId(wid)}`);
  await t.app.db.run(sql`
    update webhook
    set failing_since = failing_since - interval '2 hours'
    where id = ${parseId(wid)}`);
  await until('it is off', async () => (await record(wid)).status === 'off');
  assert.equal(receiver.posts.length, 2);
  const notices = await t.app.db.rows<{ payload: { account_id: number; subject: string; text: string } }>(sql`
    select payload
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks k on k.id = j.task_id
    where k.identifier = 'sendAccountNotice'
    order by j.id desc
    limit 1`);
  assert.equal(notices[0]!.payload.account_id, t.account.id);
  assert.match(notices[0]!.payload.text, /every request failed for five days.*answered 503/s);
});

test('failing_since is the time of the first failed attempt, and empty after a success', async () => {
  const wid = await create();
  const since = async () => (await t.call<{ failing_since: string }[]>('webhooks'))[0]!.failing_since;
  assert.equal(await since(), '');
  let status = 503;
  receiver.answer = (_request, response) => void response.writeHead(status).end();
  await send(1);
  dispatch({ pauseScale: 0.01 });
  await until('it fails', async () => (await since()) !== '');
  const first = await since();
  assert.match(first, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  await until('it has failed twice', async () => receiver.posts.length > 1);
  assert.equal(await since(), first);
  status = 200;
  await t.app.db.run(sql`update webhook_delivery set next_at = now() where webhook_id = ${parseId(wid)}`);
  await empty(wid);
  assert.equal(await since(), '');
});

test('a redirect is a failure and is not followed', async () => {
  const wid = await create();
  const other = await startReceiver();
  receiver.answer = (_request, response) => void response.writeHead(307, { location: other.url }).end();
  await send(1);
  dispatch();
  await until('an attempt failed', async () => (await attempts(wid))[0]?.outcome === 'failed');
  const attempt = (await attempts(wid))[0]!;
  assert.equal(attempt.status, 307);
  assert.match(attempt.reason, /not followed/);
  assert.equal(other.posts.length + other.heads.length, 0);
  await other.close();
});

test('16 kB of a gigabyte answer are read, and it is a success', async () => {
  const wid = await create({ url: hostile.url('declared-gigabyte') });
  const before = hostile.written();
  await send(1);
  dispatch();
  await empty(wid);
  const attempt = (await attempts(wid))[0]!;
  assert.equal(attempt.outcome, 'delivered');
  const whole = (await t.call<Attempt[]>('webhookAttempts', { wid, attempt: attempt.id }))[0]!;
  assert.equal(whole.answer.length, 16 * 1024);
  assert.ok(hostile.written() - before < 16 * 1024 * 1024);
});

test('a webhook whose secret cannot be decrypted is paused, and nothing leaves unsigned', async () => {
  const wid = await create({ secret_key: 'correct horse' });
  await send(1);
  const { config } = t.app;
  t.app.config = { ...config, sealKey: 'it has been changed' };
  try {
    dispatch();
    await until('the webhook is paused', async () => (await record(wid)).status === 'paused');
    assert.match((await record(wid)).status_reason, /cannot be decrypted \(SEAL_KEY was changed\)/);
    await assert.rejects(t.call('webhookTest', { wid, type: 'email.open' }), { fault: 'WEBHOOK_OPTION_INVALID' });
    assert.equal(receiver.posts.length, 0);
  } finally {
    t.app.config = config;
  }
});

test('after a rotation either secret verifies, and the old one is gone after its 24 hours', async () => {
  const wid = await create({ secret_key: 'old one' });
  const rotated = await t.call<{ secret_key: string }>('webhookRotateSecret', { wid });
  dispatch();
  await send(1);
  await empty(wid);
  await t.app.db.run(sql`update webhook set old_secret_until = now() where id = ${parseId(wid)}`);
  await send(1);
  await empty(wid);
  const signatures = receiver.posts.map(({ headers, body }) => {
    const [id, at] = [String(headers['webhook-id']), Number(headers['webhook-timestamp'])];
    const key = Buffer.from(rotated.secret_key.slice(6), 'base64');
    const own = createHmac('sha256', key).update(`${id}.${at}.${body.toString()}`).digest('base64');
    assert.equal(
      headers['x-service-signature'],
      `sha256=${createHmac('sha256', rotated.secret_key).update(body).digest('hex')}`,
    );
    return {
      sent: String(headers['webhook-signature']).split(' '),
      own,
      old: standardSignature(body, id, at, 'old one'),
    };
  });
  assert.deepEqual(signatures[0]!.sent, [`v1,${signatures[0]!.own}`, signatures[0]!.old]);
  assert.deepEqual(signatures[1]!.sent, [`v1,${signatures[1]!.own}`]);
});

test('receivers that never answer do not hold up the others', async () => {
  for (let i = 0; i < 5; i++) {
    const mute = await create({ events: ['email.open'] });
    await t.app.db.run(sql`update webhook set url = ${hostile.url('never')} where id = ${parseId(mute)}`);
  }
  const wid = await create({ events: ['email.click'] });
  await send(1, 'email.open');
  dispatch({ requestMs: 20_000 });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const startedAt = Date.now();
  await send(300, 'email.click');
  await empty(wid);
  assert.equal(receiver.eventIds().length, 300);
  assert.ok(Date.now() - startedAt < 15_000);
});

test('a stopped dispatcher leaves its requests to the next one, which sends the same ids', async () => {
  const wid = await create();
  receiver.answer = () => {};
  await send(2);
  const expected = await outbox(wid);
  const first = dispatch();
  await until('the request has come', () => receiver.posts.length === 1);
  assert.equal((await attempts(wid))[0]!.outcome, 'in_progress');
  await first.stop();
  receiver.answer = (_request, response) => void response.end();
  dispatch();
  await empty(wid);
  assert.deepEqual(
    receiver.posts.map((post) => idsOf(post.body)),
    [expected, expected],
  );
  assert.deepEqual(
    (await attempts(wid)).map(({ outcome }) => outcome),
    ['delivered', 'unclear'],
  );
});

test('a paused webhook keeps its events', async () => {
  const wid = await create();
  await t.call('webhookUpdate', { wid, name: 'status', value: 'paused' });
  dispatch();
  await send(2);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(receiver.posts.length, 0);
  await t.call('webhookUpdate', { wid, name: 'status', value: 'active' });
  await empty(wid);
  assert.equal(receiver.eventIds().length, 2);
});

test('the classic format sends one type per request', async () => {
  const wid = await create({ format: 'classic' });
  await send(2, 'contact.subscribe');
  await send(1, 'email.open');
  dispatch();
  await empty(wid);
  const bodies = receiver.posts.map((post) => JSON.parse(post.body.toString()) as { hook: string; data: unknown[] });
  assert.deepEqual(
    bodies.map(({ hook, data }) => [hook, data.length]),
    [
      ['contact.subscribe', 2],
      ['email.open', 1],
    ],
  );
  const [last] = await attempts(wid);
  assert.equal(await t.call('webhookResend', { wid, attempt: last!.id }), 1);
  await empty(wid);
  assert.deepEqual((JSON.parse(receiver.posts[2]!.body.toString()) as { data: unknown[] }).data, bodies[1]!.data);
});

test('the signature is also sent in the header that the classic format names', async () => {
  for (const format of ['classic', 'standard']) {
    const options = { format, secret_key: 'correct horse', algorithm: 'sha1', signature_header: 'X-Vendor-Signature' };
    await create(options);
  }
  await send(1, 'contact.subscribe');
  dispatch();
  await until('both requests arrived', async () => receiver.posts.length >= 2);
  const signed = receiver.posts.map(({ body, headers }) => ({
    classic: body.toString().startsWith('{"hook"'),
    own: headers['x-service-signature'],
    vendor: headers['x-vendor-signature'],
    expected: serviceSignature(body, 'correct horse', 'sha1'),
  }));
  for (const { classic, own, vendor, expected } of signed)
    assert.deepEqual([own, vendor], [expected, classic ? expected : undefined]);
  assert.deepEqual(signed.map(({ classic }) => classic).sort(), [false, true]);
});

test('F77: after webhookUpdate or webhookDelete returns, no attempt starts at the old address', async () => {
  const other = await startReceiver();
  // Something is nearly always in progress.
  for (const one of [receiver, other]) one.answer = (_request, response) => void setTimeout(() => response.end(), 3);
  const wid = await create();
  dispatch({ gatherMs: 0, pollMs: 5 });
  const lastAttempt = async () =>
    (await t.app.db.row<{ id: number }>(sql`select coalesce(max(id), 0) as id from webhook_attempt`))!.id;
  const begunAt = async (url: string, from: number) =>
    (await t.app.db.row<{ count: number }>(sql`
      select count(*) as count from webhook_attempt where url = ${url} and id > ${from}`))!.count;
  const given: number[] = [];
  for (let round = 0; round < 6; round++) {
    given.push(await send(150));
    const [to, from] = round % 2 === 0 ? [other, receiver] : [receiver, other];
    await t.call('webhookUpdate', { wid, name: 'url', value: to.url });
    const last = await lastAttempt();
    const posts = from.posts.length;
    given.push(await send(150));
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await begunAt(from.url, last), 0, 'an attempt is recorded with the new address');
    assert.ok(from.posts.length <= posts + 1, 'at most one request was in flight');
  }
  await empty(wid);
  const sum = given.reduce((all, one) => all + one, 0);
  assert.equal(new Set([...receiver.eventIds(), ...other.eventIds()]).size, sum, 'what waited went to the new address');

  // Events that happen during the deletion stay behind nowhere.
  const happening = Array.from({ length: 20 }, async (_, i) => {
    await new Promise((resolve) => setTimeout(resolve, i));
    await send(50);
  });
  await new Promise((resolve) => setTimeout(resolve, 10));
  await t.call('webhookDelete', { wid });
  const seen = receiver.posts.length + other.posts.length;
  await Promise.all(happening);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(receiver.posts.length + other.posts.length <= seen + 1);
  assert.deepEqual(await outbox(wid), []);
  assert.equal(await lastAttemptOf(wid), undefined);
  await other.close();
});

const lastAttemptOf = (wid: string) =>
  t.app.db.row(sql`select id from webhook_attempt where webhook_id = ${parseId(wid)} limit 1`);

test('F77: failures of an old address do not disable a webhook with a new one', async () => {
  const other = await startReceiver();
  const wid = await create();
  const held = Promise.withResolvers<void>();
  receiver.answer = (_request, response) => void held.promise.then(() => response.writeHead(410).end());
  await send(1);
  dispatch();
  await until('the request has come', () => receiver.posts.length === 1);
  await t.call('webhookUpdate', { wid, name: 'url', value: other.url });
  held.resolve();
  await empty(wid);
  assert.deepEqual(other.eventIds(), receiver.eventIds());
  assert.deepEqual([(await record(wid)).status, (await record(wid)).status_reason], ['active', '']);
  await other.close();
});

test('a process does not retake its lease that runs out during a request', async () => {
  const wid = await create();
  receiver.answer = (_request, response) => void setTimeout(() => response.end(), 300);
  await send(250);
  const expected = await outbox(wid);
  dispatch({ leaseMs: 50, pollMs: 5 });
  await empty(wid);
  assert.equal(receiver.maxConcurrent, 1);
  assert.deepEqual(new Set(receiver.eventIds()), new Set(expected));
});

test('F73: the answer of a receiver is recorded, and decides when the next attempt is made', async () => {
  const wid = await create();
  dispatch();
  const clock = async () =>
    (await t.app.db.row<{ now: number }>(sql`select extract(epoch from clock_timestamp())::float8 as now`))!.now;
  const table: [
    status: number,
    retryAfter: string | undefined,
    minSeconds: number,
    maxSeconds: number,
    returned: RegExp,
  ][] = [
    [500, undefined, 4, 6, /answered 500\.$/],
    [502, undefined, 4, 6, /answered 502\.$/],
    [503, '60', 60, 60, /answered 503\.$/],
    [503, '86400', 295, 295, /answered 503\.$/],
    [429, '30', 30, 30, /answered 429\.$/],
    [429, 'soon', 4, 6, /answered 429\.$/],
    [401, undefined, 4, 6, /answered 401\. Its secret key may differ\.$/],
    [404, undefined, 4, 6, /answered 404\.$/],
    [304, undefined, 4, 6, /answered 304\. Redirects are not followed\.$/],
  ];
  for (const [status, retryAfter, minSeconds, maxSeconds, returned] of table) {
    receiver.answer = (_request, response) =>
      void response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end();
    const answered = receiver.posts.length;
    const before = await clock();
    await send(1);
    await until(
      `${status} is settled`,
      async () => (await attempts(wid))[0]?.status === status && receiver.posts.length > answered,
    );
    const row = await t.app.db.row<{ next: number }>(sql`
      select extract(epoch from next_at)::float8 as next
      from webhook_delivery
      where webhook_id = ${parseId(wid)}`);
    // It failed between the two looks at the clock.
    const [most, least] = [row!.next - before, row!.next - (await clock())];
    assert.ok(most >= minSeconds && least <= maxSeconds, `${status} ${retryAfter}: ${least} to ${most} s`);
    assert.match((await record(wid)).status_reason, returned);
    receiver.answer = (_request, response) => void response.end();
    await t.call('webhookUpdate', { wid, name: 'status', value: 'active' });
    await empty(wid);
  }
});

test('a start just after the last request of a process that ended leaves no event waiting', async () => {
  const wid = await create();
  const first = dispatch({ gatherMs: 2_000 });
  await send(1);
  await empty(wid);
  await first.stop();
  await send(1);
  dispatch({ sweepMs: 600_000 });
  await empty(wid);
});

test('a resend while a webhook waits for its next attempt is sent at once, with what waits', async () => {
  const wid = await create();
  let status = 503;
  receiver.answer = (_request, response) => void response.writeHead(status).end();
  await send(2);
  const expected = await outbox(wid);
  dispatch();
  await until('it failed', async () => (await attempts(wid))[0]?.outcome === 'failed');
  await inAnHour(wid);
  const [failed] = await attempts(wid);
  assert.match(failed!.next_try, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, 'the log says that its events wait');
  assert.equal(failed!.next_try, (await record(wid)).next_try);
  status = 200;
  const counted = await t.call<Record<string, number>>('webhookResendPreview', { wid, since: '2020-01-01' });
  assert.deepEqual(counted, { failed: 0, all: 0, waiting: 2 });
  assert.equal(await t.call('webhookResend', { wid, attempt: failed!.id }), 2);
  await empty(wid);
  assert.deepEqual(idsOf(receiver.posts.at(-1)!.body), expected);
  assert.deepEqual(
    (await attempts(wid)).map(({ outcome, next_try }) => [outcome, next_try]),
    [
      ['delivered', ''],
      ['failed', ''],
    ],
  );
  assert.deepEqual(await totals(wid), { total_events: 2, waiting_events: 0 });
});

test('webhookRetry makes the next attempt now: failing_since stays, the pauses begin again, held clicks go on waiting', async () => {
  const wid = await create({ events: ['*'] });
  receiver.answer = (_request, response) => void response.writeHead(503).end();
  await send(1);
  dispatch();
  await until('it failed', async () => (await attempts(wid))[0]?.outcome === 'failed');
  await inAnHour(wid);
  await t.app.db.run(sql`
    update webhook set failing_since = now() - interval '1 day', status = 'unverified' where id = ${parseId(wid)}`);
  const { failing_since } = await record(wid);
  await send(1, 'email.click');
  await t.app.db.run(sql`
    update webhook_event set due_at = now() + interval '1 hour'
    where webhook_id = ${parseId(wid)} and type = 'email.click'`);
  const before = receiver.posts.length;
  assert.equal(await t.call('webhookRetry', { wid }), (await outbox(wid)).length);
  await until(
    'it is tried',
    async () => (await attempts(wid)).filter(({ outcome }) => outcome === 'failed').length > before,
  );
  const shown = await record(wid);
  assert.equal(shown.failing_since, failing_since);
  assert.equal(shown.status, 'unverified');
  const held = await t.app.db.rows(sql`
    select from webhook_event where webhook_id = ${parseId(wid)} and type = 'email.click' and due_at < now()`);
  assert.equal(held.length, 0);
  assert.equal((await outbox(wid)).length, 2);
  assert.ok(Date.parse(`${shown.next_try}Z`) - Date.now() < 10_000, 'the next attempt is made after seconds');
  const tries = await attempts(wid);
  assert.deepEqual(
    tries.map(({ next_try }) => next_try !== ''),
    tries.map((_, no) => no === 0),
    'only the latest attempt shows the next one',
  );
  await t.call('webhookUpdate', { wid, name: 'status', value: 'paused' });
  assert.equal((await attempts(wid))[0]!.next_try, '');
});

test('an event that waits alone is resent at once, alone and under its message id', async () => {
  const { wid, rejected } = await oneRejected();
  const [last] = await attempts(wid);
  assert.ok(Date.parse(`${last!.next_try}Z`) > Date.now() + 3_000_000);
  receiver.answer = (_request, response) => void response.end();
  assert.equal(await t.call('webhookResend', { wid, attempt: last!.id }), 1);
  await empty(wid);
  const [, second, third] = receiver.posts;
  assert.deepEqual(idsOf(third!.body), [rejected]);
  assert.equal(third!.headers['webhook-id'], second!.headers['webhook-id']);
});
