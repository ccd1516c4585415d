// Recipients of a domain that is paused: deferred once, then waiting as whole chunks, without a change to their rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { people } from '../../../test/support/delivery/engine.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { sql } from '../../db/connect.ts';
import { writeOutcomes } from '../outcomes/write-outcomes.ts';
import { Pace } from '../pace/pace.ts';
import { Deferral } from '../sending/defer.ts';
import { HeldChunk } from '../sending/held-chunk.ts';
import { leaseClock } from '../sending/lease.ts';
import type { WorkerParts } from '../sending/worker-parts.ts';
import type { Chunk } from './chunk.ts';
import { markGroup } from './mark-group.ts';

test('the chunk of a paused domain is given back until the pause is over, and its recipients are not marked', async () => {
  const stage = await Stage.start({ workers: 0 });
  const { db } = stage;
  try {
    const id = await stage.send([...people(10, 'busy.example'), ...people(10, 'other.example')]);
    const lease = (kind: string) =>
      db.row<Chunk>(sql`
        update chunk
        set state = 'leased', worker_id = 1, lease = lease + 1, leased_until = now() + interval '15 s'
        where campaign_id = ${id}
          and kind = ${kind}
          and domain is not distinct from ${kind === 'first' ? null : 'busy.example'}
        returning account_id as account, campaign_id as campaign, (select month::text from campaign where id = campaign_id) as month,
          no, kind, from_seq as "fromSeq", to_seq as "toSeq", seqs, domain, lease, crashes`);
    const first = (await lease('first'))!;
    const { marked } = (await db.transaction((tx) => markGroup(tx, first, 1, 100, 3_600)))!;
    const deferred = { kind: 'deferred', ms: 60_000, why: 'spared' } as const;
    await db.transaction((tx) =>
      writeOutcomes(
        tx,
        first,
        1,
        marked.map((recipient) => ({ marked: recipient, verdict: deferred })),
      ),
    );
    const cut = await db.rows<{ domain: string; size: number }>(sql`
      select domain, cardinality(seqs) as size from chunk where campaign_id = ${id} and kind = 'retry' order by domain`);
    assert.deepEqual(cut, [
      { domain: 'busy.example', size: 10 },
      { domain: 'other.example', size: 10 },
    ]);

    const pace = new Pace({ perSecond: () => undefined, random: () => 0.5 });
    const bound = { domain: 'busy.example', account: '1', relay: 'a' };
    pace.end(pace.start(bound, performance.now()), 'slower', performance.now());
    const versions = () =>
      db.rows(sql`select seq, xmin::text, state from delivery where campaign_id = ${id} order by seq`);
    const before = await versions();
    const parts = {
      app: stage.engine.app.app,
      db,
      workerId: 1,
      relayPool: { restMs: () => 0 },
      attempts: { restMs: 0 },
      contents: { get: async () => undefined },
      deferral: new Deferral(pace),
    } as unknown as WorkerParts<HeldChunk>;
    const held = new HeldChunk(parts, { chunk: (await lease('retry'))!, validUntil: leaseClock() + 10_000 });
    const exit = await held.work();
    assert.ok(exit.kind === 'give back' && exit.afterMs > 4_000 && exit.afterMs < 10_000, JSON.stringify(exit));
    assert.ok(await held.finish(exit));
    assert.deepEqual(await versions(), before);
    const waiting = await db.row<{ waits: boolean }>(sql`
      select state = 'waiting' and due_at > now() as waits from chunk where campaign_id = ${id} and domain = 'busy.example'`);
    assert.deepEqual(waiting, { waits: true });
  } finally {
    await stage.stop();
  }
});
