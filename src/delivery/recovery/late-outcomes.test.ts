// Outcomes that a worker writes after another machine has taken its chunk over without being able to read its journal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inFlightElsewhere, statesOf } from '../../../test/support/delivery/in-flight.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { sql } from '../../db/connect.ts';
import type { Verdict } from '../../relays/verdict/verdict.ts';
import type { Chunk } from '../ledger/chunk.ts';
import { markGroup } from '../ledger/mark-group.ts';
import { releaseOverdue } from '../outcomes/refused.ts';
import { LeaseWatch } from './lease-watch.ts';
import { recover, takeBack } from './recover.ts';

const accepted: Verdict = { kind: 'accepted', code: 250, text: 'OK' };
const refused: Verdict = {
  kind: 'failed',
  scope: 'recipient',
  bounce: 'hard',
  suppress: true,
  code: 550,
  text: 'no such user',
};
const deferred: Verdict = {
  kind: 'later',
  scope: 'recipient',
  bounce: 'temporary',
  code: 450,
  text: 'try again',
};

const takeOver = ({ engine }: Stage) =>
  recover(engine.app.app, engine.app.app.log, { watch: new LeaseWatch(0), holds: () => false });

test('outcomes that arrive late replace the unclear ones, and the copies wait for them for a minute', async () => {
  const stage = await Stage.start({ workers: 0 });
  try {
    const { id, chunk, report } = await inFlightElsewhere(stage, 5);
    assert.equal(await takeOver(stage), 1);
    assert.deepEqual(await statesOf(stage, id), Array(5).fill(['unclear', 1, 0]));
    const copies = await stage.db.row<{ waits: boolean }>(sql`
      select due_at > now() + interval '55 seconds' as waits
      from chunk
      where campaign_id = ${id}
        and kind = 'resend'`);
    assert.deepEqual(copies, { waits: true });
    await report([accepted, refused, deferred, { kind: 'notSent' }]);
    assert.deepEqual(await statesOf(stage, id), [
      ['accepted', 1, 0],
      ['failed', 1, 0],
      ['later', 1, 0],
      ['later', 0, 0],
      ['unclear', 1, 0],
    ]);
    // Held back until it is clear that the refusal is about the recipient.
    await stage.db.run(sql`update refused set at = at - interval '2 hours'`);
    await releaseOverdue(stage.db);
    assert.equal((await stage.suppressed()).length, 1, 'the hard bounce has its effect');
    const due = await stage.db.row<{ count: number }>(sql`
      select count(*)::int as count
      from chunk
      where campaign_id = ${id}
        and kind = 'retry'
        and due_at < now() + interval '11 seconds'`);
    assert.deepEqual(due, { count: 1 }, 'the recipient that was not started is due at once');
    await stage.db.run(sql`
      update chunk set state = 'done' where account_id = ${chunk.account} and campaign_id = ${id} and no = ${chunk.no}`);
    const rows = await stage.db.row<{ tallied: number[] }>(sql`
      select array[sum(queued), sum(trying), sum(accepted), sum(later), sum(failed), sum(unclear)]::int[] as tallied
      from tally
      where campaign_id = ${id}`);
    assert.deepEqual(rows, { tallied: [0, 0, 1, 2, 1, 1] });
  } finally {
    await stage.stop();
  }
});

test('a worker whose marks were committed unconfirmed takes them back after its lease has expired, unless it is taken over', async () => {
  const stage = await Stage.start({ workers: 0 });
  try {
    const { id, worker, chunk } = await inFlightElsewhere(stage, 3);
    await stage.db.run(sql`update chunk set leased_until = now() - interval '1 minute' where campaign_id = ${id}`);
    await takeBack(stage.db, chunk, worker);
    assert.deepEqual(await statesOf(stage, id), Array(3).fill(['queued', 0, 0]));
    const freed = () => stage.db.row(sql`select state, crashes, lease from chunk where campaign_id = ${id}`);
    assert.deepEqual(await freed(), { state: 'waiting', crashes: 0, lease: chunk.lease });

    const next = await inFlightElsewhere(stage, 2);
    assert.equal(await takeOver(stage), 1);
    await takeBack(stage.db, next.chunk, next.worker);
    assert.deepEqual(await statesOf(stage, next.id), Array(2).fill(['unclear', 1, 0]));
  } finally {
    await stage.stop();
  }
});

test('a late outcome does not count once the copy has begun, or when it is of an earlier lease', async () => {
  const stage = await Stage.start({ workers: 0 });
  try {
    const { id, worker, report, lease } = await inFlightElsewhere(stage, 2);
    assert.equal(await takeOver(stage), 1);
    const copies = (await stage.db.row<Chunk>(sql`
      update chunk
      set state = 'leased', worker_id = ${worker}, lease = 1, seqs = '{1}', leased_until = now()
      where campaign_id = ${id}
        and kind = 'resend'
      returning account_id as account, campaign_id as campaign, (select month::text from campaign where id = campaign_id) as month,
        no, kind, from_seq as "fromSeq", to_seq as "toSeq", seqs, lease, crashes`))!;
    await stage.db.transaction((tx) => markGroup(tx, copies, worker, 1, 3_600));
    await report([accepted]);
    assert.deepEqual(await statesOf(stage, id), [
      ['trying', 2, 1],
      ['unclear', 1, 0],
    ]);
    await lease();
    assert.equal(await takeOver(stage), 2);
    await report([accepted, accepted]);
    assert.deepEqual(await statesOf(stage, id), [
      ['unclear', 2, 1],
      ['unclear', 1, 0],
    ]);
  } finally {
    await stage.stop();
  }
});
