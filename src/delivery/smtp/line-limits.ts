// How many messages a relay may be given now: its rate, which is this process's share already, and the daily quota of its
// warm-up, taken from the database a portion at a time.
// Guarantees that neither is exceeded; a quota that cannot be read counts as used up for a second.

import type { Relay } from '../../base/relay/relay.ts';
import { type Bucket, bucketOf, spend, waitMs } from '../pace/bucket.ts';

export type LimitOptions = {
  /** Takes messages out of the daily quota of a relay that is being warmed up. */
  reserve?: (relay: Relay, count: number) => Promise<{ granted: number; retryMs: number }>;
};

const quotaPortion = 50;
const quotaRetryMs = 1_000;

export class LineLimits {
  #relay: Relay;
  readonly #options: LimitOptions;
  readonly #onChange: () => void;
  #bucket: Bucket | undefined;
  /** Messages left of the portion taken from the daily quota. */
  #credit: number;
  #reserving = false;
  #usedUpUntil = 0;

  /** @param onChange called after each attempt to take a portion of the quota */
  constructor(relay: Relay, options: LimitOptions, onChange: () => void) {
    this.#relay = relay;
    this.#options = options;
    this.#onChange = onChange;
    this.#credit = this.#hasQuota ? 0 : Number.POSITIVE_INFINITY;
  }

  /** The same relay with other limits. */
  change(relay: Relay): void {
    const had = this.#hasQuota;
    this.#relay = relay;
    if (had !== this.#hasQuota) this.#credit = had ? Number.POSITIVE_INFINITY : 0;
    this.#usedUpUntil = 0;
  }

  get #hasQuota(): boolean {
    return this.#relay.warmUp !== undefined && this.#options.reserve !== undefined;
  }

  allow(now: number): boolean {
    return this.hasCredit && this.rateWaitMs(now) === 0;
  }

  /** Counts one message; only right after `allow`. */
  spend(): void {
    if (this.#bucket) spend(this.#bucket);
    this.#credit -= 1;
  }

  /** Milliseconds until the rate allows the next message. */
  rateWaitMs(now: number): number {
    if (this.#relay.ratePerSecond === undefined) return 0;
    const perSecond = this.#relay.ratePerSecond;
    if (this.#bucket?.perSecond !== perSecond) this.#bucket = bucketOf(perSecond, now);
    return waitMs(this.#bucket, now);
  }

  get hasCredit(): boolean {
    return this.#credit >= 1;
  }

  get reserving(): boolean {
    return this.#reserving;
  }

  /** Milliseconds until the daily quota can be asked again; 0 while it has messages left or is being asked. */
  quotaWaitMs(now: number): number {
    return this.hasCredit || this.#reserving ? 0 : Math.max(0, this.#usedUpUntil - now);
  }

  isUsedUp(now: number): boolean {
    return !this.hasCredit && this.#usedUpUntil > now;
  }

  /** Takes the next portion of the daily quota, unless that is in progress or the quota is used up. */
  reserveQuota(): void {
    if (this.#reserving || performance.now() < this.#usedUpUntil) return;
    this.#reserving = true;
    this.#options.reserve!(this.#relay, quotaPortion)
      .then(({ granted, retryMs }) => {
        this.#credit += granted;
        if (granted === 0) this.#usedUpUntil = performance.now() + retryMs;
      })
      .catch(() => {
        this.#usedUpUntil = performance.now() + quotaRetryMs;
      })
      .finally(() => {
        this.#reserving = false;
        this.#onChange();
      });
  }
}
