// A campaign to two recipients does not wait for one to hundreds, whether of another account or of the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Sql } from 'sql-template-tag';
import { launchedTo, listOf } from '../../../test/support/builders/campaigns.ts';
import { people } from '../../../test/support/delivery/engine.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { campaignsDue } from './fair-queue.ts';

test('two recipients of another account, and two of the same, are sent to while two thousand wait for a slow relay', async () => {
  const stage = await Stage.start({ relay: 'tls=none&connections=4&rate=20/s' });
  try {
    const { app } = stage.engine;
    const other = { ...app, ...(await app.anotherAccount()) };
    const own = await listOf(app, people(2, 'own.example'));
    const others = await listOf(other, people(2, 'other.example'));
    const big = await stage.send(people(2_000, 'big.example'));
    while (stage.seen('ok.').length === 0) await sleep(20);
    const small = [await launchedTo(app, own), await launchedTo(other, others)];
    for (const id of small) {
      const all = await stage.engine.until(id, (rows) => rows.every((row) => row.state === 'accepted'));
      assert.equal(all.length, 2);
    }
    const { queued } = await stage.engine.progress(big);
    // In turn the others would come after 100 s.
    assert.ok(queued > 1_000, `${queued} are left`);
  } finally {
    await stage.stop();
  }
});

test('looking for due campaigns reads nothing of those whose chunks wait for later, unless very many chunks are due', async () => {
  const stage = await Stage.start({ workers: 0 });
  try {
    const { app, account } = stage.engine.app;
    const id = await stage.send(people(1));
    await app.db.run(sql`
      insert into chunk (account_id, campaign_id, kind, seqs, due_at)
      select ${account.id}::int, ${id}::int + n, 'retry', '{1}', now() + interval '1 hour'
      from generate_series(1, 2000) as n`);
    await app.db.run(sql`analyze chunk`);
    let pages = 0;
    const explaining: Queries = {
      ...app.db,
      async rows<T>({ strings, values }: Sql): Promise<T[]> {
        const [first, ...rest] = strings;
        const explained = new Sql([`explain (analyze, buffers, format json) ${first}`, ...rest], values);
        const [row] = await app.db.rows<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(explained);
        const plan = row!['QUERY PLAN'][0].Plan;
        pages = plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
        return [];
      },
    };
    await campaignsDue(explaining);
    assert.ok(pages < 30, `${pages} pages`);
    const due = [{ account: account.id, campaign: id }];
    assert.deepEqual(await campaignsDue(app.db), due);
    await app.db.run(sql`
      insert into chunk (account_id, campaign_id, kind, seqs, due_at)
      select ${account.id}::int, ${id}::int, 'retry', '{1}', now()
      from generate_series(1, 1500)`);
    assert.deepEqual(await campaignsDue(app.db), due);
  } finally {
    await stage.stop();
  }
});
