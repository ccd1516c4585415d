// Signing in by a provider, from the button to the session: sends the person there, and decides when they are back. Each step
// is a request of one of our own pages. Connecting an identity and confirming a session take the same way.
import type { App } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { type Message, message } from '../../base/messages.ts';
import type { Provider } from '../../base/provider-setting.ts';
import { sql } from '../../db/connect.ts';
import {
  attemptLimits,
  attemptName,
  callerName,
  clearAttempts,
  countBegun,
  recordSignIn,
  refundAttempt,
  takeAttempt,
  tooManyAttempts,
  uncountBegun,
} from '../access/attempts.ts';
import type { Person } from '../access/person.ts';
import { needSession } from '../access/session.ts';
import { hashToken } from '../access/token.ts';
import { noteAudit } from '../audit/audit.ts';
import { unseal } from '../installation/seal.ts';
import { checkPassword } from '../people/user.ts';
import { useSecondFactor } from '../sign-in/second-factor.ts';
import { countCaller, signedIn, type Visitor } from '../sign-in/visitor.ts';
import { awaitingOf, endAwaiting, keepAttempt, keepAwaiting, type Purpose, takeAttemptOf } from './attempt.ts';
import { authorizationAddress, endSessionAddress, type Identity, type ProviderFailure, redeem } from './client.ts';
import { type Entry, enter, enterWithPassword } from './entry.ts';
import { accountsOf, connect, noteUse, ownerOf } from './identity.ts';

export type Entered =
  /** Without a token, the session that began it continues. */
  { kind: 'in'; token?: string; to: string } | { kind: 'password'; email: string };

/**
 * Begins a sign-in: the address to send the person to, and the token for the browser's cookie.
 * @throws Fault INVALID_PARAMETER, UNAVAILABLE, KEY_INVALID, CONFIRMATION_NEEDED, TOO_MANY_CALLS
 */
export async function beginAtProvider(
  app: App,
  given: { provider: string; purpose: Purpose; to: string },
  visitor: Visitor,
): Promise<{ url: string; browser: string }> {
  await countCaller(app, visitor);
  const { purpose, to } = given;
  const provider = needProvider(app, given.provider);
  if (!isReturnPath(to)) throw fault('INVALID_PARAMETER', 'oidc.return_path', { member: 'to' });
  const person = purpose === 'sign in' ? undefined : await signedIn(app, visitor);
  // An identity outlives the session.
  if (purpose === 'connect' && !person!.confirmed)
    throw fault('CONFIRMATION_NEEDED', 'session.confirm', { method: 'sessionConfirm' });
  await countBegun(app.db, visitor.ip);
  const begun = await authorizationAddress(app, provider, { again: purpose === 'confirm' });
  if (!begun) throw failure(provider, 'unreachable');
  const { browser: kept } = visitor;
  const browser = await keepAttempt(app, {
    purpose,
    userId: person?.userId ?? null,
    secrets: begun.secrets,
    to,
    provider: provider.id,
    browser: /^[\w-]{43}$/.test(kept ?? '') ? kept : undefined,
  });
  await refundAttempt(app.db, callerName(visitor.ip));
  return { url: begun.url, browser };
}

/**
 * Ends a sign-in with the query with which the person came back from the provider.
 * @throws Fault LINK_EXPIRED, SIGN_IN_REFUSED, UNAVAILABLE, TOO_MANY_CALLS
 */
