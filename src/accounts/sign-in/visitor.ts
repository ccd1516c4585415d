// A browser that signs in by a provider or a passkey: what it brings along, and how often it may try.
import type { App } from '../../base/context.ts';
import { attemptLimits, callerName, takeAttempt, tooManyAttempts } from '../access/attempts.ts';
import { type Person, personOf } from '../access/person.ts';
import type { From } from '../access/session.ts';
import { authenticate } from '../keys/authenticate.ts';

/** With the cookie of earlier sign-ins and the session. */
export type Visitor = From & { browser: string | undefined; session: string | undefined };

/** @throws Fault TOO_MANY_CALLS */
export async function countCaller(app: App, { ip }: Visitor): Promise<void> {
  const seconds = await takeAttempt(app.db, callerName(ip), attemptLimits.byCaller);
  if (seconds !== undefined) throw tooManyAttempts(seconds);
}

/** The person of the session. @throws Fault KEY_INVALID, ACCOUNT_DISABLED */
export async function signedIn(app: App, { session = '', ip }: Visitor): Promise<Person> {
  return personOf((await authenticate(app, { kind: 'session', token: session, ip })).caller);
}
