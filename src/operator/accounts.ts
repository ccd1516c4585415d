// What the operator does with the accounts of the installation: creating one, changing what it may do, deleting it and taking that
// back. Each change is in the audit log of the account too. The command line uses the same functions.

import { personOf } from '../accounts/access/person.ts';
import { actIn, renewSession } from '../accounts/access/session.ts';
import { accountById, createAccount, isOperatorAccount, setAccount } from '../accounts/account/account.ts';
import { lockQuotaForChange } from '../accounts/account/monthly-quota.ts';
import { noteAudit, noteOperator } from '../accounts/audit/audit.ts';
import { needRightsToGive } from '../accounts/keys/permissions.ts';
import { noticeOfChange } from '../accounts/notices/security-notice.ts';
import { inviteOwner } from '../accounts/people/invitation.ts';
import { addMember, findUser, isEmailAddress } from '../accounts/people/user.ts';
import type { Account, Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { message } from '../base/messages.ts';
import { rolePermissions } from '../base/permissions.ts';
import { sql, type Tx } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { chunkChannel } from '../jobs/channels.ts';
import { formatDate } from '../method/date.ts';
import { limitRelays } from '../relays/settings/relay-accounts.ts';

/** What the operator decides about an account. */
export type Terms = {
  name?: string | undefined;
  active?: boolean | undefined;
  may_send?: boolean | undefined;
  plan?: 'free' | 'pro' | undefined;
  addons?: string[] | undefined;
  /** Emails a month; 0 for no limit. */
  monthly_quota?: number | undefined;
  /** Emails a second; 0 for no limit. */
  rate?: number | undefined;
  /** The relays that are for this account, among others; without any it uses those of all accounts. */
  relays?: string[] | undefined;
};

/** The account that a call of the operator is about. @throws Fault INVALID_PARAMETER */
export async function needAccountOf(context: Context, id: string, member = 'account'): Promise<Account> {
  const found = await accountById(context.tx, parseId(id));
  if (!found) throw fault('INVALID_PARAMETER', 'operator.account_unknown', { member, id: id.slice(0, 40) });
  return found;
}

/** As needAccountOf, but not the operator's own account, without which no one could undo it, nor a test account. */
export async function needOtherAccount(context: Context, id: string): Promise<Account> {
  const account = await needAccountOf(context, id);
  if (await isOperatorAccount(context.tx, account))
    throw fault('NOT_ALLOWED', 'operator.own_account', { member: 'account' });
  if (account.isTest) throw fault('NOT_ALLOWED', 'operator.test_account', { member: 'account' });
  return account;
}

/** Writes into the log of the account what the operator did with it. */
export async function noteInAccount(
  { tx, caller, account: own }: Context,
  accountId: number,
  method: string,
  detail: Record<string, string> = {},
) {
  if (accountId === own.id) return;
  if (caller.kind === 'system') return noteOperator(tx, [accountId], method, { detail });
  await noteAudit(tx, {
    accountId,
    ...(caller.kind === 'user' && { userId: caller.userId }),
    door: 'web',
    method,
    ip: '',
    detail: { by: 'operator', ...detail },
  });
}

/** Creates an account and invites its owner; the caller's own address becomes one at once. @throws Fault ADDRESS_INVALID */
export async function createAccountFor(
  context: Context,
  given: Terms & { name: string; email: string; language: string; time_zone: string },
): Promise<{ account: string; invited: boolean; link: string }> {
  const { tx, caller } = context;
  const email = given.email.trim();
  if (!isEmailAddress(email)) throw fault('ADDRESS_INVALID', 'user.not_an_address', { member: 'email' });
  const account = await createAccount(tx, {
    name: given.name,
    email,
    language: given.language,
    timeZone: given.time_zone,
  });
  const { name: _name, ...terms } = given;
  await changeTerms(tx, account.id, { plan: 'pro', ...terms });
  await noteInAccount(context, account.id, 'accountCreate', { email });
  const user = await findUser(tx, email);
  if (user && caller.kind === 'user' && caller.userId === user.id) {
    await addMember(tx, account.id, user.id, 'owner');
    return { account: formatId(account.id), invited: false, link: '' };
  }
  const { link } = await inviteOwner({ ...context, account }, { email, name: '' });
  return { account: formatId(account.id), invited: true, link };
}

/** @throws Fault INVALID_PARAMETER, NOT_ALLOWED */
export async function updateTerms(
  context: Context,
  { account: id, ...given }: Terms & { account: string },
): Promise<true> {
  const { tx } = context;
  const account = given.active === false ? await needOtherAccount(context, id) : await needAccountOf(context, id);
  if (account.isTest) throw fault('NOT_ALLOWED', 'operator.test_account', { member: 'account' });
  if (given.active === true && (await deletionOf(tx, account.id)) !== undefined)
    throw fault('NOT_ALLOWED', 'operator.is_deleted', { member: 'active' });
  await changeTerms(tx, account.id, given);
  await noteInAccount(context, account.id, 'accountLimitsUpdate', asDetail(given));
  return true;
}

/** Changes what an account may do, and wakes what waits for it. */
export async function changeTerms(tx: Tx, id: number, given: Terms): Promise<void> {
  if (given.monthly_quota !== undefined) {
    await lockQuotaForChange(tx, id);
    await tx.run(sql`
      update account
      set monthly_quota = ${given.monthly_quota || null}, quota_noticed_month = null, quota_noticed_percent = 0
      where id = ${id}
        and monthly_quota is distinct from ${given.monthly_quota || null}::int`);
  }
  if (given.rate !== undefined)
    await tx.run(sql`update account set max_rate = ${given.rate || null}::float8 where id = ${id}`);
  if (given.name !== undefined) await tx.run(sql`update account set name = ${given.name} where id = ${id}`);
  if (given.relays !== undefined) await limitRelays(tx, id, given.relays);
  await setAccount(tx, id, {
    ...(given.plan && { plan: given.plan }),
    ...(given.addons && { addons: given.addons }),
    ...(given.active !== undefined && { active: given.active }),
    ...(given.may_send !== undefined && { maySend: given.may_send }),
  });
  await tx.run(sql`select pg_notify(${chunkChannel}, '')`);
}

const asDetail = (given: Terms): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, `${name} ${value}`.slice(0, 200)]),
  );

