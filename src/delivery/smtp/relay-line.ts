// One relay of the pool: opens connections to it, sends messages over them and learns from the outcomes whether it works.
//
// States, and how each is entered and left:
//   working     opens connections up to its share.
//   full        refused a connection while others were open: opens no more than those for a minute.
//   resting     could not be reached, refused the password, or ended the session at MAIL several times in a row: no new
//               connections until the rest is over (relay-choice.ts keeps the time). Then it is doubtful.
//   doubtful    gets a single connection. If it opens, the relay works again; if not, it rests longer.
//   on trial    doubtful after sessions ended at MAIL: it connects and greets, so only a message can prove that it works.
//   used up     the daily quota of its warm-up has no messages left (line-limits.ts).
//   retired     removed, paused, or replaced by a line with other settings: gets no more messages. Unwritten ones go over
//               another relay, those in flight finish. Final.
import type { Log } from '../../base/log.ts';
import { message, packMessage } from '../../base/messages.ts';
import { describeRelay, type Relay } from '../../base/relay/relay.ts';
import type { RelayChoice } from '../pace/relay-choice.ts';
import type { NegotiatedTls } from './channel.ts';
import type { Connection } from './connection.ts';
import type { Message } from './envelope.ts';
import { LineConnections, messagesPerConnection } from './line-connections.ts';
import { type LimitOptions, LineLimits } from './line-limits.ts';
import { openConnection } from './open-connection.ts';
import type { Outcome } from './outcome.ts';
import type { RelayAnswer } from './relay-tally.ts';

export type LineOptions = LimitOptions & {
  /** Our name in EHLO. */
  ehloName: string;
  log: Log;
  timeScale?: number;
};

export type RelayStatus = {
  id: string;
  connections: number;
  restMs: number;
  /** What went wrong last, '' when nothing is wrong; it may be a packed message. */
  reason: string;
  /** Null before the first connection. */
  last: LastConnection | null;
  /** The last replies that were no acceptance, newest first. */
  answers?: readonly RelayAnswer[];
};

/** When a connection was opened last, and the TLS it has; null for plain text. */
export type LastConnection = { at: string; tls: NegotiatedTls | null };

const refusedPasswordRestMs = 60_000;
/** How long no further connection is opened to a relay that refused one. */
const fullMs = 60_000;
/** After this many consecutive sessions that ended at MAIL (421, or closed), over any connections, the relay rests. */
const maxDisconnects = 5;
/**
 * One connection in ten may wait for a reply as long as RFC 5321 allows. Any others are given up after this while messages
 * wait for a connection: a dead recipient domain would otherwise hold all of them.
 */
export const patienceMs = 30_000;
const patientShare = 0.1;

export class RelayLine {
  relay: Relay;
  readonly limits: LineLimits;
  readonly connections = new LineConnections();
  readonly #choice: RelayChoice<Relay>;
  readonly #options: LineOptions;
  readonly #scale: number;
  readonly #onChange: () => void;
  #opening = 0;
  /** At most this many connections until `#fullUntil`. */
  #fullAt = Number.POSITIVE_INFINITY;
  #fullUntil = 0;
  #disconnects = 0;
  #onTrial = false;
  #retired = false;
  #lastFailure: Outcome | undefined;
  #last: LastConnection | null = null;
  /** What was logged last about its TLS. */
  #loggedNotes = '';

  /**
   * @param relay with this process's share of its connections and its rate
   * @param onChange called when a connection has opened, failed or closed, and when the quota was queried
   */
  constructor(relay: Relay, choice: RelayChoice<Relay>, options: LineOptions, onChange: () => void) {
    this.relay = relay;
    this.limits = new LineLimits(relay, options, onChange);
    this.#choice = choice;
    this.#options = options;
    this.#scale = options.timeScale ?? 1;
    this.#onChange = onChange;
  }

  /** Whether a relay is reached in the same way, so that it can take over this line with its connections. */
  reaches(relay: Relay): boolean {
    return reachKey(this.relay) === reachKey(relay);
  }

