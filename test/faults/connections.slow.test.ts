// Connections between workers and database that break (fault F13): cut at random moments, or half-open, which are
// silent and never closed. CUTS is the number of cuts, 60 by default.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/db/connect.ts';
import { Crew } from '../support/delivery/crew.ts';
import { people } from '../support/delivery/engine.ts';
import { diceOf } from '../support/judges/dice.ts';

const up = sql`select count(*)::int as up from worker where job_names <> '{}'`;
const cuts = Number(process.env['CUTS'] ?? 60);

test(`F13 ${cuts} database connections cut at random while two workers send: no recipient is lost or gets two copies`, async () => {
  const recipients = 600 + cuts * 10;
  const crew = await Crew.start({ connections: 4 });
  const dice = diceOf(13);
  try {
    const audience = people(recipients);
    const id = await crew.campaign(audience);
    const watch = crew.watch(id);
    const workers = [crew.worker(), crew.worker()];
    // A worker that finds no database at its start exits; its parent would start it again.
    while (((await crew.t.app.db.row<{ up: number }>(up))?.up ?? 0) < 2) await sleep(50);
    const cutBefore = crew.proxy.counts.cut;
    while (crew.proxy.counts.cut - cutBefore < cuts) {
      await sleep(dice.below(60));
      crew.proxy.cutOne(dice.below(1_000) / 1_000);
    }
    assert.ok(
      workers.every((worker) => worker.alive),
      'no worker has exited',
    );
    const end = await crew.ended(id, audience, { seconds: 90 });
    await watch.stop();
    assert.deepEqual([end.in('accepted').length, end.copies, end.resent], [recipients, 0, 0]);
  } finally {
    await crew.close();
  }
});

test('F13 database connections that fall silent and stay open delay a campaign by less than a minute', async () => {
  const recipients = 2_000;
  const crew = await Crew.start({ connections: 4 });
  try {
    const audience = people(recipients);
    const id = await crew.campaign(audience);
    const watch = crew.watch(id);
    const worker = crew.worker();
    while (crew.sink.counts.accepted < 200) await sleep(5);
    // What is sent meanwhile is lost; the proxy closes neither side, as a firewall that has forgotten a connection.
    crew.proxy.frozen = true;
    await sleep(1_500);
    assert.ok(crew.sink.counts.accepted < recipients, 'the campaign was not finished');
    crew.proxy.frozen = false;
    const startedAt = performance.now();
    const end = await crew.ended(id, audience, { seconds: 90 });
    const seconds = (performance.now() - startedAt) / 1_000;
    await watch.stop();
    assert.ok(worker.alive, worker.output);
    assert.ok(seconds < 60, `${seconds} s`);
    assert.deepEqual([end.in('accepted').length, end.copies, end.resent], [recipients, 0, 0]);
  } finally {
    await crew.close();
  }
});
