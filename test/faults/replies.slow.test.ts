// Servers that reply otherwise than 250, at every step (faults F20, F21, F22, F25, F27, F32): the effect on the
// recipient, when it is retried, and that no other recipient is affected. Each test ends with the invariants.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/db/connect.ts';
import { formatId } from '../../src/db/ids.ts';
import { countBy, people } from '../support/delivery/engine.ts';
import { Stage, whose } from '../support/delivery/stage.ts';

/** As servers write them; `sayN` asks for the one at N. */
const says = [
  '421 4.7.0 mx.example Error: too many errors',
  '421 4.3.2 Service shutting down and closing channel',
  '421 Service not available, closing transmission channel',
  '450 Requested mail action not taken: mailbox unavailable',
  '451 Requested action aborted: local error in processing',
  '452 Requested action not taken: insufficient system storage',
];
const codes = { 450: 3, 451: 4, 452: 5 };
const places = ['mail', 'rcpt', 'data', 'dot'] as const;

let stage: Stage;
before(async () => {
  stage = await Stage.start({ sink: { says }, timeScale: 0.1 });
});
after(() => stage.stop());

const minutes = (at: Date | null, from: number) => (at!.getTime() - from) / 60_000;
const untilThen = async () => {
  // What a relay was rested for in the test before is over.
  stage.sink.session = {};
  await sleep(300);
};

for (const step of ['connect', 'ehlo'] as const)
  test(`F20 421 at ${step}: no recipient is affected, all stay queued without an attempt, and sending resumes with the server`, async () => {
    stage.sink.session = { [step]: '421' };
    stage.sink.hangUp();
    const { connections } = stage.sink.counts;
    const id = await stage.send(people(100, `${step}.example`));
    await sleep(1_500);
    await stage.engine.until(id, (every) =>
      every.every((recipient) => recipient.state === 'queued' && recipient.attempts === 0),
    );
    // Rests of 0.1, 0.2, 0.4, 0.8 s: four attempts, each with at most a few connections at once.
    assert.ok(stage.sink.counts.connections - connections < 16, `${stage.sink.counts.connections - connections}`);
    assert.match((await stage.engine.progress(id)).status_reason, new RegExp(`421 at ${step}`));
    stage.sink.session = {};
    const { all } = await stage.settled(id, 20);
    assert.ok(all.every((recipient) => recipient.state === 'accepted' && recipient.attempts === 1));
  });

test('F20 421 at MAIL for all: the relay is paused longer each time, instead of an attempt for every recipient', async () => {
  await untilThen();
  const id = await stage.send(Array.from({ length: 300 }, (_, n) => `421mail.${n}@mail${n}.example`));
  await sleep(5_000);
  const refused = stage.seen('421mail').length;
  // Five in a row are a rest of 0.1 s, then one try each 0.2, 0.4, 0.8, 1.6, 3.2 s.
  assert.ok(refused >= 5 && refused <= 40, `${refused} attempts in 5 s`);
  const all = await stage.engine.until(id, (every) => every.every((recipient) => recipient.state !== 'trying'));
  const tried = all.filter((recipient) => recipient.attempts > 0);
  assert.ok(
    tried.length <= refused && tried.every((recipient) => recipient.state === 'later' && recipient.code === 421),
  );
  assert.ok(all.filter((recipient) => recipient.attempts === 0).every((recipient) => recipient.state === 'queued'));
  assert.match((await stage.engine.progress(id)).status_reason, /421 at mail/);
  await stage.engine.app.call('campaignPause', { cid: formatId(id) });
  await stage.engine.until(id, (every) => every.every((recipient) => recipient.state !== 'trying'));
  await stage.check(id, { settled: false });
});

for (const place of ['rcpt', 'data', 'dot'] as const)
  test(`F20 421 at ${place} of one domain: the domain is paused after a few, another domain gets all its messages`, async () => {
    await untilThen();
    const domain = `${place}-busy.example`;
    const busy = people(150, domain, `say${place === 'rcpt' ? 0 : place === 'data' ? 1 : 2}${place}`);
    const well = people(150, `${place}-well.example`);
    const id = await stage.send(well.flatMap((email, n) => [email, busy[n]!]));
    const all = await stage.engine.until(id, (every) =>
      every.every((recipient) =>
        recipient.email.endsWith(domain) ? recipient.state === 'later' : recipient.state === 'accepted',
      ),
    );
    await stage.check(id);
    const asked = stage.sink.log.filter((entry) => entry.event === 'refused' && entry.to?.endsWith(domain)).length;
    assert.ok(asked >= 1 && asked <= 16, `asked ${asked} times for 150 recipients`);
    const put = all.filter((recipient) => recipient.email.endsWith(domain));
    // A 421 ends the session, which may be over: the message is given to another one at no cost.
    const attempts = put.reduce((sum, recipient) => sum + recipient.attempts, 0);
    assert.ok(attempts >= 1 && attempts <= asked, `${attempts} attempts`);
    assert.ok(
      put
        .filter((recipient) => recipient.attempts === 0)
        .every((recipient) => recipient.reason === 'spared' && recipient.nextAt !== null),
    );
    assert.ok(all.every((recipient) => recipient.email.endsWith(domain) || recipient.attempts === 1));
  });

