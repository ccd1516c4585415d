// Detects a campaign that is refused by policy so often that continuing would only waste its recipients.
// Pure: outcomes in, the reason to stop out. Pausing the campaign and notifying its owner is left to the caller.

/** At least half of the last 200 once there are 20, and the last one is a refusal; or 20 in a row. */
export const breakerRules = { window: 200, min: 20, share: 0.5, row: 20 } as const;

export type Trip = { because: 'share'; refused: number; of: number } | { because: 'row'; refused: number };

export type Mark = 'policy' | 'overtaken' | 'other';

export class Breaker {
  /** Ring buffer of the last final outcomes; 1 is a refusal by policy. */
  readonly #last = new Uint8Array(breakerRules.window);
  #count = 0;
  #next = 0;
  #refused = 0;
  #row = 0;
  /** Whether the last one is a refusal. */
  #isRefusal = false;

  /**
   * Adds an outcome: `policy` for a refusal of the content or the sender, or one in doubt, `other` for every other one (accepted, no
   * such user). A refusal that is `overtaken` by acceptances counts, but not for the row. Retries and unclear outcomes do not count
   * and must not be added.
   */
  add(outcome: Mark): Trip | undefined {
    const refused = outcome === 'other' ? 0 : 1;
    this.#refused += refused - this.#last[this.#next]!;
    this.#last[this.#next] = refused;
    this.#next = (this.#next + 1) % breakerRules.window;
    this.#count = Math.min(breakerRules.window, this.#count + 1);
    if (outcome !== 'overtaken') this.#row = refused ? this.#row + 1 : 0;
    this.#isRefusal = refused === 1;
    return this.tripped;
  }

  /** The row comes first: it shows a change that has just begun. */
  get tripped(): Trip | undefined {
    if (this.#row >= breakerRules.row) return { because: 'row', refused: this.#row };
    // Not at an accepted message: the reason shows the last refusal.
    if (this.#isRefusal && this.#count >= breakerRules.min && this.#refused >= breakerRules.share * this.#count)
      return { because: 'share', refused: this.#refused, of: this.#count };
    return undefined;
  }
}
