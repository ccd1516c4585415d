import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCampaign } from '../../../test/support/builders/campaigns.ts';
import { testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { enqueue } from '../../jobs/queue.ts';
import { requeueLaunches } from './requeue.ts';

test('a campaign that has been launching for minutes without a live job gets a new one', async () => {
  const t = await testApp();
  try {
    const { db } = t.app;
    const of = { account_id: t.account.id, campaign_id: parseId(await aCampaign(t, { to: ['ada@example.com'] })) };
    await enqueue(db, 'launchCampaign', of);
    await db.run(
      sql`update campaign set status = 'launching', send_at = now(), changed_at = now() - interval '6 minutes'`,
    );
    const context = { app: t.app, log: t.app.log, signal: new AbortController().signal };
    const live = async () => {
      await requeueLaunches(context);
      const row = await db.row<{ count: number }>(sql`
        select count(*) as count
        from graphile_worker._private_jobs j
        join graphile_worker._private_tasks k on k.id = j.task_id
        where k.identifier = 'launchCampaign'
          and j.attempts < j.max_attempts`);
      return row!.count;
    };
    assert.equal(await live(), 1, 'the job that is waiting is enough');
    await db.run(sql`update graphile_worker._private_jobs set attempts = max_attempts, last_error = 'too often'`);
    assert.equal(await live(), 1, 'a dead one is replaced');
    assert.equal(await live(), 1, 'once');
  } finally {
    await t.close();
  }
});
