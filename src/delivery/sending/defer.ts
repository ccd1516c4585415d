// How long recipients are deferred whose domain is paused or slow, or has a rate limit.

import { type Chunk, type Marked, spared } from '../ledger/chunk.ts';
import type { Deferred } from '../outcomes/outcome.ts';
import type { Held, Pace } from '../pace/pace.ts';

/** Recipients of a domain that does not answer are attempted again after this. */
const slowDomainMs = 20_000;
/** How fast deferred recipients follow the pause of a domain without a rate limit. */
const recoveringPerSecond = 20;
const maxQueueMs = 10 * 60_000;

/** Defers the recipients of a domain one after another, at the rate it can take them. */
export class Deferral {
  readonly #pace: Pace;
  /** When the last deferred recipient of each domain is due. */
  readonly #lastAt = new Map<string, number>();

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  recipient({ domain }: Marked, waits: Held): Deferred {
    const now = performance.now();
    const soonest = now + (waits.why === 'window' || waits.why === 'slow' ? slowDomainMs : waits.ms);
    const ms = this.#last(domain, soonest, 1) - now;
    return { kind: 'deferred', ms, why: waits.why === 'rate' ? 'rate' : spared };
  }

  /** Defers a whole chunk of recipients that were deferred before. @returns for how long; 0 if its domain is not paused */
  chunk({ domain, seqs }: Chunk): number {
    if (!domain) return 0;
    const now = performance.now();
    const pausedMs = this.#pace.pausedMs(domain, now);
    if (pausedMs <= 0) return 0;
    const count = seqs?.length ?? 1;
    return this.#last(domain, now + pausedMs, count) - now;
  }

  /** Adds recipients to the queue of a domain. @returns when the last of them is due */
  #last(domain: string, soonest: number, count: number): number {
    const perSecond = this.#pace.perSecondTo(domain);
    const at = Math.max(this.#lastAt.get(domain) ?? 0, soonest) + (count * 1_000) / (perSecond ?? recoveringPerSecond);
    if (this.#lastAt.size > 10_000) this.#lastAt.clear();
    this.#lastAt.set(domain, perSecond === undefined ? Math.min(at, soonest + maxQueueMs) : at);
    return at;
  }
}
