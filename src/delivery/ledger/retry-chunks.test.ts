// How later attempts are cut into chunks: a few shared ones, also when the numbers of chunks no longer fit into 32 bits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { people } from '../../../test/support/delivery/engine.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { sql } from '../../db/connect.ts';
import type { Verdict } from '../../relays/verdict/verdict.ts';
import { writeOutcomes } from '../outcomes/write-outcomes.ts';
import { endChunk, renewLeases } from '../sending/lease.ts';
import type { Chunk } from './chunk.ts';
import { markGroup } from './mark-group.ts';

const accepted: Verdict = { kind: 'accepted', code: 250, text: 'OK' };
const deferred: Verdict = { kind: 'later', scope: 'recipient', bounce: 'temporary', code: 450, text: 'greylisted' };

test('recipients deferred in many groups share a few chunks', async () => {
  const stage = await Stage.start({ workers: 0 });
  const { db } = stage;
  try {
    const id = await stage.send(people(200));
    await db.run(sql`update delivery set attempts = 3, first_at = now() where campaign_id = ${id}`);
    await db.run(sql`select setval('chunk_seq', 2147483646)`);
    await db.run(sql`update chunk set no = nextval('chunk_seq') where campaign_id = ${id}`);
    const leased = await db.rows<Chunk>(sql`
      update chunk
      set state = 'leased', worker_id = 1, lease = 1, leased_until = now()
      where campaign_id = ${id}
      returning account_id as account, campaign_id as campaign, (select month::text from campaign where id = campaign_id) as month,
        no, kind, from_seq as "fromSeq", to_seq as "toSeq", seqs, lease, crashes`);
    const untilOf = await renewLeases(db, 1, leased);
    let groups = 0;
    for (const chunk of leased) {
      assert.ok(untilOf(chunk) > 0);
      for (;;) {
        const { marked } = (await db.transaction((tx) => markGroup(tx, chunk, 1, 10, 3_600)))!;
        if (marked.length === 0) break;
        groups += 1;
        const outcomes = marked.map((recipient, n) => ({ marked: recipient, verdict: n < 5 ? deferred : accepted }));
        await db.transaction((tx) => writeOutcomes(tx, chunk, 1, outcomes));
      }
      assert.ok(await db.transaction((tx) => endChunk(tx, chunk, 1)));
    }
    const cut = await db.rows<{ size: number; minutes: number }>(sql`
      select cardinality(seqs) as size, round(extract(epoch from due_at - now()) / 60)::int as minutes
      from chunk
      where campaign_id = ${id}
        and kind = 'retry'`);
    assert.ok(groups >= 20, `${groups} groups`);
    assert.equal(
      cut.reduce((sum, { size }) => sum + size, 0),
      groups * 5,
    );
    assert.ok(cut.length <= 2 * leased.length, `${cut.length} chunks for ${groups} groups`);
    assert.ok(cut.every(({ minutes }) => minutes >= 53 && minutes <= 72));
    const left = await db.row<{ count: number }>(sql`
      select count(*)::int as count
      from delivery d
      where campaign_id = ${id}
        and state = 3
        and not exists (select from chunk k where k.campaign_id = ${id} and k.state = 'waiting' and d.seq = any (k.seqs))`);
    assert.equal(left!.count, 0, 'every one of them is in a chunk');
  } finally {
    await stage.stop();
  }
});
