// Rates as the relay's log shows them: the warm-up ramp, the account's rate, a domain's rate and a relay's rate, each
// shared by two workers (token buckets over the database's count of workers).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/db/connect.ts';
import { emit } from '../../src/events/emit.ts';
import { startDispatcher } from '../../src/webhooks/dispatch.ts';
import { madeUpEvent } from '../support/builders/events.ts';
import { countBy, people } from '../support/delivery/engine.ts';
import { Stage } from '../support/delivery/stage.ts';
import { startReceiver } from '../support/network/receiver.ts';
import type { Entry } from '../support/smtp-sink/sink.ts';

const dayMs = 86_400_000;
const day = (back: number) => new Date(Date.now() - back * dayMs).toISOString().slice(0, 10);

/** Most messages within a second, and the rate over all but the first and last of it. */
function pace(entries: readonly Entry[]): { most: number; perSecond: number } {
  const times = entries.map((entry) => entry.atMs).sort((a, b) => a - b);
  let most = 0;
  for (let from = 0, to = 0; to < times.length; to++) {
    while (times[to]! - times[from]! >= 1_000) from++;
    most = Math.max(most, to - from + 1);
  }
  return { most, perSecond: ((times.length - 1) * 1_000) / (times.at(-1)! - times[0]!) };
}

async function knowEachOther(stage: Stage): Promise<void> {
  // Each worker counts the others every 3 s.
  const count = await stage.db.row<{ live: number }>(
    sql`select count(*)::int as live from worker where ended_at is null`,
  );
  assert.equal(count!.live, 2);
  await sleep(3_500);
}

test('warm-up of a relay: two workers together send exactly what the day allows, and show why they wait', async () => {
  // The second day of 20, 40, 80 …
  const stage = await Stage.start({ relay: `tls=none&connections=4&warmup=20:2:1000:${day(1)}`, workers: 2 });
  try {
    const id = await stage.send(people(300));
    await stage.engine.until(id, (all) => all.filter((recipient) => recipient.state === 'accepted').length === 40, 60);
    await sleep(3_000);
    assert.equal(stage.sink.counts.accepted, 40);
    const all = await stage.engine.until(id, (every) => every.every((recipient) => recipient.state !== 'trying'), 30);
    assert.deepEqual(
      countBy(all, (recipient) => `${recipient.state} ${recipient.attempts}`),
      { 'accepted 1': 40, 'queued 0': 260 },
    );
    assert.match((await stage.engine.progress(id)).status_reason, /quota of the warm-up/);
    await stage.check(id, { settled: false });
  } finally {
    await stage.stop();
  }
});

test('warm-up of an account: each day sends its number, until the ramp is over', async () => {
  const stage = await Stage.start({ workers: 2 });
  const ramp = (back: number) =>
    stage.db.run(sql`
      update account
      set settings = settings || jsonb_build_object('warm_up', ${`30:2:100:${day(back)}`}::text)`);
  try {
    await ramp(0);
    const id = await stage.send(people(250));
    // 30, then 60, and 120 would be beyond the 100 where the ramp ends.
    for (const [back, sum] of [
      [0, 30],
      [1, 90],
    ] as const) {
      await ramp(back);
      // Settings are re-read every 3 s.
      await sleep(3_500);
      // What was taken of the quota and given back is looked for after five minutes.
      await stage.engine.until(
        id,
        (all) => {
          void stage.engine.hurry(id);
          return all.filter((recipient) => recipient.state === 'accepted').length >= sum;
        },
        60,
      );
      await sleep(2_000);
      assert.equal(stage.sink.counts.accepted, sum, `on day ${back + 1}`);
      const all = await stage.engine.until(id, (every) => every.every((recipient) => recipient.state !== 'trying'), 30);
      assert.ok(
        all.every(
          (recipient) => recipient.state === 'accepted' || (recipient.state === 'queued' && recipient.attempts === 0),
        ),
      );
      await stage.check(id, { settled: false });
    }
    await ramp(2);
    await sleep(3_500);
    await stage.engine.hurry(id);
    const { all } = await stage.settled(id, 60);
    assert.ok(all.every((recipient) => recipient.state === 'accepted' && recipient.attempts === 1));
  } finally {
    await stage.stop();
  }
});