export async function endAtProvider(
  app: App,
  given: { provider: string; search: string },
  visitor: Visitor,
): Promise<Entered> {
  return recorded(app, visitor, async () => {
    await countCaller(app, visitor);
    const provider = needProvider(app, given.provider);
    const { browser = '' } = visitor;
    const state = new URLSearchParams(given.search).get('state') ?? '';
    const attempt = await takeAttemptOf(app, { state, browser, provider: provider.id });
    if (!attempt) throw fault('LINK_EXPIRED', 'oidc.attempt_over');
    const { purpose, secrets, to } = attempt;
    const redeemed = await redeem(app, provider, { search: given.search, secrets, again: purpose === 'confirm' });
    if (!redeemed.ok) throw failure(provider, redeemed.why);
    const { identity, idToken } = redeemed;
    if (purpose !== 'sign in') {
      const person = await signedIn(app, visitor);
      if (person.userId !== attempt.userId) throw fault('LINK_EXPIRED', 'oidc.attempt_over');
      await (purpose === 'connect' ? connectTo : confirmBy)(app, { provider, identity, person });
      await refundAttempt(app.db, callerName(visitor.ip));
      await uncountBegun(app.db, visitor.ip);
      return { kind: 'in', to };
    }
    const entry = await app.db.transaction((tx) => enter(app, tx, { provider, identity, idToken, from: visitor }));
    if (entry.kind === 'password') {
      const { userId, email } = entry;
      await keepAwaiting(app, { browser, provider: provider.id, userId, identity, idToken, to });
      await refundAttempt(app.db, callerName(visitor.ip));
      return { kind: 'password', email };
    }
    return admitted(app, entry, { to, ip: visitor.ip });
  });
}

/**
 * Connects the identity that waits in this browser, with the password of the person whose address it has.
 * @returns 'code wanted' when a code of the second factor is missing or wrong
 * @throws Fault LINK_EXPIRED, SIGN_IN_FAILED, SIGN_IN_REFUSED, TOO_MANY_CALLS
 */
export async function enterPassword(
  app: App,
  given: { password: string; totp?: string | undefined },
  visitor: Visitor,
): Promise<Entered | 'code wanted'> {
  return recorded(app, visitor, async () => {
    await countCaller(app, visitor);
    const { browser = '' } = visitor;
    const awaiting = await awaitingOf(app, browser);
    if (!awaiting) throw fault('LINK_EXPIRED', 'oidc.attempt_over');
    const { userId, identity, idToken, to } = awaiting;
    const provider = needProvider(app, awaiting.provider);
    const counted = attemptName.address(identity.email);
    const seconds = await takeAttempt(app.db, counted, attemptLimits.byAddress);
    if (seconds !== undefined) throw tooManyAttempts(seconds);
    const user = await checkPassword(app.db, identity.email, given.password);
    // The address may have become that of another person since.
    if (user?.id !== userId) throw fault('SIGN_IN_FAILED', 'oidc.password_wrong');
    const entry = await app.db.transaction(async (tx) => {
      if (user.secondFactor && !(await useSecondFactor(app, tx, userId, given.totp ?? ''))) return 'code wanted';
      if (!(await endAwaiting(tx, browser))) throw fault('LINK_EXPIRED', 'oidc.attempt_over');
      return enterWithPassword(app, tx, userId, { provider, identity, idToken, from: visitor });
    });
    if (entry === 'code wanted') return entry;
    await clearAttempts(app.db, counted);
    return admitted(app, entry, { to, ip: visitor.ip });
  });
}

/** Where the person of a session signs out at the provider that started it. */
export async function signOutAddress(app: App, session: string): Promise<string | undefined> {
  if (app.config.oidcProviders.length === 0) return undefined;
  const row = await app.db.row<{ userId: number; issuer: string | null; idToken: Buffer | null }>(sql`
    select user_id as "userId", issuer, id_token as "idToken"
    from session
    where token_hash = ${hashToken(session)}`);
  const provider = app.config.oidcProviders.find(({ issuer }) => issuer === row?.issuer);
  const idToken = row?.idToken ? unseal(app, `id token ${row.userId}`, row.idToken) : null;
  return provider && idToken ? endSessionAddress(app, provider, idToken) : undefined;
}

/** Whether a text is a path of the application: no other host, also not for a browser that reads \ as /. */
export function isReturnPath(to: string): boolean {
  if (!/^\/(?!\/)[^\\\p{Cc}]*$/u.test(to)) return false;
  const url = URL.parse(to, 'http://own.invalid');
  return url !== null && url.origin === 'http://own.invalid' && !url.pathname.startsWith('//');
}

