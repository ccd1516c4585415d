// A route: the relays that the messages of some senders may take, and the messages that wait for a connection to them.
// Shares the messages among its relays by weight, opens connections as they are needed, and fails the messages when none of the
// relays can be used. A relay may be in several routes. Changing the relays is left to relay-pool.ts.
import type { MessageSender } from '../../base/relay/message-sender.ts';
import type { Relay } from '../../base/relay/relay.ts';
import type { RelayChoice } from '../rates/relay-choice.ts';
import type { Outcome } from '../verdict/outcome.ts';
import type { Connection } from './connection.ts';
import { describeFailure, lostAtConnect } from './line/line-status.ts';
import type { RelayLine } from './line/relay-line.ts';

/** A connection reserved for the message, or the outcome when there is none to be had. */
export type Given = { line: RelayLine; connection: Connection } | Outcome;

/** A message that waits; `mayBegin` is false when the wait took too long and it is not sent. */
export type Waiting = {
  sender: MessageSender;
  mayBegin?: (() => boolean) | undefined;
  /** Before the others that wait. */
  first?: boolean | undefined;
  /** The relays, by their ids, that it does not take. */
  refusedBy?: readonly string[] | undefined;
  resolve(given: Given): void;
};

const notSent = { kind: 'notSent' } as const;

/** How long a wait for a rate or behind a stuck connection goes unchecked: no answer ends it. */
const recheckMs = 250;
/** The rest of a route without relays: it lasts until the relays change. */
const noRelayMs = 60_000;

