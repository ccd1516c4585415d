// Invitations: an address is asked to join an account, and the person accepts or declines in time. Until then the
// account learns nothing about the address, not even whether it belongs to a user. A user accepts when signed in; a person
// without a password accepts by the link, which sets one (sign-in/password-link.ts).
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { type Permission, permissionsOf, type Role } from '../../base/permissions.ts';
import { hasRelay } from '../../base/relay/has-relay.ts';
import { type Queries, type Sql, sql, type Tx } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { enqueue } from '../../jobs/queue.ts';
import { formatDate } from '../../method/date.ts';
import { attemptLimits, attemptName, takeAttempt, tooManyAttempts } from '../access/attempts.ts';
import { linkMinutes } from '../access/link-minutes.ts';
import { personOf } from '../access/person.ts';
import { linkAddress } from '../access/sign-in-link.ts';
import { hashToken, newToken } from '../access/token.ts';
import { noteAudit } from '../audit/audit.ts';
import { type ListsGiven, readListsOf } from '../keys/lists.ts';
import { needRightsToGive } from '../keys/permissions.ts';
import { noticeOfChange } from '../notices/security-notice.ts';
import { type GivenRights, needMayGive, type Rights, readRights } from './rights.ts';
import { isEmailAddress, loginKey } from './user.ts';

export type Invitation = {
  accountId: number;
  email: string;
  role: Role;
  permissions: Permission[] | null;
  /** The only lists of the new member; null for all. */
  lists: number[] | null;
  name: string;
  /** Whether the link went to the address, so that using it proves the address. */
  mailed: boolean;
};

/**
 * Invites an address. The answer, its time and its effects on the account are the same whether the address is known or not.
 * @returns the link to pass on, empty when it is sent by email
 */
export async function inviteUser(
  { app, account, caller, tx }: Context,
  given: { email: string; name: string } & GivenRights & ListsGiven,
): Promise<{ id: string; link: string }> {
  if (!isEmailAddress(given.email)) throw fault('ADDRESS_INVALID', 'user.not_an_address', { member: 'email' });
  const rights = readRights(given);
  needMayGive(caller, rights);
  if (await isMember(tx, account.id, given.email)) throw fault('USER_EXISTS', 'user.is_member', { member: 'email' });
  // An invitation of the same address is replaced.
  await needRightsOverInvitation({ account, caller, tx }, sql`email_key = ${loginKey(given.email)}`, 'email');
  const lists = (await readListsOf(tx, account.id, given)) ?? null;
  const invitedBy = caller.kind === 'user' ? await nameOf(tx, caller.userId) : '';
  const id = await saveInvitation(tx, account.id, { ...given, ...rights, lists, invitedBy });
  const what = message('notice.invitation', { email: given.email.trim(), role: message(`role.${given.role}`) });
  await noticeOfChange(tx, account.id, { what, ip: caller.ip });
  return send({ app, account, tx }, id, given.email);
}

/** Invites the owner of an account that was just made: there is no one to notify. */
export async function inviteOwner(
  context: Pick<Context, 'app' | 'account' | 'tx'>,
  given: { email: string; name: string },
): Promise<{ id: string; link: string }> {
  const rights = { role: 'owner' as const, permissions: null, lists: null };
  const id = await saveInvitation(context.tx, context.account.id, { ...given, ...rights, invitedBy: '' });
  return send(context, id, given.email);
}

/** Sends the invitation, or makes its link where nothing can be sent. @throws Fault TOO_MANY_CALLS */
async function send(
  { app, account, tx }: Pick<Context, 'app' | 'account' | 'tx'>,
  id: number,
  email: string,
): Promise<{ id: string; link: string }> {
  if (!(await hasRelay(app.config, tx))) {
    const token = await makeInvitationToken(tx, { accountId: account.id, id }, { mailed: false });
    return { id: formatId(id), link: linkAddress(app.baseUrl, 'invite', token) };
  }
  const seconds = await takeAttempt(tx, attemptName.links(email), attemptLimits.linksByAddress);
  if (seconds !== undefined) throw tooManyAttempts(seconds);
  await enqueue(tx, 'sendInvitation', { account_id: account.id, invitation_id: id });
  return { id: formatId(id), link: '' };
}

