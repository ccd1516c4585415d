// Setting a password by a link, after losing it, and joining by that of an invitation. Asking for a link leaves the same trace and takes the
// same time whether the address is known or not: the task that sends the message finds out.

import { Fault, fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { type Database, type Queries, sql, type Tx } from '../../db/connect.ts';
import { enqueue } from '../../jobs/queue.ts';
import { attemptLimits, attemptName, clearAttempts, takeAttempt } from '../access/attempts.ts';
import { type From, startSession } from '../access/session.ts';
import { useLinkToken } from '../access/sign-in-link.ts';
import { noteAudit } from '../audit/audit.ts';
import { noticeToPerson } from '../notices/security-notice.ts';
import { recordProof } from '../people/attached.ts';
import { type Invitation, joinAccount, useInvitationToken } from '../people/invitation.ts';
import { hashPassword } from '../people/password-hash.ts';
import { createUser, loginKey, setPasswordHash } from '../people/user.ts';
import { passwordProblem } from './password-strength.ts';

/** Requests a message with a link; more than a few in a row to one address are silently dropped. */
export async function askForReset(db: Database, email: string): Promise<void> {
  await db.transaction(async (tx) => {
    const wait = await takeAttempt(tx, attemptName.links(email), attemptLimits.linksByAddress);
    if (wait === undefined) await enqueue(tx, 'sendSignInLink', { email: email.trim() });
  });
}

type Given = { token: string; password: string };

/**
 * Sets the password of the user the link belongs to and ends all their sessions. What is thrown within the transaction leaves the
 * link valid, for a better password. The link of an invitation is no such link.
 * @throws Fault LINK_EXPIRED, PASSWORD_INVALID
 */
export async function setPasswordByLink(db: Database, given: Given, ip: string): Promise<void> {
  await db.transaction(async (tx) => {
    const reset = await useLinkToken(tx, 'reset', given.token);
    const lost = reset && (await findPerson(tx, sql`id = ${reset.userId}`));
    if (!lost) throw fault('LINK_EXPIRED', 'sign_in.link_expired');
    await setPassword(tx, lost, { password: given.password, mailed: true, ip });
  });
}

/**
 * Makes the invited person a member, with the name and the password that they give, and signs them in to the account that invited.
 * What is thrown within the transaction leaves the link valid, for a better password or for signing in.
 * @returns the session's token; undefined where the person has a second factor, and signs in with it
 * @throws Fault LINK_EXPIRED, PASSWORD_INVALID, USER_EXISTS
 */
export async function joinByLink(
  db: Database,
  given: Given & { name: string },
  from: From,
): Promise<string | undefined> {
  return db.transaction(async (tx) => {
    const invitation = await useInvitationToken(tx, given.token);
    if (!invitation) throw fault('LINK_EXPIRED', 'sign_in.link_expired');
    const name = given.name.trim() || invitation.name;
    const userId = await acceptByLink(tx, { ...invitation, name }, given.password, from.ip);
    const person = await tx.row<{ hasFactor: boolean }>(sql`
      update app_user
      set name = coalesce(nullif(name, ''), ${name})
      where id = ${userId}
      returning totp_confirmed_at is not null as "hasFactor"`);
    if (person!.hasFactor) return undefined;
    return (await startSession(tx, userId, from, { accountId: invitation.accountId }))?.token;
  });
}

/**
 * Only a link that was mailed may replace the password of a user who belongs to an account, and only while no other mail has
 * proven the address: otherwise an account could take over a user by inviting.
 */
async function acceptByLink(tx: Tx, invitation: Invitation, password: string, ip: string): Promise<number> {
  const { email, name, mailed } = invitation;
  const person = await findPerson(tx, sql`email_key = ${loginKey(email)}`);
  if (person && person.accounts.length > 0 && (person.addressProven || !mailed))
    throw fault('USER_EXISTS', person.addressProven ? 'invitation.sign_in' : 'invitation.address_not_proven', {
      email,
    });
  const userId = person?.id ?? (await addUser());
  if (person) await setPassword(tx, person, { password, mailed, ip });
  await joinAccount(tx, invitation, { userId, ip });
  return userId;

  async function addUser(): Promise<number> {
    checkStrength({ email, name }, password);
    const user = await createUser(tx, { email, name, password });
    await tx.run(sql`update app_user set address_proven = ${mailed} where id = ${user.id}`);
    await clearAttempts(tx, attemptName.address(email));
    return user.id;
  }
}

type Person = { id: number; email: string; name: string; addressProven: boolean; accounts: number[] };

async function setPassword(
  tx: Tx,
  person: Person,
  { password, mailed, ip }: { password: string; mailed: boolean; ip: string },
): Promise<void> {
  checkStrength(person, password);
  await setPasswordHash(tx, person.id, await hashPassword(password));
  await recordProof(tx, person.id, mailed);
  // Wrong passwords before, perhaps of an attacker, do not keep out the person who has proven the address.
  await clearAttempts(tx, attemptName.address(person.email));
  if (person.accounts[0] !== undefined)
    await noticeToPerson(tx, person.accounts[0], { userId: person.id, what: message('notice.password'), ip });
  for (const accountId of person.accounts)
    await noteAudit(tx, { accountId, userId: person.id, door: 'web', method: 'passwordReset', ip });
}

/** @throws Fault PASSWORD_INVALID */
function checkStrength(person: { email: string; name: string }, password: string): void {
  const weak = passwordProblem(password, person, 'password');
  if (weak) throw new Fault('PASSWORD_INVALID', weak);
}

async function findPerson(tx: Queries, where: ReturnType<typeof sql>): Promise<Person | undefined> {
  return tx.row<Person>(sql`
    select id, email, name, address_proven as "addressProven",
      array(select account_id from membership where user_id = app_user.id) as accounts
    from app_user
    where ${where}`);
}
