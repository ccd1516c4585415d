// Sends messages to the relays: a few connections to each, several messages in flight on each. Which relays a message may take
// depends on its sender (route.ts). Guarantees an outcome for every message; lets a relay that cannot be reached, refuses the
// session or the password rest while the others continue; and takes over other relays while messages are in flight, which
// finish where they are. What an outcome means for the recipient is left to verdict.ts, the state of one relay to relay-line.ts.
import { setTimeout as sleep } from 'node:timers/promises';
import { type MessageSender, relaysFor } from '../../base/relay/message-sender.ts';
import { describeRelay, type Relay } from '../../base/relay/relay.ts';
import type { LiveWorkers } from '../../jobs/worker-presence.ts';
import { RelayChoice } from '../rates/relay-choice.ts';
import { signatureOf } from '../rates/same-reply.ts';
import { shareOf } from '../rates/worker-share.ts';
import type { Outcome } from '../verdict/outcome.ts';
import type { Message } from './envelope.ts';
import type { KnownLimits, RelayStatus } from './line/line-status.ts';
import { isDoubtful } from './line/refusal.ts';
import { type Lesson, type LineOptions, patienceMs, RelayLine } from './line/relay-line.ts';
import { RelayTally } from './relay-tally.ts';
import { type Given, Route } from './route.ts';

export type Submission = Message & {
  sender: MessageSender;
  /** Asked before a message that had to wait gets a connection; false when the wait took too long and it is not sent. */
  mayBegin?(): boolean;
  /** Before the others that wait. */
  first?: boolean;
  /** The relay refused the message after its final dot; it will be sent again. */
  onRefused?(): void;
  /** Refusals that a person has confirmed to be about the recipients, as signatureOf() in rates/same-reply.ts gives them. */
  confirmed?: readonly string[];
};

export type PoolOptions = LineOptions & {
  /** Those that share each relay's connections and rate; without it this process has them alone. */
  workers?: () => LiveWorkers;
};

type Reserved = Exclude<Given, Outcome>;

const none: readonly string[] = [];

const restMs = { first: 1_000, max: 60_000 };
const stuckCheckMs = { min: 50, max: 500 };
const closeMs = 20_000;
/** How often a message goes over another connection because of what its relay limits. */
const maxTries = { again: 10, wait: 3, elsewhere: 10 } as const;
/** How often a message is cut off on connections that have taken others, until it counts as the reason. */
const maxCuts = 4;
/** Senders whose route is remembered. */
const maxSenders = 10_000;

export class RelayPool {
  readonly #options: PoolOptions;
  readonly #choice: RelayChoice<Relay>;
  readonly #stuckCheck: NodeJS.Timeout;
  #relays: readonly Relay[] = [];
  /** Of the relays that are not paused and that this process has a share of. */
  #lines: readonly RelayLine[] = [];
  /** Lines of relays that were removed or changed, with messages in flight. */
  readonly #retired = new Set<RelayLine>();
  /** The relays all of whose connections other workers have. */
  #withoutShare: ReadonlySet<string> = new Set();
  /** By the ids of their relays. */
  readonly #routes = new Map<string, Route>();
  readonly #routeOfSender = new Map<string, Route>();
  /** The route asked for last: a content has one sender object, and asks several times for each message. */
  #last: { sender: MessageSender; route: Route } | undefined;
  /** All relays, for questions about them together; no message takes it. */
  #all: Route;
  #closing = false;
  readonly tally = new RelayTally();

