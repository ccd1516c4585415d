// Who belongs to an account: listing users, changing roles, removing them. Roles and memberships are read on every request,
// so a change applies to the next one. The account always keeps an owner. An invited address is listed by what the account
// knows of it: the address, the role and the name that it gave.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Message, message } from '../../base/messages.ts';
import { type Permission, permissionsOf, type Role } from '../../base/permissions.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { type ListsGiven, readListsOf, shownLists } from '../keys/lists.ts';
import { needRightsToGive } from '../keys/permissions.ts';
import { noticeOfChange } from '../notices/security-notice.ts';
import { changeInvitation, needRightsOverInvitation, withdrawInvitation } from './invitation.ts';
import { type GivenRights, needMayGive, readRights } from './rights.ts';
import { addMember } from './user.ts';

export async function listUsers({ account, tx }: Context) {
  const rows = await tx.rows<Row>(sql`
    select app_user.id, app_user.email, app_user.name, membership.role, coalesce(membership.permissions, '{}') as permissions,
      membership.lists,
      app_user.totp_confirmed_at is not null as totp, false as invited, membership.created_at, app_user.last_login_at,
      '' as invited_by, null::timestamptz as expires_at
    from membership
    join app_user on app_user.id = membership.user_id
    where membership.account_id = ${account.id}
    union all
    select id, email, name, role, coalesce(permissions, '{}'), lists, false, true, created_at, null, invited_by, expires_at
    from invitation
    where account_id = ${account.id}
      and expires_at > now()
    order by created_at, id`);
  return rows.map((row) => ({
    ...row,
    ...shownLists(row.lists),
    id: formatId(row.id),
    created_at: formatDate(row.created_at),
    last_login_at: formatDate(row.last_login_at),
    expires_at: formatDate(row.expires_at),
  }));
}

export async function changeRole(context: Context, given: { id: string } & GivenRights & ListsGiven): Promise<true> {
  const { account, caller, tx } = context;
  const rights = readRights(given);
  needMayGive(caller, rights);
  const lists = await readListsOf(tx, account.id, given);
  await needRightsOverInvitation(context, sql`id = ${parseId(given.id)}`, 'id');
  if (await changeInvitation(tx, account.id, given.id, { ...rights, lists })) return true;
  const userId = await needMember(context, given.id, given.role);
  await addMember(tx, account.id, userId, rights.role, rights.permissions);
  if (lists !== undefined)
    await tx.run(sql`
      update membership set lists = ${lists}::int[] where account_id = ${account.id} and user_id = ${userId}`);
  const email = await emailOf(tx, userId);
  await noticeOfChange(tx, account.id, { what: roleNotice(email, given.role, lists), ip: caller.ip });
  return true;
}

const emailOf = async (tx: Tx, userId: number): Promise<string> =>
  (await tx.row<{ email: string }>(sql`select email from app_user where id = ${userId}`))!.email;

/** @param lists when they changed with the role */
export function roleNotice(email: string, role: Role, lists?: readonly number[] | null): Message {
  if (role === 'owner') return message('notice.owner', { email });
  const named = { email, role: message(`role.${role}`) };
  return lists ? message('notice.role_lists', { ...named, count: lists.length }) : message('notice.role', named);
}

/** Removes a user from the account, and ends the user's sessions and keys from login() in it; or withdraws an invitation. */
export async function removeUser(context: Context, given: { id: string }): Promise<true> {
  const { account, caller, tx } = context;
  await needRightsOverInvitation(context, sql`id = ${parseId(given.id)}`, 'id');
  if (await withdrawInvitation(tx, account.id, given.id)) return true;
  const userId = await needMember(context, given.id, undefined);
  await endMembership(tx, account.id, userId);
  const what = message('notice.user_removed', { email: await emailOf(tx, userId) });
  await noticeOfChange(tx, account.id, { what, ip: caller.ip });
  return true;
}

/** Ends a membership, also in the account's test account, and the user's sessions and keys from login() there. */
export async function endMembership(tx: Tx, accountId: number, userId: number): Promise<void> {
  const tests = await tx.row<{ id: number }>(sql`select id from account where test_of = ${accountId}`);
  if (tests) await endMembership(tx, tests.id, userId);
  await tx.run(sql`delete from membership where account_id = ${accountId} and user_id = ${userId}`);
  await tx.run(sql`delete from session where account_id = ${accountId} and user_id = ${userId}`);
  await tx.run(sql`
    update api_key
    set expired_at = now()
    where account_id = ${accountId}
      and user_id = ${userId}
      and expired_at is null`);
}

/** The members of an account, locked: when two owners are removed at the same time, one of them stays. */
export async function lockMembers(tx: Tx, accountId: number): Promise<Member[]> {
  return tx.rows(sql`
    select user_id as "userId", role, permissions, granted_by as "grantedBy"
    from membership
    where account_id = ${accountId}
    order by user_id
    for update`);
}

type Member = { userId: number; role: Role; permissions: string[] | null; grantedBy: string | null };

type Row = {
  id: number;
  email: string;
  name: string;
  role: Role;
  permissions: Permission[];
  lists: number[] | null;
  totp: boolean;
  invited: boolean;
  created_at: Date;
  last_login_at: Date | null;
  invited_by: string;
  expires_at: Date | null;
};

/**
 * The user id of a member who is about to get the role `next`, or to be removed: one with more rights than the caller is not.
 * @throws Fault USER_UNKNOWN, LAST_OWNER, NOT_ALLOWED
 */
async function needMember({ account, caller, tx }: Context, named: string, next: Role | undefined): Promise<number> {
  const members = await lockMembers(tx, account.id);
  const member = members.find(({ userId }) => userId === parseId(named));
  if (!member) throw fault('USER_UNKNOWN', 'user.unknown', { member: 'id' });
  needRightsToGive(caller, permissionsOf(member.role, member.permissions), 'id');
  const owners = members.filter((other) => other.role === 'owner' && (other !== member || next === 'owner'));
  if (member.role === 'owner' && owners.length === 0) throw fault('LAST_OWNER', 'user.last_owner', { member: 'id' });
  return member.userId;
}
