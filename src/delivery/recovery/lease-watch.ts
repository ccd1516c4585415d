// Which leases have not been renewed for as long as a lease lasts, by the clock of this process. The database's clock is
// not used to decide: it may step by a minute in either direction while the holders go by their own clocks. Time in which
// the leases could not be read does not count, since their holders could not renew them either.

/** `until` is compared for equality only; `releasedUntil` marks a lease that its holder has released. */
export type Lease = { no: number; lease: number; until: string };

/** Written by a holder that does nothing more under its lease: other workers need not wait for it to expire. */
export const releasedUntil = '-Infinity';

/** The time between two reads counts up to this: after a longer gap the database may not have answered. */
const maxGapMs = 3_000;

/** Remembers for how long each lease has been unchanged. Each process that takes over leases keeps one. */
export class LeaseWatch {
  readonly #leaseMs: number;
  readonly #maxGapMs: number;
  #seen = new Map<number, Lease & { unchangedMs: number }>();
  #readAtMs: number | undefined;

  constructor(leaseMs: number, gapMs = maxGapMs) {
    this.#leaseMs = leaseMs;
    this.#maxGapMs = gapMs;
  }

  /**
   * @param leases all present leases
   * @param nowMs read after `leases`, so that no lease counts as older than it is
   * @returns the leases whose holder may no longer send
   */
  ended<L extends Lease>(leases: readonly L[], nowMs: number): L[] {
    const before = this.#seen;
    const gapMs = Math.min(nowMs - (this.#readAtMs ?? nowMs), this.#maxGapMs);
    this.#seen = new Map();
    this.#readAtMs = nowMs;
    return leases.filter(({ no, lease, until }) => {
      const last = before.get(no);
      const unchanged = last?.lease === lease && last.until === until;
      const unchangedMs = unchanged ? last.unchangedMs + gapMs : 0;
      this.#seen.set(no, { no, lease, until, unchangedMs });
      return until === releasedUntil || unchangedMs >= this.#leaseMs;
    });
  }
}

/**
 * The clock of a lease holder, in milliseconds. It also runs while the machine sleeps, when the monotonic clock of Linux
 * stops. A forward step of the wall clock ends leases early, which does no harm; a backward step has no effect.
 */
export function holderClock(monotonic: () => number = () => performance.now(), wall = Date.now): () => number {
  let offset = wall() - monotonic();
  let asleepMs = 0;
  return () => {
    const nowMs = monotonic();
    const gained = wall() - nowMs - offset;
    // Smaller differences come from rounding, or from a clock that is being adjusted.
    if (gained > 1_000) asleepMs += gained;
    if (gained > 1_000 || gained < 0) offset += gained;
    return nowMs + asleepMs;
  };
}
