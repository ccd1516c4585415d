// A permanent refusal in words that no rule knows may be about us: it costs no recipient before it has been asked again for a day,
// however many relays, wordings and recipients there are.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { countBy, Engine } from '../../../test/support/delivery/engine.ts';
import { slowTest } from '../../../test/support/run/runs.ts';
import { LimitedRelay } from '../../../test/support/smtp-sink/limited-relay.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { states } from '../../db/states.ts';

/** What a relay replies to a message instead of accepting it; `nth` counts its refusals. */
type Says = (to: string, relay: LimitedRelay, nth: number) => string | undefined;

/** Relays and a worker; `works` makes all relays accept everything from then on. */
async function engineWith(t: TestContext, says: readonly Says[], connections = 4) {
  let isWorking = false;
  const relays = await Promise.all(
    says.map((say) =>
      LimitedRelay.start({
        judge(step, { to }, relay) {
          const reply = step === 'dot' && !isWorking ? say(to, relay, relay.refused.length) : undefined;
          return reply === undefined ? undefined : { reply };
        },
      }),
    ),
  );
  const SMTP_URL = relays.map((relay) => relay.url(`&connections=${connections}`)).join(' ');
  const engine = await Engine.start({ SMTP_URL }, 1, 0.01);
  t.after(async () => {
    await engine.stop();
    for (const relay of relays) await relay.close();
  });
  const { db } = engine.app.app;
  const works = async () => {
    isWorking = true;
    await db.run(sql`delete from relay_limit`);
  };
  return { engine, relays, db, works, call: engine.app.call };
}

const audience = (count: number, domains = 20) =>
  Array.from({ length: count }, (_, n) => `n${n}.person@d${n % domains}.example`);

/** Attempts what waits, again and again, until the campaign has this status. */
async function hurryUntil(engine: Engine, id: number, status: string) {
  const deadline = performance.now() + 60_000;
  while ((await engine.status(id)).status !== status) {
    if (performance.now() > deadline)
      assert.fail(`${JSON.stringify(await engine.status(id))} ${JSON.stringify(await counts(engine, id))}`);
    await engine.hurry(id);
    await sleep(50);
  }
}

const counts = async (engine: Engine, id: number) => countBy(await engine.recipients(id), ({ state }) => state);

/** As if the next attempt of each recipient were due, and the time until then had passed. */
async function passTime({ engine }: { engine: Engine }, id: number): Promise<void> {
  await engine.app.app.db.run(sql`
    update delivery
    set first_at = first_at - (next_at - now()), next_at = now()
    where campaign_id = ${id}
      and next_at > now()`);
  await engine.hurry(id);
}

const suspended = '554 zq rejected you';

test('a relay that is suspended for the last 8 of 60 recipients, and then works, costs none of them', async (t) => {
  // Ten of the last twenty would pause the campaign.
  const { engine, works } = await engineWith(t, [(_, { accepted }) => (accepted.length < 52 ? undefined : suspended)]);
  const id = await engine.send(audience(60));
  await engine.settled(id);
  assert.deepEqual(await counts(engine, id), { accepted: 52, later: 8 });
  await works();
  await hurryUntil(engine, id, 'sent');
  assert.deepEqual(await counts(engine, id), { accepted: 60 });
});

slowTest('a relay that refuses two of five in unknown words, and then works, costs no recipient', async (t) => {
  const { engine, works, call } = await engineWith(t, [
    (to) => (Number(/\d+/.exec(to)) % 5 < 2 ? suspended : undefined),
  ]);
  const id = await engine.send(audience(100));
  await engine.until(id, (all) => all.filter(({ state }) => state === 'later').length >= 10);
  await works();
  await engine.until(id, (all) => all.every(({ state }) => state !== 'trying'));
  // Half of the first twenty may have been refused: then a person is asked.
  if ((await engine.status(id)).status === 'paused') await call('campaignResume', { cid: formatId(id) });
  await hurryUntil(engine, id, 'sent');
  assert.deepEqual(await counts(engine, id), { accepted: 100 });
});

slowTest('a suspended relay that also replies with temporary refusals costs no recipient', async (t) => {
  const says: Says = (_, { accepted }, nth) =>
    accepted.length < 40 ? undefined : nth % 3 === 0 ? '451 4.7.1 Greylisted' : suspended;
  const { engine, works } = await engineWith(t, [says]);
  const id = await engine.send(audience(60));
  await engine.settled(id);
  assert.deepEqual(await counts(engine, id), { accepted: 40, later: 20 });
  await works();
  await hurryUntil(engine, id, 'sent');
  assert.deepEqual(await counts(engine, id), { accepted: 60 });
});

slowTest('of two relays one is suspended: the other sends all messages, and the campaign does not pause', async (t) => {
  const { engine, relays } = await engineWith(t, [() => suspended, () => undefined]);
  const id = await engine.send(audience(60));
  await hurryUntil(engine, id, 'sent');
  assert.deepEqual(await counts(engine, id), { accepted: 60 });
  assert.equal(relays[1]!.accepted.length, 60);
});