  constructor(relays: readonly Relay[], options: PoolOptions) {
    const scale = options.timeScale ?? 1;
    this.#options = options;
    this.#choice = new RelayChoice<Relay>([], { firstMs: restMs.first * scale, maxMs: restMs.max * scale });
    this.#all = new Route([], this.#choice);
    this.update(relays);
    this.#stuckCheck = setInterval(
      () => this.#relieve(),
      Math.max(stuckCheckMs.min, Math.min(stuckCheckMs.max, patienceMs * scale)),
    );
    this.#stuckCheck.unref();
  }

  /**
   * The relays from now on. One that is reached as before keeps its connections. Messages in flight over another one finish;
   * those that wait go over the new relays.
   */
  update(relays: readonly Relay[]): void {
    if (this.#closing) return;
    this.#relays = relays;
    const active = this.#sharesOf(relays.filter(({ isPaused }) => !isPaused));
    const before = new Map(this.#lines.map((line) => [line.relay.id, line]));
    const kept = new Set(active.filter((relay) => before.get(relay.id)?.reaches(relay)).map(({ id }) => id));
    this.#choice.replace(active, kept);
    this.#lines = active.map((relay) => {
      if (!kept.has(relay.id)) return new RelayLine(relay, this.#choice, this.#options, () => this.#serve());
      const line = before.get(relay.id)!;
      line.change(relay);
      return line;
    });
    this.#all = new Route(this.#lines, this.#choice);
    const waiting = [...this.#routes.values()].flatMap((route) => route.close());
    this.#routes.clear();
    this.#routeOfSender.clear();
    this.#last = undefined;
    for (const line of before.values()) if (!this.#lines.includes(line)) this.#retire(line);
    for (const message of waiting) this.#routeOf(message.sender).enqueue([message]);
  }

  /** To be called when a worker has started or ended: each gets another share of the relays. */
  shareAgain(): void {
    this.update(this.#relays);
  }

  /** Messages a second that this process may give to all relays together; undefined if one of them has no limit. */
  get perSecond(): number | undefined {
    return this.#all.ratePerSecond;
  }

  /** As `perSecond`, for the relays of one sender. */
  perSecondFor(sender: MessageSender): number | undefined {
    return this.#routeOf(sender).ratePerSecond;
  }

  /** Messages of a sender that can be in flight together without waiting. */
  capacityFor(sender: MessageSender): number {
    return this.#routeOf(sender).capacity;
  }

  /** 0 when a relay can be used, else the milliseconds until one may be tried again. */
  restMs(): number {
    return this.#all.restMs();
  }

  /** As `restMs`, for the relays of one sender. */
  restMsFor(sender: MessageSender): number {
    return this.#routeOf(sender).restMs();
  }

  /** What each relay has shown of its limits. `changes` differs from last time if other processes should know. */
  knownLimits(): Map<string, KnownLimits & { changes: number }> {
    const now = performance.now();
    return new Map(this.#lines.map((line) => [line.relay.id, line.known(now)]));
  }

  /** What another process has found out about the limits of a relay. */
  adoptLimits(id: string, limits: KnownLimits): void {
    this.#lines.find(({ relay }) => relay.id === id)?.adopt(limits);
  }

  /** The status of each relay, for people to see. */
  relays(): RelayStatus[] {
    const now = performance.now();
    return this.#lines.map((line) => ({ ...line.status(now), answers: this.tally.answersOf(line.relay.id) }));
  }

  /**
   * A failure before MAIL means that no relay was available: the recipient was never attempted. Nor was it when the relays
   * refuse the message for reasons of their own.
   */
  async send(given: Submission): Promise<Outcome> {
    const { sender, mayBegin, first } = given;
    let message = given;
    const tries: Record<Exclude<Lesson, 'final'>, number> = { again: 0, once: 0, wait: 0, elsewhere: 0 };
    /** The relays that refused it in words that may be about us, and what the last of them said. */
    let refusedBy: readonly string[] = none;
    let refused: Outcome | undefined;
    for (;;) {
      if (this.#closing) return { kind: 'notSent' };
      const reserved = await this.#routeOf(sender).connectionFor({ sender, mayBegin, first, refusedBy });
      if ('kind' in reserved) return refused ?? reserved;
      const { line, connection } = reserved;
      const startedAt = performance.now();
      const outcome = await line.send(connection, message);
      let lesson: Lesson | 'other' = line.learn(connection, outcome, given, startedAt);
      this.#serve();
      if (lesson === 'final' && this.#mayOtherTake(given, line, outcome, refusedBy)) lesson = 'other';
      if (lesson === 'final' || this.#closing) return this.#counted(line, outcome, given.rcptTo);
      if (outcome.kind === 'reply' && outcome.dotted) {
        given.onRefused?.();
        // The server may still read this memory, with what was written behind the message.
        message = { ...given, room: 0 };
      }
      if (lesson === 'other') {
        this.tally.count(line.relay.id, outcome, given.rcptTo);
        refused = outcome;
        refusedBy = [...refusedBy, line.relay.id];
        continue;
      }
      tries[lesson] += 1;
      const isOver =
        lesson === 'once' ? !this.#mayRepeat(sender, reserved, outcome, tries.once) : tries[lesson] > maxTries[lesson];
      if (isOver && (lesson === 'once' || lesson === 'again')) return this.#counted(line, outcome, given.rcptTo);
      this.tally.count(line.relay.id, outcome, given.rcptTo);
      if (isOver) return { kind: 'notSent' };
    }
  }

  /** Whether a relay refused the message in words that may be about us, and another one works that has not. */
  #mayOtherTake({ sender, confirmed, rcptTo }: Submission, line: RelayLine, outcome: Outcome, by: readonly string[]) {
    if (outcome.kind !== 'reply' || outcome.code < 500) return false;
    const now = performance.now();
    const isOther = (other: RelayLine) => other !== line && !by.includes(other.relay.id) && other.restMs(now) === 0;
    if (!this.#routeOf(sender).lines.some(isOther) || !isDoubtful(outcome)) return false;
    return !confirmed?.includes(signatureOf(outcome.code, outcome.text, rcptTo));
  }

  /** Whether a message goes over another connection after the relay has ended the one before. @param cuts how often that was */
  #mayRepeat(sender: MessageSender, { line, connection }: Reserved, outcome: Outcome, cuts: number): boolean {
    // A server that closes after so many messages cuts off the next one without looking at it.
    if (connection.taken > 0) return cuts <= maxCuts;
    // A relay that dies costs no attempt. A filter on the way may cut the connection for one message.
    const isOnly = !line.isRetired && this.#routeOf(sender).lines.length === 1;
    return cuts === 1 && (!isOnly || (outcome.kind === 'lost' && outcome.stage === 'mail'));
  }

  #counted({ relay }: RelayLine, outcome: Outcome, rcptTo: string): Outcome {
    this.tally.count(relay.id, outcome, rcptTo);
    return outcome;
  }

  /** Lets messages in flight finish, then closes. */
  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#stuckCheck);
    for (const { resolve } of [...this.#routes.values()].flatMap((route) => route.close()))
      resolve({ kind: 'notSent' });
    const lines = [...this.#lines, ...this.#retired];
    await Promise.race([
      Promise.all(lines.map((line) => line.connections.close())),
      sleep(closeMs, undefined, { ref: false }),
    ]);
    for (const line of lines) line.connections.destroy();
  }

  #routeOf(sender: MessageSender): Route {
    if (this.#last?.sender === sender) return this.#last.route;
    const route = this.#findRoute(sender);
    this.#last = { sender, route };
    return route;
  }

  #findRoute(sender: MessageSender): Route {
    const key = `${sender.account} ${sender.domain}`;
    const known = this.#routeOfSender.get(key);
    if (known) return known;
    const ids = new Set(relaysFor(this.#relays, sender).map(({ id }) => id));
    const lines = this.#lines.filter(({ relay }) => ids.has(relay.id));
    const name = [...ids].join(' ');
    const route = this.#routes.get(name) ?? new Route(lines, this.#choice);
    this.#routes.set(name, route);
    if (this.#routeOfSender.size >= maxSenders) this.#routeOfSender.clear();
    this.#routeOfSender.set(key, route);
    return route;
  }

  /** The relays with this process's share of their limits, without those that it has none of. */
  #sharesOf(relays: readonly Relay[]): Relay[] {
    const workers = this.#options.workers?.() ?? { count: 1, place: 0 };
    const without = new Set<string>();
    const shares = relays.flatMap((relay) => {
      const share = shareOf(relay, workers);
      if (share) return [share];
      without.add(relay.id);
      if (!this.#withoutShare.has(relay.id))
        this.#options.log.warn(
          { relay: describeRelay(relay), connections: relay.connections, workers: workers.count },
          'there are more workers than connections to this relay; this worker sends nothing over it',
        );
      return [];
    });
    this.#withoutShare = without;
    return shares;
  }

  #retire(line: RelayLine): void {
    this.#retired.add(line);
    void line.retire().then(() => this.#retired.delete(line));
  }

  #serve(): void {
    for (const route of this.#routes.values()) if (route.hasWaiting) route.serve();
  }

  /** No message waits behind one that the server does not answer. */
  #relieve(): void {
    const now = performance.now();
    const waiting = [...this.#routes.values()].filter((route) => route.hasWaiting);
    for (const line of [...this.#lines, ...this.#retired]) {
      const route = waiting.find(({ lines }) => lines.includes(line));
      line.relieve(now, (route ?? this.#all).heaviestWeight, route !== undefined);
    }
  }
}
