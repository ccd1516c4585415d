// The signed-in user: its accounts, its password and its sessions.

import type { Context, PrepareContext } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import type { Role } from '../../base/permissions.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { attemptLimits, attemptName, clearAttempts, takeAttempt, tooManyAttempts } from '../access/attempts.ts';
import { personOf } from '../access/person.ts';
import { endOtherSessions, isLive, renewSession } from '../access/session.ts';
import { isOperatorAccount, operatorAccount } from '../account/account.ts';
import { shownLists } from '../keys/lists.ts';
import { noticeToPerson } from '../notices/security-notice.ts';
import { hashPassword } from '../people/password-hash.ts';
import { checkOwnPassword, setPasswordHash } from '../people/user.ts';
import { passwordProblem } from './password-strength.ts';
import { useSecondFactor } from './second-factor.ts';

/** The caller, the account and what the caller may do; an API key has no user. */
export async function sessionGet(context: Context) {
  const { account: own, caller, tx } = context;
  const user =
    caller.kind === 'user'
      ? await tx.row<{ email: string; name: string; language: string; totp: boolean }>(sql`
          select email, name, language, totp_confirmed_at is not null as totp
          from app_user
          where id = ${caller.userId}`)
      : undefined;
  const accounts =
    caller.kind === 'user'
      ? await tx.rows<{ id: number; name: string; role: Role }>(sql`
          select account.id, account.name, membership.role
          from membership
          join account on account.id = membership.account_id
          where membership.user_id = ${caller.userId}
          order by lower(account.name), account.id`)
      : [{ id: own.id, name: own.name, role: '' as const }];
  return {
    user:
      caller.kind === 'user' && user
        ? { id: formatId(caller.userId), ...user }
        : { id: '', email: '', name: '', language: '', totp: false },
    account: {
      id: formatId(own.id),
      name: own.name,
      company: own.company,
      postal_address: own.postalAddress,
      email: own.email,
      phone: own.phone,
      website: own.website,
      language: own.language,
      time_zone: own.timeZone,
      plan: own.plan,
      addons: own.addons,
      may_send: own.maySend,
      suspended: !own.active,
      test: own.isTest,
      settings: own.settings,
      created_at: formatDate(own.createdAt),
    },
    operator: await isOperatorAccount(tx, own),
    acting: await actingOf(context),
    role: caller.kind === 'user' ? caller.role : ('' as const),
    permissions: own.active ? [...caller.permissions] : [],
    ...shownLists(caller.lists),
    accounts: accounts.map((membership) => ({ ...membership, id: formatId(membership.id) })),
  };
}

/** Until when an operator acts in the account of another, and where they came from. */
async function actingOf({ caller, tx }: Context): Promise<{ until: string; home: string }> {
  if (caller.kind !== 'user' || !caller.actingUntil) return { until: '', home: '' };
  const home = await tx.row<{ id: number }>(operatorAccount);
  return { until: formatDate(caller.actingUntil), home: formatId(home!.id) };
}

/** Moves the session to another account of the user, under a new token. */
export async function switchSession({ caller, tx }: Context, { account_id }: { account_id: string }): Promise<true> {
  const person = personOf(caller);
  const token = await renewSession(tx, { id: person.sessionId, userId: person.userId }, parseId(account_id));
  if (token === undefined) throw fault('NOT_ALLOWED', 'session.no_such_account', { member: 'account_id' });
  person.renewed(token);
  return true;
}

/** Checks the password, and counts an attempt at the code. */
export async function prepareConfirmation(context: PrepareContext, { password }: { password: string }): Promise<void> {
  await confirmPassword(context, password, 'password');
  const name = attemptName.code(personOf(context.caller).userId);
  const seconds = await takeAttempt(context.app.db, name, attemptLimits.byAddress);
  if (seconds !== undefined) throw tooManyAttempts(seconds);
}

