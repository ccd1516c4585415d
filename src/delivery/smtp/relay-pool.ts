// Sends messages to the relays: a few connections to each, several messages in flight on each.
// Guarantees an outcome for every message, shares the messages among the relays by weight, and lets a relay that cannot be
// reached, refuses the session or the password rest while the others continue. What an outcome means for the recipient is
// left to verdict.ts, the state of one relay to relay-line.ts.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Relay } from '../../base/relay/relay.ts';
import { RelayChoice } from '../pace/relay-choice.ts';
import type { Connection } from './connection.ts';
import type { Message } from './envelope.ts';
import type { Outcome } from './outcome.ts';
import { type LineOptions, lostAtConnect, patienceMs, RelayLine, type RelayStatus } from './relay-line.ts';

/** Asked before a message that had to wait gets a connection; false when the wait took too long and it is not sent. */
export type Begun = { mayBegin?(): boolean };

/** A connection reserved for the message, or the outcome when there is none to be had. */
type Given = { line: RelayLine; connection: Connection } | Outcome;
type Waiting = Begun & { resolve(given: Given): void };

const restMs = { first: 1_000, max: 60_000 };
const stuckCheckMs = { min: 50, max: 500 };
/** How long a wait for a rate or behind a stuck connection goes unchecked: no answer ends it. */
const recheckMs = 250;
const closeMs = 20_000;