type Waiting = {
  id: number;
  account: string;
  account_id: number;
  role: Role;
  invited_by: string;
  created_at: Date;
  expires_at: Date;
};

/** The invitations that wait for the signed-in user. */
export async function listInvitations({ caller, tx }: Context) {
  const { userId } = personOf(caller);
  const rows = await tx.rows<Waiting>(sql`
    select invitation.id, account.name as account, account.id as account_id, invitation.role, invitation.invited_by,
      invitation.created_at, invitation.expires_at
    from app_user
    join invitation on invitation.email_key = app_user.email_key
    join account on account.id = invitation.account_id
    where app_user.id = ${userId}
      and app_user.address_proven
      and account.active
      and invitation.expires_at > now()
    order by invitation.created_at, invitation.id`);
  return rows.map((row) => ({
    ...row,
    id: formatId(row.id),
    account_id: formatId(row.account_id),
    created_at: formatDate(row.created_at),
    expires_at: formatDate(row.expires_at),
  }));
}

/** Makes the signed-in user a member of the account that invited. */
export async function acceptInvitation({ caller, tx }: Context, { id }: { id: string }): Promise<true> {
  const { userId, ip } = personOf(caller);
  await joinAccount(tx, await takeInvitation(tx, userId, id), { userId, ip });
  return true;
}

/** Removes an invitation of the signed-in user. The account learns that the address declined, and no more. */
export async function declineInvitation({ caller, tx }: Context, { id }: { id: string }): Promise<true> {
  const { accountId, email } = await takeInvitation(tx, personOf(caller).userId, id);
  await noteAudit(tx, { accountId, door: 'web', method: 'invitationDecline', subject: email });
  return true;
}

/** Makes a user a member, with an audit entry and a notice to the account. A member keeps the role. */
export async function joinAccount(
  tx: Tx,
  { accountId, email, role, permissions, lists }: Invitation,
  { userId, ip }: { userId: number; ip: string },
): Promise<void> {
  await tx.run(sql`
    insert into membership (account_id, user_id, role, permissions, lists)
    values (${accountId}, ${userId}, ${role}, ${permissions}::text[], ${lists}::int[])
    on conflict do nothing`);
  await noteAudit(tx, { accountId, userId, door: 'web', method: 'invitationAccept', subject: email, ip });
  await noticeOfChange(tx, accountId, {
    what: message('notice.user', { email, role: message(`role.${role}`) }),
    ip: '',
  });
}

/** Makes the token of an invitation's link, which replaces the older one. */
export async function makeInvitationToken(
  tx: Tx,
  { accountId, id }: { accountId: number; id: number },
  { mailed }: { mailed: boolean },
): Promise<string> {
  const token = newToken();
  await tx.run(sql`
    update invitation
    set token_hash = ${hashToken(token)}, mailed = ${mailed}
    where account_id = ${accountId}
      and id = ${id}`);
  return token;
}

/** What the page of an invitation shows; it says nothing about whether the address belongs to a user. */
export async function invitationOf(
  db: Queries,
  token: string,
): Promise<{ account: string; email: string; role: Role; name: string; invited_by: string } | undefined> {
  return db.row(sql`
    select account.name as account, invitation.email, invitation.role, invitation.name, invitation.invited_by
    from invitation
    join account on account.id = invitation.account_id
    where invitation.token_hash = ${hashToken(token)}
      and invitation.expires_at > now()
      and account.active`);
}

/** Uses up the link of an invitation: of two requests at the same time, only one gets it. */
export async function useInvitationToken(tx: Tx, token: string): Promise<Invitation | undefined> {
  return tx.row<Invitation>(sql`
    delete from invitation
    where token_hash = ${hashToken(token)}
      and expires_at > now()
    returning ${columns}`);
}

