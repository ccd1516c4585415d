// Tells when a campaign is being refused by policy so often that going on would only burn its recipients.
// Pure: outcomes in, the reason to stop out. Pausing the campaign and telling its owner is the caller's.

/** At least half of the last 200, when there have been 20; or 20 in a row. */
export const breakerRules = { window: 200, least: 20, share: 0.5, row: 20 } as const;

export type Trip = { because: 'share'; refused: number; of: number } | { because: 'row'; refused: number };

export class Breaker {
  /** The last final outcomes, oldest overwritten first: 1 is a refusal by policy. */
  readonly #last = new Uint8Array(breakerRules.window);
  #count = 0;
  #next = 0;
  #refused = 0;
  #row = 0;

  /**
   * Adds a final outcome: `policy` for a refusal of what or in whose name is sent, `other` for every other one (taken,
   * no such user). Outcomes to be tried again and those unknown are no judgement and are not told.
   */
  tell(outcome: 'policy' | 'other'): Trip | undefined {
    const refused = outcome === 'policy' ? 1 : 0;
    this.#refused += refused - this.#last[this.#next]!;
    this.#last[this.#next] = refused;
    this.#next = (this.#next + 1) % breakerRules.window;
    this.#count = Math.min(breakerRules.window, this.#count + 1);
    this.#row = refused ? this.#row + 1 : 0;
    return this.tripped;
  }

  /** The row is named first: it tells of something that has just begun. */
  get tripped(): Trip | undefined {
    if (this.#row >= breakerRules.row) return { because: 'row', refused: this.#row };
    if (this.#count >= breakerRules.least && this.#refused >= breakerRules.share * this.#count)
      return { because: 'share', refused: this.#refused, of: this.#count };
    return undefined;
  }
}
