// Recipients must never be left in no chunk: a group is marked while another transaction changes its rows, and the hourly
// safeguard finds those that were lost in any other way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { people } from '../../../test/support/delivery/engine.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { sql } from '../../db/connect.ts';
import type { Chunk } from '../ledger/chunk.ts';
import { markGroup } from '../ledger/mark-group.ts';
import { endChunk } from '../sending/lease.ts';
import { requeueForgotten } from './forgotten.ts';

const lease = async ({ db }: Stage, id: number): Promise<Chunk> =>
  (await db.row<Chunk>(sql`
    update chunk
    set state = 'leased', worker_id = 1, lease = lease + 1, leased_until = now()
    where campaign_id = ${id}
    returning account_id as account, campaign_id as campaign, (select month::text from campaign where id = campaign_id) as month,
      no, kind, from_seq as "fromSeq", to_seq as "toSeq", seqs, lease, crashes`))!;

test('a recipient whose row is changed while its group is marked stays in the chunk', async () => {
  const stage = await Stage.start({ workers: 0 });
  const { db } = stage;
  try {
    const id = await stage.send(people(1));
    // One that marks recipients in their rows.
    await db.run(sql`
      update chunk set kind = 'retry', from_seq = null, to_seq = null, seqs = '{1}' where campaign_id = ${id}`);
    const chunk = await lease(stage, id);
    const mark = () => db.transaction((tx) => markGroup(tx, chunk, 1, 10, 3_600));
    // As the erasure of the contact would.
    const marking = await db.transaction(async (tx) => {
      await tx.run(sql`update delivery set reply = null where campaign_id = ${id}`);
      const marking = mark();
      const waits = () =>
        db.row(sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`);
      while (!(await waits())) await sleep(10);
      return { group: marking };
    });
    const group = (await marking.group)!;
    assert.equal(group.touched, 1, 'the chunk is not empty');
    if (group.marked.length === 0) {
      assert.equal(await db.transaction((tx) => endChunk(tx, chunk, 1)), false, 'nor can it be ended');
      assert.equal((await mark())!.marked.length, 1);
    }
  } finally {
    await stage.stop();
  }
});

test('recipients that are in no open chunk get one, and the others are left alone', async () => {
  const stage = await Stage.start({ workers: 0 });
  const { db, engine } = stage;
  const { app } = engine.app;
  const check = () => requeueForgotten({ app, log: app.log, signal: new AbortController().signal });
  try {
    const id = await stage.send(people(60));
    const chunks = () =>
      db.rows<{ kind: string; seqs: number[] | null }>(sql`
        select kind, seqs
        from chunk
        where campaign_id = ${id}
          and state = 'waiting'
        order by no`);
    const before = await chunks();
    await check();
    assert.deepEqual(await chunks(), before);
    // One that a retry has queued again, and whose range does not take it up for this reason.
    const last = await db.row<{ seq: number }>(sql`
      update delivery set chunk_no = 1000000 where campaign_id = ${id} and seq = 60 returning seq`);
    await check();
    assert.deepEqual((await chunks()).at(-1), { kind: 'first', seqs: [last!.seq] });
    await db.run(sql`
      update chunk set state = 'done' where campaign_id = ${id} and from_seq = 1`);
    await db.run(sql`
      update delivery
      set state = 3, attempts = 1, first_at = now(), next_at = now() + interval '5 minutes'
      where campaign_id = ${id}
        and seq <= 2`);
    await db.run(sql`update tally set queued = queued - 2, later = 2 where campaign_id = ${id} and recipients > 0`);
    await db.run(sql`
      insert into chunk (account_id, campaign_id, kind, seqs, due_at)
      values (${engine.app.account.id}, ${id}, 'retry', '{2}', now() + interval '5 minutes')`);
    await check();
    await check();
    const added = (await chunks()).filter(({ seqs }) => seqs !== null).map(({ kind, seqs }) => [kind, seqs!.join(' ')]);
    const [first] = before;
    assert.ok(first);
    const size = (await db.row<{ to: number }>(sql`
      select to_seq as to from chunk where campaign_id = ${id} and from_seq = 1`))!.to;
    const queued = Array.from({ length: size - 2 }, (_, n) => n + 3).join(' ');
    assert.deepEqual(new Set(added.map(String)), new Set(['first,60', 'retry,2', 'retry,1', `first,${queued}`]));
  } finally {
    await stage.stop();
  }
});
