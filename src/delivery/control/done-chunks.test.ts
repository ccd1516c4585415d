import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { deleteDoneChunks } from './done-chunks.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

test('chunks that were done a day ago are deleted; those that wait, are leased or are of today stay', async () => {
  const { db } = t.app;
  await db.run(sql`
    with made as (
      insert into campaign (account_id, id, type, status, title, subject, from_name, reply_to, finished_at)
      values (${t.account.id}, 1, 'html', 'sent', '', '', '', '', now() - interval '2 days'),
        (${t.account.id}, 2, 'html', 'sent', '', '', '', '', now()),
        (${t.account.id}, 3, 'auto', 'sending', '', '', '', '', null)
    )
    insert into chunk (account_id, campaign_id, kind, from_seq, to_seq, state, due_at)
    select ${t.account.id}, campaign, 'first', n, n, state, now() - make_interval(days => age)
    from (values (1, 'done', 2, 12000), (2, 'done', 2, 3), (3, 'done', 2, 4), (3, 'done', 0, 5), (3, 'waiting', 2, 6))
      as given (campaign, state, age, count)
    cross join lateral generate_series(1, count) as n`);
  await deleteDoneChunks({ app: t.app, log: t.app.log, signal: new AbortController().signal });
  const left = await db.rows(sql`
    select campaign_id as campaign, state, count(*) as count
    from chunk
    group by 1, 2
    order by 1, 2`);
  assert.deepEqual(left, [
    { campaign: 2, state: 'done', count: 3 },
    { campaign: 3, state: 'done', count: 5 },
    { campaign: 3, state: 'waiting', count: 6 },
  ]);
});
