// Setting up and removing the second factor of the signed-in user. Setting one up takes two calls, so that no one is locked
// out by a picture that was not read; confirming and removing it end the other sessions of the user.
import { renderSVG } from 'uqr';
import type { Context, PrepareContext } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { attemptLimits, attemptName, clearAttempts, takeAttempt, tooManyAttempts } from '../access/attempts.ts';
import { personOf } from '../access/person.ts';
import { endOtherSessions } from '../access/session.ts';
import { noticeToPerson } from '../notices/security-notice.ts';
import {
  beginSecondFactor,
  confirmSecondFactor,
  isSetupBegun,
  removeSecondFactor,
  useSecondFactor,
} from './second-factor.ts';
import { confirmPassword } from './signed-in-user.ts';
import { base32, otpauthAddress } from './totp.ts';

type User = Awaited<ReturnType<typeof confirmPassword>>;

export const prepareSetup = (context: PrepareContext, { password }: { password: string }): Promise<User> =>
  confirmPassword(context, password, 'password');

/** Makes a secret, which takes effect once it is confirmed with a code. */
export async function beginSetup({ app, caller, tx }: Context, _params: unknown, person: User) {
  const { userId } = personOf(caller);
  if (await isConfirmed(tx, userId)) throw fault('CODE_INVALID', 'second_factor.exists');
  const secret = await beginSecondFactor(app, tx, userId);
  const uri = otpauthAddress(secret, 'Postrider', person.email);
  const svg = renderSVG(uri, { ecc: 'M', border: 4 });
  return { secret: base32(secret), uri, qr: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` };
}

/** @returns the recovery codes */
export async function confirmSetup(
  { app, account, caller, tx }: Context,
  { code: given }: { code: string },
): Promise<string[]> {
  const person = personOf(caller);
  if (!(await isSetupBegun(tx, person.userId)))
    throw fault('CODE_INVALID', 'second_factor.not_begun', { member: 'code' });
  const codes = await confirmSecondFactor(app, tx, person.userId, given);
  if (!codes) throw fault('CODE_INVALID', 'second_factor.not_confirmed', { member: 'code' });
  await endOtherSessions(tx, person.userId, person.sessionId);
  await clearAttempts(tx, attemptName.code(person.userId));
  const what = message('notice.factor_set');
  await noticeToPerson(tx, account.id, { userId: person.userId, what, ip: person.ip });
  return codes;
}

export async function prepareRemoval(context: PrepareContext, { password }: { password: string }): Promise<undefined> {
  await confirmPassword(context, password, 'password');
  await countCode(context);
}

/** Removes the second factor, proven by a code of it. */
export async function removeWithCode(
  { app, account, caller, tx }: Context,
  { code: given }: { code: string },
): Promise<true> {
  const person = personOf(caller);
  if (!(await useSecondFactor(app, tx, person.userId, given)))
    throw fault('CODE_INVALID', 'second_factor.wrong_code', { member: 'code' });
  await removeSecondFactor(tx, person.userId);
  await endOtherSessions(tx, person.userId, person.sessionId);
  await clearAttempts(tx, attemptName.code(person.userId));
  const what = message('notice.factor_removed');
  await noticeToPerson(tx, account.id, { userId: person.userId, what, ip: person.ip });
  return true;
}

/** @throws Fault TOO_MANY_CALLS: there are only a million codes to guess */
export async function countCode({ app, caller }: Pick<Context, 'app' | 'caller'>): Promise<undefined> {
  const seconds = await takeAttempt(app.db, attemptName.code(personOf(caller).userId), attemptLimits.byAddress);
  if (seconds !== undefined) throw tooManyAttempts(seconds);
}

async function isConfirmed(tx: Queries, userId: number): Promise<boolean> {
  const row = await tx.row<{ confirmed: boolean }>(sql`
    select totp_confirmed_at is not null as confirmed
    from app_user
    where id = ${userId}
    for update`);
  return row?.confirmed ?? false;
}