type At = { provider: Provider; identity: Identity; person: Person };

/** @throws Fault SIGN_IN_REFUSED when the identity is another person's, or this person has another */
async function connectTo(app: App, { provider, identity, person }: At): Promise<void> {
  const { userId, ip } = person;
  const connected = await app.db.transaction(async (tx) => {
    await needSession(tx, person);
    const owner = await ownerOf(tx, identity);
    return owner ? owner.userId === userId : connect(tx, provider, identity, { userId, ip });
  });
  if (connected) return;
  const why = message('oidc.taken', { provider: provider.label });
  await noteRefusal(app, userId, { why, ip });
  throw new Fault('SIGN_IN_REFUSED', why);
}

/** Re-authenticates the session for changes that outlast it. @throws Fault SIGN_IN_REFUSED when the identity is not this person's */
async function confirmBy(app: App, { provider, identity, person }: At): Promise<void> {
  const { userId, sessionId } = person;
  await app.db.transaction(async (tx) => {
    const owner = await ownerOf(tx, identity);
    if (owner?.userId !== userId) throw fault('SIGN_IN_REFUSED', 'oidc.not_yours', { provider: provider.label });
    await noteUse(tx, identity);
    await tx.run(sql`update session set confirmed_at = now() where user_id = ${userId} and id = ${sessionId}`);
  });
}

/** @throws Fault SIGN_IN_REFUSED */
async function admitted(app: App, entry: Entry, { to, ip }: { to: string; ip: string }): Promise<Entered> {
  if (entry.kind === 'in') {
    await refundAttempt(app.db, callerName(ip));
    await uncountBegun(app.db, ip);
    return { kind: 'in', token: entry.token, to };
  }
  if (entry.kind === 'password') return { kind: 'password', email: entry.email };
  if (entry.userId !== undefined) await noteRefusal(app, entry.userId, { why: entry.why, ip });
  throw new Fault('SIGN_IN_REFUSED', entry.why);
}

/** Records a refused sign-in in the accounts of the person it was for. */
async function noteRefusal(app: App, userId: number, { why, ip }: { why: Message; ip: string }): Promise<void> {
  await app.db.transaction(async (tx) => {
    for (const { id } of await accountsOf(tx, userId))
      await noteAudit(tx, { accountId: id, userId, door: 'web', method: 'signInRefused', subject: why.key, ip });
  });
}

/** Logs the outcome like that of a sign-in with a password. */
async function recorded<T extends Entered | 'code wanted'>(
  app: App,
  { ip }: Visitor,
  work: () => Promise<T>,
): Promise<T> {
  const record = (outcome: Parameters<typeof recordSignIn>[1]['outcome']) =>
    recordSignIn(app, { ip, outcome, by: 'provider' });
  try {
    const result = await work();
    record(result === 'code wanted' ? 'code wanted' : result.kind === 'password' ? 'password wanted' : 'in');
    return result;
  } catch (error) {
    if (error instanceof Fault)
      record(error.fault === 'TOO_MANY_CALLS' ? 'wait' : error.fault === 'SIGN_IN_FAILED' ? 'wrong' : 'refused');
    throw error;
  }
}

/** @throws Fault INVALID_PARAMETER */
function needProvider(app: App, id: string): Provider {
  const provider = app.config.oidcProviders.find((other) => other.id === id);
  if (!provider) throw fault('INVALID_PARAMETER', 'oidc.unknown_provider', { member: 'provider' });
  return provider;
}

function failure({ label: provider }: Provider, why: ProviderFailure): Fault {
  if (why === 'unreachable') return fault('UNAVAILABLE', 'oidc.unreachable', { provider });
  const keys = {
    denied: 'oidc.denied',
    invalid: 'oidc.invalid',
    groups: 'oidc.groups',
    'too many groups': 'oidc.too_many_groups',
  } as const;
  return fault('SIGN_IN_REFUSED', keys[why], { provider });
}
