// Who may enter with an identity that a provider vouches for: the person it belongs to; the person with its verified address,
// who enters a password first if they have one; a person who is invited; a new person, if the settings allow it. Decides
// before it writes, so a refusal leaves nothing behind but memberships that a group no longer gives.
import type { App } from '../../base/context.ts';
import { type Message, message } from '../../base/messages.ts';
import type { Provider } from '../../base/provider-setting.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { type From, startSession } from '../access/session.ts';
import { noteAudit } from '../audit/audit.ts';
import { seal } from '../installation/seal.ts';
import { type Invitation, joinAccount } from '../people/invitation.ts';
import { createUser, isEmailAddress, loginKey } from '../people/user.ts';
import type { Identity } from './client.ts';
import { applyGroups, type Grant, giveAll, grantsOf } from './groups.ts';
import { accountsOf, connect, hasIdentity, noteUse, ownerOf } from './identity.ts';

export type Entry =
  | { kind: 'in'; token: string }
  /** The address belongs to a person with a password, who must enter it once. */
  | { kind: 'password'; userId: number; email: string }
  | { kind: 'refused'; why: Message; userId?: number };

/** A sign-in by a provider. */
export type Entering = { provider: Provider; identity: Identity; idToken: string; from: From };

export async function enter(app: App, tx: Tx, entering: Entering): Promise<Entry> {
  const { provider, identity } = entering;
  // Two first sign-ins of one person at the same time would both create a user.
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`identity ${identity.subject}`}, 0))`);
  const owner = await ownerOf(tx, identity);
  if (owner) return enterAs(app, tx, owner, entering);
  const problem = addressProblem(provider, identity);
  if (problem) return { kind: 'refused', why: problem };
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`address ${loginKey(identity.email)}`}, 0))`);
  const person = await tx.row<{ userId: number; email: string; hasPassword: boolean }>(sql`
    select id as "userId", email, password_hash is not null as "hasPassword"
    from app_user
    where email_key = ${loginKey(identity.email)}`);
  if (!person) return admit(app, tx, entering);
  if (await hasIdentity(tx, person.userId, identity.issuer))
    return refused('oidc.other_identity', provider, person.userId);
  if (person.hasPassword) return { kind: 'password', userId: person.userId, email: person.email };
  await connect(tx, provider, identity, { userId: person.userId, ip: entering.from.ip });
  return enterAs(app, tx, person, entering);
}

/** Connects the identity to the person who has entered the password, and signs them in. */
export async function enterWithPassword(app: App, tx: Tx, userId: number, entering: Entering): Promise<Entry> {
  const { provider, identity, from } = entering;
  if (!(await connect(tx, provider, identity, { userId, ip: from.ip })))
    return refused('oidc.other_identity', provider, userId);
  const person = await tx.row<{ email: string }>(sql`select email from app_user where id = ${userId}`);
  return enterAs(app, tx, { userId, email: person!.email }, entering);
}

/** Applies the groups of the person, and starts a session. */
async function enterAs(
  app: App,
  tx: Tx,
  person: { userId: number; email: string },
  entering: Entering,
): Promise<Entry> {
  const { provider, identity, idToken, from } = entering;
  const { userId } = person;
  const grants = await grantsOf(app, tx, provider, identity.groups);
  await applyGroups(tx, provider, grants, { ...person, ip: from.ip });
  const [first] = await accountsOf(tx, userId);
  if (!first) return refused('oidc.no_account', provider, userId);
  if (!first.active) return refused('oidc.account_off', provider, userId);
  await noteUse(tx, identity);
  const sealed = seal(app, `id token ${userId}`, idToken);
  const session = await startSession(tx, userId, from, { provider: { issuer: provider.issuer, idToken: sealed } });
  const { id, label } = provider;
  await noteAudit(tx, {
    accountId: session!.accountId,
    userId,
    door: 'web',
    method: 'signIn',
    subject: label || id,
    ip: from.ip,
  });
  return { kind: 'in', token: session!.token };
}

/** Creates the user of an unknown address, if an invitation or the settings let it in. */
async function admit(app: App, tx: Tx, entering: Entering): Promise<Entry> {
  const { provider, identity, from } = entering;
  const grants = provider.create ? await usable(tx, await grantsOf(app, tx, provider, identity.groups)) : [];
  const invitation = grants.length > 0 ? undefined : await takeNewestInvitation(tx, identity.email);
  if (grants.length === 0 && !invitation)
    return refused(provider.create ? 'oidc.no_group' : 'oidc.unknown_person', provider);
  const { email } = identity;
  const { id: userId } = await createUser(tx, { email, password: undefined, name: identity.name || invitation?.name });
  await giveAll(tx, provider, grants, { userId, email, ip: from.ip });
  if (invitation) await joinAccount(tx, invitation, { userId, ip: from.ip });
  const [account] = await accountsOf(tx, userId);
  await noteAudit(tx, {
    accountId: account!.id,
    userId,
    door: 'web',
    method: 'providerUser',
    subject: email,
    ip: from.ip,
  });
  await connect(tx, provider, identity, { userId, ip: from.ip, isNew: true });
  return enterAs(app, tx, { userId, email }, entering);
}

/** The grants that give a role in an account that is not switched off. */
async function usable(tx: Tx, grants: readonly Grant[]): Promise<Grant[]> {
  const given = grants.filter(({ role }) => role !== undefined);
  const active = await tx.rows<{ id: number }>(sql`
    select id from account where active and id = any (${given.map(({ accountId }) => accountId)}::int[])`);
  return given.filter(({ accountId }) => active.some(({ id }) => id === accountId));
}

/** Others wait for the person under Home. */
async function takeNewestInvitation(tx: Tx, email: string): Promise<Invitation | undefined> {
  return tx.row<Invitation>(sql`
    delete from invitation
    where (account_id, id) = (
      select invitation.account_id, invitation.id
      from invitation
      join account on account.id = invitation.account_id
      where invitation.email_key = ${loginKey(email)}
        and invitation.expires_at > now()
        and account.active
      order by invitation.created_at desc
      limit 1
      for update of invitation)
    returning account_id as "accountId", email, role, permissions, lists, name, mailed`);
}

/**
 * Why an address cannot name a person. Letters that merely look like others, or turn into them in lower case (the Kelvin
 * sign becomes a k), would make a stranger's address that of a person here.
 */
export function addressProblem(provider: Provider, { email, hasUnverifiedEmail }: Identity): Message | undefined {
  const values = { provider: provider.label };
  if (hasUnverifiedEmail) return message('oidc.address_not_verified', values);
  if (email === '') return message('oidc.no_address', values);
  const asciiLower = email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const isPlain = asciiLower === loginKey(email) && email.normalize('NFKC') === email && isEmailAddress(email);
  return isPlain ? undefined : message('oidc.address_unusable', values);
}

type RefusalKey =
  | 'oidc.other_identity'
  | 'oidc.no_account'
  | 'oidc.account_off'
  | 'oidc.no_group'
  | 'oidc.unknown_person';

const refused = (key: RefusalKey, { label }: Provider, userId?: number): Entry => ({
  kind: 'refused',
  why: message(key, { provider: label }),
  ...(userId !== undefined && { userId }),
});