test('F20 421 4.7.0 at MAIL is about the relay: the domain of that recipient goes on', async () => {
  await untilThen();
  const well = people(200, 'shared.example');
  const id = await stage.send([...people(2, 'shared.example', 'say0mail'), ...well]);
  const { all } = await stage.settled(id);
  assert.deepEqual(
    countBy(
      all,
      (recipient) => `${recipient.email.startsWith('ok') ? 'ok' : 'said'} ${recipient.state} ${recipient.attempts}`,
    ),
    { 'ok accepted 1': 200, 'said later 1': 2 },
  );
});

test('F21 450, 451, 452 at each place are deferred with the reason, retried by the schedule, and failed within 72 hours', async () => {
  await untilThen();
  const odd = Object.values(codes).flatMap((nth) =>
    places.map((place) => `say${nth}${place}.x@p${nth}${place}.example`),
  );
  const well = people(40, 'well21.example');
  const begunAt = Date.now();
  const id = await stage.send([...odd, ...well]);
  let { all } = await stage.settled(id);
  assert.ok(well.every((email) => whose(all, email).state === 'accepted' && whose(all, email).attempts === 1));
  for (const [code, nth] of Object.entries(codes))
    for (const place of places) {
      const recipient = whose(all, `say${nth}${place}`);
      assert.deepEqual(
        [recipient.state, recipient.attempts, recipient.code],
        ['later', 1, Number(code)],
        recipient.email,
      );
      // 5 min ± 10 %, rounded up to 10 s.
      const inMinutes = minutes(recipient.nextAt, begunAt);
      assert.ok(inMinutes > 4.4 && inMinutes < 6.2, `${recipient.email}: ${inMinutes}`);
    }
  const replies = await stage.db.rows<{ reply: string }>(
    sql`select reply from delivery where campaign_id = ${id} and state = 3`,
  );
  assert.ok(replies.every(({ reply }) => reply.startsWith('Requested')));
  let rounds = 0;
  while (all.some((recipient) => recipient.state === 'later') && rounds++ < 40) {
    await stage.passTime(id);
    const before = all;
    await stage.engine.until(id, (every) =>
      every.every((recipient, n) => before[n]!.state !== 'later' || recipient.attempts > before[n]!.attempts),
    );
    ({ all } = await stage.settled(id));
  }
  for (const recipient of all.filter(({ email }) => email.startsWith('say'))) {
    assert.equal(recipient.state, 'failed');
    assert.equal(recipient.reason, 'temporary');
    // 5, 15, 30, 60, 120 min, then each 4 hours: 22 or 23 in 72 hours.
    assert.ok(recipient.attempts >= 21 && recipient.attempts <= 24, `${recipient.email}: ${recipient.attempts}`);
  }
  await stage.engine.untilStatus(id, 'sent');
  assert.deepEqual(await stage.suppressed(), []);
});

test('F21 a recipient that is refused three times and then accepted gets one message', async () => {
  await untilThen();
  const id = await stage.send([1, 2, 3].map((n) => `451x3rcpt.${n}@thrice${n}.example`));
  let { all } = await stage.settled(id);
  for (let round = 1; round <= 3; round++) {
    assert.ok(all.every((recipient) => recipient.state === 'later' && recipient.attempts === round));
    await stage.passTime(id);
    await stage.engine.until(id, (every) => every.every((recipient) => recipient.attempts === round + 1));
    ({ all } = await stage.settled(id));
  }
  assert.deepEqual(
    countBy(all, (recipient) => `${recipient.state} ${recipient.attempts}`),
    { 'accepted 4': 3 },
  );
});

