// Sends one group of recipients at the pace their domains allow. A domain that is slow, rate-limited or paused delays
// no other: its recipients are parked for a moment and then deferred without an attempt. Guarantees an outcome for
// every recipient, at the latest when `finished` resolves.

import type { Verdict } from '../../relays/verdict/verdict.ts';
import type { Marked } from '../ledger/chunk.ts';
import type { Deferred, Outcome, Result } from '../outcomes/outcome.ts';
import type { Bound, Feedback, Held, Pace, Started } from '../pace/pace.ts';

export type GroupSendOptions = {
  pace: Pace;
  account: number;
  /** When the recipients were read, by performance.now(). */
  readAt: number;
  /** How long the group waits for its last recipients at least; what the pace allows otherwise. */
  minGraceMs?: number;
  /** Messages in flight at the same time, at most. */
  capacity(): number;
  canContinue(): boolean;
  /**
   * @param mayBegin false when the recipient must be re-read before MAIL FROM
   * @param onTurn called when only the server's answer is waited for
   */
  attempt(
    marked: Marked,
    mayBegin: () => boolean,
    onTurn: () => void,
  ): Promise<{ verdict: Verdict; feedback: Feedback }>;
  /** How long a recipient that may not start now is deferred. */
  defer(marked: Marked, held: Held): Deferred;
};

/** How long the group waits after it has started its last recipient, and after the last outcome. */
const graceMs = 300;
const quietMs = 100;
const quietFactor = 4;
/** How long recipients are parked before they are deferred. */
const maxParkedMs = 5_000;
/** How often parked recipients are offered again. */
const parkedCheckMs = 50;
/** Recipients not started by then are re-read first: they may have unsubscribed. */
const freshMs = 800;

export class GroupSend {
  /** Resolves when all but the stragglers are sent. */
  readonly sent: Promise<void>;
  /** Resolves when every recipient has an outcome. */
  readonly finished: Promise<void>;
  readonly #options: GroupSendOptions;
  readonly #freshUntil: number;
  readonly #account: string;
  readonly #parked = new Map<string, Marked[]>();
  #outcomes: Outcome[] = [];
  #inFlight = 0;
  /** When the last recipient got its outcome. */
  #endedAt = 0;
  #failure: unknown;
  #wake = () => {};
  /** An outcome before the last one does not wake the group: with no recipients parked there is nothing to do after each. */
  #waitsForEnd = false;

