// The order in which campaigns and the account are locked: a campaign first, then the account, whose texts are part of what is approved.
// A method that locked them the other way round would end in a deadlock with an approval of the same moment.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign } from '../../../test/support/builders/campaigns.ts';
import { aPerson, type Caller } from '../../../test/support/builders/people.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { until } from '../../../test/support/run/until.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';

let t: TestApp;
let owner: Caller;
before(async () => {
  t = await testApp();
  owner = await aPerson(t, 'owner', 'Ada');
  await aPerson(t, 'editor', 'Bob');
});
after(() => t.close());

/** Begins a call while a transaction has a campaign, in which it then locks the account as approving does. */
async function besideApproval(cid: string, begin: () => Promise<unknown>): Promise<void> {
  let called: Promise<unknown> | undefined;
  await t.app.db.transaction(async (tx) => {
    await tx.run(sql`select from campaign where id = ${parseId(cid)} for update`);
    called = begin();
    await until('the call waits for the campaign', async () => {
      const row = await t.app.db.row<{ waits: boolean }>(sql`
        select exists (
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'
        ) as waits`);
      return row!.waits;
    });
    await tx.run(sql`select from account where id = ${t.account.id} for share`);
  });
  await called;
  const row = await t.app.db.row<{ deadlocks: number }>(
    sql`select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()`,
  );
  assert.equal(row!.deadlocks, 0);
}

test('a link to a report is made after an approval of the same campaign', async () => {
  const cid = await aCampaign(t, { to: ['one@locks.example'] });
  await besideApproval(cid, () => owner.call('reportLinkCreate', { cid, name: 'Board', days: 30 }));
});

test('the rule is changed after an approval of a scheduled campaign', async () => {
  const cid = await aCampaign(t, { to: ['two@locks.example'] });
  await t.call('campaignSchedule', { cid, schedule_time: '2099-01-31 09:00:00' });
  await besideApproval(cid, () => owner.call('campaignApprovalRuleUpdate', { rule: 'everyone' }));
  const { state } = await t.call<{ state: string }>('campaignApprovalGet', { cid });
  assert.equal(state, 'approved');
});

test('a call that loses against others every time changes nothing, and its caller may try again', async () => {
  const cid = await aCampaign(t, { to: ['three@locks.example'] });
  await t.app.db.run(sql`
    create function lose() returns trigger language plpgsql
    as $$ begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`);
  await t.app.db.run(sql`create trigger lose before insert on campaign_comment for each row execute function lose()`);
  await assert.rejects(owner.call('campaignCommentCreate', { cid, text: 'Why?' }), {
    fault: 'UNAVAILABLE',
    retryAfter: 5,
  });
});
