// A recipient that several chunks name is marked once, whatever these chunks are and whichever is leased first. No sum of the
// accounting goes below zero.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { draftWithTest, launched } from '../../../test/support/delivery/ab-test.ts';
import { people } from '../../../test/support/delivery/engine.ts';
import { type Held, leaseOf, mark, report } from '../../../test/support/delivery/in-flight.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { raw, type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { requeueForgotten } from '../recovery/forgotten.ts';
import { endChunk } from '../sending/lease.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.start({ workers: 0 });
});
after(() => stage.stop());

const accepted = { kind: 'accepted', code: 250, text: 'OK' } as const;
const notSent = { kind: 'notSent' } as const;

/** Adds a chunk of these recipients. @returns its number */
async function addChunk(id: number, kind: string, recipients: Sql): Promise<number> {
  const row = await stage.db.row<{ no: number }>(sql`
    insert into chunk (account_id, campaign_id, kind, from_seq, to_seq, seqs, due_at)
    select ${stage.engine.app.account.id}::int, ${id}::int, ${kind}, r.*, now()
    from (select ${recipients}) as r
    returning no`);
  return row!.no;
}
const ofSeqs = (seqs: number[]) => sql`null::int, null::int, ${seqs}::int[]`;
const range = (from: number, to: number) => sql`${from}::int, ${to}::int, null::int[]`;

async function held(id: number, worker: number, which: Sql): Promise<Held> {
  return { worker, chunk: await leaseOf(stage, id, worker, which) };
}
const byNo = (no: number) => sql`no = ${no}`;
const seqsOf = async (one: Held, count = 100) => (await mark(stage, one, count))!.marked.map(({ seq }) => seq);

async function sumsOf(id: number) {
  const { queued, trying, accepted, later } = await stage.engine.progress(id);
  return [queued, trying, accepted, later];
}

/** A campaign of so many recipients in one range. */
async function inOneRange(count: number): Promise<{ id: number; no: number }> {
  const id = await stage.send(people(count));
  await stage.db.run(sql`delete from chunk where campaign_id = ${id}`);
  return { id, no: await addChunk(id, 'first', range(1, count)) };
}

for (const kind of ['first', 'retry'])
  for (const order of ['range first', 'list first'])
    test(`a list of kind ${kind} and a range of the same recipients, ${order}: each is marked once`, async () => {
      const { id, no } = await inOneRange(4);
      const listNo = await addChunk(id, kind, ofSeqs([2, 3]));
      const one = await held(id, 1, byNo(no));
      const other = await held(id, 2, byNo(listNo));
      const [before, later] = order === 'range first' ? [one, other] : [other, one];
      const marked = [...(await seqsOf(before)), ...(await seqsOf(later))];
      assert.deepEqual(marked.sort(), [1, 2, 3, 4]);
      assert.deepEqual(await sumsOf(id), [0, 4, 0, 0]);
      // What was not sent is marked again by one of the two.
      for (const chunk of [one, other]) {
        const rows = await stage.db.rows<{ seq: number }>(sql`
          select seq from delivery where campaign_id = ${id} and (chunk_no = ${chunk.chunk.no}
            or seq <@ any (select unnest(marked) from chunk where no = ${chunk.chunk.no}))`);
        const again = rows.map(({ seq }) => ({ seq, attempts: 1, resent: 0, firstAt: new Date() }) as never);
        await report(
          stage,
          chunk,
          again,
          rows.map(() => notSent),
        );
      }
      assert.deepEqual(await sumsOf(id), [4, 0, 0, 0]);
      assert.deepEqual([...(await seqsOf(later)), ...(await seqsOf(before))].sort(), [1, 2, 3, 4]);
      assert.deepEqual(await sumsOf(id), [0, 4, 0, 0]);
    });

for (const order of [
  [0, 1],
  [1, 0],
])
  test(`two ranges with recipients in common, ${order.join(' then ')}: each is marked once, and both chunks end`, async () => {
    const { id, no } = await inOneRange(6);
    await stage.db.run(sql`update chunk set to_seq = 4 where no = ${no}`);
    const nos = [no, await addChunk(id, 'first', range(3, 6))];
    const chunks = [await held(id, 1, byNo(nos[0]!)), await held(id, 2, byNo(nos[1]!))];
    const all: number[] = [];
    for (const nth of order) {
      const { marked } = (await mark(stage, chunks[nth]!, 100))!;
      all.push(...marked.map(({ seq }) => seq));
      await report(
        stage,
        chunks[nth]!,
        marked,
        marked.map(() => accepted),
      );
    }
    assert.deepEqual(all.sort(), [1, 2, 3, 4, 5, 6]);
    for (const one of chunks) assert.ok(await stage.db.transaction((tx) => endChunk(tx, one.chunk, one.worker)));
    assert.deepEqual(await sumsOf(id), [0, 0, 6, 0]);
  });

