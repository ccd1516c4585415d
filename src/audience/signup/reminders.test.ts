// Reminders of the confirmation, on a real database: who gets one and when, and that a crash sends none twice.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { remindPending } from './reminders.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

const run = () => remindPending({ app: t.app, signal: new AbortController().signal });

async function listWith(days: number): Promise<string> {
  const list = await t.call<string>('listCreate', { title: `After ${days}` });
  await t.call('listFormUpdate', { id: list, options: { remind_after_days: days } });
  return list;
}

/** A pending contact that signed up so many days ago. */
async function pending(list: string, email: string, daysAgo: number): Promise<void> {
  await t.call('listSubscribe', { id: list, email_address: email, double_optin: true });
  await t.app.db.run(sql`
    update subscription
    set signup_at = now() - make_interval(days => ${daysAgo}::int)
    where list_id = ${parseId(list)}
      and contact_id = (select id from contact where account_id = ${t.account.id} and email = ${email})`);
  await t.app.db.run(sql`delete from confirmation_asked`);
}

/** How many confirmations were asked for, besides the first one of each. */
async function reminders(list: string): Promise<string[]> {
  const rows = await t.app.db.rows<{ email: string }>(sql`
    select c.email
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks k on k.id = j.task_id and k.identifier = 'sendConfirmation'
    join contact c on c.account_id = ${t.account.id} and c.id = (j.payload ->> 'contact_id')::int
    where (j.payload ->> 'list_id')::int = ${parseId(list)}
    order by c.email`);
  const counts = new Map<string, number>();
  for (const { email } of rows) counts.set(email, (counts.get(email) ?? 0) + 1);
  return [...counts].flatMap(([email, count]) => Array.from({ length: count - 1 }, () => email));
}

test('a pending contact is reminded once, after so many days as the list says', async () => {
  const list = await listWith(3);
  await pending(list, 'due@example.com', 3);
  await pending(list, 'fresh@example.com', 2);
  await pending(list, 'old@example.com', 40);
  await pending(list, 'confirmed@example.com', 3);
  await pending(list, 'second@example.com', 3);
  await t.call('listSubscribe', { id: list, email_address: 'confirmed@example.com', double_optin: false });
  await run();
  assert.deepEqual(await reminders(list), ['due@example.com', 'second@example.com']);
  await t.app.db.run(sql`delete from confirmation_asked`);
  await run();
  assert.deepEqual(await reminders(list), ['due@example.com', 'second@example.com']);
});

test('with 0 days, and for those who were imported, there is no reminder', async () => {
  const off = await listWith(0);
  await pending(off, 'never@example.com', 3);
  const list = await listWith(1);
  await pending(list, 'moved@example.com', 1);
  await t.app.db.run(sql`update subscription set source = 'import' where list_id = ${parseId(list)}`);
  await run();
  assert.deepEqual(await reminders(off), []);
  assert.deepEqual(await reminders(list), []);
  await assert.rejects(t.call('listFormUpdate', { id: list, options: { remind_after_days: 31 } }), /remind_after_days/);
});

test('a mailbox that was asked today is reminded another day', async () => {
  const list = await listWith(2);
  await pending(list, 'busy@example.com', 2);
  await t.call('listSubscribe', { id: list, email_address: 'busy@example.com', double_optin: true });
  await t.app.db.run(sql`
    update subscription set signup_at = now() - interval '2 days' where list_id = ${parseId(list)}`);
  const before = await reminders(list);
  await run();
  assert.deepEqual(await reminders(list), before);
  await t.app.db.run(sql`delete from confirmation_asked`);
  await run();
  assert.equal((await reminders(list)).length, before.length + 1);
});
