// Webhooks over hours and days, with hostile receivers and a storm of events. Days pass by moving stored times into the
// past: the dispatcher is the real one and runs by the real clock. Takes some minutes: `npm run test:faults`.

import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { startWorker } from '../../src/delivery/worker.ts';
import { emit } from '../../src/events/emit.ts';
import type { EventType } from '../../src/events/types.ts';
import { workerFlags } from '../../src/heap.ts';
import { formatDate } from '../../src/method/date.ts';
import { handlers } from '../../src/task-handlers.ts';
import { type Dispatcher, type DispatchSettings, startDispatcher } from '../../src/webhooks/dispatch.ts';
import { madeUpEvent } from '../support/builders/events.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { startHostileHttp } from '../support/network/hostile-http.ts';
import { idsOf, type Receiver, startReceiver } from '../support/network/receiver.ts';
import { until } from '../support/run/until.ts';
import { type Sink, startSink } from '../support/smtp-sink/sink.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let t: TestApp;
let receiver: Receiver;
let sink: Sink;
let folder: string;
let running: Dispatcher[] = [];
beforeEach(async () => {
  sink = await startSink({ raw: true });
  folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
  t = await testApp({
    OUTBOUND_ALLOW: '127.0.0.0/8',
    DATA_DIR: folder,
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`,
  });
  receiver = await startReceiver();
});
afterEach(async () => {
  await Promise.all(running.map((item) => item.stop()));
  running = [];
  await receiver.close();
  t.app.outbound.close();
  await t.close();
  await sink.close();
  rmSync(folder, { recursive: true });
});

const dispatch = (given: Partial<DispatchSettings> = {}) => {
  running.push(startDispatcher(t.app, { pollMs: 10, gatherMs: 5, ...given }));
};
const create = (options: Record<string, unknown> = {}) =>
  t.call<string>('webhookCreate', { title: 'Test', options: { url: receiver.url, ...options } });
const send = (count: number, type: EventType = 'email.open', data: Record<string, unknown> = {}) =>
  t.app.db.transaction((tx) =>
    emit(
      tx,
      t.account.id,
      Array.from({ length: count }, (_, no) => madeUpEvent(type, { no, ...data })),
    ),
  );
const outbox = async (wid: string) =>
  (
    await t.app.db.rows<{ id: string }>(
      sql`select event_id as id from webhook_event where webhook_id = ${parseId(wid)} order by webhook_event.id`,
    )
  ).map((row) => row.id);
const empty = (wid: string, withinMs?: number) =>
  until('the outbox is empty', async () => (await outbox(wid)).length === 0, withinMs);
type Attempt = { id: string; at: string; outcome: string; try: number; reason: string };
const attempts = (wid: string, more: Record<string, unknown> = {}) =>
  t.call<Attempt[]>('webhookAttempts', { wid, limit: 100, ...more });
const record = async (wid: string) =>
  (await t.call<{ id: string; status: string; status_reason: string }[]>('webhooks')).find(({ id }) => id === wid)!;

/** Lets time pass for a webhook: all that is remembered of it is so much older. */
async function pass(wid: string, ms: number): Promise<void> {
  const by = sql`${ms}::float8 * interval '1 ms'`;
  await t.app.db.run(sql`update webhook_attempt set at = at - ${by} where webhook_id = ${parseId(wid)}`);
  await t.app.db.run(sql`update webhook set failing_since = failing_since - ${by} where id = ${parseId(wid)}`);
  await t.app.db.run(sql`update webhook_delivery set next_at = next_at - ${by} where webhook_id = ${parseId(wid)}`);
}

/** Lets time pass from attempt to attempt until so much has passed, or the webhook is off; returns what has passed. */
async function passAttempts(wid: string, forMs: number, between: (passedMs: number) => Promise<unknown>) {
  let passedMs = 0;
  for (;;) {
    const state = async () =>
      (await t.app.db.row<{ waitMs: number; status: string; busy: boolean }>(sql`
        select extract(epoch from d.next_at - clock_timestamp())::float8 * 1000 as "waitMs", w.status,
          d.lease is not null and d.lease_until > clock_timestamp() as busy
        from webhook_delivery d
        join webhook w on w.account_id = d.account_id and w.id = d.webhook_id
        where d.webhook_id = ${parseId(wid)}`))!;
    await until('an attempt has failed', async () => {
      const now = await state();
      return now.status === 'off' || (!now.busy && now.waitMs > 1_000);
    });
    const { waitMs, status } = await state();
    if (status === 'off' || passedMs >= forMs) return passedMs;
    const step = Math.min(waitMs, forMs - passedMs);
    await between(passedMs);
    await pass(wid, step);
    passedMs += step;
    if (step < waitMs) return passedMs;
  }
}

test('F70: a receiver that was down for eight hours gets every event once and in order, within the retry wait of three hours', async () => {
  const wid = await create();
  await receiver.down();
  dispatch();
  await send(150);
  const passed = await passAttempts(wid, 8 * hourMs, () => send(40));
  assert.ok(passed >= 8 * hourMs - 1);
  const tried = await attempts(wid);
  // At 0, 5 s, 5 min, 30 min, 1 h, 2 h, 3 h and 6 h, each pause up to 20 % shorter or longer.
  assert.ok(tried.length >= 8 && tried.length <= 9, `${tried.length} attempts`);
  assert.ok(tried.every(({ outcome }) => outcome === 'failed'));
  const expected = await outbox(wid);
  assert.equal(expected.length, 150 + 40 * tried.length);
  await receiver.up();
  assert.ok((await passAttemptsUp(wid)) <= 3.6 * hourMs);
  assert.deepEqual(receiver.eventIds(), expected);
  assert.equal(receiver.maxConcurrent, 1);
  assert.deepEqual([(await record(wid)).status, (await record(wid)).status_reason], ['active', '']);
});

/** The receiver is there again: the rest of the pause passes, and all is delivered. */
async function passAttemptsUp(wid: string): Promise<number> {
  const { waitMs } = (await t.app.db.row<{ waitMs: number }>(sql`
    select extract(epoch from next_at - clock_timestamp())::float8 * 1000 as "waitMs"
    from webhook_delivery
    where webhook_id = ${parseId(wid)}`))!;
  await pass(wid, waitMs);
  await empty(wid, 30_000);
  return waitMs;
}

test('F70: after four days without the receiver, expired events are replayed by time range, and the rest arrives automatically', async () => {
  const wid = await create();
  await send(20);
  dispatch();
  await empty(wid);
  const before = receiver.eventIds();
  await pass(wid, hourMs);
  await receiver.down();
  await send(130);
  const expected = await outbox(wid);
  const passed = await passAttempts(wid, 4 * dayMs, async () => {});
  assert.ok(passed >= 4 * dayMs - 1, `${passed / hourMs} h`);
  assert.equal((await record(wid)).status, 'active');
  const [given] = await attempts(wid, { outcome: 'given_up' });
  assert.equal(given!.try, 30);
  assert.deepEqual(await outbox(wid), expected.slice(100), 'the first request was given up after its last attempt');
  await receiver.up();
  await passAttemptsUp(wid);
  assert.deepEqual(receiver.eventIds(), [...before, ...expected.slice(100)]);
  // By range: from a moment in the outage to another one, and only what never arrived.
  const at = (ms: number) => formatDate(new Date(Date.now() - ms));
  const range = (more: Record<string, unknown>) => t.call<number>('webhookResend', { wid, ...more });
  assert.equal(await range({ since: at(200 * dayMs), until: at(100 * dayMs) }), 0);
  const outage = { since: at(passed + 12 * hourMs) };
  const counted = await t.call<Record<string, number>>('webhookResendPreview', { wid, ...outage });
  assert.deepEqual([counted['failed'], counted['waiting']], [100, 0]);
  assert.equal(await range({ ...outage, only_failed: true }), 100);
  await empty(wid);
  assert.deepEqual(new Set(receiver.eventIds()), new Set([...before, ...expected]));
  assert.equal(receiver.eventIds().length, 150, 'nothing came twice');
  // One request again, by its attempt: what had arrived comes once more under its own ids.
  const delivered = (await attempts(wid, { outcome: 'delivered' })).at(-1)!;
  assert.equal(await range({ attempt: delivered.id }), 20);
  await empty(wid);
  assert.deepEqual(receiver.eventIds().slice(150), before);
});

test('F70: five days of failures disable a webhook, the owner gets an email, and enabling it sends the waiting events', async () => {
  const worker = await startWorker(t.app, handlers);
  try {
    const wid = await create();
    await receiver.down();
    await send(130);
    const expected = await outbox(wid);
    dispatch();
    const passed = await passAttempts(wid, 10 * dayMs, async () => {});
    assert.ok(passed >= 5 * dayMs && passed < 5.2 * dayMs, `${passed / dayMs} days`);
    const off = await record(wid);
    assert.equal(off.status, 'off');
    assert.match(off.status_reason, /every request failed for five days/);
    const mail = () => sink.accepted().find((entry) => entry.to === t.account.email);
    await until('the owner has an email', () => mail() !== undefined);
    assert.match(mail()!.raw!, /^Subject: .*The webhook "Test" was switched off/m);
    assert.match(mail()!.raw!.replace(/=\r\n/g, ''), /Undelivered events are kept/);
    assert.equal(await send(5), 0, 'what happens while it is off is not kept');
    await receiver.up();
    const kept = await outbox(wid);
    await t.call('webhookUpdate', { wid, name: 'status', value: 'active' });
    await empty(wid);
    assert.deepEqual(receiver.eventIds(), kept);
    assert.equal(await t.call('webhookResend', { wid, since: '2001-01-01', only_failed: true }), 130 - kept.length);
    await empty(wid);
    assert.deepEqual(new Set(receiver.eventIds()), new Set(expected));
  } finally {
    await worker.stop();
  }
});

test('F71: receivers that never answer, or answer byte by byte, have one request in flight each and do not delay the others', async () => {
  const hostile = await startHostileHttp();
  try {
    const wid = await create({ events: ['email.click'] });
    dispatch({ pollMs: 1_000, gatherMs: 250 });
    const sentAt: number[] = [];
    const cameAt: number[] = [];
    receiver.answer = ({ body, at }, response) => {
      const { events } = JSON.parse(body.toString()) as { events: { data: { no: number } }[] };
      for (const { data } of events) cameAt[data.no] ??= at;
      response.end();
    };
    /** Milliseconds from the commit of an event to its arrival, of 95 in a hundred at most. */
    const slowest = async (from: number, count: number) => {
      for (let no = from; no < from + count; no++) {
        await send(1, 'email.click', { no });
        sentAt[no] = Date.now();
        await sleep(20);
      }
      await empty(wid);
      const times = sentAt.slice(from).map((at, i) => cameAt[from + i]! - at);
      return times.sort((a, b) => a - b)[Math.floor(count * 0.95)]!;
    };
    await slowest(0, 20);
    const alone = await slowest(20, 200);
    const slow: string[] = [];
    for (const behaviour of ['never', 'drip-head', 'drip-body', 'half-body-then-silence']) {
      const id = await create({ events: ['email.open'] });
      await t.app.db.run(sql`update webhook set url = ${hostile.url(behaviour)} where id = ${parseId(id)}`);
      slow.push(id);
    }
    await send(500, 'email.open');
    await until('they are in flight', () => hostile.requests.length === slow.length);
    const beside = await slowest(220, 200);
    assert.ok(beside <= 1.2 * alone + 30, `${beside} ms beside them, ${alone} ms alone`);
    assert.ok(alone <= 2_000 && beside <= 2_000, `${alone} ms, ${beside} ms`);
    await until(
      'all of them are given up for now',
      async () => (await Promise.all(slow.map((id) => attempts(id)))).every(([one]) => one!.outcome === 'failed'),
      20_000,
    );
    const spans = await t.app.db.rows<{ open: number }>(sql`
      select count(*) filter (where outcome = 'in_progress') as open
      from webhook_attempt
      where webhook_id = any (${slow.map(parseId)}::int[])
      group by webhook_id`);
    assert.ok(spans.every(({ open }) => open <= 1));
    assert.ok(hostile.requests.length <= 2 * slow.length, `${hostile.requests.length} requests in the time of one`);
  } finally {
    await Promise.all(running.map((item) => item.stop()));
    running = [];
    await hostile.close();
  }
});

const script = fileURLToPath(new URL('../support/installation/dispatcher-main.ts', import.meta.url));
async function dispatcherProcess(execArgv: string[] = []): Promise<ChildProcess> {
  const child = fork(script, [t.app.db.url], {
    execArgv: [...workerFlags, ...execArgv],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}
async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}
/** The most memory a process has had since the last look, in MB, as the kernel has it; forgets it. */
function maxMb({ pid }: ChildProcess): number {
  const most = Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
  // proc(5): resets the peak to what is used now.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return most / 1_024;
}

test('F74: answers of a gigabyte cost a dispatcher process at most 5 MB over ordinary ones', async () => {
  const hostile = await startHostileHttp();
  const child = await dispatcherProcess();
  try {
    const wid = await create();
    const turns = async (url: string, count: number) => {
      await t.app.db.run(sql`update webhook set url = ${url} where id = ${parseId(wid)}`);
      for (let i = 0; i < count; i++) {
        await send(1);
        await empty(wid);
      }
      return maxMb(child);
    };
    // What an ordinary answer costs once the process is warm; then answers that are a gigabyte, declared or not.
    await turns(receiver.url, 120);
    const grown: number[] = [];
    for (let window = 0; window < 3; window++) {
      const ordinary = await turns(receiver.url, 40);
      const declared = await turns(hostile.url('declared-gigabyte'), 20);
      const untold = await turns(hostile.url('endless-chunked'), 20);
      grown.push(Math.max(declared, untold) - ordinary);
    }
    assert.equal((await attempts(wid, { outcome: 'delivered' })).length, 100);
    const answers = await t.call<{ answer: string }[]>('webhookAttempts', {
      wid,
      attempt: (await attempts(wid))[0]!.id,
    });
    assert.equal(answers[0]!.answer.length, 16 * 1_024);
    // What the allocator or the optimiser takes grows in some window; what an answer costs, in each.
    assert.ok(Math.min(...grown) <= 5, `grown by ${grown.map((mb) => mb.toFixed(1)).join(', ')} MB`);
  } finally {
    await end(child);
    await hostile.close();
  }
});

test('F78: of 100,000 waiting events a dispatcher process holds one request, of at most 100 events and 256 kB', async () => {
  const child = await dispatcherProcess(['--expose-gc']);
  try {
    const keptMb = async () => {
      child.send('memory');
      const [bytes] = (await once(child, 'message')) as [number];
      return bytes / 1e6;
    };
    const wid = await create();
    await send(1_000);
    await empty(wid, 60_000);
    const ordinary = await keptMb();
    await t.call('webhookUpdate', { wid, name: 'status', value: 'paused' });
    let count = 1_000;
    const filler = 'x'.repeat(300);
    for (let i = 0; i < 100; i++) count += await send(1_000, 'email.open', { user_agent: filler });
    // Few of these fit in one request, and as many as there may be events in one would be 6 MB.
    for (let i = 0; i < 10; i++) count += await send(20, 'email.open', { user_agent: 'y'.repeat(60_000) });
    await t.call('webhookUpdate', { wid, name: 'status', value: 'active' });
    const samples: number[] = [];
    while ((await outbox(wid)).length > 0) {
      samples.push(await keptMb());
      await sleep(250);
    }
    assert.ok(samples.length >= 10);
    assert.equal(new Set(receiver.eventIds()).size, count);
    for (const { body } of receiver.posts) {
      assert.ok(body.length <= 256 * 1_024, `${body.length} bytes`);
      assert.ok(idsOf(body).length <= 100);
    }
    // All of it would be some 50 MB.
    assert.ok(
      Math.max(...samples) - ordinary <= 5,
      `${ordinary.toFixed(1)} MB, then ${samples.map((mb) => mb.toFixed(1))}`,
    );
  } finally {
    await end(child);
  }
});

test('F76: a receiver that takes over the new secret some time after the rotation refuses none of 10,000 requests', async () => {
  const requests = 10_000;
  const webhooks = 8;
  type Known = { wid: string; old: string; now: string; rotated: boolean; changed: boolean; seen: number };
  const known: Known[] = [];
  let refused = 0;
  /** As the specification of Standard Webhooks has it, and nothing of the program's own. */
  const standard = (headers: Record<string, unknown>, body: Buffer, secret: string) => {
    const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body.toString()}`;
    const own = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    return String(headers['webhook-signature']).split(' ').includes(own);
  };
  receiver.answer = ({ path, headers, body }, response) => {
    const one = known[Number(path.split('/').at(-1))]!;
    one.seen++;
    const secret = one.changed ? one.now : one.old;
    const service = `sha256=${createHmac('sha256', one.now).update(body).digest('hex')}`;
    const good = standard(headers, body, secret) && (!one.changed || headers['x-service-signature'] === service);
    if (!good) refused++;
    response.writeHead(good ? 200 : 401).end();
  };
  for (let i = 0; i < webhooks; i++) {
    const old = i % 2 ? `an old secret ${i}` : `whsec_${Buffer.alloc(24, i).toString('base64')}`;
    const options = { url: `${receiver.url}/${i}`, secret_key: old, format: 'classic' };
    const wid = await create(options);
    known.push({ wid, old, now: old, rotated: false, changed: false, seen: 0 });
  }
  // In this format a request holds one type: each of these events needs a request of its own.
  for (let i = 0; i < requests / webhooks / 50; i++)
    await t.app.db.transaction((tx) =>
      emit(
        tx,
        t.account.id,
        Array.from({ length: 50 }, (_, no) => madeUpEvent(no % 2 ? 'email.open' : 'email.click', { no })),
      ),
    );
  dispatch();
  // One after the other is rotated amid its backlog; its receiver learns of it somewhat later.
  for (const [i, one] of known.entries()) {
    await until('it is its turn', () => one.seen >= 100 + i * 100, 200_000);
    const { secret_key } = await t.call<{ secret_key: string }>('webhookRotateSecret', { wid: one.wid });
    one.now = secret_key;
    one.rotated = true;
    void sleep(1_000 + i * 50).then(() => {
      one.changed = true;
    });
  }
  for (const one of known) await empty(one.wid, 250_000);
  assert.ok(known.every((item) => item.changed));
  assert.equal(receiver.posts.length, requests);
  assert.equal(refused, 0);
});
