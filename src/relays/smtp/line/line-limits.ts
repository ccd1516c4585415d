// How many messages a relay may be given now: its rate, set or learned, both of which are this process's share already, and the
// daily quota of its warm-up, taken from the database a portion at a time.
// Guarantees that none is exceeded; a quota that cannot be read counts as used up for a second.

import type { Relay } from '../../../base/relay/relay.ts';
import { type Bucket, bucketOf, spend, waitMs } from '../../rates/bucket.ts';
import { LearnedRate } from '../../rates/learned-rate.ts';

export type LimitOptions = {
  /** Takes messages out of the daily quota of a relay that is being warmed up. */
  reserve?: (relay: Relay, count: number) => Promise<{ granted: number; retryMs: number }>;
};

const quotaPortion = 50;
const quotaRetryMs = 1_000;

/** Messages a second: what may be no limit at all does not stop a campaign. */
const slowestGuess = 2;
/** A learned rate that has changed by less is not worth another bucket. */
const noticeable = 0.02;

export class LineLimits {
  readonly rate = new LearnedRate();
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

  /** Messages a second, as set and as learned; undefined without a limit. */
  get perSecond(): number | undefined {
    const set = this.#relay.ratePerSecond;
    const learned = this.rate.perSecond;
    return learned === undefined || (set !== undefined && set < learned) ? set : learned;
  }

  /** Milliseconds until the rate allows the next message. */
  rateWaitMs(now: number): number {
    const perSecond = this.perSecond;
    if (perSecond === undefined) {
      this.#bucket = undefined;
      return 0;
    }
    const bucket = this.#bucket;
    if (!bucket) this.#bucket = bucketOf(perSecond, now);
    // A changed rate starts without the reserve of the old one.
    else if (Math.abs(bucket.perSecond - perSecond) > perSecond * noticeable)
      this.#bucket = { ...bucketOf(perSecond, now), tokens: Math.min(1, bucket.tokens) };
    return waitMs(this.#bucket!, now);
  }

  /** The relay refused a message as too fast: the next one waits its time. @param startedAt when it was given to the relay */
  refused(startedAt: number, now: number, isGuessed = false): void {
    this.rate.refused(startedAt, now, isGuessed ? slowestGuess : undefined);
    this.rateWaitMs(now);
    if (this.#bucket) this.#bucket.tokens = 0;
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
