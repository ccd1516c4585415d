// Workers that are killed while the send window of the account closes and opens: every recipient gets the campaign, copies are
// marked, and nothing is sent while the window is closed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/db/connect.ts';
import { Crew } from '../support/delivery/crew.ts';
import { people } from '../support/delivery/engine.ts';
import { diceOf } from '../support/judges/dice.ts';
import { until } from '../support/run/until.ts';

const kills = Number(process.env['KILLS'] ?? 6);

test('F05 kill -9 of workers at random while the send window closes and opens: no one is lost, copies are marked', async (t) => {
  const crew = await Crew.start({ sink: { pipelining: false }, perSecond: 60 });
  t.after(() => crew.close());
  const dice = diceOf(69);
  const audience = people(400, 'good.example', 'window');
  const setWindow = (value: string) => crew.t.call('accountUpdate', { name: 'send_window', value });
  const accepted = async (id: number) => (await crew.people(id)).filter(({ state }) => state === 'accepted').length;
  /** On one weekday only, which is three days from now in every zone. */
  const closed = `${((new Date().getUTCDay() + 2) % 7) + 1} 00:00-24:00`;
  const waiting = (id: number) =>
    crew.t.app.db.row<{ left: number; closed: number }>(sql`
      select count(*) filter (where state <> 'done')::int as left,
        count(*) filter (where state = 'waiting' and opens_at = due_at)::int as closed
      from chunk
      where campaign_id = ${id}`);
  const id = await crew.campaign(audience);
  const watch = crew.watch(id);
  for (let i = 0; i < kills; i++) {
    const before = await accepted(id);
    const worker = crew.worker();
    await until('some more are accepted', async () => (await accepted(id)) >= before + 5 + dice.below(10));
    await setWindow(closed);
    // Before, while or after the worker gives its chunks back.
    await sleep(dice.below(400));
    worker.kill('SIGKILL');
    await worker.ended;
    const next = crew.worker();
    await until('what is left waits for the window', async () => {
      const chunks = (await waiting(id))!;
      return chunks.left > 0 && chunks.closed === chunks.left;
    });
    const atRest = crew.acceptedOf(id).length;
    await sleep(500);
    assert.equal(crew.acceptedOf(id).length, atRest, 'nothing is sent while the window is closed');
    next.kill('SIGKILL');
    await next.ended;
    await setWindow('');
    await crew.makeDue(id);
  }
  const last = crew.worker();
  const hurry = setInterval(() => void crew.makeDue(id).catch(() => {}), 1_000);
  const end = await crew.ended(id, audience).finally(() => clearInterval(hurry));
  await watch.stop();
  assert.deepEqual(end.others('accepted'), []);
  assert.equal(end.accepted.size, audience.length);
  assert.ok(end.copies <= end.resent, `${end.copies} copies, ${end.resent} marked`);
  await last.stop();
});
