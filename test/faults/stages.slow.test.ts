// kill -9 of a worker at every stage of a message (faults F01–F04), from the claim of a group to the outcome in the database.
// The sink or the database proxy holds the stage until the worker is dead; points that only the worker sees (h, j, k)
// are reached by test/support/delivery/crash-at.ts. One connection, so that exactly one message is at the stage.
// KILLS kills a stage and policy, 3 by default.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/db/connect.ts';
import { Crew, type Ended } from '../support/delivery/crew.ts';
import { people } from '../support/delivery/engine.ts';
import type { Program } from '../support/installation/program.ts';
import { diceOf } from '../support/judges/dice.ts';
import type { HoldAt, Release } from '../support/smtp-sink/sink.ts';

const kills = Number(process.env['KILLS'] ?? 3);
const recipients = Number(process.env['RECIPIENTS'] ?? 120);
/** Kills in one campaign. Three that hit the same recipient would fail it, as one that brings workers down (F08). */
const killsACampaign = 3;

let crew: Crew;
const dice = diceOf(104);
beforeEach(async () => {
  // Without pipelining each message is over before the next one begins, so that only one is in doubt.
  crew = await Crew.start({ sink: { pipelining: false } });
});
afterEach(() => crew.close());

type Stage = {
  name: string;
  /** Kills a worker at the stage. */
  kill(): Promise<void>;
  html?: string;
  count?: number;
};

/** Kills while the sink holds the step of some message; its peer then continues as configured. */
function atSink(step: HoldAt['step'], how: Release = 'go', some = true): () => Promise<void> {
  return async () => {
    const hold = crew.sink.hold({ step, nth: some ? 2 + dice.below(12) : 1 });
    await killing(hold.reached, crew.worker());
    hold.release(how);
  };
}

/** Kills while the database proxy holds a commit. @param releasedMs how long before the kill the answer is passed on */
function atDatabase(statement: string, when: 'before' | 'after', releasedMs?: number): () => Promise<void> {
  return async () => {
    const hold = crew.proxy.hold(statement, when);
    const worker = crew.worker();
    await killing(
      hold.reached.then(async () => {
        if (releasedMs === undefined) return;
        hold.release();
        await sleep(releasedMs);
      }),
      worker,
    );
    hold.release();
  };
}

/** The worker kills itself. */
function inside(point: string): () => Promise<void> {
  return async () => {
    const worker = crew.worker(`${point} ${2 + dice.below(12)}`);
    assert.equal(await worker.ended, null, worker.output);
  };
}

async function killing(reached: Promise<unknown>, worker: Program): Promise<void> {
  const came = await Promise.race([
    reached.then(() => true),
    worker.ended.then(() => false),
    sleep(30_000, 'late', { ref: false }),
  ]);
  assert.equal(came, true, `the stage was not reached\n${worker.output}`);
  // The replies to other messages, given before this one's, are with the worker by now.
  await sleep(30);
  worker.kill('SIGKILL');
  await worker.ended;
}

/** A campaign killed at a stage, over and over, and finished by a last worker. */
async function through(stage: Stage, hold: boolean, round: number): Promise<Ended & { kills: number }> {
  await crew.t.call('accountUpdate', { name: 'unclear', value: hold ? 'hold' : 'resend' });
  const name = `${stage.name.split(' ')[0]}${hold ? 'h' : 'r'}${round}`;
  const audience = people(stage.count ?? recipients, 'good.example', name);
  const id = await crew.campaign(audience, stage.html);
  const watch = crew.watch(id);
  const count = stage.count === 1 ? 1 : Math.min(killsACampaign, kills - round * killsACampaign);
  for (let i = 0; i < count; i++) await stage.kill();
  const last = crew.worker();
  // A kill may hit the copy of an earlier one: the next copy would wait for minutes.
  const hurry = setInterval(() => void hurryCopies(id).catch(() => {}), 1_000);
  const end = await crew.ended(id, audience, { hold }).finally(() => clearInterval(hurry));
  await watch.stop();
  await last.stop();
  return { ...end, kills: count };
}

const hurryCopies = (id: number) =>
  crew.t.app.db.run(sql`
    update chunk
    set due_at = now()
    where campaign_id = ${id}
      and kind = 'resend'
      and state = 'waiting'
      and due_at > now()`);

const rounds = Math.ceil(kills / killsACampaign);