/** Makes a user whose address the operator vouches for a member of all accounts that invited it. @returns how many */
export async function acceptAll(tx: Tx, user: { id: number; email: string }): Promise<number> {
  const accepted = await tx.rows<Invitation>(sql`
    delete from invitation
    where email_key = ${loginKey(user.email)}
      and expires_at > now()
    returning ${columns}`);
  for (const invitation of accepted) await joinAccount(tx, invitation, { userId: user.id, ip: '' });
  return accepted.length;
}

/** One that gives more rights than the caller has is neither changed, replaced nor withdrawn. @throws Fault NOT_ALLOWED */
export async function needRightsOverInvitation(
  { account, caller, tx }: Pick<Context, 'account' | 'caller' | 'tx'>,
  which: Sql,
  member: string,
): Promise<void> {
  const invitation = await tx.row<Rights>(sql`
    select role, permissions
    from invitation
    where account_id = ${account.id}
      and ${which}
    for no key update`);
  if (invitation) needRightsToGive(caller, permissionsOf(invitation.role, invitation.permissions), member);
}

/** Changes the role of an invitation, and its lists unless they are undefined. @returns whether there is one */
export async function changeInvitation(
  tx: Tx,
  accountId: number,
  named: string,
  { role, permissions, lists }: Rights & { lists: number[] | null | undefined },
): Promise<boolean> {
  const count = await tx.run(sql`
    update invitation
    set role = ${role}, permissions = ${permissions}::text[],
      lists = ${lists === undefined ? sql`lists` : sql`${lists}::int[]`}
    where account_id = ${accountId}
      and id = ${parseId(named)}`);
  return count > 0;
}

/** Withdraws an invitation. @returns whether there was one */
export async function withdrawInvitation(tx: Tx, accountId: number, named: string): Promise<boolean> {
  const count = await tx.run(sql`
    delete from invitation
    where account_id = ${accountId}
      and id = ${parseId(named)}`);
  return count > 0;
}

const columns = sql`invitation.account_id as "accountId", invitation.email, invitation.role, invitation.permissions,
  invitation.lists, invitation.name, invitation.mailed`;

/** @throws Fault INVITATION_UNKNOWN */
async function takeInvitation(tx: Tx, userId: number, named: string): Promise<Invitation> {
  const invitation = await tx.row<Invitation>(sql`
    delete from invitation
    using app_user
    where app_user.id = ${userId}
      and app_user.address_proven
      and invitation.email_key = app_user.email_key
      and invitation.id = ${parseId(named)}
      and invitation.expires_at > now()
    returning ${columns}`);
  if (!invitation) throw fault('INVITATION_UNKNOWN', 'invitation.unknown', { member: 'id' });
  return invitation;
}

/** Invites once more when the address was invited before: the older link ends. */
async function saveInvitation(
  tx: Tx,
  accountId: number,
  {
    email,
    role,
    permissions,
    lists,
    name,
    invitedBy,
  }: { email: string; name: string; lists: number[] | null; invitedBy: string } & Rights,
): Promise<number> {
  const row = await tx.row<{ id: number }>(sql`
    insert into invitation (account_id, email, email_key, role, permissions, lists, name, invited_by, expires_at)
    values (
      ${accountId}, ${email.trim()}, ${loginKey(email)}, ${role}, ${permissions}::text[], ${lists}::int[], ${name},
      ${invitedBy}, now() + make_interval(mins => ${linkMinutes.invite}))
    on conflict (account_id, email_key) do update
    set email = excluded.email, role = excluded.role, permissions = excluded.permissions, lists = excluded.lists,
      name = excluded.name, invited_by = excluded.invited_by, token_hash = null, mailed = false, created_at = now(), expires_at = excluded.expires_at
    returning id`);
  return row!.id;
}

async function nameOf(tx: Queries, userId: number): Promise<string> {
  const row = await tx.row<{ name: string }>(sql`
    select coalesce(nullif(name, ''), email) as name from app_user where id = ${userId}`);
  return row?.name ?? '';
}

async function isMember(tx: Queries, accountId: number, email: string): Promise<boolean> {
  const row = await tx.row(sql`
    select membership.user_id
    from membership
    join app_user on app_user.id = membership.user_id
    where membership.account_id = ${accountId}
      and app_user.email_key = ${loginKey(email)}`);
  return row !== undefined;
}
