// The rows of a deleted campaign go, also those that a worker writes at the same moment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { people } from '../../../test/support/delivery/engine.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { purgeCampaign } from './purge.ts';

test('a chunk for retries that is cut while its campaign is deleted does not stay', async () => {
  const stage = await Stage.start({ workers: 0 });
  const { db } = stage;
  try {
    const { app, account, call } = stage.engine.app;
    const id = await stage.send(people(1));
    const context = { app, log: app.log, signal: new AbortController().signal };
    await call('campaignDelete', { cid: formatId(id) });
    // As a worker that writes outcomes: it holds the chunk and cuts another for the retries.
    const purging = await db.transaction(async (tx) => {
      await tx.run(sql`select from chunk where campaign_id = ${id} for share`);
      await tx.run(sql`
        insert into chunk (account_id, campaign_id, kind, seqs, due_at)
        values (${account.id}, ${id}, 'retry', '{1}', now())`);
      const done = purgeCampaign(context, { account_id: account.id, campaign_id: id });
      const waits = () =>
        db.row(sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`);
      while (!(await waits())) await sleep(10);
      return { done };
    });
    await purging.done;
    assert.deepEqual(await db.rows(sql`select kind from chunk where campaign_id = ${id}`), []);
  } finally {
    await stage.stop();
  }
});
