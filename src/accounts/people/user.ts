// Users who sign in: their email address, password (argon2id), and the accounts they are members of.
// What each role may do is in src/base/permissions.ts.
import { randomBytes } from 'node:crypto';
import type { Permission, Role } from '../../base/permissions.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { endOtherSessions } from '../access/session.ts';
import { recordProof } from './attached.ts';
import { hashPassword, isHashOf } from './password-hash.ts';

/** The form of an email address that identifies a user: addresses that differ in case are the same login. */
export const loginKey = (email: string) => email.trim().toLowerCase();

/** Whether a text looks like an email address. */
export function isEmailAddress(email: string): boolean {
  const plain = email.trim();
  return (
    plain.length <= 254 && /^[^\s@<>()",;:\\\p{Cc}]+@[^\s@<>()",;:\\\p{Cc}]+\.[^\s@<>()",;:.\\\p{Cc}]+$/u.test(plain)
  );
}

export async function createUser(
  db: Queries,
  given: {
    email: string /** Undefined: signs in by an identity provider. */;
    password: string | undefined;
    name?: string;
  },
): Promise<{ id: number }> {
  const hash = given.password === undefined ? null : await hashPassword(given.password);
  const row = await db.row<{ id: number }>(sql`
    insert into app_user (email, email_key, name, password_hash)
    values (${given.email.trim()}, ${loginKey(given.email)}, ${given.name ?? ''}, ${hash})
    returning id`);
  return row!;
}

export async function findUser(
  db: Queries,
  email: string,
): Promise<{ id: number; name: string; addressProven: boolean } | undefined> {
  return db.row(sql`
    select id, name, address_proven as "addressProven"
    from app_user
    where email_key = ${loginKey(email)}`);
}

/** Sets a password that the operator hands over, ends all sessions of the user and invalidates their password links. */
export async function setPassword(db: Queries, userId: number, password: string): Promise<void> {
  await recordProof(db, userId, true);
  await setPasswordHash(db, userId, await hashPassword(password));
}

/** As setPassword, with a hash computed outside the transaction; the session `keptSessionId` continues. */
export async function setPasswordHash(
  db: Queries,
  userId: number,
  passwordHash: string,
  keptSessionId = -1,
): Promise<void> {
  await db.run(sql`update app_user set password_hash = ${passwordHash} where id = ${userId}`);
  await endOtherSessions(db, userId, keptSessionId);
  await db.run(sql`delete from sign_in_link where user_id = ${userId}`);
}

/** Makes a user a member; a member gets the role, and as an owner all lists. @param permissions of the role custom */
export async function addMember(
  db: Queries,
  accountId: number,
  userId: number,
  role: Role,
  permissions: readonly Permission[] | null = null,
): Promise<void> {
  await db.run(sql`
    insert into membership (account_id, user_id, role, permissions)
    values (${accountId}, ${userId}, ${role}, ${permissions}::text[])
    on conflict (account_id, user_id) do update
    set role = excluded.role, permissions = excluded.permissions,
      lists = case when excluded.role <> 'owner' then membership.lists end`);
}

/**
 * The user with this address and password. Takes the same time whether the address is known or not.
 */
export async function checkPassword(
  db: Queries,
  email: string,
  password: string,
): Promise<{ id: number; secondFactor: boolean } | undefined> {
  const row = await db.row<{ id: number; password_hash: string | null; secondFactor: boolean }>(sql`
    select id, password_hash, totp_confirmed_at is not null as "secondFactor"
    from app_user
    where email_key = ${loginKey(email)}`);
  // Made at the first sign-in, whether the address is known or not.
  unknownUserHash ??= hashPassword(randomBytes(16).toString('hex'));
  const otherwise = await unknownUserHash;
  const right = await isHashOf(row?.password_hash ?? otherwise, password);
  return row && right ? { id: row.id, secondFactor: row.secondFactor } : undefined;
}

/** The user, if the password is right. */
export async function checkOwnPassword(
  db: Queries,
  userId: number,
  password: string,
): Promise<{ email: string; name: string } | undefined> {
  const row = await db.row<{ email: string; name: string; password_hash: string | null }>(sql`
    select email, name, password_hash
    from app_user
    where id = ${userId}`);
  if (!row?.password_hash) return undefined;
  const right = await isHashOf(row.password_hash, password);
  return right ? { email: row.email, name: row.name } : undefined;
}

/** Checked when the address is unknown, so that the call takes as long. */
let unknownUserHash: Promise<string> | undefined;
