// What a journal still has and a database that failed over has lost.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { people } from '../../../test/support/delivery/engine.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { raw, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { Verdict } from '../../relays/verdict/verdict.ts';
import { launch } from '../launch/launch.ts';
import { FailoverWatch } from './failover.ts';
import { openJournal, type Trace } from './journal.ts';
import { type Entry, redo, redoJournal } from './redo.ts';

const accepted: Verdict = { kind: 'accepted', code: 250, text: 'OK' };
const refused: Verdict = { kind: 'failed', scope: 'recipient', bounce: 'hard', suppress: false, code: 550, text: 'no' };
const deferred: Verdict = { kind: 'later', scope: 'recipient', bounce: 'temporary', code: 450, text: 'later' };
const outcome = (verdict: Verdict): Trace<Verdict> => ({ kind: 'outcome', verdict });
const dotted: Trace<Verdict> = { kind: 'dotted' };

/** A launched campaign, and its entries by the number of the recipient. */
async function launched(stage: Stage, count: number) {
  const campaign = await stage.send(people(count));
  const rows = await stage.db.rows<{ account: number; seq: number; contact: number }>(sql`
    select account_id as account, seq, contact_id as contact
    from delivery
    where campaign_id = ${campaign}
    order by seq`);
  const entry = (nth: number, trace: Trace<Verdict>, attempts = 1, resent = 0): Entry => ({
    attempt: { ...rows[nth]!, campaign, attempts, resent },
    trace,
  });
  const states = async () =>
    (await stage.engine.recipients(campaign)).map(({ state, attempts, resent }) => [state, attempts, resent]);
  return { campaign, entry, states };
}

async function tallyOf(stage: Stage, campaign: number): Promise<Record<string, number>> {
  const row = await stage.db.row<Record<string, number>>(sql`
    select sum(queued)::int as queued, sum(trying)::int as trying, sum(accepted)::int as accepted, sum(failed)::int as failed,
      sum(unclear)::int as unclear, sum(resent)::int as resent
    from tally
    where campaign_id = ${campaign}`);
  return row!;
}

test('attempts that the database has lost are redone once, and those it knows or that sent nothing change nothing', async () => {
  const stage = await Stage.start({ workers: 0 });
  try {
    const { app } = stage.engine.app;
    const { campaign, entry, states } = await launched(stage, 8);
    const known = [entry(6, outcome(accepted)), entry(7, dotted)];
    assert.deepEqual(await redo(app, 1, known), { outcomes: 2, unclear: 1, lost: 0 });
    const entries = [
      entry(0, dotted),
      entry(0, outcome(accepted)),
      entry(1, dotted),
      entry(2, dotted),
      entry(2, outcome(deferred)),
      entry(3, dotted),
      entry(3, outcome({ kind: 'notSent' })),
      // Copies: the first message may have arrived.
      entry(4, dotted),
      entry(4, outcome(accepted), 2, 1),
      entry(5, outcome(refused), 2, 1),
      entry(6, dotted),
      entry(7, outcome(accepted)),
    ];
    assert.deepEqual(await redo(app, 1, entries), { outcomes: 5, unclear: 1, lost: 0 });
    const expected = [
      ['accepted', 1, 0],
      ['unclear', 1, 0],
      ['queued', 0, 0],
      ['queued', 0, 0],
      ['accepted', 2, 1],
      ['failed', 2, 1],
      ['accepted', 1, 0],
      ['accepted', 1, 0],
    ];
    assert.deepEqual(await states(), expected);
    const counted = await stage.db.row<{ count: number }>(sql`
      select coalesce(sum(count), 0)::int as count from sent_count`);
    const begun = expected.filter(([, attempts]) => Number(attempts) > 0).length;
    assert.equal(counted!.count, begun, 'each counts once for the monthly quota');
    const tally = { queued: 2, trying: 0, accepted: 4, failed: 1, unclear: 1, resent: 2 };
    assert.deepEqual(await tallyOf(stage, campaign), tally);
    assert.deepEqual(await redo(app, 1, entries), { outcomes: 0, unclear: 0, lost: 0 });
    assert.deepEqual(await tallyOf(stage, campaign), tally);
    const copies = await stage.db.rows(sql`
      select due_at > now() + interval '50 seconds' as waits
      from chunk
      where campaign_id = ${campaign}
        and kind = 'resend'
        and state = 'waiting'`);
    assert.deepEqual(copies.at(-1), { waits: true }, 'the reply may still come');
  } finally {
    await stage.stop();
  }
});

test('a recipient that another launch has numbered differently is found, and another contact is not', async () => {
  const stage = await Stage.start({ workers: 0 });
  try {
    const { app } = stage.engine.app;
    const { entry, states } = await launched(stage, 2);
    const renumbered = entry(0, outcome(accepted));
    const stranger = entry(1, outcome(accepted));
    const entries = [
      { ...renumbered, attempt: { ...renumbered.attempt, seq: 99 } },
      { ...stranger, attempt: { ...stranger.attempt, contact: 1 } },
    ];
    assert.deepEqual(await redo(app, 1, entries), { outcomes: 1, unclear: 0, lost: 0 });
    assert.deepEqual(await states(), [
      ['accepted', 1, 0],
      ['queued', 0, 0],
    ]);
  } finally {
    await stage.stop();
  }
});

