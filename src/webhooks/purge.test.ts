import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '../../test/support/installation/app.ts';
import { sql } from '../db/connect.ts';
import { purgeWebhookAttempts } from './purge.ts';

test('attempts older than 30 days are deleted, younger ones stay', async () => {
  const t = await testApp();
  try {
    await t.app.db.run(sql`
      insert into webhook (account_id, title, url, events)
      values (${t.account.id}, 'Old', 'https://example.com/', '{email.open}')`);
    await t.app.db.run(sql`
      insert into webhook_attempt (account_id, webhook_id, at, kind, try, event_ids, url, headers, body)
      select account_id, id, now() - days * interval '1 day', 'delivery', 1, array['evt_' || days], url, '{}', '{}'
      from webhook, generate_series(0, 60) as days
      where account_id = ${t.account.id}`);
    await purgeWebhookAttempts({ app: t.app, log: t.app.log, signal: new AbortController().signal });
    const left = await t.app.db.row<{ count: number; oldest: string }>(sql`
      select count(*) as count, max(substr(event_ids[1], 5)::int) as oldest
      from webhook_attempt`);
    assert.deepEqual(left, { count: 30, oldest: 29 });
  } finally {
    await t.close();
  }
});
