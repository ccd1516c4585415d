// Limits how often a caller may call. A key has its calls a minute, refilled evenly, and its calls at once; a user in the browser has
// four times as many at once. They are the settings API_RATE and API_PARALLEL, unless the key has limits of its own. Kept in the
// memory of the web process, so a second one doubles the allowance: this stops runaway programs, it is not for billing.
import type { Allowance } from '../../accounts/keys/authenticate.ts';
import type { App, Caller } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';

type Limits = Pick<App, 'config'>;
type Use = { tokens: number; at: number; open: number };
/** By the number of the key or user; those of another database have the same numbers. */
export const uses = new Map<string, Use>();

/**
 * Counts a call.
 * @returns the function that ends it
 * @throws Fault TOO_MANY_CALLS with the seconds to wait
 */
export function checkRate(app: Limits, caller: Caller, now = performance.now()): () => void {
  if (caller.kind === 'system') return () => {};
  const name = nameOf(caller);
  const { perMinute, atOnce } = limitsOf(app, caller);
  const perMs = perMinute / 60_000;
  const use = uses.get(name) ?? { tokens: perMinute, at: now, open: 0 };
  use.tokens = Math.min(perMinute, use.tokens + (now - use.at) * perMs);
  use.at = now;
  if (uses.size > 10_000) forgetIdle(now);
  uses.set(name, use);
  // A browser makes several calls per screen; the limits are meant for programs.
  const factor = caller.kind === 'user' ? 4 : 1;
  if (use.open >= atOnce * factor) {
    throw new Fault('TOO_MANY_CALLS', message('call.too_many_at_once', { count: atOnce * factor }), 1);
  }
  if (use.tokens < 1 && factor === 1) {
    const seconds = Math.ceil((1 - use.tokens) / perMs / 1000);
    throw new Fault('TOO_MANY_CALLS', message('call.too_many_a_minute', { count: perMinute, seconds }), seconds);
  }
  use.tokens -= 1 / factor;
  use.open += 1;
  let ended = false;
  return () => {
    if (!ended) use.open -= 1;
    ended = true;
  };
}

/** What is left of the calls of a key, after the one that was counted last. */
export function allowanceOf(app: Limits, caller: Caller & { kind: 'key' }): Allowance {
  const limit = limitsOf(app, caller).perMinute;
  const tokens = uses.get(nameOf(caller))?.tokens ?? limit;
  return { limit, remaining: Math.floor(tokens), resetSeconds: Math.ceil(((limit - tokens) * 60) / limit) };
}

/** A key may have fewer calls than the installation allows each; more of them only in the account of its operator. */
function limitsOf({ config }: Limits, caller: Caller): { perMinute: number; atOnce: number } {
  const { perMinute, atOnce, mayExceed } = (caller.kind === 'key' && caller.limits) || {};
  const within = (own: number | null | undefined, usual: number) =>
    (mayExceed ? own : own && Math.min(own, usual)) ?? usual;
  return { perMinute: within(perMinute, config.apiRate), atOnce: within(atOnce, config.apiParallel) };
}

const nameOf = (caller: Exclude<Caller, { kind: 'system' }>) =>
  caller.kind === 'key' ? `k${caller.keyId}` : `u${caller.userId}`;

function forgetIdle(now: number) {
  for (const [name, use] of uses) if (use.open === 0 && now - use.at > 60_000) uses.delete(name);
}
