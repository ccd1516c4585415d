// Who belongs to an account: listing users, inviting them, changing roles, removing them. Roles and memberships are read on
// every request, so a change applies to the next one. The account always keeps an owner.
import type { Context, Role } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { enqueue } from '../../jobs/queue.ts';
import { formatDate } from '../../method/date.ts';
import { noticeOfChange } from '../security-notice.ts';
import { attemptLimits, attemptName, takeAttempt, tooManyAttempts } from '../sign-in/attempts.ts';
import { linkAddress, makeLinkToken } from '../sign-in/sign-in-link.ts';
import { addMember, createUserWithoutPassword, findUser, isEmailAddress } from './user.ts';

export async function listUsers({ account, tx }: Context) {
  const rows = await tx.rows<Row>(sql`
    select app_user.id, app_user.email, app_user.name, membership.role,
      app_user.totp_confirmed_at is not null as totp, app_user.invited, membership.created_at, app_user.last_login_at
    from membership
    join app_user on app_user.id = membership.user_id
    where membership.account_id = ${account.id}
    order by membership.created_at, app_user.id`);
  return rows.map((row) => ({
    ...row,
    id: formatId(row.id),
    created_at: formatDate(row.created_at),
    last_login_at: formatDate(row.last_login_at),
  }));
}

/** Adds a user. @returns the link to pass on, empty when it is sent by email or not needed */
export async function inviteUser(
  { app, account, caller, tx }: Context,
  given: { email: string; role: Role; name: string },
): Promise<{ id: string; link: string }> {
  if (!isEmailAddress(given.email)) throw fault('ADDRESS_INVALID', 'user.not_an_address', { member: 'email' });
  const known = await findUser(tx, given.email);
  const belongs = known ? await accountsOf(tx, known.id) : [];
  if (known && belongs.includes(account.id)) {
    if (!known.invited) throw fault('USER_EXISTS', 'user.is_member', { member: 'email' });
    await needMember(tx, account.id, formatId(known.id), given.role);
  }
  const elsewhere = belongs.some((accountId) => accountId !== account.id);
  const hasRelay = app.config.smtpUrls.length > 0;
  // Otherwise the other account, which has seen a link, could become this user and enter this account.
  if (known && elsewhere && !known.addressProven && !(known.invited && hasRelay))
    throw fault('NOT_ALLOWED', 'user.address_not_proven', { member: 'email' });
  if (known && elsewhere) await tx.run(sql`delete from sign_in_link where user_id = ${known.id} and not mailed`);
  const { id: userId } = known ?? (await createUserWithoutPassword(tx, given));
  await addMember(tx, account.id, userId, given.role);
  const what = message('notice.user', { email: given.email.trim(), role: given.role });
  await noticeOfChange(tx, account.id, { what, ip: caller.ip });
  if (known && !known.invited) return { id: formatId(userId), link: '' };
  if (!hasRelay) {
    const token = await makeLinkToken(tx, 'invite', userId);
    return { id: formatId(userId), link: linkAddress(app.baseUrl, 'invite', token) };
  }
  const seconds = await takeAttempt(tx, attemptName.links(given.email), attemptLimits.linksByAddress);
  if (seconds !== undefined) throw tooManyAttempts(seconds);
  await enqueue(tx, 'sendSignInLink', { email: given.email.trim(), purpose: 'invite', account_id: account.id });
  return { id: formatId(userId), link: '' };
}

export async function changeRole({ account, caller, tx }: Context, given: { id: string; role: Role }): Promise<true> {
  const userId = await needMember(tx, account.id, given.id, given.role);
  await addMember(tx, account.id, userId, given.role);
  if (given.role === 'owner') {
    const user = await tx.row<{ email: string }>(sql`select email from app_user where id = ${userId}`);
    await noticeOfChange(tx, account.id, { what: message('notice.owner', { email: user!.email }), ip: caller.ip });
  }
  return true;
}

/** Removes a user from the account, and ends the user's sessions and keys from login() in it. */
export async function removeUser({ account, tx }: Context, given: { id: string }): Promise<true> {
  const userId = await needMember(tx, account.id, given.id, undefined);
  await tx.run(sql`delete from membership where account_id = ${account.id} and user_id = ${userId}`);
  await tx.run(sql`delete from session where account_id = ${account.id} and user_id = ${userId}`);
  await tx.run(sql`
    update api_key
    set expired_at = now()
    where account_id = ${account.id}
      and user_id = ${userId}
      and expired_at is null`);
  return true;
}

type Row = {
  id: number;
  email: string;
  name: string;
  role: string;
  totp: boolean;
  invited: boolean;
  created_at: Date;
  last_login_at: Date | null;
};

/**
 * The user id of a member who is about to get the role `next`, or to be removed.
 * @throws Fault USER_UNKNOWN, LAST_OWNER
 */
async function needMember(tx: Queries, accountId: number, named: string, next: Role | undefined): Promise<number> {
  // Locks all members: when two owners remove each other at the same time, one of them stays.
  const members = await tx.rows<{ userId: number; role: Role }>(sql`
    select user_id as "userId", role
    from membership
    where account_id = ${accountId}
    order by user_id
    for update`);
  const member = members.find(({ userId }) => userId === parseId(named));
  if (!member) throw fault('USER_UNKNOWN', 'user.unknown', { member: 'id' });
  const owners = members.filter((other) => other.role === 'owner' && (other !== member || next === 'owner'));
  if (member.role === 'owner' && owners.length === 0) throw fault('LAST_OWNER', 'user.last_owner', { member: 'id' });
  return member.userId;
}

async function accountsOf(tx: Queries, userId: number): Promise<number[]> {
  const rows = await tx.rows<{ id: number }>(sql`
    select account_id as id
    from membership
    where user_id = ${userId}`);
  return rows.map((row) => row.id);
}
