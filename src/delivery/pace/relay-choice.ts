// Chooses the relay of the next message: by weight, among those that can be reached.
// Guarantees exact shares, evenly mixed; a relay that fails to connect rests, longer each time; one of weight 0 is used
// only while all others rest. Pure: milliseconds of a monotonic clock come from the caller.

export type Choosable = { id: string; weight: number };

export const firstRestMs = 30_000;
export const maxRestMs = 10 * 60_000;

/** `waitMs`: no relay is available; milliseconds until one may be tried again. */
export type Choice<R> = { relay: R } | { waitMs: number };

type State<R> = {
  relay: R;
  /** What it is owed by smooth weighted round-robin. */
  credit: number;
  failures: number;
  restUntil: number;
  /** After a rest one attempt has to succeed before there are more. */
  trying: boolean;
};

export class RelayChoice<R extends Choosable> {
  readonly #states: State<R>[];

  readonly #rest: { firstMs: number; maxMs: number };

  constructor(relays: readonly R[], rest = { firstMs: firstRestMs, maxMs: maxRestMs }) {
    this.#rest = rest;
    if (relays.length === 0) throw new Error('no relay to choose from');
    this.#states = relays.map((relay) => ({
      relay,
      credit: 0,
      failures: 0,
      restUntil: Number.NEGATIVE_INFINITY,
      trying: false,
    }));
  }

  /** `hasRoom` leaves out relays that are busy now; a busy one still keeps those of weight 0 in reserve. */
  choose(now: number, hasRoom: (relay: R) => boolean = () => true): Choice<R> {
    const only = this.#states[0]!;
    // The usual case, on the path of every message.
    if (this.#states.length === 1 && only.failures === 0 && hasRoom(only.relay)) return { relay: only.relay };
    const awake = this.#states.filter((state) => now >= state.restUntil && !state.trying);
    const regular = awake.filter((state) => state.relay.weight > 0);
    // A relay that is tried after its rest may not work yet: the reserve is used until it does.
    const able = (regular.length > 0 ? regular : awake).filter((state) => hasRoom(state.relay));
    if (able.length === 0) return { waitMs: this.#waitMs(now) };
    const chosen = this.#next(able);
    chosen.trying = chosen.failures > 0;
    return { relay: chosen.relay };
  }

  /**
   * The relay could not be reached or refused the session. Further failures during the rest do not lengthen it.
   * @param minMs shortest rest
   */
  failed(id: string, now: number, minMs = 0): void {
    const state = this.#state(id);
    state.trying = false;
    if (now < state.restUntil) return;
    const { firstMs, maxMs } = this.#rest;
    state.restUntil = now + Math.max(minMs, Math.min(maxMs, firstMs * 2 ** Math.min(state.failures, 30)));
    state.failures++;
  }

  /** The relay accepted a session. */
  worked(id: string): void {
    const state = this.#state(id);
    state.failures = 0;
    state.trying = false;
    state.restUntil = Number.NEGATIVE_INFINITY;
  }

  /** Whether its last use failed, resting or not. */
  isDoubtful(id: string): boolean {
    return this.#state(id).failures > 0;
  }

  /** Milliseconds left of its rest. */
  restMs(id: string, now: number): number {
    return Math.max(0, this.#state(id).restUntil - now);
  }

  /** Each gains its weight; the one with most credit is chosen and pays the sum: shares are exact and evenly mixed. */
  #next(able: State<R>[]): State<R> {
    let total = 0;
    let richest = able[0]!;
    for (const state of able) {
      const weight = state.relay.weight || 1;
      total += weight;
      state.credit += weight;
      if (state.credit > richest.credit) richest = state;
    }
    richest.credit -= total;
    return richest;
  }

  #waitMs(now: number): number {
    const rests = this.#states.map((state) => state.restUntil - now).filter((ms) => ms > 0);
    return rests.length === this.#states.length ? Math.ceil(Math.min(...rests)) : 100;
  }

  #state(id: string): State<R> {
    const state = this.#states.find(({ relay }) => relay.id === id);
    if (!state) throw new Error(`unknown relay ${id}`);
    return state;
  }
}