export class RelayPool {
  readonly #relays: readonly Relay[];
  readonly #options: LineOptions;
  readonly #lines: readonly RelayLine[];
  readonly #lineOf: ReadonlyMap<Relay, RelayLine>;
  readonly #choice: RelayChoice<Relay>;
  readonly #stuckCheck: NodeJS.Timeout;
  #waiting: Waiting[] = [];
  #recheck: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(relays: readonly Relay[], options: LineOptions) {
    const scale = options.timeScale ?? 1;
    this.#relays = relays;
    this.#options = options;
    this.#choice = new RelayChoice(relays, { firstMs: restMs.first * scale, maxMs: restMs.max * scale });
    this.#lines = relays.map((relay) => new RelayLine(relay, this.#choice, options, () => this.#serve()));
    this.#lineOf = new Map(this.#lines.map((line) => [line.relay, line]));
    this.#stuckCheck = setInterval(
      () => this.#relieve(),
      Math.max(stuckCheckMs.min, Math.min(stuckCheckMs.max, patienceMs * scale)),
    );
    this.#stuckCheck.unref();
  }

  /** Messages that can be in flight at once without waiting. */
  get capacity(): number {
    const heaviest = this.#heaviestWeight();
    return this.#lines.reduce((sum, line) => sum + line.capacity(heaviest), 0);
  }

  /** Messages a second that this process may give to all relays together; undefined if one of them has no limit. */
  get perSecond(): number | undefined {
    if (this.#relays.some((relay) => relay.ratePerSecond === undefined)) return undefined;
    const total = this.#relays.reduce((sum, relay) => sum + relay.ratePerSecond!, 0);
    return total / Math.max(1, this.#options.sharers?.() ?? 1);
  }

  /** 0 when a relay can be used, else the milliseconds until one may be tried again. */
  restMs(): number {
    const now = performance.now();
    return Math.min(...this.#lines.map((line) => line.restMs(now)));
  }

  /** The status of each relay, for people to see. */
  relays(): RelayStatus[] {
    const now = performance.now();
    return this.#lines.map((line) => line.status(now));
  }

  /** A failure before MAIL means that no relay was available: the recipient was never attempted. */
  async send(message: Message & Begun): Promise<Outcome> {
    // Once more over another connection if the first was cut before the dot: a relay that dies costs no attempt.
    for (let again = true; ; again = false) {
      if (this.#closing) return { kind: 'notSent' };
      const given = await this.#connectionFor(message);
      if ('kind' in given) return given;
      const { line, connection } = given;
      const outcome = await line.send(connection, message);
      const canRetry = line.learn(connection, outcome) && !this.#closing;
      if (this.#waiting.length > 0) this.#serve();
      if (!again || !canRetry) return outcome;
      // A server that closes after so many messages cuts off the next one without looking at it.
      if (this.#lines.length === 1 && !(outcome.kind === 'lost' && outcome.stage === 'mail')) return outcome;
    }
  }

  /** Lets messages in flight finish, then closes. */
  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#recheck);
    clearInterval(this.#stuckCheck);
    await Promise.race([
      Promise.all(this.#lines.map((line) => line.connections.close())),
      sleep(closeMs, undefined, { ref: false }),
    ]);
    for (const line of this.#lines) line.connections.destroy();
  }

  async #connectionFor({ mayBegin }: Begun): Promise<Given> {
    const given = this.#waiting.length === 0 ? this.#reserve() : undefined;
    if (!given)
      return new Promise((resolve) => {
        this.#waiting.push({ resolve, ...(mayBegin ? { mayBegin } : {}) });
        this.#serve();
      });
    // A relay with weight and no connection yet never has room, so its first one is opened now.
    if (this.#lines.length > 1)
      for (const line of this.#lines)
        if (line.relay.weight > 0 && line.size === 0 && line.restMs(performance.now()) === 0 && line.limits.hasCredit)
          void line.open();
    return given;
  }

  /** A connection for the next message, by the relays' weights. */
  #reserve(): Given | undefined {
    const now = performance.now();
    const chosen = this.#choice.choose(now, (relay) => this.#lineOf.get(relay)!.hasRoom(now));
    if (!('relay' in chosen)) return undefined;
    const line = this.#lineOf.get(chosen.relay)!;
    return { line, connection: line.reserve(now) };
  }

  /** Gives waiting messages a connection, opens further ones, or fails the messages if no relay can be used. */
  #serve(): void {
    while (this.#waiting.length > 0) {
      const given = this.#waiting[0]!.mayBegin?.() === false ? { kind: 'notSent' as const } : this.#reserve();
      if (!given) break;
      this.#waiting.shift()!.resolve(given);
    }
    if (this.#waiting.length === 0 || this.#closing) return;
    const now = performance.now();
    for (const line of this.#lines) if (!line.limits.hasCredit) line.limits.reserveQuota();
    const line = this.#lineToOpen(now);
    if (line) void line.open();
    else if (this.restMs() > 0 && this.#lines.every((line) => !canServe(line))) {
      if (!this.#lines.some((line) => line.isOpening || line.limits.reserving)) this.#failWaiting();
      return;
    }
    this.#recheck ??= setTimeout(() => {
      this.#recheck = undefined;
      this.#serve();
    }, this.#recheckMs(now));
  }

  #failWaiting(): void {
    const last = this.#lines.find((line) => line.lastFailure);
    // A failure at MAIL belongs to another message; those waiting were never attempted.
    const failure =
      last?.lastFailure && !last.isOnTrial
        ? last.lastFailure
        : lostAtConnect(last?.describeFailure() || 'no relay can be used now');
    const all = this.#waiting;
    this.#waiting = [];
    for (const { resolve } of all) resolve(failure);
  }

  /** Relays with weight share the load; those of weight 0 are used while all others rest. */
  #lineToOpen(now: number): RelayLine | undefined {
    const awake = this.#lines.filter((line) => line.restMs(now) === 0);
    const probe = awake.find((line) => line.canProbe);
    if (probe) return probe;
    const working = awake.filter((line) => !line.isDoubtful);
    const regular = working.filter((line) => line.relay.weight > 0);
    const heaviest = this.#heaviestWeight();
    const load = (line: RelayLine) => line.size / (line.relay.weight || 1);
    let best: RelayLine | undefined;
    for (const line of regular.length > 0 ? regular : working) {
      if (line.size >= line.maxConnections(heaviest)) continue;
      if (!best || load(line) < load(best)) best = line;
    }
    return best;
  }

  #recheckMs(now: number): number {
    const limited = this.#lines.filter((line) => line.connections.size > 0 && line.relay.ratePerSecond !== undefined);
    return Math.min(recheckMs, ...limited.map((line) => Math.max(1, line.limits.rateWaitMs(now))));
  }

  /** No message waits behind one that the server does not answer. */
  #relieve(): void {
    const now = performance.now();
    const heaviest = this.#heaviestWeight();
    for (const line of this.#lines) line.relieve(now, heaviest, this.#waiting.length > 0);
  }

  /** The highest weight among the relays that work. */
  #heaviestWeight(): number {
    if (this.#lines.length === 1) return this.#lines[0]!.relay.weight || 1;
    let heaviest = 0;
    for (const line of this.#lines) if (!line.isDoubtful) heaviest = Math.max(heaviest, line.relay.weight);
    return heaviest || Number.MIN_VALUE;
  }
}

/** Whether an open connection of this relay can still take a message that waits. */
function canServe(line: RelayLine): boolean {
  return line.connections.size > 0 && line.limits.hasCredit && !line.isOnTrial;
}
