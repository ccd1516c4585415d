// A person's second factor: the sealed secret, the codes that were taken, the recovery codes. Each code works once, also
// when two come with it at the same time.
import { createHash, randomBytes } from 'node:crypto';
import type { App } from '../../base/context.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { seal, unseal } from '../installation/seal.ts';
import { base32, matchingStep } from './totp.ts';

/** Makes a secret that counts once its first code is confirmed. RFC 4226 4 R6: 160 bits. */
export async function beginSecondFactor(app: App, tx: Tx, userId: number): Promise<Buffer> {
  const secret = randomBytes(20);
  await tx.run(sql`
    update app_user
    set totp_secret = ${seal(app, about(userId), secret.toString('base64'))}, totp_last_step = 0
    where id = ${userId}
      and totp_confirmed_at is null`);
  return secret;
}

/** Switches the second factor on; returns new recovery codes, or undefined when the code is not right. */
export async function confirmSecondFactor(
  app: App,
  tx: Tx,
  userId: number,
  code: string,
): Promise<string[] | undefined> {
  if (!(await useCode(app, tx, userId, code, false))) return undefined;
  await tx.run(sql`update app_user set totp_confirmed_at = now() where id = ${userId}`);
  await tx.run(sql`delete from recovery_code where user_id = ${userId}`);
  const codes = Array.from({ length: 10 }, newRecoveryCode);
  await tx.run(sql`
    insert into recovery_code (user_id, code_hash)
    select ${userId}, unnest(${codes.map((code) => hashCode(userId, code))}::bytea[])`);
  return codes;
}

/** Takes a code of the authenticator or a recovery code; false when it is neither, or was taken before. */
export async function useSecondFactor(app: App, tx: Tx, userId: number, code: string): Promise<boolean> {
  if (await useCode(app, tx, userId, code, true)) return true;
  const count = await tx.run(sql`
    delete from recovery_code
    where user_id = ${userId}
      and code_hash = ${hashCode(userId, code)}`);
  return count === 1;
}

/** Takes the second factor away; false when there was none. */
export async function removeSecondFactor(tx: Tx, userId: number): Promise<boolean> {
  await tx.run(sql`delete from recovery_code where user_id = ${userId}`);
  const count = await tx.run(sql`
    update app_user
    set totp_secret = null, totp_confirmed_at = null, totp_last_step = 0
    where id = ${userId}
      and totp_secret is not null`);
  return count > 0;
}

/** Whether a secret was made that no code has confirmed yet. */
export const isSetupBegun = async (tx: Tx, userId: number): Promise<boolean> =>
  (await tx.row(sql`
    select from app_user where id = ${userId} and totp_secret is not null and totp_confirmed_at is null`)) !==
  undefined;

async function useCode(app: App, tx: Tx, userId: number, code: string, confirmed: boolean) {
  const row = await tx.row<{ sealed: Buffer; lastStep: number; now: Date }>(sql`
    select totp_secret as sealed, totp_last_step as "lastStep", clock_timestamp() as now
    from app_user
    where id = ${userId}
      and totp_secret is not null
      and (totp_confirmed_at is not null) = ${confirmed}
    for update`);
  if (!row) return false;
  const secret = unseal(app, about(userId), row.sealed);
  if (secret === null) {
    // The codes cannot be checked any more; a recovery code still works, and the operator can take the factor away.
    app.log.error({ userId }, 'cannot decrypt a second factor: SEAL_KEY has changed');
    return false;
  }
  const step = matchingStep(Buffer.from(secret, 'base64'), code, row.now.getTime(), row.lastStep);
  if (step === undefined) return false;
  await tx.run(sql`update app_user set totp_last_step = ${step} where id = ${userId}`);
  return true;
}

/** What the secret is sealed for. */
export const about = (userId: number) => `totp ${userId}`;

/** 80 bits, in groups that can be written down: XXXX-XXXX-XXXX-XXXX. */
const newRecoveryCode = () => base32(randomBytes(10)).match(/.{4}/g)!.join('-');

const hashCode = (userId: number, code: string) =>
  createHash('sha256')
    .update(`${userId} ${code.toUpperCase().replace(/[\s-]/g, '')}`)
    .digest();