  constructor(marked: readonly Marked[], options: GroupSendOptions) {
    this.#options = options;
    this.#account = String(options.account);
    // However long the reading took, some are sent: with a slow database they would be re-read without end.
    this.#freshUntil = Math.max(options.readAt + freshMs, performance.now() + 100);
    this.sent = this.#sendMost(marked);
    this.finished = this.sent.then(() => this.#finish());
    // The caller awaits one after the other; until then a failure must not end the process.
    this.finished.catch(() => {});
  }

  /** Every recipient has an outcome. */
  get isFinished(): boolean {
    return this.#inFlight === 0 && this.#parked.size === 0;
  }

  /** Removes and returns the outcomes since the last call. */
  takeOutcomes(): Outcome[] {
    const taken = this.#outcomes;
    this.#outcomes = [];
    return taken;
  }

  async #sendMost(marked: readonly Marked[]): Promise<void> {
    for (const recipient of marked) {
      if (!this.#offer(recipient)) this.#park(recipient);
      while (this.#inFlight >= this.#options.capacity() && this.#failure === undefined) await this.#woken();
      if (this.#failure !== undefined) throw this.#failure;
    }
    // A recipient whose server does not answer delays the next group no longer than the others of this one need.
    const startedAt = performance.now();
    const quiet = Math.max(quietMs, this.#options.pace.usualMs * quietFactor);
    for (let ms = this.#graceMs(startedAt, quiet); !this.isFinished && ms > 0; ms = this.#graceMs(startedAt, quiet)) {
      if (this.#onlyFewAreParked(marked.length)) break;
      this.#waitsForEnd = this.#parked.size === 0;
      await this.#woken(Math.min(ms, this.#parked.size > 0 ? parkedCheckMs : ms));
      this.#waitsForEnd = false;
      this.#offerParked();
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Nothing else is on the wire: the few whose domain takes no more now are offered again while the next group is sent. */
  #onlyFewAreParked(all: number): boolean {
    if (this.#inFlight > 0 || this.#options.minGraceMs) return false;
    const parked = [...this.#parked.values()].reduce((sum, { length }) => sum + length, 0);
    return parked < all / 2;
  }

  #graceMs(startedAt: number, quiet: number): number {
    const now = performance.now();
    return Math.max(
      startedAt + (this.#options.minGraceMs ?? 0) - now,
      Math.min(startedAt + graceMs, Math.max(startedAt, this.#endedAt) + quiet) - now,
    );
  }

  async #finish(): Promise<void> {
    const parkedUntil = performance.now() + maxParkedMs;
    while (!this.isFinished) {
      this.#offerParked();
      const parkingOver = performance.now() > parkedUntil || !this.#options.canContinue();
      if (this.#parked.size > 0 && parkingOver) this.#endParked();
      if (!this.isFinished) await this.#woken(this.#parked.size > 0 ? parkedCheckMs : undefined);
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Starts the recipient or gives it an outcome. @returns false when it must be parked */
  #offer(marked: Marked): boolean {
    const { pace, canContinue, defer } = this.#options;
    if (!canContinue()) {
      this.#end(marked, { kind: 'notSent' });
      return true;
    }
    const now = performance.now();
    const bound = this.#boundOf(marked);
    const held = pace.held(bound, now);
    if (!held && now <= this.#freshUntil) this.#start(marked, bound, now);
    else if (!held || held.why === 'account') this.#end(marked, { kind: 'notSent' });
    else if (held.why === 'pause' || held.why === 'slow') this.#end(marked, defer(marked, held));
    else return false;
    return true;
  }

  #start(marked: Marked, bound: Bound, now: number): void {
    const { pace, attempt } = this.#options;
    const started = pace.start(bound, now);
    this.#inFlight += 1;
    attempt(
      marked,
      () => this.#isFresh(),
      () => pace.turn(started, performance.now()),
    ).then(
      ({ verdict, feedback }) => this.#attempted(marked, started, verdict, feedback),
      (error) => {
        pace.end(started, 'nothing', performance.now());
        this.#failure ??= error;
        this.#inFlight -= 1;
        this.#wake();
      },
    );
  }

  #attempted(marked: Marked, started: Started, verdict: Verdict, feedback: Feedback): void {
    this.#endedAt = performance.now();
    this.#options.pace.end(started, feedback, this.#endedAt);
    this.#outcomes.push({ marked, verdict, begunAt: started.at, endedAt: this.#endedAt });
    this.#inFlight -= 1;
    if (this.#parked.size > 0) this.#offerParkedOf(marked.domain);
    if (!this.#waitsForEnd || this.isFinished) this.#wake();
  }

  #end(marked: Marked, verdict: Result): void {
    this.#outcomes.push({ marked, verdict });
  }

  #park(marked: Marked): void {
    const list = this.#parked.get(marked.domain);
    if (list) list.push(marked);
    else this.#parked.set(marked.domain, [marked]);
  }

  #offerParked(): void {
    for (const domain of [...this.#parked.keys()]) this.#offerParkedOf(domain);
  }

  #offerParkedOf(domain: string): void {
    const list = this.#parked.get(domain);
    if (!list) return;
    let offered = 0;
    while (offered < list.length && this.#inFlight < this.#options.capacity() && this.#offer(list[offered]!))
      offered += 1;
    if (offered === list.length) this.#parked.delete(domain);
    else if (offered > 0) this.#parked.set(domain, list.slice(offered));
  }

  #endParked(): void {
    const { pace, canContinue, defer } = this.#options;
    for (const marked of [...this.#parked.values()].flat()) {
      const held = pace.held(this.#boundOf(marked), performance.now()) ?? { why: 'window', ms: 0 };
      this.#end(marked, canContinue() ? defer(marked, held) : { kind: 'notSent' });
    }
    this.#parked.clear();
  }

  #isFresh(): boolean {
    return performance.now() <= this.#freshUntil;
  }

  #boundOf({ domain }: Marked): Bound {
    return { domain, account: this.#account, relay: '' };
  }

  /** Resolves after the next outcome, or after `ms`. */
  #woken(ms?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
