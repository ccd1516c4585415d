// Limits how often a caller may call: 300 calls a minute per key, refilled evenly, and 10 in parallel; 40 in parallel for a user in the
// browser. Kept in the memory of the web process, so a second one doubles the allowance: this stops runaway programs, it is not
// for billing.
import type { Allowance } from '../../accounts/keys/authenticate.ts';
import type { Caller } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';

export const rateLimits = { callsPerMinute: 300, callsAtOnce: 10 };

type Use = { tokens: number; at: number; open: number };
const uses = new Map<string, Use>();

/**
 * Counts a call.
 * @returns the function that ends it
 * @throws Fault TOO_MANY_CALLS with the seconds to wait
 */
export function checkRate(caller: Caller, now = performance.now()): () => void {
  if (caller.kind === 'system') return () => {};
  const name = nameOf(caller);
  const perMs = rateLimits.callsPerMinute / 60_000;
  const use = uses.get(name) ?? { tokens: rateLimits.callsPerMinute, at: now, open: 0 };
  use.tokens = Math.min(rateLimits.callsPerMinute, use.tokens + (now - use.at) * perMs);
  use.at = now;
  if (uses.size > 10_000) forgetIdle(now);
  uses.set(name, use);
  // A browser makes several calls per screen; the limits are meant for programs.
  const factor = caller.kind === 'user' ? 4 : 1;
  if (use.open >= rateLimits.callsAtOnce * factor) {
    throw new Fault('TOO_MANY_CALLS', message('call.too_many_at_once', { count: rateLimits.callsAtOnce * factor }), 1);
  }
  if (use.tokens < 1 && factor === 1) {
    const seconds = Math.ceil((1 - use.tokens) / perMs / 1000);
    throw new Fault(
      'TOO_MANY_CALLS',
      message('call.too_many_a_minute', { count: rateLimits.callsPerMinute, seconds }),
      seconds,
    );
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
export function allowanceOf(caller: Caller & { kind: 'key' }): Allowance {
  const limit = rateLimits.callsPerMinute;
  const tokens = uses.get(nameOf(caller))?.tokens ?? limit;
  return { limit, remaining: Math.floor(tokens), resetSeconds: Math.ceil(((limit - tokens) * 60) / limit) };
}

const nameOf = (caller: Exclude<Caller, { kind: 'system' }>) =>
  caller.kind === 'key' ? `k${caller.keyId}` : `u${caller.userId}`;

function forgetIdle(now: number) {
  for (const [name, use] of uses) if (use.open === 0 && now - use.at > 60_000) uses.delete(name);
}
