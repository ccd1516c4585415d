// Slows down callers that try keys: after many refused ones in a minute, keys of that host are not looked up before the
// minute is over, except keys that were valid here before. Kept in the memory of the web process.

import { callerName, tooManyAttempts } from '../../accounts/access/attempts.ts';
import { authenticate, type Credentials, type Identity } from '../../accounts/keys/authenticate.ts';
import { hashKey } from '../../accounts/keys/key.ts';
import type { App } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { remember } from '../../base/remember.ts';

export const refusalLimits = { perMinute: 300 };

/** Hosts and keys remembered at most; beyond it the oldest are forgotten. */
const maxRemembered = 10_000;
const minuteMs = 60_000;

const refused = new Map<string, { count: number; since: number }>();
const valid = new Map<string, true>();

/** Who calls, for every door that takes API keys. @throws Fault KEY_INVALID, ACCOUNT_DISABLED, TOO_MANY_CALLS */
export async function authenticateCaller(
  app: App,
  credentials: Credentials,
  whileSuspended = false,
): Promise<Identity> {
  if (credentials.kind !== 'key') return authenticate(app, credentials, whileSuspended);
  const { key, ip } = credentials;
  checkRefusals(key, ip);
  try {
    const found = await authenticate(app, credentials);
    noteValid(key);
    return found;
  } catch (error) {
    if (error instanceof Fault && error.fault === 'KEY_INVALID') countRefusal(ip);
    throw error;
  }
}

/** @throws Fault TOO_MANY_CALLS */
export function checkRefusals(key: unknown, ip: string, now = performance.now()): void {
  const host = refused.get(callerName(ip));
  if (!host || host.count < refusalLimits.perMinute || now - host.since > minuteMs) return;
  if (typeof key === 'string' && valid.has(nameOf(key))) return;
  throw tooManyAttempts((minuteMs - (now - host.since)) / 1000);
}

export function countRefusal(ip: string, now = performance.now()): void {
  const name = callerName(ip);
  // A program on this machine, or a proxy that does not pass on whom it serves.
  if (/^ip (127\.|0:0:0:0$)/.test(name)) return;
  const host = refused.get(name);
  if (host && now - host.since <= minuteMs) host.count += 1;
  else remember(refused, name, { count: 1, since: now }, maxRemembered);
}

export function noteValid(key: unknown): void {
  const name = typeof key === 'string' ? nameOf(key) : undefined;
  if (name !== undefined && !valid.has(name)) remember(valid, name, true, maxRemembered);
}

const nameOf = (key: string) => hashKey(key).toString('base64');
