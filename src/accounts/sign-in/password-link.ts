// Setting a password by a link: after a lost one, or when invited. Asking for a link leaves the same trace and takes the
// same time whether the address is known or not: the task that sends the mail finds out.

import { Fault } from '../../base/faults.ts';
import { type Database, type Queries, sql } from '../../db/connect.ts';
import { enqueue } from '../../jobs/queue.ts';
import { noteAudit } from '../audit/audit.ts';
import { hashPassword, loginKey, setPasswordHash } from '../people/user.ts';
import { takeTry, tryLimits } from './attempts.ts';
import { passwordProblem } from './password.ts';
import { useLinkToken } from './sign-in-link.ts';

/** Asks for a mail with a link; more than a few in a row to one address are left out without a word. */
export async function askForReset(db: Database, email: string): Promise<void> {
  await db.transaction(async (tx) => {
    const wait = await takeTry(tx, `links to ${loginKey(email)}`, tryLimits.linksByAddress);
    if (wait === undefined) await enqueue(tx, 'sendSignInLink', { email: email.trim(), purpose: 'reset' });
  });
}

/**
 * Sets the password of whoever holds the link, and ends all their sessions.
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
    if (!person) throw new Fault('LINK_EXPIRED', 'This link has been used or has expired; ask for a new one');
    // Thrown within the transaction, so that the link stays good for a better password.
    const weak = passwordProblem(given.password, person);
    if (weak) throw new Fault('PASSWORD_INVALID', `password ${weak}`);
    await setPasswordHash(tx, person.id, await hashPassword(given.password));
    for (const accountId of person.accounts)
      await noteAudit(tx, { accountId, userId: person.id, door: 'web', method: 'passwordReset', ip });
  });
}

async function personOf(tx: Queries, userId: number | null) {
  return tx.row<{ id: number; email: string; name: string; accounts: number[] }>(sql`
    select id, email, name, array(select account_id from membership where user_id = app_user.id) as accounts
    from app_user
    where id = ${userId}`);
}
