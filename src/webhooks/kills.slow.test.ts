// F75: kill -9 of the dispatcher at any moment, with broken connections, a receiver that is down and a database that
// closes the dispatcher's connections: nothing is lost, and nothing arrives with another id. KILLS is the number of
// kills; `npm run test:kills` makes a hundred.

import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { madeUpEvent } from '../../test/support/builders/events.ts';
import { testApp } from '../../test/support/installation/app.ts';
import { idsOf, startReceiver } from '../../test/support/network/receiver.ts';
import { until } from '../../test/support/run/until.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { emit } from '../events/emit.ts';

const script = fileURLToPath(new URL('../../test/support/installation/dispatcher-main.ts', import.meta.url));
const kills = Number(process.env.KILLS ?? 5);
const eventsAKill = 250;

/** How requests are answered, in turn; most of them well, so that the delivery goes on. */
const answers: ((response: ServerResponse) => unknown)[] = [
  (response) => response.end('ok'),
  (response) => response.writeHead(204).end(),
  (response) => response.writeHead(500).end(),
  (response) => response.end('ok'),
  // Not one byte.
  (response) => response.destroy(),
  (response) => response.end('ok'),
  // Less than the head has promised.
  (response) => response.writeHead(503, { 'content-length': 1_000 }).write('half', () => response.destroy()),
];

test(`F75: after ${kills} kills -9 of the dispatcher every event has arrived with the id it was stored with`, async () => {
  const t = await testApp({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  const receiver = await startReceiver();
  const start = async (): Promise<ChildProcess> => {
    const child = fork(script, [t.app.db.url], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await once(child, 'message');
    return child;
  };
  const kill = async (child: ChildProcess) => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  try {
    const wid = await t.call<string>('webhookCreate', { title: 'Killed', options: { url: receiver.url } });
    // Slow enough that the kills hit requests in flight.
    receiver.answer = (_request, response) => {
      const answer = answers[receiver.posts.length % answers.length]!;
      setTimeout(() => response.destroyed || answer(response), 40);
    };
    const stored = new Set<string>();
    /** Commits further events to the outbox while the others are being delivered. */
    const happen = () =>
      t.app.db.transaction(async (tx) => {
        const given = Array.from({ length: eventsAKill }, (_, no) => ({ no }));
        await emit(
          tx,
          t.account.id,
          given.map((data) => madeUpEvent('email.open', data, 'subscriber')),
        );
        for (const { id } of await tx.rows<{ id: string }>(sql`
          select event_id as id from webhook_event where account_id = ${t.account.id} and webhook_id = ${parseId(wid)}`))
          stored.add(id);
      });
    const waits = async () =>
      (await t.app.db.row<{ count: number }>(sql`
        select count(*) as count from webhook_event where webhook_id = ${parseId(wid)}`))!.count;
    const attempts = async () =>
      (await t.app.db.row<{ count: number }>(sql`
        select count(*) as count from webhook_attempt where webhook_id = ${parseId(wid)}`))!.count;
    let expelled = 0;
    for (let round = 0; round < kills; round++) {
      await happen();
      const down = round % 5 === 1;
      if (down) await receiver.down();
      const before = await attempts();
      const child = await start();
      await until('a request is made', async () => (await attempts()) > before, 30_000);
      await sleep((round * 17) % 50);
      if (round % 5 === 3) {
        expelled += (await t.app.db.row<{ count: number }>(sql`
          select count(pg_terminate_backend(pid)) as count
          from pg_stat_activity
          where datname = current_database()
            and application_name like 'postrider%'
            and application_name not like '%test%'`))!.count;
        // Its connections are cut: it reconnects before it is killed.
        const seen = await attempts();
        await until('it goes on', async () => (await attempts()) > seen, 30_000);
      }
      await kill(child);
      if (down) await receiver.up();
    }
    assert.ok((await waits()) > 0, 'the kills fell into the delivery');
    assert.ok(kills < 4 || expelled > 0, 'the database has thrown the dispatcher out');
    const last = await start();
    await until('everything has arrived', async () => (await waits()) === 0, 60_000 + kills * 2_500);
    await kill(last);

    assert.equal(stored.size, kills * eventsAKill);
    // By the receiver's own log: what it has answered well, and what it has seen at all.
    const good = receiver.posts.filter(({ answered }) => answered >= 200 && answered < 300);
    assert.deepEqual(new Set(good.flatMap(({ body }) => idsOf(body))), stored, 'nothing is lost');
    assert.deepEqual(new Set(receiver.eventIds()), stored, 'nothing is invented');
    // By the log of the sender: nothing is held to be delivered that the receiver has not answered so.
    const log = await t.app.db.rows<{ outcome: string; ids: string[]; message: string }>(sql`
      select outcome, event_ids as ids, headers ->> 'webhook-id' as message
      from webhook_attempt
      where webhook_id = ${parseId(wid)}`);
    assert.deepEqual(new Set(log.filter((entry) => entry.outcome === 'delivered').flatMap((item) => item.ids)), stored);
    // A kept connection that was found broken is replaced within one attempt, so the requests may be more than the rows.
    const messages = new Set(log.map((entry) => entry.message));
    for (const { headers } of receiver.posts)
      assert.ok(messages.has(String(headers['webhook-id'])), 'no request without a row');
    assert.equal(log.filter((entry) => entry.outcome === 'in_progress').length, 0);
    // One process at a time was alive. When requests of two overlap, the earlier one's sender was dead: what is seen is
    // its connection, which the receiver has not yet found broken. Two of one process must never be answered together.
    const real = receiver.overlaps.filter(
      ({ earlier, later }) => earlier.sender === later.sender && earlier.answered > 0,
    );
    assert.deepEqual(
      real.map(({ earlier, later }) => `${later.at - earlier.at} ms after a request of ${earlier.sender}`),
      [],
      'one request at a time',
    );
    for (const { earlier, later } of receiver.overlaps)
      console.log(
        `overlap after ${later.at - earlier.at} ms: ${earlier.sender} (${earlier.answered || 'broken'}), ${later.sender}`,
      );
  } finally {
    await receiver.close();
    t.app.outbound.close();
    await t.close();
  }
});