test('a range that was added while a list of its recipients is in flight leaves them to the list', async () => {
  const { id, no } = await inOneRange(3);
  await stage.db.run(sql`delete from chunk where no = ${no}`);
  const list = await held(id, 1, byNo(await addChunk(id, 'retry', ofSeqs([1, 2]))));
  assert.deepEqual(await seqsOf(list), [1, 2]);
  const late = await held(id, 2, byNo(await addChunk(id, 'first', range(1, 3))));
  assert.deepEqual(await seqsOf(late), [3]);
});

test('recipients that a test holds back are marked by no chunk, until it is decided', async () => {
  const { app } = stage.engine;
  const id = await launched(app, await draftWithTest(app, people(20), { share: 50, winner: 'manual' }));
  const list = await held(id, 1, byNo(await addChunk(id, 'retry', ofSeqs([9, 11, 12]))));
  const late = await held(id, 2, byNo(await addChunk(id, 'first', range(13, 20))));
  assert.deepEqual([await seqsOf(list), await seqsOf(late)], [[], []]);
  assert.ok(await stage.db.transaction((tx) => endChunk(tx, list.chunk, 1)));
});

test('the winner is cut without the recipients that an open chunk has', async () => {
  const { app } = stage.engine;
  const id = await launched(app, await draftWithTest(app, people(40), { share: 25, winner: 'manual' }));
  await addChunk(id, 'retry', ofSeqs([15, 16, 40]));
  await addChunk(id, 'first', range(20, 22));
  await app.call('campaignTestChoose', { cid: formatId(id), variant: 1 });
  const rows = await stage.db.rows<{ seq: number }>(sql`
    select seq
    from chunk k, lateral (select generate_series(k.from_seq, k.to_seq) union all select unnest(k.seqs)) as s (seq)
    where campaign_id = ${id} and state <> 'done' and seq > 10
    order by seq`);
  assert.deepEqual(
    rows.map(({ seq }) => seq),
    Array.from({ length: 30 }, (_, n) => n + 11),
  );
});

test('the safeguard leaves alone what a test holds back, and finds what it does not', async () => {
  const { app } = stage.engine;
  const { log } = app.app;
  const id = await launched(app, await draftWithTest(app, people(40), { share: 50, winner: 'manual' }));
  const run = () => requeueForgotten({ app: app.app, log, signal: new AbortController().signal });
  const chunks = () =>
    stage.db.rows(sql`select kind, from_seq, to_seq, seqs from chunk where campaign_id = ${id} order by no`);
  const before = await chunks();
  await run();
  assert.deepEqual(await chunks(), before);
  await stage.db.run(sql`delete from chunk where campaign_id = ${id} and from_seq = 1`);
  await run();
  const size = (before[0] as { to_seq: number }).to_seq;
  const seqs = Array.from({ length: size }, (_, n) => n + 1);
  assert.deepEqual((await chunks()).at(-1), { kind: 'first', from_seq: null, to_seq: null, seqs });
});

test('no write brings a sum of the accounting below zero', async () => {
  const { id } = await inOneRange(2);
  for (const name of ['queued', 'trying', 'accepted', 'later', 'failed', 'skipped', 'unclear'])
    await assert.rejects(
      stage.db.run(sql`
        insert into tally (account_id, campaign_id, shard, recipients, ${raw(name)})
        values (${stage.engine.app.account.id}, ${id}, 9, -3, -3)`),
      /below zero/,
      name,
    );
  // Of a shard it may be: the sum is what counts.
  await stage.db.run(sql`
    insert into tally (account_id, campaign_id, shard, recipients, queued, trying)
    values (${stage.engine.app.account.id}, ${id}, 9, 0, -2, 2)`);
  assert.deepEqual(await sumsOf(id), [0, 2, 0, 0]);
});
