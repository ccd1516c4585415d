// A token bucket: so many a second, with a little saved up for bursts. Pure but for the bucket's own numbers.
// Time is in milliseconds of a monotonic clock that the caller reads; one that stands still or goes back gives nothing.

export type Bucket = {
  readonly perSecond: number;
  /** Most tokens saved up; at least 1, or nothing would ever start. */
  readonly burst: number;
  tokens: number;
  at: number;
};

/** A full bucket. The burst is a tenth of a second's worth unless given: even, yet tolerant of a late timer. */
export function bucketOf(perSecond: number, now: number, burst = perSecond / 10): Bucket {
  if (!(perSecond > 0)) throw new Error(`a rate of ${perSecond} a second lets nothing through`);
  const most = Math.max(1, burst);
  return { perSecond, burst: most, tokens: most, at: now };
}

/** Milliseconds until a token is there; 0 when one is. Takes none. */
export function waitMs(bucket: Bucket, now: number): number {
  refill(bucket, now);
  // Sums of fractions fall short of 1 by a hair, which must not cost a timer.
  return bucket.tokens > 1 - 1e-9 ? 0 : Math.ceil(((1 - bucket.tokens) * 1000) / bucket.perSecond);
}

/** Takes a token; only right after waitMs said 0. */
export function spend(bucket: Bucket): void {
  bucket.tokens = Math.max(0, bucket.tokens - 1);
}

export function isFull(bucket: Bucket, now: number): boolean {
  refill(bucket, now);
  return bucket.tokens >= bucket.burst;
}

function refill(bucket: Bucket, now: number): void {
  if (now <= bucket.at) return;
  bucket.tokens = Math.min(bucket.burst, bucket.tokens + ((now - bucket.at) * bucket.perSecond) / 1000);
  bucket.at = now;
}
