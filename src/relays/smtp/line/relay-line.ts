// One relay of the pool: opens connections to it, sends messages over them and learns from the outcomes whether it works.
//
// States, and how each is entered and left:
//   working     opens connections up to its share.
//   full        refused a connection while others were open: opens no more than those for a minute.
//   resting     could not be reached, refused the password, ended the session at MAIL several times in a row, answered nothing,
//               has a quota that is used up, or refuses all recipients alike: no new connections until the rest is over (relay-choice.ts keeps the time). Then
//               it is doubtful.
//   doubtful    gets a single connection. If it opens, the relay works again; if not, it rests longer.
//   on trial    doubtful after sessions ended at MAIL, a quota was used up, or all recipients were refused alike: it connects
//               and greets, so only a message can prove that it works.
//   used up     the daily quota of its warm-up has no messages left (line-limits.ts).
//   retired     removed, paused, or replaced by a line with other settings: gets no more messages. Unwritten ones go over
//               another relay, those in flight finish. Final.
//
// A refusal that is about the relay itself (too many messages in a session, too fast, a quota used up, the same to all) says nothing
// about the message: it goes over another connection, waits for its turn, or is returned as not sent.
import { message, packMessage } from '../../../base/messages.ts';
import { describeRelay, type Relay } from '../../../base/relay/relay.ts';
import type { TokenSource } from '../../oauth/access-token.ts';
import { waitNamedIn } from '../../rates/named-wait.ts';
import type { RelayChoice } from '../../rates/relay-choice.ts';
import type { Outcome, Replied } from '../../verdict/outcome.ts';
import type { Connection } from '../connection.ts';
import type { Message } from '../envelope.ts';
import { failureInWords } from '../failure-words.ts';
import { type Opened, openConnection } from '../open-connection.ts';
import { isSignedOut, openSignedIn } from '../signed-in.ts';
import { assignedAtOnce, LineConnections } from './line-connections.ts';
import { type LimitOptions, LineLimits } from './line-limits.ts';
import { type Addressed, LineRefusals } from './line-refusals.ts';
import { LineSilence } from './line-silence.ts';
import { LineState, type StateOptions } from './line-state.ts';
import {
  describeFailure,
  type KnownLimits,
  type LastConnection,
  lostAtConnect,
  type RelayStatus,
} from './line-status.ts';
import { LineWidth } from './line-width.ts';
import { isAboutConnections, type Refusal, refusalOf } from './refusal.ts';

export type LineOptions = LimitOptions &
  StateOptions & {
    /** Our name in EHLO. */
    ehloName: string;
    /** For relays that are signed in to with access tokens. */
    tokens?: TokenSource;
  };

/**
 * What becomes of a message. final: its outcome counts. again: it goes over another connection, at no cost. once: likewise, but
 * only once. wait: likewise, when the rate of the relay allows it. elsewhere: over another relay, or not now.
 */
export type Lesson = 'final' | 'again' | 'once' | 'wait' | 'elsewhere';

/** A connection without work ends after this: servers have limits too, and some count open connections. */
const idleMs = 25_000;
/** A server that closes idle connections sooner is left a little before. */
const idleShare = 0.75;
const minIdleMs = 2_000;
/** With fewer open connections than this, none of them may be stuck. */
const fewConnections = 10;
/**
 * One connection in ten may wait for a reply as long as RFC 5321 allows. Any others are given up after this while messages
 * wait for a connection: a dead recipient domain would otherwise hold all of them.
 */
export const patienceMs = 30_000;
const patientShare = 0.1;
/** A session that is signed out within this time has not outlived its token. */
const signedOutSoonMs = 1_000;
/** After this many of them the relay rests. */
const maxSignedOut = 5;

export class RelayLine {
  relay: Relay;
  readonly limits: LineLimits;
  readonly connections = new LineConnections();
  readonly #options: LineOptions;
  readonly #scale: number;
  readonly #onChange: () => void;
  #opening = 0;
  #retired = false;
  readonly state: LineState;
  readonly #silence: LineSilence;
  readonly #width: LineWidth;
  readonly #refusals = new LineRefusals();
  /** Sessions that were signed out as soon as they began, since a message was accepted. */
  #signedOutAtOnce = 0;
  #idleMs: number;
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
    this.state = new LineState(() => this.relay, choice, options);
    this.#options = options;
    this.#scale = options.timeScale ?? 1;
    this.#idleMs = idleMs * this.#scale;
    this.#silence = new LineSilence(this.#scale);
    this.#width = new LineWidth(this.#scale);
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

  /** Messages that the connections being opened will take. */
  get openingCapacity(): number {
    return this.#opening * assignedAtOnce;
  }

  /** Whether a connection may be opened to find out if a doubtful relay works again. */
  get canProbe(): boolean {
    const { isDoubtful, isOnTrial } = this.state;
    return isDoubtful && this.#opening === 0 && !(isOnTrial && this.connections.size > 0);
  }

