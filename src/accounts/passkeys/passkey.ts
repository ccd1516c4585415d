// The passkeys of the signed-in user: made in two calls, listed, renamed, removed. Making and removing one is reported by email,
// as a passkey outlives the session.
import type { Context, PrepareContext } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { type Person, personOf } from '../access/person.ts';
import { noticeToPerson } from '../notices/security-notice.ts';
import { type Bound, makeChallenge, takeChallenge } from './challenge.ts';
import { needRelyingParty, relyingPartyOf } from './relying-party.ts';
import { algorithms, type NewCredential, readResponse, verifyNew } from './verify.ts';

export const maxPasskeys = 20;

type Row = { id: number; name: string; synced: boolean; created_at: Date; last_used_at: Date | null };

export async function listPasskeys({ app, caller, tx }: Context) {
  const { userId } = personOf(caller);
  const rows = await tx.rows<Row>(sql`
    select id, name, synced, created_at, last_used_at
    from passkey
    where user_id = ${userId}
    order by created_at, id`);
  return {
    available: relyingPartyOf(app) !== undefined,
    passkeys: rows.map((row) => ({
      ...row,
      id: formatId(row.id),
      created_at: formatDate(row.created_at),
      last_used_at: formatDate(row.last_used_at),
    })),
  };
}

/** @returns the options for the browser, as JSON */
export async function beginPasskey({ app, caller, tx }: Context): Promise<string> {
  const party = needRelyingParty(app);
  const person = personOf(caller);
  const { userId } = person;
  const existing = await tx.rows<{ credentialId: Buffer; transports: string[] }>(sql`
    select credential_id as "credentialId", transports from passkey where user_id = ${userId}`);
  if (existing.length >= maxPasskeys) throw fault('PASSKEY_INVALID', 'passkey.too_many', { count: maxPasskeys });
  const user = await tx.row<{ email: string; name: string }>(
    sql`select email, name from app_user where id = ${userId}`,
  );
  const { email, name } = user!;
  return JSON.stringify({
    challenge: await makeChallenge(tx, boundTo(person)),
    rp: { id: party.id, name: 'Postrider' },
    user: { id: Buffer.from(formatId(userId)).toString('base64url'), name: email, displayName: name || email },
    pubKeyCredParams: algorithms.map((alg) => ({ alg, type: 'public-key' })),
    timeout: 120_000,
    attestation: 'none',
    excludeCredentials: existing.map(({ credentialId, transports }) => ({
      id: credentialId.toString('base64url'),
      type: 'public-key',
      transports,
    })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  });
}

/** Checks the answer of the browser; the challenge is used up even if it is refused. @throws Fault PASSKEY_INVALID */
export async function preparePasskey(
  { app, caller }: PrepareContext,
  { response: text }: { response: string },
): Promise<NewCredential> {
  const party = needRelyingParty(app);
  const refused = () => fault('PASSKEY_INVALID', 'passkey.not_added', { member: 'response' });
  const response = readResponse(text);
  if (!response) throw refused();
  const { challenge } = response;
  if (!(await takeChallenge(app.db, challenge, boundTo(personOf(caller))))) throw refused();
  const credential = await verifyNew(app, text, { party, challenge });
  if (!credential) throw refused();
  return credential;
}

export async function addPasskey(
  { account, caller, tx }: Context,
  { name }: { name: string },
  credential: NewCredential,
): Promise<string> {
  const { userId, ip } = personOf(caller);
  const { credentialId, publicKey, counter, transports, isSynced } = credential;
  // Two calls at the same time would both count one too few.
  await tx.run(sql`select from app_user where id = ${userId} for update`);
  if ((await countPasskeys(tx, userId)) >= maxPasskeys)
    throw fault('PASSKEY_INVALID', 'passkey.too_many', { count: maxPasskeys });
  const row = await tx.row<{ id: number }>(sql`
    insert into passkey (user_id, credential_id, public_key, counter, transports, synced, name)
    values (${userId}, ${credentialId}, ${publicKey}, ${counter}, ${transports}, ${isSynced}, ${name})
    on conflict do nothing
    returning id`);
  if (!row) throw fault('PASSKEY_INVALID', 'passkey.not_added', { member: 'response' });
  await noticeToPerson(tx, account.id, { userId, what: message('notice.passkey', { name }), ip });
  return formatId(row.id);
}

/** @throws Fault PASSKEY_UNKNOWN */
export async function renamePasskey(
  { caller, tx }: Context,
  { id, name }: { id: string; name: string },
): Promise<true> {
  const { userId } = personOf(caller);
  const count = await tx.run(sql`update passkey set name = ${name} where user_id = ${userId} and id = ${parseId(id)}`);
  if (count === 0) throw fault('PASSKEY_UNKNOWN', 'passkey.unknown', { member: 'id' });
  return true;
}

/** Removes a passkey, unless it is the only way to sign in. @throws Fault PASSKEY_UNKNOWN, IDENTITY_NEEDED */
export async function removePasskey({ app, account, caller, tx }: Context, { id }: { id: string }): Promise<true> {
  const { userId, ip } = personOf(caller);
  const user = await tx.row<{ hasPassword: boolean; issuers: string[] }>(sql`
    select password_hash is not null as "hasPassword",
      array(select issuer from identity where user_id = app_user.id) as issuers
    from app_user
    where id = ${userId}
    for update`);
  const gone = await tx.row<{ name: string }>(sql`
    delete from passkey where user_id = ${userId} and id = ${parseId(id)} returning name`);
  if (!gone) throw fault('PASSKEY_UNKNOWN', 'passkey.unknown', { member: 'id' });
  const { oidcProviders, passwordSignIn } = app.config;
  const hasProvider = oidcProviders.some(({ issuer }) => user!.issuers.includes(issuer));
  const canSignIn = passwordSignIn === 'yes' && (user!.hasPassword || (await countPasskeys(tx, userId)) > 0);
  if (!hasProvider && !canSignIn) throw fault('IDENTITY_NEEDED', 'passkey.needed', { member: 'id' });
  await noticeToPerson(tx, account.id, { userId, what: message('notice.passkey_removed', gone), ip });
  return true;
}

async function countPasskeys(db: Queries, userId: number): Promise<number> {
  const row = await db.row<{ count: number }>(sql`
    select count(*)::int as count from passkey where user_id = ${userId}`);
  return row!.count;
}

const boundTo = ({ sessionId }: Person): Bound => ({ purpose: 'add', to: sessionId });
