// Signing in with a password and, where one is set up, a second factor. Unknown addresses, wrong passwords and people
// without an account get the same text after the same time; attempts are counted before anything is checked, those of a
// browser that the person has used before apart from those of all others.
import type { App } from '../../base/context.ts';
import {
  attemptLimits,
  attemptName,
  browserToken,
  callerName,
  clearAttempts,
  knownBrowser,
  recordSignIn,
  refundAttempt,
  takeAttempt,
} from '../access/attempts.ts';
import { type From, startSession } from '../access/session.ts';
import { noteAudit } from '../audit/audit.ts';
import { checkPassword } from '../people/user.ts';
import { useSecondFactor } from './second-factor.ts';

export type SignIn =
  /** `browser` is for the browser to keep. */
  | { kind: 'in'; token: string; browser: string }
  | { kind: 'wrong' }
  /** The password is right; a code of the second factor is missing, or is not. */
  | { kind: 'code wanted'; given: boolean }
  | { kind: 'wait'; seconds: number };

type Given = {
  email: string;
  password: string;
  totp?: string | undefined;
  /** What this browser kept of an earlier sign-in. */
  browser?: string | undefined;
};

export async function signIn(app: App, given: Given, from: From): Promise<SignIn> {
  const outcome = await attempt(app, given, from);
  recordSignIn(app, { ip: from.ip, outcome: outcome.kind, by: 'password', email: given.email });
  return outcome;
}

async function attempt(app: App, given: Given, from: From): Promise<SignIn> {
  const caller = callerName(from.ip);
  const browser = knownBrowser(app, given.email, given.browser);
  const wait = await takeAttempt(app.db, caller, attemptLimits.byCaller);
  if (wait !== undefined) return { kind: 'wait', seconds: wait };
  // A browser that has used up its own attempts has those of the address, which the operator can give back.
  const names = [...(browser === undefined ? [] : [attemptName.browser(browser)]), attemptName.address(given.email)];
  const taken = await firstAllowed(app, names);
  if ('seconds' in taken) return { kind: 'wait', seconds: taken.seconds };
  const counted = taken.name;
  const user = await checkPassword(app.db, given.email, given.password);
  if (!user) return { kind: 'wrong' };
  if (user.secondFactor && !given.totp) {
    await refundAttempt(app.db, caller);
    await refundAttempt(app.db, counted);
    return { kind: 'code wanted', given: false };
  }
  const token = await app.db.transaction(async (tx) => {
    if (user.secondFactor && !(await useSecondFactor(app, tx, user.id, given.totp ?? ''))) return 'wrong code';
    const session = await startSession(tx, user.id, from);
    if (!session) return undefined;
    await noteAudit(tx, { accountId: session.accountId, userId: user.id, door: 'web', method: 'signIn', ip: from.ip });
    return session.token;
  });
  if (token === undefined) return { kind: 'wrong' };
  if (token === 'wrong code') return { kind: 'code wanted', given: true };
  await refundAttempt(app.db, caller);
  await clearAttempts(app.db, counted);
  return { kind: 'in', token, browser: browserToken(app, given.email, browser) };
}

/** Counts an attempt under the first name that allows it. */
async function firstAllowed(app: App, names: readonly string[]): Promise<{ name: string } | { seconds: number }> {
  let seconds = 0;
  for (const name of names) {
    const wait = await takeAttempt(app.db, name, attemptLimits.byAddress);
    if (wait === undefined) return { name };
    seconds = wait;
  }
  return { seconds };
}
