// Until when recipients are put off whose domain is being spared, or has a rate of its own.

import type { Limits } from '../pace/account-pace.ts';
import type { Held } from '../pace/pace.ts';
import type { Marked } from './chunk.ts';
import type { Deferred } from './group-send.ts';

/** Recipients of a domain that does not answer are tried again after this. */
const slowDomainMs = 20_000;
/** How those put off are strung out behind the pause of a domain without a rate of its own. */
const recoveringPerSecond = 20;
const longestQueueMs = 10 * 60_000;

/** Puts recipients of a domain off one behind the other, at the rate at which it may take them. */
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
