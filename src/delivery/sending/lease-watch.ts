// Which leases have stood unrenewed for as long as a lease lasts, by the clock of this process. The clock of the
// database only writes them down: it may step by a minute in either direction while their holders go by their own.

/** `until` is compared and never read as a time, except that a lease without an end to come was let go by its holder. */
export type Lease = { no: number; lease: number; until: string };

/** What a holder writes that does nothing more under its lease: nobody needs to wait for the end of it. */
export const releasedUntil = '-Infinity';

/** The watch over the leases of all workers, to be kept by each that takes over. */
export class LeaseWatch {
  readonly #leaseMs: number;
  #seen = new Map<number, Lease & { sinceMs: number }>();

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /**
   * @param leases all there are
   * @param nowMs read after `leases`, so that each was renewed before it is taken for seen
   * @returns those whose holder may not go on
   */
  ended<L extends Lease>(leases: readonly L[], nowMs: number): L[] {
    const before = this.#seen;
    this.#seen = new Map();
    return leases.filter(({ no, lease, until }) => {
      const known = before.get(no);
      const same = known?.lease === lease && known.until === until;
      const sinceMs = same ? known.sinceMs : nowMs;
      this.#seen.set(no, { no, lease, until, sinceMs });
      return until === releasedUntil || nowMs - sinceMs >= this.#leaseMs;
    });
  }
}

/**
 * The clock a holder goes by, in milliseconds: it never stands still, also while the machine sleeps, when the monotonic
 * clock of Linux does. A step of the wall clock forward ends leases early, which costs nothing; one backward does nothing.
 */
export function holderClock(monotonic: () => number = () => performance.now(), wall = Date.now): () => number {
  let offset = wall() - monotonic();
  let asleepMs = 0;
  return () => {
    const nowMs = monotonic();
    const gained = wall() - nowMs - offset;
    // Less is how the two are rounded, or the clock being set right.
    if (gained > 1_000) asleepMs += gained;
    if (gained > 1_000 || gained < 0) offset += gained;
    return nowMs + asleepMs;
  };
}
