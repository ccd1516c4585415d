// The test account of an account: what it sends stays in the built-in inbox, so a program that is being tested may do everything in it.
// It is made with its first key, as a copy of the account's own details and settings; lists, contacts and all else are made in it.
// docs/flows.md, "Test account".
import type { Context } from '../../base/context.ts';
import { message } from '../../base/messages.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { enqueue } from '../../jobs/queue.ts';
import { noticeOfChange } from '../notices/security-notice.ts';
import { needRoomForKey } from './change.ts';
import { createKey, permissionsOfKey } from './key.ts';
import { needRightsToGive } from './permissions.ts';

/** @returns a new key, and the test account that it is of. @throws Fault TOO_LARGE, TOO_MANY_CALLS, NOT_ALLOWED */
export async function createTestKey({ account, caller, tx }: Context, { label }: { label: string }) {
  needRightsToGive(caller, permissionsOfKey('full', null), 'key');
  const tests = account.isTest ? { id: account.id, name: account.name } : await testAccountOf(tx, account.id);
  await needRoomForKey({ tx, account: tests });
  const { key } = await createKey(tx, tests.id, { label, scope: 'full', test: true });
  await noticeOfChange(tx, account.id, { what: message('notice.test_key', { label }), ip: caller.ip });
  return { account: formatId(tests.id), name: tests.name, key };
}

async function testAccountOf(tx: Tx, accountId: number): Promise<{ id: number; name: string }> {
  // Two calls at once make one.
  await tx.run(sql`select from account where id = ${accountId} for no key update`);
  const known = await tx.row<{ id: number; name: string }>(sql`
    select id, name from account where test_of = ${accountId}`);
  if (known) return known;
  const made = await tx.row<{ id: number; name: string }>(sql`
    insert into account (name, email, company, postal_address, phone, website, language, time_zone, plan, addons, active, may_send,
      settings, test_of)
    select left(name, 190) || ' (test)', email, company, postal_address, phone, website, language, time_zone, plan, addons, active,
      -- A program in it may do everything, so nothing waits for an approval.
      may_send, settings - 'approval', id
    from account
    where id = ${accountId}
    returning id, name`);
  await tx.run(sql`
    insert into membership (account_id, user_id, role)
    select ${made!.id}::int, user_id, role
    from membership
    where account_id = ${accountId}
      and role = 'owner'`);
  await enqueue(tx, 'addStarterTemplates', { account_id: made!.id });
  return made!;
}
