// Sign-ins on their way to a provider and back: bound to the browser that began them by a cookie, good for ten minutes and
// for one use. Of two requests at the same time, only one gets it.
import type { App } from '../../base/context.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { begunTables, makeRoom } from '../access/expire.ts';
import { hashToken, newToken } from '../access/token.ts';
import { seal, unseal } from '../installation/seal.ts';
import type { Identity, Secrets } from './client.ts';

export const attemptMinutes = 10;

/** What a person wants from the provider: to sign in, to connect an identity, to confirm the session. */
export type Purpose = 'sign in' | 'connect' | 'confirm';

export type Attempt = { purpose: Purpose; userId: number | null; secrets: Secrets; to: string };
/** An identity whose address belongs to a person who must enter the password first. */
export type Awaiting = { userId: number; identity: Identity; idToken: string; to: string };

/** @returns the token for the browser's cookie: the one it has, so that two tabs can sign in */
export async function keepAttempt(
  app: App,
  { browser = newToken(), provider, ...attempt }: Attempt & { browser?: string | undefined; provider: string },
): Promise<string> {
  const { purpose, userId, secrets, to } = attempt;
  const state = hashToken(secrets.state);
  await keep(app, { state, browser, provider, purpose, userId, content: { secrets, to } });
  return browser;
}

/** Uses up the attempt of a state: undefined for another browser or provider, a second use, or too late. */
export async function takeAttemptOf(
  app: App,
  { state, browser, provider }: { state: string; browser: string; provider: string },
): Promise<Attempt | undefined> {
  const row = await app.db.row<{ purpose: Purpose; userId: number | null; sealed: Buffer }>(sql`
    delete from provider_attempt
    where state_hash = ${hashToken(state)}
      and browser_hash = ${hashToken(browser)}
      and provider = ${provider}
      and purpose <> 'password'
      and expires_at > now()
    returning purpose, user_id as "userId", sealed`);
  const content = row && unseal(app, about(hashToken(state)), row.sealed);
  return content ? { purpose: row.purpose, userId: row.userId, ...JSON.parse(content) } : undefined;
}

/** Keeps an identity until the person enters the password; a newer one of the browser replaces it. */
export async function keepAwaiting(
  app: App,
  { browser, provider, userId, ...content }: Awaiting & { browser: string; provider: string },
): Promise<void> {
  const state = hashToken(`password ${browser}`);
  await app.db.run(sql`delete from provider_attempt where state_hash = ${state}`);
  await keep(app, { state, browser, provider, purpose: 'password', userId, content });
}

/** The identity that awaits a password in this browser. It stays, as the password may be wrong. */
export async function awaitingOf(app: App, browser: string): Promise<(Awaiting & { provider: string }) | undefined> {
  const state = hashToken(`password ${browser}`);
  const row = await app.db.row<{ userId: number; provider: string; sealed: Buffer }>(sql`
    select user_id as "userId", provider, sealed
    from provider_attempt
    where state_hash = ${state}
      and purpose = 'password'
      and expires_at > now()`);
  const content = row && unseal(app, about(state), row.sealed);
  return content ? { userId: row.userId, provider: row.provider, ...JSON.parse(content) } : undefined;
}

/** @returns whether it was still there */
export async function endAwaiting(db: Queries, browser: string): Promise<boolean> {
  const count = await db.run(sql`
    delete from provider_attempt
    where state_hash = ${hashToken(`password ${browser}`)}
      and purpose = 'password'`);
  return count === 1;
}

type Kept = {
  state: Buffer;
  browser: string;
  provider: string;
  purpose: Purpose | 'password';
  userId: number | null;
  content: unknown;
};

async function keep(app: App, { state, browser, provider, purpose, userId, content }: Kept): Promise<void> {
  await makeRoom(app.db, begunTables.provider);
  await app.db.run(sql`
    insert into provider_attempt (state_hash, browser_hash, provider, purpose, user_id, sealed, expires_at)
    values (${state}, ${hashToken(browser)}, ${provider}, ${purpose}, ${userId},
      ${seal(app, about(state), JSON.stringify(content))}, now() + make_interval(mins => ${attemptMinutes}))`);
}

const about = (state: Buffer) => `provider attempt ${state.toString('hex')}`;
