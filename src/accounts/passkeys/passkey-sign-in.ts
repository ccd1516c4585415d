// Signing in by a passkey, without a password: the passkey is something the person has, and the device asks for a fingerprint, a
// face or a PIN, so no code is asked either. Confirming a session takes the same way. Attempts count like those of passwords.
import type { App } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import {
  browserToken,
  callerName,
  countBegun,
  knownBrowser,
  recordSignIn,
  refundAttempt,
  uncountBegun,
} from '../access/attempts.ts';
import type { Person } from '../access/person.ts';
import { startSession } from '../access/session.ts';
import { newToken } from '../access/token.ts';
import { noteAudit } from '../audit/audit.ts';
import { loginKey } from '../people/user.ts';
import { countCaller, signedIn, type Visitor } from '../sign-in/visitor.ts';
import { type Bound, makeChallenge, takeChallenge } from './challenge.ts';
import { needRelyingParty } from './relying-party.ts';
import { readResponse, type Stored, verifyUse } from './verify.ts';

/** With the cookie of this sign-in. */
export type PasskeyVisitor = Visitor & { attempt: string | undefined };

/**
 * Begins a sign-in, or the confirmation of a session.
 * @returns the options for the browser, and the token for its cookie
 * @throws Fault NOT_ALLOWED, TOO_MANY_CALLS, KEY_INVALID
 */
export async function beginWithPasskey(
  app: App,
  purpose: 'sign in' | 'confirm',
  visitor: PasskeyVisitor,
): Promise<{ options: object; attempt: string }> {
  const party = needRelyingParty(app);
  await countCaller(app, visitor);
  const attempt = /^[\w-]{43}$/.test(visitor.attempt ?? '') ? visitor.attempt! : newToken();
  const person = purpose === 'confirm' ? await signedIn(app, visitor) : undefined;
  await countBegun(app.db, visitor.ip);
  const challenge = await makeChallenge(app.db, boundTo(person, attempt));
  await refundAttempt(app.db, callerName(visitor.ip));
  // Without a list of credentials the browser offers those that it has: no one learns which passkeys a user has.
  const options = { challenge, rpId: party.id, timeout: 120_000, userVerification: 'required', allowCredentials: [] };
  return { options, attempt };
}

/**
 * Signs in the person of a passkey.
 * @param given `email`: the address that was entered with a password before; the passkey must be that person's
 * @throws Fault NOT_ALLOWED, SIGN_IN_FAILED, TOO_MANY_CALLS
 */
export async function signInByPasskey(
  app: App,
  given: { response: string; email?: string | undefined },
  visitor: PasskeyVisitor,
): Promise<{ token: string; browser: string }> {
  try {
    await countCaller(app, visitor);
    const { attempt = '' } = visitor;
    const entered = await usePasskey(app, given.response, boundTo(undefined, attempt), async (tx, user) => {
      if (given.email !== undefined && loginKey(given.email) !== loginKey(user.email)) return undefined;
      const session = await startSession(tx, user.id, visitor);
      if (!session) return undefined;
      const entry = { accountId: session.accountId, userId: user.id, method: 'signInPasskey', subject: user.passkey };
      await noteAudit(tx, { ...entry, door: 'web', ip: visitor.ip });
      return { token: session.token, email: user.email };
    });
    await refundAttempt(app.db, callerName(visitor.ip));
    await uncountBegun(app.db, visitor.ip);
    recordSignIn(app, { ip: visitor.ip, outcome: 'in', by: 'passkey', email: entered.email });
    const known = knownBrowser(app, entered.email, visitor.browser);
    return { token: entered.token, browser: browserToken(app, entered.email, known) };
  } catch (error) {
    if (error instanceof Fault)
      recordSignIn(app, {
        ip: visitor.ip,
        outcome: error.fault === 'TOO_MANY_CALLS' ? 'wait' : 'wrong',
        by: 'passkey',
      });
    throw error;
  }
}

/**
 * Re-authenticates the session for changes that outlast it.
 * @throws Fault NOT_ALLOWED, SIGN_IN_FAILED, KEY_INVALID, TOO_MANY_CALLS
 */
export async function confirmByPasskey(app: App, response: string, visitor: PasskeyVisitor): Promise<void> {
  await countCaller(app, visitor);
  const person = await signedIn(app, visitor);
  const { userId, sessionId } = person;
  await usePasskey(app, response, boundTo(person, ''), async (tx, user) => {
    if (user.id !== userId) return undefined;
    await tx.run(sql`update session set confirmed_at = now() where user_id = ${userId} and id = ${sessionId}`);
    return true;
  });
  await refundAttempt(app.db, callerName(visitor.ip));
  await uncountBegun(app.db, visitor.ip);
}

type User = { id: number; email: string; passkey: string };

/**
 * Checks an answer, stores the passkey's counter, and does the rest in the same transaction. The challenge is used up even if
 * that fails.
 * @throws Fault SIGN_IN_FAILED
 */
async function usePasskey<T>(
  app: App,
  text: string,
  bound: Bound,
  then: (tx: Tx, user: User) => Promise<T | undefined>,
): Promise<T> {
  const party = needRelyingParty(app);
  const refused = () => fault('SIGN_IN_FAILED', 'passkey.refused');
  const response = readResponse(text);
  if (!response) throw refused();
  const { id, challenge, userHandle } = response;
  if (!(await takeChallenge(app.db, challenge, bound))) throw fault('SIGN_IN_FAILED', 'passkey.challenge_over');
  return app.db.transaction(async (tx) => {
    const row = await tx.row<Stored & { passkeyId: number; userId: number; name: string; email: string }>(sql`
      select passkey.id as "passkeyId", passkey.user_id as "userId", passkey.name, app_user.email,
        credential_id as "credentialId", public_key as "publicKey", counter::float8 as counter
      from passkey
      join app_user on app_user.id = passkey.user_id
      where credential_id = ${Buffer.from(id, 'base64url')}
      for update of passkey`);
    if (!row || userHandle !== formatId(row.userId)) throw refused();
    const used = await verifyUse(app, text, { party, challenge, stored: row });
    if (!used) throw refused();
    await tx.run(sql`
      update passkey
      set counter = ${used.counter}, synced = ${used.isSynced}, last_used_at = now()
      where user_id = ${row.userId}
        and id = ${row.passkeyId}`);
    const result = await then(tx, { id: row.userId, email: row.email, passkey: row.name });
    if (result === undefined) throw refused();
    return result;
  });
}

const boundTo = (person: Person | undefined, attempt: string): Bound =>
  person ? { purpose: 'confirm', to: person.sessionId } : { purpose: 'sign in', to: attempt };
