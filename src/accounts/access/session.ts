// Sessions of people who are signed in: a random token in a cookie, its hash in a row. A session is looked up at every
// request, so one that was ended is refused at the next.
import type { App } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Queries, type Sql, sql, type Tx } from '../../db/connect.ts';
import { actingMinutes } from './acting-minutes.ts';
import { hashToken, newToken } from './token.ts';

export const sessionDays = 14;
/** For this long after the password was entered, a session may do what outlives it. */
export const confirmedMinutes = 15;
/** A session that an identity provider started ends after this time without a request: the provider may have let the person go. */
export const providerIdleHours = 12;

/** Whether a session has not ended: not by age, and not by the time without a request that SESSION_IDLE_HOURS sets. */
export function isLive({ config }: Pick<App, 'config'>): Sql {
  const hours = config.sessionIdleHours;
  return sql`(session.expires_at > now()
    and session.last_seen_at > now() - make_interval(
      hours => case when session.issuer is null then ${hours}::int else ${Math.min(hours, providerIdleHours)}::int end)
    and (session.acting_until is null or session.acting_until > now()))`;
}

/** Where a request comes from. */
export type From = { ip: string; userAgent: string };

/**
 * Starts a session of a user in the account given, else in the first they belong to that is not switched off.
 * @returns the token
 */
export async function startSession(
  db: Queries,
  userId: number,
  from: From,
  { provider, accountId }: { provider?: { issuer: string; idToken: Buffer }; accountId?: number } = {},
): Promise<{ token: string; accountId: number } | undefined> {
  const token = newToken();
  const row = await db.row<{ account_id: number }>(sql`
    insert into session (token_hash, user_id, account_id, expires_at, ip, user_agent, issuer, id_token)
    select ${hashToken(token)}, membership.user_id, membership.account_id, now() + make_interval(days => ${sessionDays}),
      ${from.ip}, ${from.userAgent.slice(0, 300)}, ${provider?.issuer ?? null}, ${provider?.idToken ?? null}
    from membership
    join account on account.id = membership.account_id
    where membership.user_id = ${userId}
    order by account.active desc, membership.account_id is distinct from ${accountId ?? null}::int, membership.created_at,
      membership.account_id
    limit 1
    returning account_id`);
  if (!row) return undefined;
  await db.run(sql`update app_user set last_login_at = now() where id = ${userId}`);
  return { token, accountId: row.account_id };
}

export async function endSession(db: Queries, token: string): Promise<void> {
  await db.run(sql`delete from session where token_hash = ${hashToken(token)}`);
}

/** Ends the sessions of a user but one, and the keys the user got from login(). */
export async function endOtherSessions(db: Queries, userId: number, keptId: number): Promise<void> {
  await db.run(sql`
    delete from session
    where user_id = ${userId}
      and id <> ${keptId}`);
  await db.run(sql`
    update api_key
    set expired_at = now()
    where user_id = ${userId}
      and expired_at is null`);
}

/**
 * Refuses when the session has ended since the call was admitted: what it adds would outlive the password, or the proof of the
 * address, that ended it. Both change the row of the person first, so that one of two transactions waits for the other.
 * @throws Fault KEY_INVALID
 */
export async function needSession(tx: Tx, { userId, sessionId }: { userId: number; sessionId: number }): Promise<void> {
  await tx.run(sql`select from app_user where id = ${userId} for no key update`);
  const row = await tx.row(sql`select from session where user_id = ${userId} and id = ${sessionId}`);
  if (!row) throw fault('KEY_INVALID', 'call.not_signed_in');
}

/** Gives a session a new token, and an account of its user; undefined when the user is no member there. */
export async function renewSession(
  db: Queries,
  session: { id: number; userId: number },
  accountId: number,
): Promise<string | undefined> {
  const token = newToken();
  const count = await db.run(sql`
    update session
    set token_hash = ${hashToken(token)}, account_id = ${accountId}, acting_until = null
    where id = ${session.id}
      and user_id = ${session.userId}
      and exists (
        select from membership
        where membership.user_id = session.user_id
          and membership.account_id = ${accountId})`);
  return count === 1 ? token : undefined;
}

/** Gives a session a new token, and for a while the account of another, of which its user is no member. */
export async function actIn(
  db: Queries,
  session: { id: number; userId: number },
  accountId: number,
): Promise<{ token: string; until: Date }> {
  const token = newToken();
  const row = await db.row<{ until: Date }>(sql`
    update session
    set token_hash = ${hashToken(token)}, account_id = ${accountId},
      acting_until = now() + make_interval(mins => ${actingMinutes})
    where id = ${session.id}
      and user_id = ${session.userId}
    returning acting_until as until`);
  return { token, until: row!.until };
}
