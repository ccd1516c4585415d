// The database goes away, loses connections, or commits without an answer (faults F12, F13, F14), through a proxy.
// Nothing is lost, no recipient gets an unmarked second copy, and what a caller is answered agrees with what happened.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../src/base/faults.ts';
import { connect, isUnavailable, sql } from '../../src/db/connect.ts';
import { testDatabase } from '../support/database/database.ts';
import { type Cut, DatabaseProxy } from '../support/database/proxy.ts';
import { countBy, Engine, people } from '../support/delivery/engine.ts';
import { testApp } from '../support/installation/app.ts';
import { type Sink, startSink } from '../support/smtp-sink/sink.ts';

async function behindProxy(workers = 1) {
  const sink = await startSink();
  let proxy: DatabaseProxy | undefined;
  const url = `smtp://127.0.0.1:${sink.port}?tls=none&connections=4`;
  const engine = await Engine.start({ SMTP_URL: url }, workers, 1, async (target) => {
    proxy = await DatabaseProxy.start(target);
    return proxy.url;
  });
  return {
    sink,
    engine,
    proxy: proxy!,
    async close() {
      await engine.stop();
      await proxy!.close();
      await sink.close();
    },
  };
}

const reached = (sink: Sink) => countBy(sink.accepted(), (entry) => entry.to!);

async function untilAccepted(sink: Sink, count: number): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (sink.counts.accepted < count) {
    if (performance.now() > deadline) assert.fail(`only ${sink.counts.accepted} were accepted`);
    await sleep(5);
  }
}

test('F12 while the database is unavailable, messages in flight finish, nothing starts or busy-loops; afterwards every outcome is recorded', async () => {
  const { sink, engine, proxy, close } = await behindProxy(2);
  try {
    const id = await engine.send(people(3_000));
    await untilAccepted(sink, 200);
    proxy.goDown();
    await sleep(1_500);
    const accepted = sink.counts.accepted;
    const refused = proxy.counts.refused;
    const before = process.cpuUsage();
    await sleep(3_000);
    const used = process.cpuUsage(before);
    assert.equal(sink.counts.accepted, accepted, 'no further mail leaves');
    assert.ok(proxy.counts.refused - refused < 150, `${proxy.counts.refused - refused} attempts in 3 s`);
    assert.ok((used.user + used.system) / 3_000_000 < 0.4, `${(used.user + used.system) / 30_000} % of a core`);
    await assert.rejects(
      engine.app.call('lists'),
      (error: Error) => isUnavailable(error) || (error as Fault).fault === 'UNAVAILABLE',
    );
    proxy.gone = false;
    const backAt = performance.now();
    const all = await engine.until(id, (every) => every.every((recipient) => recipient.state === 'accepted'), 60);
    const tookMs = performance.now() - backAt;
    console.log(`all is done ${Math.round(tookMs)} ms after the database is back`);
    assert.ok(tookMs < 10_000, `${tookMs} ms: no lease has to expire`);
    assert.ok(
      all.every((recipient) => recipient.resent === 0 && recipient.attempts === 1),
      'no recipient was unclear',
    );
    assert.deepEqual([Object.keys(reached(sink)).length, sink.counts.accepted], [3_000, 3_000]);
  } finally {
    await close();
  }
});

test('F12 after 20 s without the database, no worker takes over the chunks of one on another machine that is alive', async () => {
  const { sink, engine, proxy, close } = await behindProxy(2);
  try {
    const { db } = engine.app.app;
    // Neither worker can read the journal of the other.
    await db.run(sql`update worker set host = 'elsewhere'`);
    const id = await engine.send(people(2_000));
    await untilAccepted(sink, 200);
    proxy.goDown();
    await sleep(20_000);
    proxy.gone = false;
    const all = await engine.until(id, (every) => every.every((recipient) => recipient.state === 'accepted'), 60);
    assert.ok(all.every((recipient) => recipient.resent === 0 && recipient.attempts === 1));
    assert.deepEqual([Object.keys(reached(sink)).length, sink.counts.accepted], [2_000, 2_000]);
  } finally {
    await close();
  }
});

test('F14 when the answer to a COMMIT is lost, campaignCreate creates one campaign and callers get the true answer', async () => {
  let proxy: DatabaseProxy | undefined;
  const t = await testApp({}, async (url) => {
    proxy = await DatabaseProxy.start(url);
    return proxy.url;
  });
  try {
    const list = await t.call<string>('listCreate', { title: 'List' });
    await t.call('listSubscribe', { id: list, email_address: 'a@good.example', double_optin: false });
    const create = () =>
      t.call<string>('campaignCreate', {
        type: 'HTML',
        options: {
          list_id: list,
          subject: 'News',
          from_email: 'editors@example.com',
          from_name: 'Us',
          generate_text: true,
        },
        content: { html: '<p>News</p>' },
      });
    const campaigns = async () =>
      (await t.app.db.row<{ count: number }>(sql`select count(*) as count from campaign`))!.count;
    const statusOf = async (cid: string) =>
      (await t.call<{ delivery_status: string }>('campaignProgress', { cid })).delivery_status;
    /** Cuts at the COMMIT of the next transaction that writes; reading ones before it are let be. */
    const cutting = async <T>(cut: Cut, work: () => Promise<T>): Promise<T | string> => {
      proxy!.onCommit = () => cut;
      try {
        return await work();
      } catch (error) {
        assert.ok(error instanceof Fault, String(error));
        assert.match(error.message, /nothing was changed/);
        return error.fault;
      } finally {
        proxy!.onCommit = () => undefined;
      }
    };
    let made = 0;
    for (let i = 0; i < 8; i++) {
      const known = await cutting('after commit', create);
      made += 1;
      assert.match(known, /^[0-9a-z-]+$/, 'the id is returned, because it was committed');
      assert.equal(await campaigns(), made);
      assert.equal(await cutting('before commit', create), 'UNAVAILABLE');
      assert.equal(await campaigns(), made);
      const cid = known as string;
      assert.equal(await cutting('before commit', () => t.call('campaignSendNow', { cid })), 'UNAVAILABLE');
      assert.equal(await statusOf(cid), 'draft');
      assert.equal(await cutting('after commit', () => t.call('campaignSendNow', { cid })), true);
      assert.notEqual(await statusOf(cid), 'draft');
    }
  } finally {
    await t.close();
    await proxy!.close();
  }
});

test('F13 a half-open connection fails at the statement timeout, and the next statement gets a new connection', async () => {
  const database = await testDatabase('empty');
  const proxy = await DatabaseProxy.start(database.url);
  const db = connect(proxy.url, { maxConnections: 1, statementTimeoutMs: 300, replyTimeoutMs: 500 });
  try {
    assert.deepEqual(await db.row(sql`select 1 as one`), { one: 1 });
    proxy.frozen = true;
    const startedAt = performance.now();
    await assert.rejects(db.row(sql`select 2 as two`), (error) => isUnavailable(error));
    assert.ok(performance.now() - startedAt < 10_000);
    proxy.frozen = false;
    assert.deepEqual(await db.row(sql`select 3 as three`), { three: 3 });

    const impatient = db.within(100);
    for (const work of [() => impatient.row(sql`select 4`), () => impatient.transaction(async () => {})]) {
      proxy.frozen = true;
      const startedAt = performance.now();
      await assert.rejects(work(), (error) => isUnavailable(error));
      assert.ok(performance.now() - startedAt < 450, 'before the limit of the pool');
      proxy.frozen = false;
      assert.deepEqual(await db.row(sql`select 5 as five`), { five: 5 });
    }
  } finally {
    await db.close();
    await proxy.close();
    await database.close();
  }
});