  maxConnections(heaviestWeight: number): number {
    return this.#width.max(this.relay, heaviestWeight);
  }

  capacity(heaviestWeight: number): number {
    return this.maxConnections(heaviestWeight) * assignedAtOnce;
  }

  /** Whether a message can be sent now over an open connection. */
  hasRoom(now: number): boolean {
    return this.connections.size > 0 && this.limits.allow(now) && this.hasPlace(now);
  }

  /** Whether an open connection can take a message, as soon as the rate allows it. */
  hasPlace(now: number): boolean {
    return this.connections.freest(now, this.relay.messagesPerConnection) !== undefined;
  }

  /** Reserves a connection for one message; only right after `hasRoom`. */
  reserve(now: number): Connection {
    const connection = this.connections.freest(now, this.relay.messagesPerConnection)!;
    this.limits.spend();
    this.connections.reserve(connection, now);
    return connection;
  }

  /** Sends over the reserved connection; pass the outcome to `learn`. */
  send(connection: Connection, message: Message): Promise<Outcome> {
    this.connections.sending(connection);
    const sent = connection.send(message);
    const max = this.relay.messagesPerConnection;
    if (max !== undefined && this.connections.isUsedUp(connection, max)) void connection.close();
    return sent;
  }

  /** What an outcome reveals about the relay. @param startedAt when the message was given to it */
  learn(connection: Connection, outcome: Outcome, addressed: Addressed, startedAt: number): Lesson {
    const untried = outcome.kind === 'lost' && outcome.untried === true;
    const cut = outcome.kind === 'lost' && !outcome.dotted && (outcome.why === 'closed' || outcome.why === 'reset');
    const now = performance.now();
    if (this.relay.auth?.grant && isSignedOut(outcome)) return this.#signedOut(connection, outcome, now);
    if (this.#retired) return untried ? 'again' : cut ? 'once' : 'final';
    const accepted = outcome.kind === 'reply' && outcome.code < 300;
    // A message returned by a stuck connection does not count as progress.
    if (!untried) this.connections.progressed(connection, now);
    if (accepted) {
      connection.taken += 1;
      this.#signedOutAtOnce = 0;
      connection.accepted += 1;
      this.#refusals.accepted(addressed, startedAt, now);
      this.limits.rate.accepted(now);
      this.#works(startedAt, true);
      return 'final';
    }
    const refused =
      this.#learnRefusal(connection, outcome, addressed, startedAt, now) ??
      (cut && !untried && connection.taken === 0 ? this.#learnCut(outcome, addressed) : undefined);
    if (refused) return refused;
    const disconnected = isDisconnect(outcome);
    // A session that has taken messages may end: of the next one nothing is known.
    if (connection.taken > 0 && (disconnected || isEnd(outcome))) return 'once';
    if (outcome.kind === 'reply' && outcome.stage !== 'mail') connection.taken += 1;
    if (disconnected) this.state.disconnected(outcome);
    else if (untried) this.state.untried(outcome, now);
    else if (outcome.kind === 'reply') this.#works(startedAt);
    else this.state.unanswered(now);
    return untried ? 'again' : cut || disconnected ? 'once' : 'final';
  }

  async open(): Promise<void> {
    this.#opening += 1;
    const opened = await openSignedIn(this.relay, this.#options.tokens, (relay) => this.#connect(relay)).catch(
      (error: Error) => ({ ok: false as const, outcome: lostAtConnect(error.message) }),
    );
    this.#opening -= 1;
    if (this.#retired) {
      if (opened.ok) void opened.connection.close();
      return;
    }
    // Its number of connections was lowered while this one was opened.
    if (opened.ok && this.connections.size >= this.relay.connections) void opened.connection.close();
    else if (opened.ok) this.#opened(opened.connection);
    else this.#notOpened(opened.outcome);
    this.#onChange();
  }

  /** The token of the session has ended: the message goes over another one, which has a newer token. */
  #signedOut(connection: Connection, outcome: Outcome, now: number): Lesson {
    connection.releaseQueued();
    void connection.close();
    if (connection.taken > 0 || now - connection.openedAt > signedOutSoonMs) return 'elsewhere';
    this.#signedOutAtOnce += 1;
    if (this.#signedOutAtOnce < maxSignedOut) return 'elsewhere';
    this.#signedOutAtOnce = 0;
    if (outcome.kind === 'reply') this.state.failed({ ...outcome, stage: 'auth' });
    return 'elsewhere';
  }

  async #connect(relay: Relay): Promise<Opened> {
    // The time of the name server and of the network is not that of the relay.
    let openedOrFailed: (() => void) | undefined;
    const connected = () => {
      openedOrFailed?.();
      openedOrFailed = this.#silence.opening(performance.now());
    };
    try {
      const opened = await openConnection(relay, {
        ehloName: this.#options.ehloName,
        timeScale: this.#scale,
        maxWaitMs: this.#silence.patienceMs,
        connected,
        heard: this.#silence.heard,
      });
      const isLate = !opened.ok && opened.outcome.kind === 'lost' && opened.outcome.why === 'timeout';
      if (isLate && openedOrFailed) {
        this.#silence.begin(performance.now());
        this.#silence.bePatient();
      }
      return opened;
    } finally {
      openedOrFailed?.();
    }
  }

  /** Frees messages and connections from servers that do not answer. */
  relieve(now: number, heaviestWeight: number, othersWait: boolean): void {
    if (this.#retired) {
      // Nothing is lost by an end before the dot: the message goes over another relay.
      this.connections.giveUpUndotted(now, patienceMs * this.#scale);
      return;
    }
    this.connections.releaseQueued(now);
    this.connections.closeIdle(now, this.#idleMs);
    this.#noticeSilence(now);
    if (!othersWait) return;
    const tolerated =
      this.connections.size < fewConnections ? 0 : Math.floor(this.maxConnections(heaviestWeight) * patientShare);
    this.connections.giveUpStuck(now, patienceMs * this.#scale, tolerated);
  }

  /** What it has shown of its limits; `changes` differs from last time if others should know. */
  known(now: number): KnownLimits & { changes: number } {
    const { learned, changes } = this.limits.rate;
    const share = this.relay.share ?? 1;
    return {
      rate: learned && { perSecond: learned.perSecond / share, ceiling: learned.ceiling / share },
      rest: this.state.restAt(now),
      changes: changes + this.state.changes,
    };
  }

  /** What another process has found out about its limits. */
  adopt({ rate, rest }: KnownLimits): void {
    const now = performance.now();
    const share = this.relay.share ?? 1;
    this.limits.rate.adopt(rate && { perSecond: rate.perSecond * share, ceiling: rate.ceiling * share }, now);
    this.state.adoptRest(now, rest);
    this.#onChange();
  }

  /** Milliseconds until this relay may be used: it rests, or the daily quota is used up. */
  restMs(now: number): number {
    return Math.max(this.state.restMs(now), this.limits.quotaWaitMs(now));
  }

  status(now: number): RelayStatus {
    return {
      id: this.relay.id,
      connections: this.connections.size,
      restMs: Math.round(this.restMs(now)),
      ...this.#reason(now),
      ...(this.#silence.since === undefined ? {} : { silent: true }),
      last: this.#last,
    };
  }

  #reason(now: number): Pick<RelayStatus, 'reason' | 'failed'> {
    if (this.limits.isUsedUp(now)) return { reason: packMessage(message('relay.quota_used')) };
    const rest = this.state.restAt(now);
    if (rest) return { reason: packMessage(message(`relay.rests_${rest.why}`, { reply: rest.reply })) };
    if (this.#silence.since !== undefined) return { reason: packMessage(message('relay.not_answering')) };
    const { lastFailure } = this.state;
    const words = failureInWords(lastFailure, this.relay);
    const reason = words ? packMessage(words) : describeFailure(lastFailure);
    return reason === '' ? { reason } : { reason, failed: true };
  }

  #opened(connection: Connection): void {
    this.state.answered();
    if (!this.state.isOnTrial) this.#silence.end();
    this.#last = { at: new Date().toISOString(), tls: connection.tls ?? null };
    this.#logNotes(connection.notes);
    this.connections.add(connection);
    connection.closed.then(() => {
      this.#learnIdleLimit(this.connections.idleMs(connection, performance.now()));
      this.connections.remove(connection);
      this.#onChange();
    });
  }

  #notOpened(outcome: Exclude<Outcome, { kind: 'notSent' }>): void {
    if (outcome.kind === 'reply' && refusalOf(outcome, 0)?.limit === 'quota') {
      this.#quotaReached(outcome, performance.now());
    } else if (this.connections.size > 0) {
      // It works, but takes no more connections at the same time: many providers limit them.
      this.#width.isFullAt(this.connections.size, performance.now());
    } else this.state.failed(outcome);
  }

  /** A connection that the server has closed while it had nothing to do. */
  #learnIdleLimit(ms: number): void {
    if (ms >= minIdleMs && ms < this.#idleMs) this.#idleMs = Math.max(minIdleMs, ms * idleShare);
  }

  /** A new session was ended without a word before the dot. @returns undefined if that is about the message, or at MAIL */
  #learnCut(outcome: Outcome & { kind: 'lost' }, addressed: Addressed): Lesson | undefined {
    if (outcome.stage !== 'rcpt' && outcome.stage !== 'data') return undefined;
    const whose = this.#refusals.cut(addressed);
    if (whose === 'message') return undefined;
    if (whose === 'unclear') return 'wait';
    this.state.cutsAll(outcome);
    return 'elsewhere';
  }

  /** What a refusal shows about the relay. @returns undefined if nothing: the message was answered like any other */
  #learnRefusal(
    connection: Connection,
    outcome: Outcome,
    addressed: Addressed,
    startedAt: number,
    now: number,
  ): Lesson | undefined {
    const shown = this.#refusals.learn(outcome, connection, addressed, startedAt, now, {
      hasRate: this.limits.rate.perSecond !== undefined,
      refusesAllWith: (signature) => this.state.refusesAllWith(signature),
    });
    switch (shown.kind) {
      case 'message':
        if (shown.endsRate) this.limits.rate.forget(now);
        return shown.isFinal ? 'final' : undefined;
      case 'unclear':
        return 'wait';
      case 'over':
        connection.releaseQueued();
        void connection.close();
        return 'again';
      case 'alike':
        this.state.refusesAll(now, shown.signatures, shown.reply);
        return shown.isKnown ? 'elsewhere' : undefined;
      case 'limit':
        return this.#refused(connection, shown.refusal, startedAt, now);
    }
  }

  /** The relay refused a message for a reason of its own. */
  #refused(connection: Connection, { limit, reply, isGuessed }: Refusal, startedAt: number, now: number): Lesson {
    if (limit === 'quota') {
      this.#quotaReached(reply, now);
      return 'elsewhere';
    }
    if (limit === 'session') {
      connection.releaseQueued();
      void connection.close();
      this.state.endTrial();
      return 'again';
    }
    if (isAboutConnections(reply.text)) {
      const others = this.connections.usableBeside(connection);
      if (others > 0) this.#width.isFullAt(others, now);
      if (others > 0 || this.#width.isNewlyFull(now)) {
        connection.releaseQueued();
        void connection.close();
        return 'wait';
      }
    }
    this.limits.refused(startedAt, now, isGuessed);
    this.state.endTrial();
    this.#options.onLimit?.();
    return 'wait';
  }

  #quotaReached({ code, text }: Replied, now: number): void {
    this.state.beginRest(now, { why: 'quota', ms: waitNamedIn(text, new Date()), reply: `${code} ${text}` });
  }

  /** A message was answered. */
  #works(startedAt: number, wasAccepted = false): void {
    this.state.works(startedAt, wasAccepted);
    if (this.#silence.since !== undefined) this.#silence.end();
  }

  /** The relay accepts connections or messages, and then says nothing. */
  #noticeSilence(now: number): void {
    const waitsMs = this.connections.waitsMs(now, this.#silence.patienceMs);
    if (this.#silence.hasSpoken(now)) {
      // A greeting proves nothing about a relay that was silent about messages.
      if (this.#silence.since !== undefined && !this.state.isOnTrial) {
        this.#silence.end();
        this.state.answered();
        this.#onChange();
      }
      return;
    }
    if (!this.#silence.isTooLong(now, waitsMs)) return;
    const atMail = this.connections.waitsAtMail;
    const isNew = this.#silence.since === undefined;
    this.#silence.begin(now);
    if (this.#silence.isAboutOne(waitsMs, atMail)) return;
    if (isNew) this.#options.log.warn({ relay: describeRelay(this.relay) }, 'a relay does not answer');
    this.#silence.bePatient();
    this.state.failed({ ...lostAtConnect('it does not answer'), why: 'timeout' }, atMail);
    this.connections.withdraw();
    this.#onChange();
  }

  /** Logs once per change, not once per connection. */
  #logNotes(notes: readonly string[]): void {
    const text = notes.join('; ');
    if (text === this.#loggedNotes) return;
    this.#loggedNotes = text;
    const relay = describeRelay(this.relay);
    if (text === '') this.#options.log.info({ relay }, 'relay certificate is valid again');
    else
      this.#options.log.warn(
        { relay, notes: text },
        'messages go to a relay without TLS or with an unverified certificate',
      );
  }
}

/** What a connection depends on. A new access token does not end those that are open. */
function reachKey({ host, port, tls, auth, allowedNetworks }: Relay): string {
  return JSON.stringify([host, port, tls, auth?.user, auth?.password, auth?.method, auth?.grant, allowedNetworks]);
}

/** The server ends the session at a message that it has not accepted, whatever it says. */
const isEnd = (outcome: Outcome): boolean => outcome.kind === 'reply' && outcome.code === 421;

/** The relay ended the session at MAIL, before it looked at the recipient. */
function isDisconnect(outcome: Outcome): boolean {
  return (
    (outcome.kind === 'reply' && outcome.code === 421 && outcome.stage === 'mail') ||
    (outcome.kind === 'lost' && !outcome.dotted && outcome.stage === 'mail' && outcome.untried !== true)
  );
}
