// People who sign in: their password (argon2id), and their sessions (a random token in a cookie, its hash in a row).
import { createHash, randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import type { Role, Scope } from '../context.ts';
import { type Queries, sql } from '../db/connect.ts';

/** What a member of each role may do. */
export const roleScopes: Record<Role, Scope[]> = {
  owner: ['read', 'write', 'send', 'admin'],
  editor: ['read', 'write', 'send'],
  viewer: ['read'],
};

export const sessionDays = 14;

/** Spelling of an address that tells whether two are the same login. */
const loginKey = (email: string) => email.trim().toLowerCase();

export async function createUser(
  db: Queries,
  given: { email: string; password: string; name?: string },
): Promise<{ id: number }> {
  const row = await db.row<{ id: number }>(sql`
    insert into app_user (email, email_key, name, password_hash)
    values (${given.email.trim()}, ${loginKey(given.email)}, ${given.name ?? ''}, ${await hash(given.password)})
    returning id`);
  return row!;
}

export async function setPassword(db: Queries, userId: number, password: string): Promise<void> {
  await db.run(sql`update app_user set password_hash = ${await hash(password)} where id = ${userId}`);
  await db.run(sql`delete from session where user_id = ${userId}`);
}

export async function addMember(db: Queries, accountId: number, userId: number, role: Role): Promise<void> {
  await db.run(sql`
    insert into membership (account_id, user_id, role)
    values (${accountId}, ${userId}, ${role})
    on conflict (account_id, user_id) do update set role = excluded.role`);
}

/**
 * The user of an address and password, or undefined. Takes the same time whether the address is known or not.
 */
export async function checkPassword(db: Queries, email: string, password: string): Promise<{ id: number } | undefined> {
  const row = await db.row<{ id: number; password_hash: string }>(sql`
    select id, password_hash
    from app_user
    where email_key = ${loginKey(email)}`);
  const right = await verify(row?.password_hash ?? (await unknownUserHash), password).catch(() => false);
  return row && right ? { id: row.id } : undefined;
}

/** Starts a session of a user in the first account they belong to; returns the token for the cookie. */
export async function startSession(
  db: Queries,
  userId: number,
  from: { ip: string; userAgent: string },
): Promise<{ token: string; accountId: number } | undefined> {
  const token = randomBytes(32).toString('base64url');
  const row = await db.row<{ account_id: number }>(sql`
    insert into session (token_hash, user_id, account_id, expires_at, ip, user_agent)
    select ${hashToken(token)}, user_id, account_id, now() + make_interval(days => ${sessionDays}), ${from.ip}, ${from.userAgent.slice(0, 300)}
    from membership
    where user_id = ${userId}
    order by created_at, account_id
    limit 1
    returning account_id`);
  if (!row) return undefined;
  await db.run(sql`update app_user set last_login_at = now() where id = ${userId}`);
  return { token, accountId: row.account_id };
}

export async function endSession(db: Queries, token: string): Promise<void> {
  await db.run(sql`delete from session where token_hash = ${hashToken(token)}`);
}

export const hashToken = (token: string) => createHash('sha256').update(token).digest();

/** Checked when the address is unknown, so that the answer takes as long. */
const unknownUserHash = hash(randomBytes(16).toString('hex'));
