// The first run: the address that `serve` prints opens a page where the first owner enters their name and address and
// chooses a password. Works once, with the newest token printed, and only until someone has signed in. The organisation and
// the sender are entered here or in the setup screens.

import { type From, startSession } from '../../accounts/access/session.ts';
import { hasLinkToken, useLinkToken } from '../../accounts/access/sign-in-link.ts';
import { noteAudit } from '../../accounts/audit/audit.ts';
import { hashPassword } from '../../accounts/people/password-hash.ts';
import { findPlaceholder } from '../../accounts/people/placeholder.ts';
import { findUser, isEmailAddress, loginKey } from '../../accounts/people/user.ts';
import { passwordProblem } from '../../accounts/sign-in/password-strength.ts';
import { Fault, fault } from '../../base/faults.ts';
import { type Database, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { addSender } from '../../senders/senders/change.ts';
import { readSenderAddress } from '../../senders/senders/sender.ts';

export type FirstOwner = {
  token: string;
  email: string;
  name: string;
  password: string;
  company: string;
  postal_address: string;
  sender_name: string;
  website: string;
  language?: string | undefined;
  time_zone?: string | undefined;
};

/** Whether the page of this link can still make the first owner. */
export async function isFirstRunLink(db: Database, token: string): Promise<boolean> {
  return (await hasLinkToken(db, 'first run', token)) && (await findPlaceholder(db)) !== undefined;
}

/**
 * Turns the placeholder user into the first owner and signs them in. With a name for it, their address becomes a sender. @returns the session's token
 * @throws Fault LINK_EXPIRED, ADDRESS_INVALID, PASSWORD_INVALID
 */
export async function completeFirstRun(db: Database, given: FirstOwner, from: From): Promise<string> {
  if (!isEmailAddress(given.email)) throw fault('ADDRESS_INVALID', 'user.not_an_address', { member: 'email' });
  const weak = passwordProblem(given.password, given, 'password');
  if (weak) throw new Fault('PASSWORD_INVALID', weak);
  const senderName = given.sender_name || given.company;
  const sender = readSenderAddress(given.email);
  return db.transaction(async (tx) => {
    const used = await useLinkToken(tx, 'first run', given.token);
    const first = await findPlaceholder(tx);
    if (!used || !first) throw fault('LINK_EXPIRED', 'sign_in.first_run_expired');
    const taken = await findUser(tx, given.email);
    if (taken && taken.id !== first.user_id) throw fault('ADDRESS_INVALID', 'user.address_taken', { member: 'email' });
    await tx.run(sql`
      update app_user
      set email = ${given.email.trim()}, email_key = ${loginKey(given.email)}, name = ${given.name},
        password_hash = ${await hashPassword(given.password)}, language = coalesce(${given.language ?? null}, language)
      where id = ${first.user_id}`);
    await tx.run(sql`
      update account
      set email = ${given.email.trim()}, name = coalesce(nullif(${given.company}, ''), name),
        company = ${given.company}, postal_address = ${given.postal_address}, website = ${given.website},
        language = coalesce(${given.language ?? null}, language),
        time_zone = coalesce(${given.time_zone ?? null}, time_zone),
        settings = settings || ${JSON.stringify(senderName === '' ? {} : { sender_name: senderName })}::jsonb
      where id = ${first.account_id}`);
    if (senderName !== '' && sender !== undefined)
      await addSender(tx, first.account_id, { name: senderName, email: sender });
    await tx.run(sql`delete from installation where key = 'first_run'`);
    const session = await startSession(tx, first.user_id, from);
    if (!session) throw new Error(`user ${formatId(first.user_id)} belongs to no account`);
    await noteAudit(tx, {
      accountId: session.accountId,
      userId: first.user_id,
      door: 'web',
      method: 'firstRun',
      ip: from.ip,
    });
    return session.token;
  });
}