slowTest('dead addresses in unknown words, here and there in a large campaign, are no run', async (t) => {
  const { engine, db } = await engineWith(t, [(to) => (Number(/\d+/.exec(to)) % 10 === 3 ? suspended : undefined)]);
  const id = await engine.send(audience(400, 40));
  for (let n = 0; n < 3; n++) {
    await engine.settled(id);
    await engine.hurry(id);
    await sleep(200);
  }
  // What is asked again may be on the wire at the next look.
  const all = await engine.until(id, (all) => all.filter(({ state }) => state === 'later').length === 40);
  assert.deepEqual(
    countBy(all, ({ state }) => state),
    { accepted: 360, later: 40 },
  );
  assert.equal((await engine.status(id)).status, 'sending', 'nor are those that are asked again together');
  assert.equal((await db.rows(sql`select from relay_limit where why = 'same_reply'`)).length, 0);
});

slowTest('five wordings in turn pause the campaign, and cost no recipient', async (t) => {
  const wordings = ['zq', 'xw', 'vk', 'qj', 'wx'].map((word) => `554 ${word} not today`);
  const { engine, works, call } = await engineWith(t, [(_to, _relay, nth) => wordings[nth % 5]]);
  const id = await engine.send(audience(200));
  await hurryUntil(engine, id, 'paused');
  await engine.until(id, (all) => all.every(({ state }) => state !== 'trying'));
  const { later, queued = 0 } = await counts(engine, id);
  assert.equal(later! + queued, 200);
  assert.ok(later! < 80, `${later} attempted`);
  await works();
  await call('campaignResume', { cid: formatId(id) });
  await hurryUntil(engine, id, 'sent');
  assert.deepEqual(await counts(engine, id), { accepted: 200 });
});

slowTest('a campaign of one recipient that is refused in unknown words waits, says why, and is sent', async (t) => {
  const { engine, works } = await engineWith(t, [() => suspended]);
  const id = await engine.send(audience(1));
  await engine.settled(id);
  assert.deepEqual(await counts(engine, id), { later: 1 });
  // As soon as its chunk has ended.
  let progress = await engine.progress(id);
  for (let n = 0; n < 200 && progress.status_reason === ''; n++) {
    await sleep(50);
    progress = await engine.progress(id);
  }
  assert.equal(progress.delivery_status, 'sending');
  assert.ok(progress.status_reason.includes('zq rejected you'), progress.status_reason);
  await works();
  await hurryUntil(engine, id, 'sent');
  assert.deepEqual(await counts(engine, id), { accepted: 1 });
});

test('a campaign of five that got nothing but such refusals pauses, and again while the relay refuses', async (t) => {
  const { engine, works, call } = await engineWith(t, [() => suspended]);
  const id = await engine.send(audience(5));
  await engine.untilStatus(id, 'paused');
  const progress = await call<{ status_reason: string; refused_alike: boolean }>('campaignProgress', {
    cid: formatId(id),
  });
  assert.ok(progress.status_reason.includes('zq rejected you'), progress.status_reason);
  assert.equal(progress.refused_alike, true);
  await call('campaignResume', { cid: formatId(id) });
  await engine.untilStatus(id, 'paused');
  await works();
  await call('campaignResume', { cid: formatId(id) });
  await hurryUntil(engine, id, 'sent');
  assert.deepEqual(await counts(engine, id), { accepted: 5 });
});

slowTest('single messages that are refused one by one wait; the owner is notified once', async (t) => {
  const { engine, db, works, call } = await engineWith(t, [() => suspended]);
  const rows = () =>
    db.rows<{ campaign: number; state: number }>(sql`
      select campaign_id as campaign, state from delivery where email like 'single%' order by seq`);
  const until = async (count: number, ...wanted: number[]) => {
    const deadline = performance.now() + 60_000;
    for (;;) {
      const all = await rows();
      if (all.filter(({ state }) => wanted.includes(state)).length >= count) return all;
      if (performance.now() > deadline) assert.fail(JSON.stringify(all));
      for (const campaign of new Set(all.map((row) => row.campaign))) await engine.hurry(campaign);
      await sleep(20);
    }
  };
  for (let n = 0; n < 24; n++) {
    await call('messageSend', { to: `single${n}@d${n % 2}.example`, subject: 's', plain: 'x' });
    await until(n + 1, states.later, states.queued);
  }
  const notices = () =>
    db.rows(sql`
      select
      from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier = 'sendAccountNotice'`);
  // The last messages may not have been tried yet: a queued one is one that waits, or is new.
  for (let tries = 0; tries < 3_000 && (await notices()).length === 0; tries++) {
    for (const campaign of new Set((await rows()).map((row) => row.campaign))) await engine.hurry(campaign);
    await sleep(20);
  }
  assert.equal((await notices()).length, 1);
  const { attention } = await call<{ attention: { kind: string; detail: string }[] }>('homeSummary');
  assert.ok(attention.some(({ kind, detail }) => kind === 'relay' && detail.includes('zq rejected you')));
  await works();
  await until(24, states.accepted);
});

