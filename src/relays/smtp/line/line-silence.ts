// Whether a relay answers at all: it accepts connections or messages, and then nothing comes from it.
// Guarantees that one slow recipient, one long message or a slow greeting does not count as silence while the relay answers
// anything else. What is done about it is left to relay-line.ts.

/** No relay is asked to answer sooner than this; a silent one gets twice as long each time, up to what RFC 5321 allows. */
export const silenceMs = 30_000;
const maxSilenceMs = 300_000;
/** A relay that was not silent for so long is asked to answer as soon as at first. */
const forgetMs = 10 * 60_000;

export class LineSilence {
  readonly #scale: number;
  #patienceMs: number;
  /** Counts what came from the relay. */
  #heard = 0;
  #seen = 0;
  #heardAt = Number.NEGATIVE_INFINITY;
  #silentAt = Number.NEGATIVE_INFINITY;
  #beingOpened = new Set<{ readonly since: number }>();
  /** Since when, while it is silent. */
  since: number | undefined;

  constructor(timeScale: number) {
    this.#scale = timeScale;
    this.#patienceMs = silenceMs * timeScale;
  }

  /** How long a relay may take for a reply while it says nothing at all. */
  get patienceMs(): number {
    return this.#patienceMs;
  }

  readonly heard = (): void => {
    this.#heard += 1;
  };

  /** The relay has accepted a connection, and owes its greeting. @returns to be called when it is open, or has failed */
  opening(now: number): () => void {
    const opening = { since: now };
    this.#beingOpened.add(opening);
    return () => this.#beingOpened.delete(opening);
  }

  /** @returns whether the relay has said something since the last call */
  hasSpoken(now: number): boolean {
    if (this.#heard === this.#seen) return false;
    this.#seen = this.#heard;
    this.#heardAt = now;
    if (now - this.#silentAt > forgetMs * this.#scale) this.#patienceMs = silenceMs * this.#scale;
    return true;
  }

  /**
   * Whether a reply is owed and nothing has come for too long. To be called after hasSpoken.
   * @param waitsMs how long messages have been waiting for a reply, the longest first
   */
  isTooLong(now: number, waitsMs: readonly number[]): boolean {
    const openingMs = Math.max(0, ...[...this.#beingOpened].map(({ since }) => now - since));
    return Math.min(now - this.#heardAt, Math.max(openingMs, waitsMs[0] ?? 0)) > this.#patienceMs;
  }

  /** Whether a message that waits may wait for its recipient's server: a single one, after MAIL, and no connection is being opened. */
  isAboutOne(waitsMs: readonly number[], atMail: boolean): boolean {
    return waitsMs.length === 1 && !atMail && this.#beingOpened.size === 0;
  }

  /** It is silent. */
  begin(now: number): void {
    this.since ??= now - this.#patienceMs;
    this.#silentAt = now;
  }

  /** The next time it gets longer to answer. */
  bePatient(): void {
    this.#patienceMs = Math.min(maxSilenceMs * this.#scale, this.#patienceMs * 2);
  }

  /** It has answered what it was silent about. */
  end(): void {
    this.since = undefined;
  }
}
