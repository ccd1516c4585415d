// Tokens that the database has not taken yet: it failed between the answer of the provider and the storing. A refresh token may work
// once only, so the new one exists nowhere else. This process keeps it, hands out its access token, and stores it as soon as it can.
// Guarantees that a newer token or newer settings are never overwritten. A process that ends first loses it, and a person signs in again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../base/context.ts';
import { type Grant, type GrantKey, type IssuedToken, keepToken, usableSeconds } from './grant.ts';

const retryMs = 500;

type Unstored = { grant: Grant; issued: IssuedToken; sinceMs: number };

const unstoredOf = new WeakMap<App, Map<string, Unstored>>();

/** Stores a token that was requested with the secrets of `grant`, now or as soon as the database takes it. */
export async function storeToken(app: App, grant: Grant, issued: IssuedToken): Promise<void> {
  const unstored = { grant, issued, sinceMs: performance.now() };
  try {
    await store(app, unstored);
  } catch (error) {
    const { accountId, id } = grant;
    app.log.warn(
      { ...(accountId === 0 ? { relay: id } : { mailbox: id }), err: error },
      'a new access token was not stored; it is tried again',
    );
    const all = unstoredOf.get(app) ?? new Map<string, Unstored>();
    unstoredOf.set(app, all.set(nameOf(grant), unstored));
    void storeLater(app, unstored);
  }
}

/** @returns the settings it is for, and its value, '' when it has ended; undefined when every token is stored */
export function unstoredToken(app: App, key: GrantKey): { version: number; value: string } | undefined {
  const found = unstoredOf.get(app)?.get(nameOf(key));
  if (!found) return undefined;
  const { grant, issued } = found;
  return { version: grant.version, value: usableSeconds(issued) > ageS(found) ? issued.accessToken : '' };
}

async function storeLater(app: App, unstored: Unstored): Promise<void> {
  for (;;) {
    await sleep(retryMs, undefined, { ref: false });
    try {
      await store(app, unstored);
      break;
    } catch {
      // The first failure is in the log.
    }
  }
  unstoredOf.get(app)?.delete(nameOf(unstored.grant));
}

async function store(app: App, unstored: Unstored): Promise<void> {
  const { grant, issued } = unstored;
  const { version, renewals } = grant;
  await keepToken(app, app.db, grant, { secrets: grant.secrets!, issued, ageS: ageS(unstored), version, renewals });
}

const ageS = ({ sinceMs }: Unstored): number => (performance.now() - sinceMs) / 1_000;

const nameOf = ({ accountId, id }: GrantKey): string => `${accountId} ${id}`;