  /** The same relay with another rate, weight, number of connections or other limits. */
  change(relay: Relay): void {
    this.relay = relay;
    this.limits.change(relay);
    this.connections.shrinkTo(relay.connections);
  }

  /** Gets no more messages from now on. Resolves when those in flight have ended. */
  async retire(): Promise<void> {
    this.#retired = true;
    this.connections.releaseUnwritten();
    await this.connections.close();
  }

  get isRetired(): boolean {
    return this.#retired;
  }

  /** Connections that are open or being opened. */
  get size(): number {
    return this.connections.size + this.#opening;
  }

  get isOpening(): boolean {
    return this.#opening > 0;
  }

  get isOnTrial(): boolean {
    return this.#onTrial;
  }

  get isDoubtful(): boolean {
    return this.#choice.isDoubtful(this.relay.id);
  }

  /** Whether a connection may be opened to find out if a doubtful relay works again. */
  get canProbe(): boolean {
    return this.isDoubtful && this.#opening === 0 && !(this.#onTrial && this.connections.size > 0);
  }

  get lastFailure(): Outcome | undefined {
    return this.#lastFailure;
  }

  /** Under full load every connection is busy, so the number of connections decides each relay's share. */
  maxConnections(heaviestWeight: number): number {
    const limit = this.relay.connections;
    const share = this.relay.weight === 0 ? 1 : this.relay.weight / heaviestWeight;
    const fair = Math.max(1, Math.round(limit * Math.min(1, share)));
    // The clock is not read for a relay that was never full: this is asked for each message.
    const isFull = this.#fullUntil > 0 && performance.now() < this.#fullUntil;
    return isFull ? Math.max(1, Math.min(fair, this.#fullAt)) : fair;
  }

  capacity(heaviestWeight: number): number {
    return this.maxConnections(heaviestWeight) * messagesPerConnection;
  }

  /** Whether a message can be sent now over an open connection. */
  hasRoom(now: number): boolean {
    return this.connections.size > 0 && this.limits.allow(now) && this.connections.freest(now) !== undefined;
  }

  /** Reserves a connection for one message; only right after `hasRoom`. */
  reserve(now: number): Connection {
    const connection = this.connections.freest(now)!;
    this.limits.spend();
    this.connections.reserve(connection, now);
    return connection;
  }

  /** Sends over the reserved connection; pass the outcome to `learn`. */
  send(connection: Connection, message: Message): Promise<Outcome> {
    this.connections.sending(connection);
    return connection.send(message);
  }

  /** What an outcome reveals about the relay. @returns whether the message can go over another connection immediately */
  learn(connection: Connection, outcome: Outcome): boolean {
    const untried = outcome.kind === 'lost' && outcome.untried === true;
    const cut = outcome.kind === 'lost' && !outcome.dotted && (outcome.why === 'closed' || outcome.why === 'reset');
    if (this.#retired) return cut;
    // A message returned by a stuck connection does not count as progress.
    if (!untried) this.connections.progressed(connection);
    const disconnected = isDisconnect(outcome);
    if (disconnected ? ++this.#disconnects >= maxDisconnects || this.#onTrial : untried && this.#onTrial) {
      this.#disconnects = 0;
      this.#onTrial = true;
      this.#rest(outcome);
    } else if (!disconnected && !untried) {
      if (this.#onTrial) this.#choice.worked(this.relay.id);
      this.#onTrial = false;
      if (outcome.kind === 'reply') {
        this.#disconnects = 0;
        this.#lastFailure = undefined;
      }
    }
    return cut || disconnected;
  }

  async open(): Promise<void> {
    this.#opening += 1;
    const opened = await openConnection(this.relay, {
      ehloName: this.#options.ehloName,
      timeScale: this.#scale,
    }).catch((error: Error) => ({ ok: false as const, outcome: lostAtConnect(error.message) }));
    this.#opening -= 1;
    if (this.#retired) {
      if (opened.ok) void opened.connection.close();
      return;
    }
    // Its number of connections was lowered while this one was opened.
    if (opened.ok && this.connections.size >= this.relay.connections) void opened.connection.close();
    else if (opened.ok) this.#opened(opened.connection);
    else if (this.connections.size > 0) {
      // It works, but takes no more connections at the same time: many providers limit them.
      this.#fullAt = this.connections.size;
      this.#fullUntil = performance.now() + fullMs * this.#scale;
    } else this.#rest(opened.outcome);
    this.#onChange();
  }

  /** Frees messages and connections from servers that do not answer. */
  relieve(now: number, heaviestWeight: number, othersWait: boolean): void {
    if (this.#retired) {
      // Nothing is lost by an end before the dot: the message goes over another relay.
      this.connections.giveUpUndotted(now, patienceMs * this.#scale);
      return;
    }
    this.connections.releaseQueued(now);
    if (!othersWait) return;
    const tolerated = Math.floor(this.maxConnections(heaviestWeight) * patientShare);
    this.connections.giveUpStuck(now, patienceMs * this.#scale, tolerated);
  }

  /** Milliseconds until this relay may be used: it rests, or the daily quota is used up. */
  restMs(now: number): number {
    return Math.max(this.#choice.restMs(this.relay.id, now), this.limits.quotaWaitMs(now));
  }

  status(now: number): RelayStatus {
    return {
      id: this.relay.id,
      connections: this.connections.size,
      restMs: Math.round(this.restMs(now)),
      reason: this.limits.isUsedUp(now) ? packMessage(message('relay.quota_used')) : this.describeFailure(),
      last: this.#last,
    };
  }

  describeFailure(): string {
    const failure = this.#lastFailure;
    if (!failure || failure.kind === 'notSent') return '';
    // The text of Node's resolver, such as "getaddrinfo ENOTFOUND mail.example.com".
    if (failure.text.startsWith('getaddrinfo ')) return `name lookup failed: ${failure.text}`;
    return `${failure.kind === 'lost' ? failure.why : failure.code} at ${failure.stage}: ${failure.text}`;
  }

  #opened(connection: Connection): void {
    if (!this.#onTrial) this.#choice.worked(this.relay.id);
    this.#last = { at: new Date().toISOString(), tls: connection.tls ?? null };
    this.#logNotes(connection.notes);
    this.connections.add(connection);
    connection.closed.then(() => {
      this.connections.remove(connection);
      this.#onChange();
    });
  }

  #rest(failure: Outcome): void {
    this.#lastFailure = failure;
    const refusedPassword = failure.kind === 'reply' && failure.stage === 'auth';
    this.#choice.failed(this.relay.id, performance.now(), refusedPassword ? refusedPasswordRestMs * this.#scale : 0);
    this.#options.log.warn(
      {
        relay: describeRelay(this.relay),
        failure: this.describeFailure(),
        nextAttemptAt: new Date(Date.now() + this.#choice.restMs(this.relay.id, performance.now())).toISOString(),
      },
      'relay unavailable',
    );
  }

  /** Logs once per change, not once per connection. */
  #logNotes(notes: readonly string[]): void {
    const text = notes.join('; ');
    if (text === this.#loggedNotes) return;
    this.#loggedNotes = text;
    const relay = describeRelay(this.relay);
    if (text === '') this.#options.log.info({ relay }, 'a relay has TLS with a valid certificate again');
    else
      this.#options.log.warn(
        { relay, notes: text },
        'messages go to a relay without TLS or with an unverified certificate',
      );
  }
}

/** What a connection depends on. */
function reachKey({ host, port, tls, auth, allowedNetworks }: Relay): string {
  return JSON.stringify([host, port, tls, auth?.user, auth?.password, auth?.method, allowedNetworks]);
}

/** The relay ended the session at MAIL, before it looked at the recipient. */
function isDisconnect(outcome: Outcome): boolean {
  return (
    (outcome.kind === 'reply' && outcome.code === 421 && outcome.stage === 'mail') ||
    (outcome.kind === 'lost' && !outcome.dotted && outcome.stage === 'mail' && outcome.untried !== true)
  );
}

export function lostAtConnect(text: string) {
  return { kind: 'lost', stage: 'connect', dotted: false, why: 'closed', text } as const;
}
