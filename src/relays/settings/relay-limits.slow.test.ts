// What relays show of their limits, with real workers: kept in the database, shared, shown, and no recipient pays for it.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Engine, people } from '../../../test/support/delivery/engine.ts';
import { until } from '../../../test/support/run/until.ts';
import { LimitedRelay, type LimitedRelayOptions } from '../../../test/support/smtp-sink/limited-relay.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { clearLimits } from './relay-limits.ts';

type Shown = { state: string; reason: string; rest_seconds: number; learned_rate: number; id: string };

async function engineWith(t: TestContext, options: LimitedRelayOptions, { timeScale = 1, more = '' } = {}) {
  const relay = await LimitedRelay.start(options);
  const engine = await Engine.start({ SMTP_URL: relay.url('&connections=5') + more }, 1, timeScale);
  t.after(async () => {
    await engine.stop();
    await relay.close();
  });
  const { call } = engine.app;
  return {
    relay,
    engine,
    shown: async () => (await call<Shown[]>('relays'))[0]!,
    attention: async () =>
      (await call<{ attention: { kind: string; detail: string }[] }>('homeSummary')).attention
        .filter(({ kind }) => kind === 'relay')
        .map(({ detail }) => detail),
  };
}

const perSecond = (count: number): LimitedRelayOptions => ({
  judge(step, _, { accepted }) {
    if (step !== 'mail' && step !== 'dot') return undefined;
    const second = Math.floor(performance.now() / 1_000);
    const taken = accepted.filter(({ atMs }) => Math.floor(atMs / 1_000) === second).length;
    return taken >= count ? { reply: '454 Throttling failure: Maximum sending rate exceeded.' } : undefined;
  },
});

test('a rate that a relay has shown is shown, and the next worker begins with it', async (t) => {
  const { relay, engine, shown } = await engineWith(t, perSecond(10));
  const id = await engine.send(people(30));
  const all = await engine.until(id, (all) => all.every(({ state }) => state === 'accepted'));
  assert.ok(all.every(({ attempts }) => attempts === 1));
  assert.deepEqual([...new Set(relay.copies.values())], [1]);
  await until('it is shown', async () => (await shown()).learned_rate > 0);
  await engine.addWorker();
  const next = await engine.send(people(30, 'next.example'));
  await engine.until(next, (all) => all.every(({ state, attempts }) => state === 'accepted' && attempts === 1));
  const { learned_rate } = await shown();
  assert.ok(learned_rate > 1 && learned_rate < 30, `${learned_rate} a second`);
  t.diagnostic(`learned ${learned_rate}/s, refused ${relay.refused.length} of ${relay.accepted.length}`);
});

test('a quota that is used up is shown with its reply, kept over a restart, and ends when an operator says so', async (t) => {
  let isUp = true;
  const { engine, shown, attention } = await engineWith(t, {
    judge: (step) => (isUp && step === 'dot' ? { reply: '454 4.7.0 Daily message quota exceeded.' } : undefined),
  });
  const id = await engine.send(people(30));
  await until('it rests', async () => (await shown()).state === 'resting');
  const { reason, rest_seconds } = await shown();
  assert.match(reason, /quota.*454 4\.7\.0 Daily message quota exceeded/);
  assert.ok(rest_seconds > 3_500 && rest_seconds <= 3_600, 'an hour, since it names no time');
  assert.match((await attention()).join(), /Daily message quota exceeded/);
  await engine.until(id, (all) => all.every(({ state, attempts }) => state !== 'trying' && attempts === 0));
  const progress = await engine.progress(id);
  assert.equal(progress.later, 0, 'no recipient waits for another attempt');
  assert.match(progress.status_reason, /Daily message quota exceeded/);
  // Another worker knows it from the beginning.
  await engine.addWorker();
  isUp = false;
  await clearLimits(engine.app.app.db, (await shown()).id);
  const all = await engine.until(id, (all) => all.every(({ state }) => state === 'accepted'));
  assert.ok(all.every(({ attempts }) => attempts === 1));
  await until(
    'nothing is shown any more',
    async () => (await attention()).length === 0 && (await shown()).reason === '',
  );
});

test('a relay that answers nothing is shown as not answering until it does', async (t) => {
  let isSilent = true;
  const { engine, shown, attention } = await engineWith(
    t,
    { judge: (step) => (isSilent && step === 'connect' ? { silent: true } : undefined) },
    // Thirty seconds are 300 ms.
    { timeScale: 0.01 },
  );
  const id = await engine.send(people(4));
  await until('it is shown', async () => (await shown()).state === 'not_answering' && (await attention()).length === 1);
  assert.match((await shown()).reason, /does not answer/);
  assert.match((await engine.progress(id)).status_reason, /does not answer/);
  isSilent = false;
  await engine.untilStatus(id, 'sent');
  await until('nothing is shown', async () => (await shown()).reason === '' && (await attention()).length === 0);
  assert.notEqual((await shown()).state, 'not_answering');
});

test('the reason of a campaign whose own relay is down is shown while another relay works', async (t) => {
  const works = await LimitedRelay.start();
  const engine = await Engine.start({ OUTBOUND_ALLOW: '127.0.0.1/32', INBOX_PORT: '9' });
  t.after(async () => {
    await engine.stop();
    await works.close();
  });
  const { call } = engine.app;
  const all = { host: '127.0.0.1', tls: 'none' };
  await call('relayCreate', { ...all, port: works.port });
  // Campaigns of the tests are from example.com.
  await call('relayCreate', { ...all, port: 9, sender_domains: ['example.com'] });
  const id = await engine.send(people(4));
  await until('the reason', async () => /refused the connection/.test((await engine.progress(id)).status_reason));
  assert.equal(works.accepted.length, 0);
});

test('a relay that refuses everything rests, and campaigns too small to show it lose no one', async (t) => {
  let isDown = true;
  const { relay, engine, shown, attention } = await engineWith(
    t,
    { judge: (step) => (isDown && step === 'dot' ? { reply: '550 5.1.1 zq says no' } : undefined) },
    { timeScale: 0.02 },
  );
  // Each of them alone could have dead addresses at twelve domains.
  const ids = await Promise.all(
    ['one', 'two', 'three'].map((name) => engine.send(Array.from({ length: 12 }, (_, n) => `a@${name}${n}.example`))),
  );
  await until('it rests', async () => /same refusal: 550 5\.1\.1 zq says no/.test((await shown()).reason));
  await until('Home shows it', async () => /zq says no/.test((await attention()).join()));
  const asked = relay.refused.length;
  assert.ok(asked < 36, `${asked} of 36 attempted`);
  isDown = false;
  for (const id of ids) {
    // Those whose refusal was held are attempted again after a minute.
    await until('it is sent', async () => {
      await engine.app.app.db.run(
        sql`update delivery set next_at = now() where campaign_id = ${id} and next_at > now()`,
      );
      await engine.hurry(id);
      const { status } = await engine.status(id);
      // One of them may have met twenty refusals alone.
      if (status === 'paused') await engine.app.call('campaignResume', { cid: formatId(id) });
      return status === 'sent';
    });
    assert.ok((await engine.recipients(id)).every(({ state }) => state === 'accepted'));
  }
  assert.deepEqual([...new Set(relay.copies.values())], [1]);
  assert.equal(relay.copies.size, 36);
  assert.deepEqual(await engine.app.app.db.rows(sql`select value from suppression`), []);
  await until('nothing is shown any more', async () => (await shown()).reason === '');
});