/** When an account is erased; undefined when it is not to be. */
async function deletionOf(tx: Tx, id: number): Promise<string | undefined> {
  const row = await tx.row<{ at: string | null }>(sql`select delete_at::text as at from account where id = ${id}`);
  return row?.at ?? undefined;
}

/** Where the file with an account is. Its owner sees in the log that it was asked for. */
export async function exportAccount(context: Context, { account: id }: { account: string }): Promise<{ url: string }> {
  const account = await needAccountOf(context, id);
  await noteInAccount(context, account.id, 'accountExport');
  return { url: `${context.app.baseUrl}/export/account/${formatId(account.id)}.jsonl` };
}

/** Suspends an account and erases it after some days. Deleting it again moves the day. */
export async function deleteAccount(
  context: Context,
  { account: id, days }: { account: string; days: number },
): Promise<string> {
  const { tx } = context;
  const { id: accountId } = await needOtherAccount(context, id);
  const row = await tx.row<{ at: Date }>(sql`
    update account
    set delete_at = now() + make_interval(days => ${days}), active = false
    where id = ${accountId}
      and delete_at is distinct from '-infinity'
    returning delete_at as at`);
  if (!row) throw fault('NOT_ALLOWED', 'operator.being_erased', { member: 'account' });
  await tx.run(sql`update account set active = false where test_of = ${accountId}`);
  await noteInAccount(context, accountId, 'accountDelete', { days: String(days) });
  return formatDate(row.at);
}

/** Takes the deletion of an account back: it can be used again. */
export async function restoreAccount(context: Context, { account: id }: { account: string }): Promise<true> {
  const { tx } = context;
  const account = await needAccountOf(context, id);
  // Waits for the task that erases it, which marks it first.
  const restored = await tx.run(sql`
    update account
    set delete_at = null, active = true
    where id = ${account.id}
      and delete_at <> '-infinity'`);
  if (restored === 0)
    throw fault(
      'NOT_ALLOWED',
      (await deletionOf(tx, account.id)) === undefined ? 'operator.not_deleted' : 'operator.being_erased',
      { member: 'account' },
    );
  await tx.run(sql`update account set active = true where test_of = ${account.id}`);
  await tx.run(sql`select pg_notify(${chunkChannel}, '')`);
  await noteInAccount(context, account.id, 'accountRestore');
  return true;
}

/**
 * Lets the operator act in an account for a while, with the rights of an owner but for passwords, keys and people. The account gets a
 * notice at once, and its log names the person with each change. @returns until when; "" in an account of the person's own
 */
export async function signInAs(context: Context, { account: id }: { account: string }): Promise<string> {
  const { tx } = context;
  const person = personOf(context.caller);
  const account = await needAccountOf(context, id);
  if ((await deletionOf(tx, account.id)) !== undefined)
    throw fault('NOT_ALLOWED', 'operator.restore_first', { member: 'account' });
  if (!account.active) throw fault('NOT_ALLOWED', 'operator.suspended', { member: 'account' });
  // Acting, one has the rights of an owner.
  needRightsToGive(person, rolePermissions.owner, 'account');
  const session = { id: person.sessionId, userId: person.userId };
  const own = await renewSession(tx, session, account.id);
  if (own !== undefined) {
    person.renewed(own);
    return '';
  }
  const { token, until } = await actIn(tx, session, account.id);
  person.renewed(token);
  const who = await tx.row<{ email: string }>(sql`select email from app_user where id = ${person.userId}`);
  await noteInAccount(context, account.id, 'accountSignIn', { until: formatDate(until) });
  await noticeOfChange(tx, account.id, {
    what: message('notice.operator_signed_in', { email: who!.email }),
    ip: person.ip,
  });
  return formatDate(until);
}