/** Each letter makes six octets, in the HTML and in the text: 7 MB, which no buffer on the way takes as a whole. */
const longHtml = `<p>${'ééééééééé '.repeat(60_000)}</p><p><a href="*|UNSUB|*">Leave</a></p>`;

/** As many as one chunk has: the messages of another one may be at their dots when the worker is killed. */
const oneChunk = 20;
const beforeDot: Stage[] = [
  { name: 'a (claimed, lease)', kill: atDatabase("set state = 'leased'", 'after'), count: oneChunk },
  { name: 'a2 (claimed, group marked)', kill: atDatabase('with picked as', 'after'), count: oneChunk },
  { name: 'a3 (the marking is not committed)', kill: atDatabase('with picked as', 'before'), count: oneChunk },
  { name: 'b (connecting)', kill: atSink('connect', 'go', false) },
  { name: 'c (EHLO)', kill: atSink('ehlo', 'go', false) },
  { name: 'd (MAIL)', kill: atSink('mail') },
  { name: 'e (RCPT)', kill: atSink('rcpt') },
  { name: 'f (354)', kill: atSink('data') },
  { name: 'g (half of the body)', kill: atSink('half', 'go', false), html: longHtml, count: 6 },
  { name: 'g2 (the dot is not in the journal yet)', kill: inside('before-dotted') },
];
for (const stage of beforeDot)
  test(`F01 ${stage.name}: kill -9 before the dot has no effect on any recipient, with either policy`, async () => {
    for (const hold of [false, true])
      for (let round = 0; round < rounds; round++) {
        const end = await through(stage, hold, round);
        assert.deepEqual(end.others('accepted'), []);
        assert.deepEqual([end.copies, end.resent], [0, 0]);
      }
  });

const afterDot: { stage: Stage; taken: boolean; id: string }[] = [
  { id: 'F02', stage: { name: 'h (the dot is in the journal, not sent)', kill: inside('dotted') }, taken: false },
  { id: 'F03', stage: { name: 'i (dot sent, the relay takes it after the kill)', kill: atSink('dot') }, taken: true },
  { id: 'F03', stage: { name: 'i2 (dot sent, the relay cuts)', kill: atSink('dot', 'drop') }, taken: true },
  { id: 'F03', stage: { name: 'j (reply received, not in the journal)', kill: inside('before-settled') }, taken: true },
];
for (const { id, stage, taken } of afterDot) {
  test(`${id} ${stage.name}: with the policy hold, one recipient per kill is unclear and no recipient gets a copy`, async () => {
    for (let round = 0; round < rounds; round++) {
      const end = await through(stage, true, round);
      assert.equal(end.in('unclear').length, end.kills);
      assert.equal(end.in('accepted').length, end.people.length - end.kills);
      assert.deepEqual([end.copies, end.resent], [0, 0]);
      for (const recipient of end.in('unclear')) assert.equal(end.accepted.has(recipient.email), taken);
    }
  });
  test(`${id} ${stage.name}: with the policy resend, one recipient per kill gets a marked copy`, async () => {
    for (let round = 0; round < rounds; round++) {
      const end = await through(stage, false, round);
      assert.deepEqual(end.others('accepted'), []);
      assert.equal(end.resent, end.kills);
      assert.equal(end.copies, taken ? end.kills : 0);
    }
  });
}

/** The outcomes are written while others are at their dots, so each of these campaigns has one recipient and one kill. */
const settledStages: Stage[] = [
  { name: 'k (in the journal, not in the database)', kill: inside('settled') },
  { name: 'k2 (the outcomes are not committed)', kill: atDatabase('jsonb_to_recordset', 'before'), count: 1 },
  { name: 'l (committed, not reported)', kill: atDatabase('jsonb_to_recordset', 'after'), count: 1 },
  { name: 'm (committed and reported)', kill: atDatabase('jsonb_to_recordset', 'after', 1), count: 1 },
];
for (const stage of settledStages)
  test(`F04 ${stage.name}: kill -9 after the reply is journaled causes no copy, with either policy`, async () => {
    for (const hold of [false, true])
      for (let round = 0; round < (stage.count === 1 ? kills : rounds); round++) {
        const end = await through(stage, hold, round);
        assert.deepEqual(end.others('accepted'), []);
        assert.deepEqual([end.copies, end.resent], [0, 0]);
      }
  });
