// What passkeys are bound to: the host of BASE_URL (the relying party's id) and its origin. Browsers make passkeys for host names
// under https, and for localhost, but not for IP addresses.
import { isIP } from 'node:net';
import type { App } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';

export type RelyingParty = { id: string; origin: string };

/** Undefined where passkeys cannot be used: at this address, or because people sign in by identity providers only. */
export function relyingPartyOf({ baseUrl, config }: Pick<App, 'baseUrl' | 'config'>): RelyingParty | undefined {
  const url = URL.parse(baseUrl);
  if (!url || config.passwordSignIn === 'no') return undefined;
  const { hostname, origin, protocol } = url;
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  return !isAddress && (isLocal || protocol === 'https:') ? { id: hostname, origin } : undefined;
}

/** @throws Fault NOT_ALLOWED */
export function needRelyingParty(app: Pick<App, 'baseUrl' | 'config'>): RelyingParty {
  const party = relyingPartyOf(app);
  if (!party) throw fault('NOT_ALLOWED', 'passkey.unavailable');
  return party;
}