test('F22 550, 552, 553, 554 about a recipient or a message fail that recipient at once and no other', async () => {
  await untilThen();
  // At MAIL, which names no recipient, they are in doubt.
  const odd = [550, 552, 553, 554].flatMap((code) =>
    places.slice(1).map((place) => `${code}${place}.x@f${code}${place}.example`),
  );
  // At many domains: at one they would take longer than all of the odd ones, whose refusals would then pause the campaign.
  const well = Array.from({ length: 160 }, (_, n) => `ok.${n}@well${n % 40}.f22.example`);
  const id = await stage.send(
    well.flatMap((email, n) => (n % 10 === 0 && n / 10 < odd.length ? [email, odd[n / 10]!] : [email])),
  );
  const { all } = await stage.settled(id);
  for (const email of odd) {
    const recipient = whose(all, email);
    assert.deepEqual(
      [recipient.state, recipient.attempts, recipient.code],
      ['failed', 1, Number(email.slice(0, 3))],
      email,
    );
  }
  assert.ok(well.every((email) => whose(all, email).state === 'accepted' && whose(all, email).attempts === 1));
  // No retry is waited for.
  await stage.engine.untilStatus(id, 'sent');
});

test('F25 a connection closed or reset before the dot counts as 451 for the current message only', async () => {
  await untilThen();
  const odd = ['drop', 'rst'].flatMap((way) =>
    ['mail', 'rcpt', 'data'].map((place) => `${way}-${place}.x@${way}${place}.example`),
  );
  const well = people(120, 'well25.example');
  const id = await stage.send(well.flatMap((email, n) => (n % 20 === 0 ? [email, odd[n / 20]!] : [email])));
  const { all } = await stage.settled(id);
  for (const email of odd) {
    const recipient = whose(all, email);
    assert.deepEqual([recipient.state, recipient.attempts, recipient.resent], ['later', 1, 0], email);
    assert.ok(minutes(recipient.nextAt, Date.now()) > 4);
  }
  assert.ok(well.every((email) => whose(all, email).state === 'accepted' && whose(all, email).attempts === 1));
  await stage.passTime(id);
  await stage.engine.until(id, (every) => odd.every((email) => whose(every, email).attempts === 2));
  await stage.settled(id);
});

for (const word of ['drop', 'rst'] as const)
  test(`F25 ${word} at the greeting costs no recipient an attempt`, async () => {
    await untilThen();
    stage.sink.session = { ehlo: word };
    stage.sink.hangUp();
    const id = await stage.send(people(30, `${word}-greeting.example`));
    await sleep(800);
    await stage.engine.until(id, (every) =>
      every.every((recipient) => recipient.state === 'queued' && recipient.attempts === 0),
    );
    stage.sink.session = {};
    const { all } = await stage.settled(id, 20);
    assert.ok(all.every((recipient) => recipient.state === 'accepted' && recipient.attempts === 1));
  });

test('F27 a connection lost after the 250, without a QUIT, causes no copy and no attempt for the messages behind it', async () => {
  await untilThen();
  for (let round = 0; round < 3; round++) {
    const id = await stage.send([
      `drop-after250.${round}@last${round}.example`,
      ...people(40, `well27-${round}.example`),
    ]);
    const { all, checked } = await stage.settled(id);
    assert.deepEqual(
      countBy(all, (recipient) => `${recipient.state} ${recipient.attempts}`),
      { 'accepted 1': 41 },
    );
    assert.equal(checked.taken, 41);
  }
});

test('F32 greylisted recipients are retried within the window with the same sender, and accepted the second time', async () => {
  await untilThen();
  const emails = [...people(120, 'grey.example', 'greylist2'), ...people(20, 'well32.example')];
  const begunAt = Date.now();
  const id = await stage.send(emails);
  const { all } = await stage.settled(id);
  const grey = all.filter((recipient) => recipient.email.startsWith('greylist'));
  assert.deepEqual(
    countBy(grey, (recipient) => `${recipient.state} ${recipient.attempts}`),
    { 'later 1': 120 },
  );
  // Greylists let in after 5 to 30 minutes, and forget who does not come back within hours.
  for (const recipient of grey) {
    const inMinutes = minutes(recipient.nextAt, begunAt);
    assert.ok(inMinutes > 4.4 && inMinutes < 6.5, `${inMinutes}`);
  }
  await sleep(2_200);
  await stage.passTime(id);
  const again = await stage.engine.until(id, (every) => every.every((recipient) => recipient.state === 'accepted'));
  assert.ok(again.every((recipient) => recipient.attempts === (recipient.email.startsWith('greylist') ? 2 : 1)));
  const senders = (to: string) => new Set(stage.seen(to).map((entry) => entry.from));
  assert.equal(senders('greylist2.7@').size, 1);
  await stage.check(id);
});
