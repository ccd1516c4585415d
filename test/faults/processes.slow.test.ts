// Single processes of a whole installation that die (faults F06, F08, F10): the parent, a PostgreSQL session, a worker
// that a recipient crashes repeatedly. PARENT_KILLS and BACKEND_KILLS raise the numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Crew } from '../support/delivery/crew.ts';
import { people } from '../support/delivery/engine.ts';
import { Installation, kill } from '../support/installation/installation.ts';
import { diceOf } from '../support/judges/dice.ts';
import { startSinkProcess } from '../support/smtp-sink/process.ts';

const parentKills = Number(process.env['PARENT_KILLS'] ?? 1);
const backendKills = Number(process.env['BACKEND_KILLS'] ?? 3);

type Progress = { recipients: number; accepted: number; unclear: number; resent: number; delivery_status: string };

/** An installation during a campaign, slow enough to be disturbed. */
async function sending(recipients: number, perSecond: number) {
  const sink = await startSinkProcess({}, `tls=none&connections=4&rate=${perSecond}/s`);
  const installation = new Installation({ SMTP_URL: sink.url });
  await installation.start();
  const list = await installation.listOf(recipients, (n) => `reader.${n}@example.com`);
  const cid = await installation.draft(list);
  await installation.call('campaignSendNow', { cid });
  const progress = () => installation.call<Progress>('campaignProgress', { cid });
  return {
    sink,
    installation,
    progress,
    untilAccepted: (count: number) =>
      installation.until(`${count} are accepted`, async () => {
        const now = await progress().catch(() => undefined);
        return now !== undefined && now.accepted >= count;
      }),
    /** The end: every recipient has one copy. */
    async end() {
      await installation.until(
        'the campaign is sent',
        async () => (await progress().catch(() => undefined))?.delivery_status === 'sent',
        120,
      );
      const { accepted, resent, unclear } = await progress();
      assert.deepEqual({ accepted, resent, unclear }, { accepted: recipients, resent: 0, unclear: 0 });
      const reached = sink.accepted();
      assert.equal(reached.size, recipients);
      assert.ok([...reached.values()].every((count) => count === 1));
    },
    async close() {
      await installation.remove();
      await sink.close();
    },
  };
}

test('F06 kill -9 of the parent: its children finish the messages on the wire and end, and a new parent starts one set of workers', async () => {
  const recipients = 400 * (parentKills + 1);
  const one = await sending(recipients, 150);
  const { installation, sink } = one;
  try {
    for (let done = 1; done <= parentKills; done++) {
      await one.untilAccepted(done * 100);
      assert.equal(installation.pids('work').length, 2);
      await installation.killServe();
      await installation.until(
        'the children have ended',
        async () => installation.pids('work').length + installation.pids('web').length === 0,
        45,
      );
      const before = sink.accepted().size;
      await sleep(500);
      assert.equal(sink.accepted().size, before, 'no process is left that sends');
      await installation.start();
      await installation.until('the workers are back', async () => installation.pids('work').length === 2, 20);
    }
    await one.end();
    assert.equal(installation.pids('work').length, 2);
  } finally {
    await one.close();
  }
});

test(`F10 kill -9 of ${backendKills} PostgreSQL sessions during a campaign costs no recipient anything`, async () => {
  const recipients = 300 * (backendKills + 1);
  const one = await sending(recipients, 150);
  const { installation } = one;
  const dice = diceOf(10);
  try {
    for (let done = 1; done <= backendKills; done++) {
      await one.untilAccepted(done * 100);
      // One session that dies makes the server throw out all others: it cannot know what of the shared memory is whole.
      const [, ...sessions] = installation.pids('postgres');
      kill(dice.pick(sessions), 'SIGKILL');
      await installation.until(
        'the web process answers',
        async () => (await fetch(`${installation.base}/ready`).catch(() => undefined))?.ok === true,
        30,
      );
    }
    await one.end();
  } finally {
    await one.close();
  }
});

for (const by of ['kill', 'exit', 'throw', 'reject'])
  test(`F08 a recipient whose message crashes the worker (${by}) is failed after three times, and the campaign goes on`, async () => {
    const crew = await Crew.start();
    try {
      const audience = [...people(20), 'poison@good.example', ...people(20, 'good.example', 'behind')];
      const id = await crew.campaign(audience);
      const watch = crew.watch(id);
      let over = false;
      const ended = crew.ended(id, audience, { seconds: 240 }).finally(() => {
        over = true;
      });
      let crashes = 0;
      // As the parent does: a worker that has died is started again.
      while (!over && crashes < 20) {
        const worker = crew.worker('render poison', { CRASH_BY: by });
        if (await Promise.race([worker.ended.then(() => true), ended.then(() => false)])) crashes += 1;
      }
      const end = await ended;
      await watch.stop();
      assert.deepEqual(
        end.in('failed').map((item) => item.email),
        ['poison@good.example'],
      );
      assert.equal(end.in('accepted').length, 40);
      // The process of an uncaught exception ends a moment after the cause. The message after it may be the last one started
      // by then, and is suspected instead.
      const isImmediate = by === 'kill' || by === 'exit';
      // The first crash does not reveal which recipient it was; then they go one by one.
      assert.ok(crashes >= 3 && crashes <= (isImmediate ? 5 : 8), `${crashes} crashes`);
      // At each crash a message of another chunk may be on the wire, on the one connection.
      assert.ok(end.resent <= crashes + (isImmediate ? 0 : 2), `${end.resent} copies`);
    } finally {
      await crew.close();
    }
  });

test('F08 a recipient whose message cannot be rendered is deferred, and failed the third time, and no other', async () => {
  const crew = await Crew.start();
  try {
    const audience = [...people(20), 'poison@good.example', ...people(20, 'good.example', 'behind')];
    const id = await crew.campaign(audience);
    crew.worker('render poison', { CRASH_BY: 'error' });
    for (let tries = 1; tries <= 3; tries++) {
      const state = tries < 3 ? 'later' : 'failed';
      const deadline = performance.now() + 30_000;
      for (;;) {
        const all = await crew.people(id);
        const poison = all.find((item) => item.email.startsWith('poison'))!;
        const others = all.filter((item) => item !== poison);
        if (poison.state === state && poison.attempts === tries && others.every((item) => item.state === 'accepted'))
          break;
        assert.ok(performance.now() < deadline, `${tries}: ${JSON.stringify(poison)}`);
        await sleep(100);
      }
      await crew.makeDue(id);
    }
    await crew.ended(id, audience);
  } finally {
    await crew.close();
  }
});
