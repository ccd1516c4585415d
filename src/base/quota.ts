// A number of bytes, connections or places that many callers share: a total, and a part that no single caller exceeds.
// Kept in the memory of one process. What a caller took, it has to release.

export class Quota {
  readonly #total: number;
  readonly #perCaller: number;
  readonly #used = new Map<string, number>();
  #sum = 0;

  constructor(limits: { total: number; perCaller: number }) {
    this.#total = limits.total;
    this.#perCaller = limits.perCaller;
  }

  /** Takes `amount` for a caller; false, and nothing taken, when that would exceed a limit. */
  take(caller: string, amount = 1): boolean {
    const used = (this.#used.get(caller) ?? 0) + amount;
    if (used > this.#perCaller || this.#sum + amount > this.#total) return false;
    this.#used.set(caller, used);
    this.#sum += amount;
    return true;
  }

  release(caller: string, amount = 1): void {
    const left = this.#used.get(caller)! - amount;
    if (left > 0) this.#used.set(caller, left);
    else this.#used.delete(caller);
    this.#sum -= amount;
  }

  get used(): number {
    return this.#sum;
  }
}