test('two workers together keep to the rate of an account in every second, and use it fully', async () => {
  const stage = await Stage.start({ settings: { ACCOUNT_RATE: '40/s' }, workers: 2 });
  try {
    await knowEachOther(stage);
    const id = await stage.send(people(400));
    const { all } = await stage.settled(id, 120);
    assert.ok(all.every((recipient) => recipient.state === 'accepted' && recipient.attempts === 1));
    const { most, perSecond } = pace(stage.sink.accepted());
    // What each of two buckets of 20 a second has saved up comes on top: a tenth of a second's worth, and what was late.
    assert.ok(most <= 40 * 1.25, `${most} within a second`);
    console.log(`account rate 40/s: ${perSecond.toFixed(1)}/s`);
    assert.ok(perSecond <= 42 && perSecond >= 32, `${perSecond} a second`);
  } finally {
    await stage.stop();
  }
});

test('two workers together keep to the rate of a domain, and do not delay other domains', async () => {
  const stage = await Stage.start({ settings: { DOMAIN_RATES: 'slow.example=10/s' }, workers: 2 });
  try {
    await knowEachOther(stage);
    const id = await stage.send([...people(80, 'slow.example'), ...people(400, 'free.example')]);
    const { engine } = stage;
    const free = (entry: Entry) => entry.to!.endsWith('@free.example');
    await engine.until(
      id,
      (all) => all.every((recipient) => !free({ to: recipient.email } as Entry) || recipient.state === 'accepted'),
      60,
    );
    const slowSoFar = stage.sink.accepted().filter((entry) => !free(entry)).length;
    assert.ok(slowSoFar < 80, 'the free domain is done first');
    const all = await engine.until(id, (every) => every.every((recipient) => recipient.state === 'accepted'), 90);
    assert.ok(
      all.every((recipient) => recipient.attempts === 1),
      'waiting is no attempt',
    );
    const { most, perSecond } = pace(stage.sink.accepted().filter((entry) => !free(entry)));
    assert.ok(most <= 13, `${most} within a second`);
    assert.ok(perSecond <= 10.5 && perSecond >= 3, `${perSecond} a second`);
    await stage.check(id);
  } finally {
    await stage.stop();
  }
});

test('two workers together keep to the rate of a relay', async () => {
  const stage = await Stage.start({ relay: 'tls=none&connections=4&rate=30', workers: 2 });
  try {
    await knowEachOther(stage);
    const id = await stage.send(people(240));
    const { all } = await stage.settled(id, 90);
    assert.deepEqual(
      countBy(all, (recipient) => `${recipient.state} ${recipient.attempts}`),
      { 'accepted 1': 240 },
      JSON.stringify(all.filter((recipient) => recipient.state !== 'accepted').slice(0, 5)),
    );
    const { most, perSecond } = pace(stage.sink.accepted());
    assert.ok(most <= 30 * 1.25, `${most} within a second`);
    console.log(`relay rate 30/s: ${perSecond.toFixed(1)}/s`);
    assert.ok(perSecond <= 32 && perSecond >= 24, `${perSecond} a second`);
  } finally {
    await stage.stop();
  }
});

test('F78: sending at a steady rate keeps 95 % of it during a storm of 60,000 events', async () => {
  const stage = await Stage.start({ settings: { ACCOUNT_RATE: '100/s', OUTBOUND_ALLOW: '127.0.0.0/8' } });
  const receiver = await startReceiver();
  const { app, call, account } = stage.engine.app;
  const mailed = async (domain: string) => {
    const before = stage.sink.accepted().length;
    await stage.settled(await stage.send(people(800, domain)), 120);
    return pace(stage.sink.accepted().slice(before)).perSecond;
  };
  const calm = await mailed('calm.example');
  await call('webhookCreate', { title: 'Storm', options: { url: receiver.url } });
  for (let i = 0; i < 60; i++)
    await app.db.transaction((tx) =>
      emit(
        tx,
        account.id,
        Array.from({ length: 1_000 }, (_, no) => madeUpEvent('email.open', { no })),
      ),
    );
  const dispatcher = startDispatcher(app);
  try {
    const stormy = await mailed('storm.example');
    const heard = receiver.eventIds().length;
    console.log(`messages a second: ${calm.toFixed(1)}, next to ${heard} events ${stormy.toFixed(1)}`);
    assert.ok(heard >= 5_000, `a storm of ${heard} events`);
    assert.ok(stormy >= calm * 0.95, `${stormy} a second beside the storm, ${calm} without`);
  } finally {
    await dispatcher.stop();
    await receiver.close();
    app.outbound.close();
    await stage.stop();
  }
});
