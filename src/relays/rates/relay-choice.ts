// Chooses the relay of the next message: by weight, among those that can be reached.
// Guarantees exact shares, evenly mixed; a relay that fails to connect rests, longer each time; those of weight 0 are reserves,
// used in their order while all others rest. Pure: milliseconds of a monotonic clock come from the caller.

export type Choosable = { id: string; weight: number };

export const firstRestMs = 30_000;
export const maxRestMs = 10 * 60_000;
/** The wait for a relay that works but has no room. */
const busyMs = 100;

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
  #states: State<R>[];

  readonly #rest: { firstMs: number; maxMs: number };

  constructor(relays: readonly R[], rest = { firstMs: firstRestMs, maxMs: maxRestMs }) {
    this.#rest = rest;
    this.#states = relays.map(fresh);
  }

  /** The relays from now on. Those with an id in `kept` keep their credit, failures and rest. */
  replace(relays: readonly R[], kept: ReadonlySet<string>): void {
    const before = new Map(this.#states.map((state) => [state.relay.id, state]));
    this.#states = relays.map((relay) => ({
      ...((kept.has(relay.id) && before.get(relay.id)) || fresh(relay)),
      relay,
    }));
  }

  /**
   * `hasRoom` leaves out relays that are busy now; a busy one still keeps those of weight 0 in reserve.
   * @param among the ids of the relays to choose from; all without it
   */
  choose(now: number, hasRoom: (relay: R) => boolean = () => true, among?: ReadonlySet<string>): Choice<R> {
    const all = this.#states;
    const isAmong = ({ relay }: State<R>) => among!.has(relay.id);
    const states = !among || (all.length === 1 && isAmong(all[0]!)) ? all : all.filter(isAmong);
    const only = states[0];
    // The usual case, on the path of every message: a single relay, and it works.
    if (only && states.length === 1 && only.failures === 0)
      return hasRoom(only.relay) ? { relay: only.relay } : { waitMs: busyMs };
    const awake = states.filter((state) => now >= state.restUntil && !state.trying);
    const regular = awake.filter((state) => state.relay.weight > 0);
    // A relay that is tried after its rest may not work yet: the first reserve is used until it does.
    const able = (regular.length > 0 ? regular : awake.slice(0, 1)).filter((state) => hasRoom(state.relay));
    if (able.length === 0) return { waitMs: waitMs(states, now) };
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

  /** The relay says that it takes nothing for so long. */
  rest(id: string, now: number, ms: number): void {
    const state = this.#state(id);
    state.trying = false;
    state.failures = Math.max(1, state.failures);
    state.restUntil = now + ms;
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

  #state(id: string): State<R> {
    const state = this.#states.find(({ relay }) => relay.id === id);
    if (!state) throw new Error(`unknown relay ${id}`);
    return state;
  }
}

function fresh<R>(relay: R): State<R> {
  return { relay, credit: 0, failures: 0, restUntil: Number.NEGATIVE_INFINITY, trying: false };
}

function waitMs<R>(states: readonly State<R>[], now: number): number {
  const rests = states.map((state) => state.restUntil - now).filter((ms) => ms > 0);
  return rests.length > 0 && rests.length === states.length ? Math.ceil(Math.min(...rests)) : busyMs;
}