export class Route {
  readonly lines: readonly RelayLine[];
  readonly #choice: RelayChoice<Relay>;
  readonly #lineOf: ReadonlyMap<string, RelayLine>;
  readonly #ids: ReadonlySet<string>;
  #waiting: Waiting[] = [];
  /** Messages given to each of several relays. */
  readonly #given = new Map<RelayLine, number>();
  #recheck: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(lines: readonly RelayLine[], choice: RelayChoice<Relay>) {
    this.lines = lines;
    this.#choice = choice;
    this.#lineOf = new Map(lines.map((line) => [line.relay.id, line]));
    this.#ids = new Set(this.#lineOf.keys());
  }

  /** Messages that can be in flight together without waiting. */
  get capacity(): number {
    const heaviest = this.heaviestWeight;
    return this.lines.reduce((sum, line) => sum + line.capacity(heaviest), 0);
  }

  /** Messages a second that this process may give to these relays together; undefined if one has no limit. */
  get ratePerSecond(): number | undefined {
    if (this.lines.length === 0) return undefined;
    let sum = 0;
    for (const { limits } of this.lines) sum += limits.perSecond ?? Number.POSITIVE_INFINITY;
    return sum === Number.POSITIVE_INFINITY ? undefined : sum;
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** 0 when a relay can be used, else the milliseconds until one may be tried again. */
  restMs(): number {
    const now = performance.now();
    let ms = noRelayMs;
    for (const line of this.lines) ms = Math.min(ms, line.restMs(now));
    return ms;
  }

  /** The highest weight among the relays that work. */
  get heaviestWeight(): number {
    if (this.lines.length === 1) return this.lines[0]!.relay.weight || 1;
    let heaviest = 0;
    for (const line of this.lines) if (!line.state.isDoubtful) heaviest = Math.max(heaviest, line.relay.weight);
    return heaviest || Number.MIN_VALUE;
  }

  async connectionFor(message: Omit<Waiting, 'resolve'>): Promise<Given> {
    const goesNext = message.first ? this.#waiting[0]?.first !== true : this.#waiting.length === 0;
    const given = goesNext ? this.#reserve(message.refusedBy) : undefined;
    if (!given) return new Promise((resolve) => this.enqueue([{ ...message, resolve }]));
    // A relay with weight and no connection never has room, so its first one is opened when it is owed a message.
    if (this.lines.length > 1)
      for (const line of this.lines)
        if (line.size === 0 && line.restMs(performance.now()) === 0 && line.limits.hasCredit && this.#isOwed(line))
          void line.open();
    return given;
  }

  /** Whether another relay had more messages than this one, by their weights. */
  #isOwed(line: RelayLine): boolean {
    if (line.relay.weight === 0) return false;
    const share = this.#shareOf(line);
    return this.lines.some((other) => other.relay.weight > 0 && this.#shareOf(other) > share);
  }

  /** What a relay had of the messages, by its weight. */
  #shareOf(line: RelayLine): number {
    return (this.#given.get(line) ?? 0) / (line.relay.weight || 1);
  }

  enqueue(waiting: readonly Waiting[]): void {
    for (const message of waiting) {
      const behind = message.first ? this.#waiting.findIndex(({ first }) => !first) : -1;
      this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, message);
    }
    this.serve();
  }

  /** Gives waiting messages a connection, opens further ones, or fails the messages if no relay can be used. */
  serve(): void {
    for (let next = 0; next < this.#waiting.length; ) {
      const message = this.#waiting[next]!;
      const given = message.mayBegin?.() === false ? notSent : this.#reserve(message.refusedBy);
      if (given) {
        if (next === 0) this.#waiting.shift();
        else this.#waiting.splice(next, 1);
        message.resolve(given);
      }
      // One that may not take every relay keeps no other waiting.
      else if (message.refusedBy?.length) next += 1;
      else break;
    }
    if (this.#waiting.length === 0 || this.#closed) return;
    const now = performance.now();
    for (const line of this.lines) if (!line.limits.hasCredit) line.limits.reserveQuota();
    const line = this.#isComplete() || this.#areCarried() ? undefined : this.#lineToOpen(now);
    if (line) void line.open();
    else if (this.restMs() > 0 && this.lines.every((line) => !canServe(line))) {
      if (!this.lines.some((line) => line.isOpening || line.limits.reserving)) this.#failWaiting();
      return;
    }
    this.#recheck ??= setTimeout(() => {
      this.#recheck = undefined;
      this.serve();
    }, this.#recheckMs(now));
  }

  /** Ends this route. @returns the messages that still wait */
  close(): Waiting[] {
    this.#closed = true;
    clearTimeout(this.#recheck);
    return this.#waiting.splice(0);
  }

  /** A connection for the next message, by the relays' weights. */
  #reserve(refusedBy?: readonly string[]): Given | undefined {
    const now = performance.now();
    const ids = refusedBy?.length ? new Set([...this.#ids].filter((id) => !refusedBy.includes(id))) : this.#ids;
    // The others have come to rest since.
    if (ids !== this.#ids && [...ids].every((id) => this.#lineOf.get(id)!.restMs(now) > 0)) return notSent;
    const chosen = this.#choice.choose(now, (relay) => this.#lineOf.get(relay.id)!.hasRoom(now), ids);
    if (!('relay' in chosen)) return undefined;
    const line = this.#lineOf.get(chosen.relay.id)!;
    if (this.lines.length > 1) this.#given.set(line, (this.#given.get(line) ?? 0) + 1);
    return { line, connection: line.reserve(now) };
  }

  /** Whether the connections that are being opened will take all messages that wait. */
  #areCarried(): boolean {
    let places = 0;
    for (const line of this.lines) places += line.openingCapacity;
    return places >= this.#waiting.length;
  }

  /** All connections to the only relay are open, and it works: the usual case, on the path of every message. */
  #isComplete(): boolean {
    const line = this.lines[0];
    if (line === undefined || this.lines.length > 1 || line.state.isDoubtful) return false;
    return line.size >= line.maxConnections(this.heaviestWeight);
  }

  #failWaiting(): void {
    const last = this.lines.find((line) => line.state.lastFailure);
    // A failure at MAIL belongs to another message; those waiting were never attempted.
    const failure =
      last?.state.lastFailure && !last.state.isOnTrial
        ? last.state.lastFailure
        : lostAtConnect(describeFailure(last?.state.lastFailure) || 'no relay can be used now');
    for (const { resolve } of this.#waiting.splice(0)) resolve(failure);
  }

  /** Relays with weight share the load; the first of those with weight 0 is used while all others rest. */
  #lineToOpen(now: number): RelayLine | undefined {
    const awake = this.lines.filter((line) => line.restMs(now) === 0);
    const probe = awake.find((line) => line.canProbe);
    if (probe) return probe;
    const working = awake.filter((line) => !line.state.isDoubtful);
    const regular = working.filter((line) => line.relay.weight > 0);
    const heaviest = this.heaviestWeight;
    const load = (line: RelayLine) => line.size / (line.relay.weight || 1);
    let best: RelayLine | undefined;
    for (const line of regular.length > 0 ? regular : working.slice(0, 1)) {
      // One with a free place only waits for its rate.
      if (line.size >= line.maxConnections(heaviest) || line.hasPlace(now)) continue;
      if (!best || load(line) < load(best) || (load(line) === load(best) && this.#shareOf(line) < this.#shareOf(best)))
        best = line;
    }
    return best;
  }

  #recheckMs(now: number): number {
    const limited = this.lines.filter((line) => line.connections.size > 0 && line.limits.perSecond !== undefined);
    return Math.min(recheckMs, ...limited.map((line) => Math.max(1, line.limits.rateWaitMs(now))));
  }
}

/** Whether an open connection of this relay can still take a message that waits. */
function canServe(line: RelayLine): boolean {
  return line.connections.size > 0 && line.limits.hasCredit && !line.state.isOnTrial;
}
