// Setting a password by a link, after losing it or being invited. Asking for a link leaves the same trace and takes the
// same time whether the address is known or not: the task that sends the message finds out.

import { Fault, fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { type Database, type Queries, sql } from '../../db/connect.ts';
import { enqueue } from '../../jobs/queue.ts';
import { noteAudit } from '../audit/audit.ts';
import { hashPassword, setPasswordHash } from '../people/user.ts';
import { noticeToPerson } from '../security-notice.ts';
import { attemptLimits, attemptName, clearAttempts, takeAttempt } from './attempts.ts';
import { passwordProblem } from './password.ts';
import { useLinkToken } from './sign-in-link.ts';

/** Requests a message with a link; more than a few in a row to one address are silently dropped. */
export async function askForReset(db: Database, email: string): Promise<void> {
  await db.transaction(async (tx) => {
    const wait = await takeAttempt(tx, attemptName.links(email), attemptLimits.linksByAddress);
    if (wait === undefined) await enqueue(tx, 'sendSignInLink', { email: email.trim(), purpose: 'reset' });
  });
}

/**
 * Sets the password of the user the link belongs to, and ends all their sessions.
 * @throws Fault LINK_EXPIRED, PASSWORD_INVALID
 */
export async function setPasswordByLink(
  db: Database,
  given: { token: string; password: string },
  ip: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const used = await useLinkToken(tx, ['reset', 'invite'], given.token);
    const person = used && (await personOf(tx, used.userId));
    if (!person) throw fault('LINK_EXPIRED', 'sign_in.link_expired');
    // Thrown within the transaction, so that the link stays valid for a better password.
    const weak = passwordProblem(given.password, person, 'password');
    if (weak) throw new Fault('PASSWORD_INVALID', weak);
    await setPasswordHash(tx, person.id, await hashPassword(given.password));
    if (used.mailed) await tx.run(sql`update app_user set address_proven = true where id = ${person.id}`);
    // Wrong passwords before, perhaps of an attacker, do not keep out the person who has proven the address.
    await clearAttempts(tx, attemptName.address(person.email));
    if (person.accounts[0] !== undefined && !person.invited)
      await noticeToPerson(tx, person.accounts[0], { userId: person.id, what: message('notice.password'), ip });
    for (const accountId of person.accounts)
      await noteAudit(tx, { accountId, userId: person.id, door: 'web', method: 'passwordReset', ip });
  });
}

async function personOf(tx: Queries, userId: number | null) {
  return tx.row<{ id: number; email: string; name: string; invited: boolean; accounts: number[] }>(sql`
    select id, email, name, invited, array(select account_id from membership where user_id = app_user.id) as accounts
    from app_user
    where id = ${userId}`);
}
