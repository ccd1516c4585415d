// The identities of people at providers: which person one belongs to, connecting and removing one.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import type { Provider } from '../../base/provider-setting.ts';
import { type Queries, sql, type Tx } from '../../db/connect.ts';
import { formatDate } from '../../method/date.ts';
import { personOf } from '../access/person.ts';
import { noteAudit } from '../audit/audit.ts';
import { noticeToPerson } from '../notices/security-notice.ts';
import { type Identity, redirectUri } from './client.ts';

/** The person an identity belongs to. */
export async function ownerOf(
  db: Queries,
  { issuer, subject }: Identity,
): Promise<{ userId: number; email: string } | undefined> {
  return db.row<{ userId: number; email: string }>(sql`
    select app_user.id as "userId", app_user.email
    from identity
    join app_user on app_user.id = identity.user_id
    where issuer = ${issuer}
      and subject = ${subject}`);
}

/** Whether a person has an identity of an issuer. */
export async function hasIdentity(db: Queries, userId: number, issuer: string): Promise<boolean> {
  return (await db.row(sql`select from identity where user_id = ${userId} and issuer = ${issuer}`)) !== undefined;
}

/** The accounts of a person, those that are not switched off first. */
export async function accountsOf(db: Queries, userId: number): Promise<{ id: number; active: boolean }[]> {
  return db.rows<{ id: number; active: boolean }>(sql`
    select account.id, account.active
    from membership
    join account on account.id = membership.account_id
    where membership.user_id = ${userId}
    order by account.active desc, membership.created_at, account.id`);
}

/** Connects an identity to a person, with an audit entry and an email. @returns false when it is taken, or the person has another */
export async function connect(
  tx: Tx,
  provider: Provider,
  identity: Identity,
  { userId, ip, isNew = false }: { userId: number; ip: string; isNew?: boolean },
): Promise<boolean> {
  const count = await tx.run(sql`
    insert into identity (issuer, subject, user_id, email)
    values (${identity.issuer}, ${identity.subject}, ${userId}, ${identity.email})
    on conflict do nothing`);
  if (count === 0) return false;
  const accounts = await accountsOf(tx, userId);
  for (const { id } of accounts)
    await noteAudit(tx, { accountId: id, userId, door: 'web', method: 'identityConnect', subject: provider.id, ip });
  const what = message('notice.identity', { provider: provider.label });
  if (!isNew && accounts[0]) await noticeToPerson(tx, accounts[0].id, { userId, what, ip });
  return true;
}

/** Records a use of an identity, and the address that the provider gives now. */
export async function noteUse(tx: Tx, { issuer, subject, email }: Identity): Promise<void> {
  await tx.run(sql`
    update identity
    set last_used_at = now(), email = coalesce(nullif(${email}, ''), email)
    where issuer = ${issuer}
      and subject = ${subject}`);
}

/** The providers of the installation, and the signed-in user's identity at each. */
export async function listIdentities({ app, caller, tx }: Context) {
  const { userId } = personOf(caller);
  const rows = await tx.rows<{ issuer: string; email: string; created_at: Date; last_used_at: Date | null }>(sql`
    select issuer, email, created_at, last_used_at
    from identity
    where user_id = ${userId}
    order by created_at, issuer`);
  const describe = (issuer: string, { id, label }: { id: string; label: string }) => {
    const row = rows.find((other) => other.issuer === issuer);
    return {
      provider: id,
      label,
      issuer,
      redirect_uri: id === '' ? '' : redirectUri(app, { id }),
      connected: row !== undefined,
      email: row?.email ?? '',
      created_at: formatDate(row?.created_at ?? null),
      last_used_at: formatDate(row?.last_used_at ?? null),
    };
  };
  const { oidcProviders, passwordSignIn } = app.config;
  const gone = rows.filter(({ issuer }) => !oidcProviders.some((provider) => provider.issuer === issuer));
  return {
    has_password: await hasPassword(tx, userId),
    password_sign_in: passwordSignIn === 'yes',
    providers: [
      ...oidcProviders.map((provider) => describe(provider.issuer, provider)),
      ...gone.map(({ issuer }) => describe(issuer, { id: '', label: new URL(issuer).host })),
    ],
  };
}

/** Removes an identity of the signed-in user, unless it is the only way to sign in. */
export async function removeIdentity(
  { app, account, caller, tx }: Context,
  { issuer }: { issuer: string },
): Promise<true> {
  const { userId, ip } = personOf(caller);
  const { oidcProviders, passwordSignIn } = app.config;
  const rows = await tx.rows<{ issuer: string }>(sql`select issuer from identity where user_id = ${userId} for update`);
  if (!rows.some((row) => row.issuer === issuer))
    throw fault('IDENTITY_UNKNOWN', 'identity.unknown', { member: 'issuer' });
  const isUsable = (row: { issuer: string }) => oidcProviders.some((provider) => provider.issuer === row.issuer);
  const hasOther = rows.some((row) => row.issuer !== issuer && isUsable(row));
  const hasPasskey = (await tx.row(sql`select from passkey where user_id = ${userId} limit 1`)) !== undefined;
  const canUsePassword = passwordSignIn === 'yes' && (hasPasskey || (await hasPassword(tx, userId)));
  if (!hasOther && !canUsePassword) throw fault('IDENTITY_NEEDED', 'identity.needed', { member: 'issuer' });
  await tx.run(sql`delete from identity where user_id = ${userId} and issuer = ${issuer}`);
  const provider = oidcProviders.find((other) => other.issuer === issuer)?.label ?? new URL(issuer).host;
  await noticeToPerson(tx, account.id, { userId, what: message('notice.identity_removed', { provider }), ip });
  return true;
}

async function hasPassword(db: Queries, userId: number): Promise<boolean> {
  const user = await db.row<{ has: boolean }>(sql`
    select password_hash is not null as has from app_user where id = ${userId}`);
  return user?.has ?? false;
}
