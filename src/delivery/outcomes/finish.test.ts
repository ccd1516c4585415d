// Whether a campaign is finished is found out after every chunk, so it may not cost more the more chunks are done.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Sql } from 'sql-template-tag';
import { launchedTo, listOf } from '../../../test/support/builders/campaigns.ts';
import { people } from '../../../test/support/delivery/engine.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { finishIfDone } from './finish.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

test('looking whether a campaign is finished reads nothing of its chunks that are done, however many there are', async () => {
  const { db } = app.app;
  const campaign = await launchedTo(app, await listOf(app, people(3)));
  await db.run(sql`
    insert into chunk (account_id, campaign_id, kind, seqs, due_at, state)
    select ${app.account.id}::int, ${campaign}::int, 'retry', '{1}', now(), 'done'
    from generate_series(1, 20000)`);
  await db.run(sql`update chunk set state = 'done' where campaign_id = ${campaign}`);
  await db.run(sql`update tally set skipped = skipped + queued, queued = 0 where campaign_id = ${campaign}`);
  await db.run(sql`vacuum analyze chunk`);
  let pages = 0;
  const explain = (tx: Tx): Tx => ({
    ...tx,
    async row<T>({ strings, values }: Sql): Promise<T | undefined> {
      const [first, ...rest] = strings;
      const explained = new Sql([`explain (analyze, buffers, format json) ${first}`, ...rest], values);
      const row = await tx.row<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explained);
      pages = pagesOf('chunk', row!['QUERY PLAN'][0].Plan);
      return undefined;
    },
  });
  assert.equal(await db.transaction((tx) => finishIfDone(explain(tx), { account: app.account.id, campaign })), false);
  assert.ok(pages > 0 && pages < 10, `${pages} pages`);
});

interface PlanNode {
  'Relation Name'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

/** The pages that the scans of a table read. Pages of the catalogue, read when a cached plan was invalidated, do not count. */
function pagesOf(table: string, node: PlanNode): number {
  const own = node['Relation Name'] === table ? node['Shared Hit Blocks'] + node['Shared Read Blocks'] : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + pagesOf(table, child), own);
}
