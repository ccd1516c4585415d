// The rate that a relay has shown to take: halved when it refuses a message as too fast, then raised again, quickly up to just
// below where it refused and slowly beyond. Pure: milliseconds of a monotonic clock come from the caller.

/** Messages a second. `ceiling`: where the relay refused last. */
export type Learned = { perSecond: number; ceiling: number };

/** Refusals within this time after one that counted are about the same burst. */
const burstMs = 1_000;
/** One message in this many seconds is asked for at least, to find out whether more is possible. */
export const slowestSeconds = 30;
/** Up to this share of the rate that was refused last it rises quickly. */
const safeShare = 0.9;
const quickGrowth = 1.25;
/** Growth a second beyond that, by how long nothing was refused. */
const slowGrowth = [
  { afterMs: 0, factor: 1.01 },
  { afterMs: 20_000, factor: 1.04 },
  { afterMs: 60_000, factor: 1.1 },
] as const;
/** After a quiet time the rate has grown by at most this much. */
const maxStepSeconds = 10;
/** A rate beyond this is no limit. */
const noLimitPerSecond = 1_000;
const never = Number.NEGATIVE_INFINITY;

export class LearnedRate {
  #learned: Learned | undefined;
  #cutAt = never;
  #grownAt = 0;
  /** Messages accepted in the present second and in the one before. */
  #second = 0;
  #count = 0;
  #countBefore = 0;
  /** Counts cuts and what ended the limit: what other processes should know soon. */
  changes = 0;

  /** Undefined while nothing was refused. */
  get learned(): Learned | undefined {
    return this.#learned;
  }

  get perSecond(): number | undefined {
    return this.#learned?.perSecond;
  }

  /** A message was accepted. */
  accepted(now: number): void {
    this.#turnTo(now);
    this.#count += 1;
    if (this.#learned) this.#grow(this.#learned, now);
  }

  /**
   * The relay refused a message as too fast.
   * @param startedAt when the message was given to it: those in flight when the rate was cut get the same reply
   * @param guess it did not say so: at least so many messages a second are asked for, and soon more unless it refuses again
   */
  refused(startedAt: number, now: number, guess?: number): void {
    if (startedAt <= this.#cutAt || now - this.#cutAt < burstMs) return;
    this.#turnTo(now);
    const before = this.#learned?.perSecond ?? Math.max(1, this.#count, this.#countBefore);
    const slowest = guess ?? 1 / slowestSeconds;
    const ceiling = guess !== undefined && !this.#learned ? 2 * noLimitPerSecond : Math.max(slowest, before);
    this.#cutAt = now;
    this.#grownAt = now;
    this.#learned = { perSecond: Math.max(slowest, before / 2), ceiling };
    this.changes += 1;
  }

  /** What was taken for a sign of a rate was none. */
  forget(now: number): void {
    this.adopt(undefined, now);
    this.changes += 1;
  }

  /** What another process has learned, or none has any more. */
  adopt(learned: Learned | undefined, now: number): void {
    this.#learned = learned && { ...learned };
    this.#grownAt = now;
  }

  #grow(learned: Learned, now: number): void {
    const seconds = Math.min(maxStepSeconds, (now - this.#grownAt) / 1_000);
    this.#grownAt = now;
    const safe = learned.ceiling * safeShare;
    if (learned.perSecond < safe) {
      learned.perSecond = Math.min(safe, learned.perSecond * quickGrowth ** seconds);
    } else {
      const { factor } = slowGrowth.findLast(({ afterMs }) => now - this.#cutAt >= afterMs)!;
      learned.perSecond *= factor ** seconds;
    }
    if (learned.perSecond < noLimitPerSecond) return;
    this.#learned = undefined;
    this.changes += 1;
  }

  #turnTo(now: number): void {
    const second = Math.floor(now / 1_000);
    if (second === this.#second) return;
    this.#countBefore = second === this.#second + 1 ? this.#count : 0;
    this.#count = 0;
    this.#second = second;
  }
}