test('F19 messages whose launch was lost are found when the campaign is launched again', async () => {
  const stage = await Stage.start({ workers: 0 });
  try {
    const { app, account } = stage.engine.app;
    const { campaign, entry, states } = await launched(stage, 4);
    for (const table of ['delivery', 'chunk', 'tally', 'frozen_content'])
      await stage.db.run(sql`delete from ${raw(table)} where campaign_id = ${campaign}`);
    await stage.db.run(sql`update campaign set status = 'launching' where id = ${campaign}`);
    const entries = [entry(0, outcome(accepted)), entry(1, dotted), entry(2, outcome(deferred))];
    assert.deepEqual(await redo(app, 1, entries), { outcomes: 0, unclear: 0, lost: 2 });
    await launch(app, { account: account.id, campaign });
    assert.deepEqual(await states(), [
      ['accepted', 1, 0],
      ['unclear', 1, 0],
      ['queued', 0, 0],
      ['queued', 0, 0],
    ]);
    assert.equal(await stage.db.row(sql`select from lost_attempt`), undefined);
    assert.deepEqual(await redo(app, 1, entries), { outcomes: 0, unclear: 0, lost: 0 });
  } finally {
    await stage.stop();
  }
});

for (const isPaused of [false, true])
  test(`F19 nothing is sent until the journals of all machines are redone; an absent one makes the rest unclear${isPaused ? ', also of a paused campaign' : ''}`, async () => {
    const stage = await Stage.start({ workers: 1 });
    const folder = mkdtempSync(join(tmpdir(), 'failover-'));
    try {
      const { app } = stage.engine.app;
      // As after a promotion: the rows are of an earlier timeline.
      await stage.db.run(sql`
      insert into heartbeat (instance, place, timeline)
      values ('here', 'there', database_timeline() - 1)`);
      const add = async (host: string) =>
        (await stage.db.row<{ id: number }>(sql`
        insert into worker (host, boot_id, pid, journal, seen_at, timeline)
        values (${host}, 'boot', 1, '/nowhere', now() - interval '1 minute', database_timeline() - 1)
        returning id`))!.id;
      await add('elsewhere');
      const mine = await add('here');
      const { campaign, entry, states } = await launched(stage, 3);
      const journal = openJournal<Verdict>(join(folder, 'journal'), 'boot');
      const lease = { lease: 7 };
      journal.dot({ ...entry(0, dotted).attempt, ...lease });
      journal.outcome({ ...entry(0, dotted).attempt, ...lease }, accepted);
      if (isPaused) await stage.engine.app.call('campaignPause', { cid: formatId(campaign) });
      const parts = {
        workerId: mine,
        journal: join(folder, 'journal'),
        abandon: async () => {},
        register: async () => assert.fail('it has a row'),
      };
      const patient = new FailoverWatch(app, app.log, parts);
      assert.equal(await patient.check(), false);
      assert.equal(await patient.check(), false, 'another machine is waited for');
      assert.deepEqual(await states(), [
        ['accepted', 1, 0],
        ['queued', 0, 0],
        ['queued', 0, 0],
      ]);
      assert.equal(stage.sink.counts.connections, 0, 'nothing is sent');
      const impatient = new FailoverWatch(app, app.log, parts, { absentMs: 0 });
      await impatient.check();
      assert.equal(await impatient.check(), true);
      const after = await states();
      assert.deepEqual(after[0], ['accepted', 1, 0]);
      assert.ok(
        after.slice(1).every(([state]) => state === 'unclear'),
        String(after),
      );
      if (isPaused) await stage.engine.app.call('campaignResume', { cid: formatId(campaign) });
      await stage.engine.hurry(campaign);
      const all = await stage.engine.until(campaign, (every) => every.every(({ state }) => state === 'accepted'));
      assert.deepEqual(
        all.map(({ resent }) => resent),
        [0, 1, 1],
        'their copies are marked',
      );
    } finally {
      await stage.stop();
      rmSync(folder, { recursive: true });
    }
  });

test('a journal is redone from its end, up to files that the database knows', async () => {
  const stage = await Stage.start({ workers: 0 });
  const folder = mkdtempSync(join(tmpdir(), 'redo-'));
  try {
    const { app } = stage.engine.app;
    const { entry } = await launched(stage, 2);
    const journal = openJournal<Verdict>(join(folder, 'journal'), 'boot');
    journal.open();
    journal.outcome({ ...entry(0, dotted).attempt, lease: 1 }, accepted);
    journal.close();
    let files = 0;
    const read = () =>
      redoJournal(app, 1, join(folder, 'journal'), async () => {
        files += 1;
      });
    assert.deepEqual(await read(), { outcomes: 1, unclear: 0, lost: 0 });
    assert.deepEqual(await read(), { outcomes: 0, unclear: 0, lost: 0 });
    assert.equal(files, 2);
    assert.deepEqual(await redoJournal(app, 1, join(folder, 'missing')), { outcomes: 0, unclear: 0, lost: 0 });
  } finally {
    await stage.stop();
    rmSync(folder, { recursive: true });
  }
});
