// Web processes write hits of the same accounts at the same time, each in the order in which they arrived.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { testApp } from '../../test/support/installation/app.ts';
import { sql } from '../db/connect.ts';

const writer = join(import.meta.dirname, '../../test/support/processes/write-hits.ts');

test('two processes that write hits of the same accounts in opposite order never deadlock', async (t) => {
  const { app, close } = await testApp();
  t.after(close);
  const accounts = Array.from({ length: 60 }, (_, n) => 901 + n);
  await app.db.run(sql`
    insert into account (id, name, email)
    select account_id, 'Test organisation', 'owner@example.com'
    from unnest(${accounts}::int[]) as account_id`);
  await app.db.run(sql`
    insert into campaign (account_id, id, type, status, title, subject, from_name, reply_to, send_at)
    select account_id, 1, 'html', 'sent', 'News', 'News', 'Editors', 'editors@example.com', now()
    from unnest(${accounts}::int[]) as account_id`);
  await app.db.run(sql`
    insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, state, due_at, done_at)
    select account_id, id, 1, month, 1, 1, 'ada@example.com', 'example.com', 2, now(), now()
    from campaign
    where id = 1`);
  const write = (order: number[]) =>
    promisify(execFile)(process.execPath, [writer, app.db.url, order.join(','), '200'], { timeout: 300_000 });
  await Promise.all([write(accounts), write(accounts.toReversed())]);
  const stored = await app.db.rows<{ opens: number; clicks: number }>(sql`
    select opens, clicks
    from engagement
    order by account_id`);
  assert.deepEqual(
    stored.map(({ opens, clicks }) => [opens, clicks]),
    accounts.map(() => [400, 400]),
  );
});