/** Re-authenticates the session for changes that outlast it. @throws Fault CODE_INVALID */
export async function confirmSession({ app, caller, tx }: Context, { totp }: { totp: string }): Promise<true> {
  const { userId, sessionId } = personOf(caller);
  const user = await tx.row<{ secondFactor: boolean }>(sql`
    select totp_confirmed_at is not null as "secondFactor" from app_user where id = ${userId}`);
  if (user!.secondFactor && !(await useSecondFactor(app, tx, userId, totp)))
    throw fault('CODE_INVALID', 'second_factor.wrong_code', { member: 'totp' });
  await clearAttempts(tx, attemptName.code(userId));
  await tx.run(sql`update session set confirmed_at = now() where user_id = ${userId} and id = ${sessionId}`);
  return true;
}

/** Checks both passwords. @returns the hash of the new one, which takes too long for a transaction */
export async function prepareNewPassword(
  context: PrepareContext,
  { old, new: next }: { old: string; new: string },
): Promise<string> {
  const person = await confirmPassword(context, old, 'old');
  const weak = passwordProblem(next, person, 'new');
  if (weak) throw new Fault('PASSWORD_INVALID', weak);
  return hashPassword(next);
}

/** Sets the new password and ends the other sessions. */
export async function changePassword(
  { caller, tx, account: own }: Context,
  _params: unknown,
  passwordHash: string,
): Promise<true> {
  const person = personOf(caller);
  // The caller stays signed in under a new token; a copy of the old token ends with all other sessions.
  const token = await renewSession(tx, { id: person.sessionId, userId: person.userId }, own.id);
  await setPasswordHash(tx, person.userId, passwordHash, person.sessionId);
  await noticeToPerson(tx, own.id, { userId: person.userId, what: message('notice.password'), ip: person.ip });
  if (token !== undefined) person.renewed(token);
  return true;
}

export async function listSessions({ app, caller, tx }: Context) {
  const person = personOf(caller);
  const rows = await tx.rows<Session>(sql`
    select session.id, account.name as account, session.created_at, session.last_seen_at, session.expires_at,
      session.ip, session.user_agent
    from session
    join account on account.id = session.account_id
    where session.user_id = ${person.userId}
      and ${isLive(app)}
    order by session.last_seen_at desc, session.id`);
  return rows.map((row) => ({
    ...row,
    id: formatId(row.id),
    current: row.id === person.sessionId,
    created_at: formatDate(row.created_at),
    last_seen_at: formatDate(row.last_seen_at),
    expires_at: formatDate(row.expires_at),
  }));
}

/** Ends one session, or all but the current one. */
export async function endSessions(
  { caller, tx }: Context,
  { id: named, others }: { id?: string | undefined; others: boolean },
): Promise<true> {
  const person = personOf(caller);
  if (others) {
    await endOtherSessions(tx, person.userId, person.sessionId);
    return true;
  }
  const count = await tx.run(sql`
    delete from session
    where user_id = ${person.userId}
      and id = ${parseId(named ?? '')}`);
  if (count === 0) throw fault('SESSION_UNKNOWN', 'session.unknown', { member: 'id' });
  return true;
}

type Session = {
  id: number;
  account: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  ip: string;
  user_agent: string;
};

/**
 * The user, if the password is right. Attempts are limited: an unattended browser is no place to guess passwords.
 * @throws Fault PASSWORD_INVALID, TOO_MANY_CALLS
 */
export async function confirmPassword(
  { app, caller }: Pick<Context, 'app' | 'caller'>,
  password: string,
  member: string,
): Promise<{ email: string; name: string }> {
  const { userId } = personOf(caller);
  const name = attemptName.password(userId);
  const seconds = await takeAttempt(app.db, name, attemptLimits.byAddress);
  if (seconds !== undefined) throw tooManyAttempts(seconds);
  const person = await checkOwnPassword(app.db, userId, password);
  if (!person) throw fault('PASSWORD_INVALID', 'password.wrong', { member });
  await clearAttempts(app.db, name);
  return person;
}