test('refusals because of which a campaign was paused count as bounces when a person says so', async (t) => {
  const { engine, db, call } = await engineWith(t, [(to) => `550 User suspended: ${to}`]);
  const id = await engine.send(audience(60, 2));
  await hurryUntil(engine, id, 'paused');
  const cid = formatId(id);
  await engine.until(id, (all) => all.every(({ state }) => state !== 'trying'));
  const { refused_alike } = await call<{ refused_alike: boolean }>('campaignProgress', { cid });
  assert.equal(refused_alike, true);
  await db.run(sql`delete from relay_limit`);
  await call('campaignResume', { cid, count_refusals: true });
  await hurryUntil(engine, id, 'sent');
  assert.deepEqual(
    countBy(await engine.recipients(id), ({ state, reason }) => `${state} ${reason}`),
    { 'failed generic': 60 },
  );
  const suppressed = await db.rows(sql`select from suppression`);
  assert.equal(suppressed.length, 0);
});

slowTest('words that a rule knows as a refusal by policy cost no recipient either when they are a run', async (t) => {
  const says: Says = (to) => `554 5.7.1 <${to}>: Recipient address rejected: Access denied`;
  const { engine, works, call } = await engineWith(t, [says]);
  const id = await engine.send(audience(100));
  await hurryUntil(engine, id, 'paused');
  await engine.until(id, (all) => all.every(({ state }) => state === 'queued' || state === 'later'));
  await works();
  await call('campaignResume', { cid: formatId(id) });
  await hurryUntil(engine, id, 'sent');
  assert.deepEqual(await counts(engine, id), { accepted: 100 });
});

test('the days of a pause do not count for recipients in doubt', async (t) => {
  const { engine, db, call } = await engineWith(t, [() => suspended]);
  const id = await engine.send(audience(40));
  await hurryUntil(engine, id, 'paused');
  await db.run(sql`
    update delivery set first_at = first_at - interval '4 days', attempts = 9 where campaign_id = ${id} and attempts > 0`);
  while (!(await db.row(sql`select from relay_limit where why = 'same_reply'`))) await sleep(20);
  await call('campaignResume', { cid: formatId(id) });
  await hurryUntil(engine, id, 'paused');
  assert.equal((await counts(engine, id))['failed'], undefined);
});

test('a dead address whose server says so in unknown words fails after a day, as generic, and is not suppressed', async (t) => {
  const { engine, db } = await engineWith(t, [(to) => (to.startsWith('n7.') ? suspended : undefined)]);
  const id = await engine.send(audience(30));
  await engine.settled(id);
  let hours = 0;
  const dead = async () => (await engine.recipients(id)).find(({ email }) => email.startsWith('n7.'))!;
  for (let last = await dead(); last.state !== 'failed'; last = await dead()) {
    if (last.state === 'later') {
      const row = await db.row<{ hours: number | null }>(sql`
        select extract(epoch from next_at - first_at)::float8 / 3600 as hours
        from delivery
        where campaign_id = ${id}
          and email = ${last.email}`);
      hours = row!.hours ?? hours;
      await passTime({ engine }, id);
    }
    await sleep(20);
  }
  assert.ok(hours > 19 && hours < 24.1, `${hours} hours`);
  await engine.untilStatus(id, 'sent');
  const { reason, attempts } = await dead();
  assert.equal(reason, 'generic');
  assert.ok(attempts >= 8 && attempts <= 12, `${attempts} attempts`);
  assert.equal((await db.rows(sql`select from suppression`)).length, 0);
});

for (const accepted of [0, 1])
  test(`a campaign is stopped with held refusals after ${accepted} acceptances`, async (t) => {
    const says: Says = (_, relay, nth) =>
      relay.accepted.length < accepted ? undefined : nth < 12 ? '550 5.1.1 user unknown' : '451 4.7.1 Greylisted';
    const { engine, db, call } = await engineWith(t, [says], 1);
    const id = await engine.send(audience(30, 10));
    await engine.settled(id);
    const cid = formatId(id);
    await call('campaignPause', { cid });
    while (await db.row(sql`select from chunk where campaign_id = ${id} and state = 'leased'`)) await sleep(20);
    await call('campaignStop', { cid });
    const dead = accepted === 0 ? 0 : 12;
    assert.equal((await db.rows(sql`select from suppression`)).length, dead);
    const { failed = 0, skipped } = await counts(engine, id);
    assert.deepEqual([failed, skipped], [dead, 30 - accepted - dead]);
  });
