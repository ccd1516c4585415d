// Whether one relay may be used: it works, rests, or is on trial. Its states are described in relay-line.ts.
// Guarantees that a rest because of its replies is known to other processes, and ends only by a message given to it later.
import type { Log } from '../../../base/log.ts';
import { describeRelay, type Relay } from '../../../base/relay/relay.ts';
import type { RelayChoice } from '../../rates/relay-choice.ts';
import type { Outcome } from '../../verdict/outcome.ts';
import { LineRest, type Rest } from './line-rest.ts';
import { describeFailure } from './line-status.ts';

export type StateOptions = {
  log: Log;
  timeScale?: number;
  /** Called when a relay has shown a limit that other processes should know. */
  onLimit?: () => void;
};

const refusedPasswordRestMs = 60_000;
/** After this many consecutive sessions that ended at MAIL (421, or closed), over any connections, the relay rests. */
const maxDisconnects = 5;
const unansweredRestMs = 1_000;
/** A relay that refuses all recipients alike rests so long, and twice as long each time that it still does. */
const sameReplyRestMs = { first: 60_000, max: 3_600_000 };

export class LineState {
  readonly #relay: () => Relay;
  readonly #choice: RelayChoice<Relay>;
  readonly #options: StateOptions;
  readonly #rest = new LineRest();
  #disconnects = 0;
  #isOnTrial = false;
  #lastFailure: Outcome | undefined;

  /** @param relay as it is set up now */
  constructor(relay: () => Relay, choice: RelayChoice<Relay>, options: StateOptions) {
    this.#relay = relay;
    this.#choice = choice;
    this.#options = options;
  }

  /** Only an answered message can prove that it works. */
  get isOnTrial(): boolean {
    return this.#isOnTrial;
  }

  get isDoubtful(): boolean {
    return this.#choice.isDoubtful(this.#relay().id);
  }

  get lastFailure(): Outcome | undefined {
    return this.#lastFailure;
  }

  /** Counts what other processes should know soon. */
  get changes(): number {
    return this.#rest.changes;
  }

  /** Milliseconds left of its rest. */
  restMs(now: number): number {
    return this.#choice.restMs(this.#relay().id, now);
  }

  /** The rest because of its replies. */
  restAt(now: number): Rest | undefined {
    return this.#rest.at(now);
  }

  /** It has opened a connection, or said something. */
  answered(): void {
    if (!this.#isOnTrial) this.#choice.worked(this.#relay().id);
  }

  /**
   * A message was answered.
   * @param startedAt when it was given to the relay: one from before a rest proves nothing, unless it was accepted by a relay that
   *   seemed to refuse all
   */
  works(startedAt: number, wasAccepted = false): void {
    const disproves = wasAccepted && this.#rest.last?.why === 'same_reply';
    if (this.#rest.since > startedAt && !disproves) return;
    this.endTrial();
    this.#disconnects = 0;
    this.#lastFailure = undefined;
  }

  /** A message got no reply: whether the relay still refuses all is not known, and after a moment another one is tried. */
  unanswered(now: number): void {
    if (this.#rest.last?.why !== 'same_reply') this.endTrial();
    else if (!this.#rest.at(now))
      this.#choice.rest(this.#relay().id, now, unansweredRestMs * (this.#options.timeScale ?? 1));
  }

  /** On trial a message could not be given to it. */
  untried(outcome: Outcome, now: number): void {
    if (!this.#isOnTrial) return;
    if (this.#rest.last?.why === 'same_reply') this.unanswered(now);
    // What ended with a session that failed says no more than the failure.
    else if (this.restMs(now) === 0) this.failed(outcome);
  }

  /** A message got as far as one can on trial. */
  endTrial(): void {
    if (!this.#isOnTrial) return;
    this.#isOnTrial = false;
    if (this.#rest.end()) this.#options.onLimit?.();
    this.#choice.worked(this.#relay().id);
  }

  /** A session ended at MAIL. */
  disconnected(outcome: Outcome): void {
    this.#disconnects += 1;
    if (this.#disconnects < maxDisconnects && !this.#isOnTrial) return;
    this.#disconnects = 0;
    this.#isOnTrial = true;
    this.failed(outcome);
  }

  /** It ends the connection at every message: only one that it answers can prove that it works. */
  cutsAll(outcome: Outcome): void {
    this.#disconnects = 0;
    this.failed(outcome, true);
  }

  /** On trial it did not answer a message, or could not be reached. @param onTrial only a message can prove the contrary */
  failed(failure: Outcome, onTrial = false): void {
    if (onTrial) this.#isOnTrial = true;
    this.#lastFailure = failure;
    const { id } = this.#relay();
    const now = performance.now();
    const refusedPassword = failure.kind === 'reply' && failure.stage === 'auth';
    this.#choice.failed(id, now, refusedPassword ? refusedPasswordRestMs * (this.#options.timeScale ?? 1) : 0);
    this.#options.log.warn(
      {
        relay: describeRelay(this.#relay()),
        failure: describeFailure(failure),
        nextAttemptAt: new Date(Date.now() + this.#choice.restMs(id, now)).toISOString(),
      },
      'relay unavailable',
    );
  }

  /** Its replies show that it takes nothing for now. */
  beginRest(now: number, rest: Rest): void {
    if (this.#rest.at(now)) return;
    this.#rest.begin(now, rest);
    this.#restFor(now, rest.ms);
    this.#options.log.warn(
      {
        relay: describeRelay(this.#relay()),
        why: rest.why,
        reply: rest.reply,
        restSeconds: Math.round(rest.ms / 1_000),
      },
      'a relay rests because of its replies',
    );
    this.#options.onLimit?.();
  }

  /** Whether all recipients got this refusal, and none has been accepted since. */
  refusesAllWith(signature: string): boolean {
    return this.#rest.last?.signatures?.includes(signature) === true;
  }

  /** It gave so many recipients these refusals, and no acceptance, that they are about us. */
  refusesAll(now: number, signatures: readonly string[], reply: string): void {
    const { first, max } = sameReplyRestMs;
    const before = this.#rest.last?.why === 'same_reply' ? this.#rest.last : undefined;
    const ms = before ? Math.min(before.ms * 2, max) : first * (this.#options.timeScale ?? 1);
    const all = [...new Set([...(before?.signatures ?? []), ...signatures])];
    this.beginRest(now, { why: 'same_reply', ms, reply, signatures: all });
  }

  /** What another process has found out; undefined when the rest is over, or an operator has ended it. */
  adoptRest(now: number, rest: Rest | undefined): void {
    const had = this.#rest.adopt(now, rest);
    if (rest) this.#restFor(now, rest.ms);
    else if (had) {
      this.#isOnTrial = false;
      this.#choice.worked(this.#relay().id);
    }
  }

  #restFor(now: number, ms: number): void {
    this.#isOnTrial = true;
    this.#choice.rest(this.#relay().id, now, ms);
  }
}
