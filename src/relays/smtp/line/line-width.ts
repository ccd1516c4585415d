// How many connections to a relay may be open at once: its limit, less for a smaller weight, and for a while no more than were
// open when it refused a further one.
import type { Relay } from '../../../base/relay/relay.ts';

/** How long no further connection is opened to a relay that refused one. */
const fullMs = 60_000;
/** How long a server may take to notice that connections were closed. */
const settleMs = 2_000;

export class LineWidth {
  readonly #scale: number;
  /** At most this many connections until `#fullUntil`. */
  #fullAt = Number.POSITIVE_INFINITY;
  #fullUntil = 0;
  #foundAt = Number.NEGATIVE_INFINITY;

  constructor(timeScale: number) {
    this.#scale = timeScale;
  }

  /** Whether that was found out just now: connections that are being closed still count for the server. */
  isNewlyFull(now: number): boolean {
    return now - this.#foundAt < settleMs;
  }

  /** It takes no more than so many connections. */
  isFullAt(connections: number, now: number): void {
    if (now >= this.#fullUntil || connections < this.#fullAt) this.#foundAt = now;
    this.#fullAt = Math.max(1, connections);
    this.#fullUntil = now + fullMs * this.#scale;
  }

  /** Under full load every connection is busy, so the number of connections decides each relay's share. */
  max({ connections, weight }: Relay, heaviestWeight: number): number {
    const share = weight === 0 ? 1 : weight / heaviestWeight;
    const fair = Math.max(1, Math.round(connections * Math.min(1, share)));
    // The clock is not read for a relay that was never full: this is asked for each message.
    const isFull = this.#fullUntil > 0 && performance.now() < this.#fullUntil;
    return isFull ? Math.max(1, Math.min(fair, this.#fullAt)) : fair;
  }
}
