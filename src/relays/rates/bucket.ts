// A token bucket: a rate per second with a small reserve for bursts. Pure except for the bucket's own numbers.
// Time is milliseconds of a monotonic clock that the caller reads; a clock that does not advance adds no tokens.

export type Bucket = {
  readonly perSecond: number;
  /** Maximum tokens in reserve; at least 1, or nothing would ever start. */
  readonly burst: number;
  tokens: number;
  at: number;
};

/** A full bucket. The burst defaults to a tenth of a second's worth: even, yet tolerant of a late timer. */
export function bucketOf(perSecond: number, now: number, burst = perSecond / 10): Bucket {
  if (!(perSecond > 0)) throw new Error(`invalid rate: ${perSecond} a second`);
  const max = Math.max(1, burst);
  return { perSecond, burst: max, tokens: max, at: now };
}

/** Milliseconds until a token is available; 0 if one is. Takes none. */
export function waitMs(bucket: Bucket, now: number): number {
  refill(bucket, now);
  // Sums of fractions may fall just short of 1, which must not cost a timer.
  return bucket.tokens > 1 - 1e-9 ? 0 : Math.ceil(((1 - bucket.tokens) * 1000) / bucket.perSecond);
}

/** Takes a token; only right after waitMs returned 0. */
export function spend(bucket: Bucket): void {
  bucket.tokens = Math.max(0, bucket.tokens - 1);
}

/** Takes a token that may not be there, for what must not wait; later ones then wait longer, by a second at most. */
export function overdraw(bucket: Bucket, now: number): void {
  refill(bucket, now);
  bucket.tokens = Math.max(-bucket.perSecond, bucket.tokens - 1);
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
