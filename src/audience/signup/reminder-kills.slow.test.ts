// A process that is killed while it reminds leaves no one out and reminds no one twice.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { remindPending } from './reminders.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

test('a process that is killed while it reminds leaves no one out and reminds no one twice', async () => {
  const list = await t.call<string>('listCreate', { title: 'Many' });
  await t.call('listFormUpdate', { id: list, options: { remind_after_days: 5 } });
  const emails = Array.from({ length: 300 }, (_, i) => `r${i}@example.com`);
  for (const email of emails) await t.call('listSubscribe', { id: list, email_address: email, double_optin: true });
  await t.app.db.run(sql`
    update subscription set signup_at = now() - interval '5 days' where list_id = ${parseId(list)}`);
  await t.app.db.run(sql`delete from confirmation_asked`);
  const runner = join(import.meta.dirname, '../../../test/support/installation/reminder-runner.ts');
  let kills = 0;
  for (let tries = 0; tries < 3; tries++) {
    const child = spawn(process.execPath, [runner, t.app.db.url], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    const from = (await remindersTo(list)).length;
    while (child.exitCode === null && (await remindersTo(list)).length <= from && from < emails.length) await sleep(2);
    child.kill('SIGKILL');
    await ended;
    kills++;
  }
  await t.app.db.run(sql`delete from confirmation_asked`);
  await remindPending({ app: t.app, signal: new AbortController().signal });
  assert.equal(kills, 3);
  assert.deepEqual(await remindersTo(list), [...emails].sort());
});

/** How many confirmations were asked for, besides the first one of each. */
async function remindersTo(list: string): Promise<string[]> {
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
