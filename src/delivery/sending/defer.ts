// How long recipients are deferred whose domain is paused or slow, or has a rate limit.
import type { Limits } from '../pace/account-pace.ts';
import type { Held } from '../pace/pace.ts';
import type { Marked } from './chunk.ts';
import type { Deferred } from './group-send.ts';

/** Recipients of a domain that does not answer are attempted again after this. */
const slowDomainMs = 20_000;
/** How fast deferred recipients follow the pause of a domain without a rate limit. */
const recoveringPerSecond = 20;
const longestQueueMs = 10 * 60_000;

/** Defers the recipients of a domain one after another, at the rate it can take them. */
export function createDeferral(pace: Limits['pace']) {
  const lastAt = new Map<string, number>();
  return ({ domain }: Marked, waits: Held): Deferred => {
    const now = performance.now();
    const perSecond = pace.perSecondTo(domain);
    const soonest = now + (waits.why === 'window' || waits.why === 'slow' ? slowDomainMs : waits.ms);
    const at = Math.max(lastAt.get(domain) ?? 0, soonest) + 1_000 / (perSecond ?? recoveringPerSecond);
    if (lastAt.size > 10_000) lastAt.clear();
    lastAt.set(domain, perSecond === undefined ? Math.min(at, soonest + longestQueueMs) : at);
    return { kind: 'deferred', ms: at - now, why: waits.why === 'rate' ? 'rate' : 'spared' };
  };
}
