import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { dropEvents, keptByWebhook, purgeAttempts, purgeWebhookAttempts } from './purge.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

const never = new AbortController().signal;

/** @returns its public id, and what the functions that keep limits take */
async function addWebhook(status: string) {
  const { id } = (await t.app.db.row<{ id: number }>(sql`
    insert into webhook (account_id, title, url, events, status)
    values (${t.account.id}, 'Old', 'https://example.com/', '{email.open}', ${status})
    returning id`))!;
  return { accountId: t.account.id, webhookId: id };
}

const addAttempts = (webhookId: number, count: number, daysApart: number) =>
  t.app.db.run(sql`
    insert into webhook_attempt (account_id, webhook_id, at, kind, try, event_ids, url, headers, body)
    select account_id, id, now() - (${count} - n) * ${daysApart} * interval '1 day', 'delivery', 1, array['evt_' || n], url, '{}', '{}'
    from webhook, generate_series(1, ${count}) as n
    where id = ${webhookId}
    order by n`);

const attemptsOf = (webhookId: number) =>
  t.app.db.row(sql`
    select count(*) as count, min(substr(event_ids[1], 5)::int) as oldest
    from webhook_attempt
    where webhook_id = ${webhookId}`);

test('attempts older than 30 days are deleted, younger ones stay', async () => {
  const { webhookId } = await addWebhook('active');
  await addAttempts(webhookId, 61, 1);
  await purgeWebhookAttempts({ app: t.app, log: t.app.log, signal: never });
  assert.deepEqual(await attemptsOf(webhookId), { count: 30, oldest: 32 });
});

test('of more attempts than a webhook keeps, the oldest are deleted', async () => {
  const webhook = await addWebhook('active');
  await addAttempts(webhook.webhookId, 2_500, 0);
  await purgeAttempts(t.app.db, webhook, never, { ...keptByWebhook, attempts: 100 });
  assert.deepEqual(await attemptsOf(webhook.webhookId), { count: 100, oldest: 2_401 });
});

test('of attempts that need more bytes than a webhook keeps, the oldest are deleted', async () => {
  const webhook = await addWebhook('active');
  await addAttempts(webhook.webhookId, 100, 0);
  // Random text, as compressed bodies count by what they occupy.
  await t.app.db.run(sql`
    update webhook_attempt
    set body = (select string_agg(md5(random()::text || webhook_attempt.id || n), '') from generate_series(1, 320) as n)
    where webhook_id = ${webhook.webhookId}`);
  await purgeAttempts(t.app.db, webhook, never, { ...keptByWebhook, attemptBytes: 500_000 });
  const { count, oldest } = (await attemptsOf(webhook.webhookId)) as { count: number; oldest: number };
  assert.ok(count > 40 && count < 95, `${count} are left`);
  assert.equal(oldest, 101 - count);
});

test('the events of a paused webhook are limited by number and age, and it shows that', async () => {
  const webhook = await addWebhook('paused');
  const addEvents = (from: number, to: number, days: number) =>
    t.app.db.run(sql`
      insert into webhook_event (account_id, webhook_id, event_id, type, payload, at)
      select ${webhook.accountId}::int, ${webhook.webhookId}::int, 'evt_' || n, 'email.open', '{}', now() - ${days} * interval '1 day'
      from generate_series(${from}::int, ${to}::int) as n
      order by n`);
  const record = async () => {
    const all = await t.call<Record<string, unknown>[]>('webhooks');
    const { total_events, waiting_events, dropped_events, status_reason } = all.find(
      ({ id }) => parseId(String(id)) === webhook.webhookId,
    )!;
    return { total_events, waiting_events, dropped_events, status_reason };
  };
  const limits = { ...keptByWebhook, events: 500 };
  await addEvents(1, 300, 2);
  await dropEvents(t.app.db, webhook, never, limits);
  const untouched = { total_events: 300, waiting_events: 300, dropped_events: 0, status_reason: '' };
  assert.deepEqual(await record(), untouched);
  await addEvents(301, 3_000, 1);
  await dropEvents(t.app.db, webhook, never, limits);
  const dropped = await record();
  assert.match(String(dropped.status_reason), /^The oldest waiting events were deleted/);
  assert.deepEqual(
    { ...dropped, status_reason: '' },
    { total_events: 3_000, waiting_events: 500, dropped_events: 2_500, status_reason: '' },
  );
  const oldest = await t.app.db.row(sql`
    select event_id from webhook_event where webhook_id = ${webhook.webhookId} order by id limit 1`);
  assert.deepEqual(oldest, { event_id: 'evt_2501' });
  await t.app.db.run(
    sql`update webhook_event set at = at - interval '30 days' where webhook_id = ${webhook.webhookId}`,
  );
  await dropEvents(t.app.db, webhook, never, limits);
  assert.equal((await record()).waiting_events, 0);
});
