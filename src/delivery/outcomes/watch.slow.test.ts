// Campaigns of 2,000 recipients of whom one in ten does not exist: paused while they are being sent, by workers and relays that are real.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { countBy, Engine } from '../../../test/support/delivery/engine.ts';
import { LimitedRelay } from '../../../test/support/smtp-sink/limited-relay.ts';
import { reputationRules } from '../../base/reputation-rules.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';

const recipients = 2_000;
const gone = '550 5.1.1 The email account that you tried to reach does not exist';

/** A relay that refuses these recipients, and workers. */
async function start(t: TestContext, isGone: (n: number, accepted: number) => boolean, workers: number) {
  const relay = await LimitedRelay.start({
    judge: (step, { to }, { accepted }) =>
      step === 'rcpt' && isGone(Number(/^n(\d+)/.exec(to)?.[1]), accepted.length) ? { reply: gone } : undefined,
  });
  const engine = await Engine.start({ SMTP_URL: relay.url('&connections=4') }, workers);
  t.after(async () => {
    await engine.stop();
    await relay.close();
  });
  await engine.app.call('accountUpdate', { name: 'reputation', value: 'pause' });
  const audience = Array.from({ length: recipients }, (_, n) => `n${n}.person@d${n % 40}.example`);
  return { engine, relay, audience };
}

type Counts = { accepted?: number; failed?: number };

/** Waits until it is paused and nothing is in flight, and compares with the moment of the decision. */
async function atPause(t: TestContext, engine: Engine, id: number) {
  await engine.untilStatus(id, 'paused');
  const { reason } = await engine.status(id);
  const [, bad, of] = /^(\d+) of its (\d+) messages so far are hard bounces/.exec(reason) ?? [];
  assert.ok(bad && of, reason);
  const all = await engine.until(id, (rows) => rows.every(({ state }) => state !== 'trying'));
  const counts: Counts = countBy(all, ({ state }) => state);
  const reached = (counts.accepted ?? 0) + (counts.failed ?? 0);
  t.diagnostic(
    `paused at ${bad} hard bounces of ${of}; ${reached - Number(of)} more were in flight; ${recipients - reached} were spared`,
  );
  return { bad: Number(bad), of: Number(of), reached, failed: counts.failed ?? 0 };
}

async function resumed(engine: Engine, relay: LimitedRelay, id: number, refused: () => number): Promise<void> {
  await engine.app.call('campaignResume', { cid: formatId(id) });
  await engine.untilStatus(id, 'sent', 120);
  const bad = refused();
  assert.deepEqual(
    countBy(await engine.recipients(id), ({ state }) => state),
    { accepted: recipients - bad, failed: bad },
  );
  assert.ok(
    [...relay.copies.values()].every((copies) => copies === 1),
    'each message went out once',
  );
  const { db } = engine.app.app;
  const watched = await db.row<{ refused: number; paused: string[] }>(sql`
    select refused, paused_for as paused from campaign_watch where campaign_id = ${id}`);
  assert.deepEqual(watched, { refused: bad, paused: ['bounces'] });
  const days = await db.row(sql`
    select sum(accepted)::int as accepted, sum(refused)::int as refused from sending_day where kind = 'campaign'`);
  assert.deepEqual(days, { accepted: recipients - bad, refused: bad });
}

for (const workers of [1, 2])
  test(`one in ten from the beginning, ${workers} worker(s): paused at 500 messages, and once only`, async (t) => {
    const { engine, relay, audience } = await start(t, (n) => n % 10 === 3, workers);
    const id = await engine.send(audience);
    const { bad, of, reached } = await atPause(t, engine, id);
    assert.ok(of >= reputationRules.minMessages && bad >= of * reputationRules.pauseBounces);
    assert.ok(reached < recipients * 0.75, `${reached} were reached`);
    await resumed(engine, relay, id, () => 200);
  });

test('bad from the thousandth on: paused when the whole campaign has reached 5 %', async (t) => {
  const { engine, relay, audience } = await start(t, (n, accepted) => accepted >= 1_000 && n % 5 === 3, 1);
  const id = await engine.send(audience);
  const { bad, of, reached } = await atPause(t, engine, id);
  // The share is looked at after each group, which may be large; and those in flight are reached as well.
  assert.ok(bad / of >= 0.05 && reached < recipients, `${bad} of ${of}, ${reached} were reached`);
  await resumed(engine, relay, id, () => relay.refused.length);
});
