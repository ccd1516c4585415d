import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { handlers } from '../../task-handlers.ts';
import { purgeWebhookAttempts } from '../../webhooks/purge.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

const run = async () => {
  const context = { app: t.app, log: t.app.log, signal: new AbortController().signal };
  await handlers.purgeExpired(context, {}, 1);
  await purgeWebhookAttempts(context);
};
const set = (name: string, value: unknown) => t.call('accountUpdate', { name, value });

const tables = {
  hit: sql`hit`,
  inbox_message: sql`inbox_message`,
  audit_entry: sql`audit_entry`,
  webhook_attempt: sql`webhook_attempt`,
};

async function kept(table: keyof typeof tables, accountId: number): Promise<number> {
  const row = await t.app.db.row<{ count: number }>(sql`
    select count(*) as count
    from ${tables[table]}
    where account_id = ${accountId}`);
  return row!.count;
}

/** 5,000 days' worth of each kind, the youngest of today. */
async function fill(accountId: number): Promise<void> {
  await t.app.db.run(sql`
    with made as (
      insert into campaign (account_id, type, status, title, subject, from_name, reply_to)
      values (${accountId}, 'html', 'sent', 'Old', 'Old', 'Editors', 'editors@example.com')
      returning id, month
    ), counted as (
      insert into engagement (account_id, campaign_id, seq, month, contact_id, opens)
      select ${accountId}, id, 1, month, 1, 5000
      from made
    )
    insert into hit (account_id, campaign_id, seq, kind, at)
    select ${accountId}, id, 1, 'open', now() - make_interval(days => 5000 - day, hours => 1)
    from made, generate_series(1, 5000) as day`);
  await t.app.db.run(sql`
    insert into inbox_message (account_id, mail_from, rcpt_to, size, source, received_at)
    select ${accountId}, '', '{}', 1, 'x', now() - make_interval(days => 5000 - day, hours => 1)
    from generate_series(1, 5000) as day`);
  await t.app.db.run(sql`
    insert into audit_entry (account_id, door, method, at)
    select ${accountId}, 'json', 'ping', now() - make_interval(days => 5000 - day, hours => 1)
    from generate_series(1, 5000) as day`);
  await t.app.db.run(sql`
    with made as (
      insert into webhook (account_id, title, url, events)
      values (${accountId}, 'Old', 'https://example.com/', '{email.open}')
      returning id
    )
    insert into webhook_attempt (account_id, webhook_id, at, kind, try, event_ids, url, headers, body)
    select ${accountId}, id, now() - make_interval(days => 50 - day, hours => 1), 'delivery', 1, '{evt_1}', '', '{}', '{}'
    from made, generate_series(1, 50) as day`);
}

test('each account keeps details for its own time; totals stay', async () => {
  const other = await t.anotherAccount();
  await fill(t.account.id);
  await fill(other.account.id);
  await set('keep_hits_days', '90');
  await set('keep_inbox_days', '7');
  await set('keep_webhook_attempts_days', '3');
  const audited = await kept('audit_entry', t.account.id);
  await set('keep_audit_days', '365');
  await run();
  assert.equal(await kept('hit', t.account.id), 90);
  assert.equal(await kept('inbox_message', t.account.id), 7);
  assert.equal(await kept('webhook_attempt', t.account.id), 3);
  assert.equal(await kept('audit_entry', t.account.id), audited + 1 - 5000 + 365);
  // The defaults: a year for what has IP addresses, thirty days for attempts, no limit for the inbox.
  for (const table of ['hit', 'audit_entry'] as const) assert.equal(await kept(table, other.account.id), 365);
  assert.equal(await kept('inbox_message', other.account.id), 5_000);
  assert.equal(await kept('webhook_attempt', other.account.id), 30);
  const opens = await t.app.db.row<{ opens: number }>(sql`
    select opens from engagement where account_id = ${t.account.id}`);
  assert.equal(opens!.opens, 5_000);
});

test('a name that is no field is kept as long after its last use as the audit log', async () => {
  const list = await t.call<string>('listCreate', { title: 'Old names' });
  await t.app.db.run(sql`
    insert into ignored_name (account_id, list_id, name, count, last_at)
    select list.account_id, list.id, given.name, 1, now() - make_interval(days => given.days)
    from list, (values ('OLD', 366), ('NEW', 364)) as given(name, days)
    where list.account_id = ${t.account.id}
      and list.name = 'Old names'`);
  await run();
  const names = await t.call<{ name: string }[]>('listIgnoredNames', { id: list });
  assert.deepEqual(
    names.map(({ name }) => name),
    ['NEW'],
  );
});

test('0 keeps rows permanently, and anything but a number of days is refused', async () => {
  const before = await kept('hit', t.account.id);
  await set('keep_hits_days', '0');
  await t.app.db.run(sql`update hit set at = at - interval '3000 days' where account_id = ${t.account.id}`);
  await run();
  assert.equal(await kept('hit', t.account.id), before);
  for (const bad of ['-1', 'x', '1.5', '99999', ''])
    await assert.rejects(set('keep_hits_days', bad), /keep_hits_days|days/, bad);
});
