// A chunk under this worker's lease: marks a group, sends it, writes its outcomes, until the chunk is empty or must
// wait. Guarantees that nothing is marked or sent without the lease, and that every marked recipient gets an outcome
// here or keeps its journal line for the worker that takes over. send-loop.ts decides which loop has the chunk, and
// when.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Message } from '../../base/messages.ts';
import { senderOf } from '../../base/relay/message-sender.ts';
import { inSpan } from '../../base/spans.ts';
import { isTransient, isUnavailable } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { Verdict } from '../../relays/verdict/verdict.ts';
import { type Chunk, type Marked, queuedIn } from '../ledger/chunk.ts';
import { markGroup } from '../ledger/mark-group.ts';
import type { Content } from '../message/content.ts';
import { pauseUnsigned, type Signing, signingOf } from '../message/signing.ts';
import { endSoftBouncers } from '../outcomes/bounce-effects.ts';
import { finishIfDone } from '../outcomes/finish.ts';
import type { Outcome } from '../outcomes/outcome.ts';
import { type Decided, softBouncers, writeOutcomes } from '../outcomes/write-outcomes.ts';
import type { Feedback, Pace } from '../pace/pace.ts';
import { type Grant, giveBack as giveBackQuota, type Quota, reserve } from '../pace/quota.ts';
import { takeBack } from '../recovery/recover.ts';
import { type Entry, redo } from '../recovery/redo.ts';
import type { Deferral } from './defer.ts';
import { GroupSend } from './group-send.ts';
import { endChunk, giveBack, type Leased, leaseClock, releaseLease, resetCrashes } from './lease.ts';
import { MessageAttempts } from './message-attempts.ts';
import {
  adaptedGroupSize,
  type Exit,
  exitAfterMarking,
  exitBeforeGroup,
  maxGroupSize,
  moveWithoutQuota,
  turnMs,
} from './next-move.ts';
import type { WorkerParts } from './worker-parts.ts';

/** How often the outcomes of stragglers are written. */
const stragglerWriteMs = 500;
/** A group to be marked, and what was reserved for it. */
type Plan = {
  kind: 'mark';
  size: number;
  startedAt: number;
  perSecond: number | undefined;
  reserved: { quota: Quota; grant: Grant } | undefined;
};

/** See HeldChunk. */
type HeldState = { readonly kind: 'working' | 'waiting' | 'stragglers' | 'over' };

type GroupCounts = { used: number; notStarted: number };

/**
 * States and transitions:
 *
 *   working     A send loop marks and sends group after group.
 *                 → waiting     its turn is over while stragglers are in flight
 *                 → stragglers  nothing is left to mark, or it must stop, while stragglers are in flight
 *                 → over        otherwise: ended, given back, or its lease lost or released
 *   waiting     It waits for its next turn.
 *                 → working     a loop takes it
 *                 → stragglers  the worker stops
 *   stragglers  No loop has it; it is finished when they have an outcome.
 *                 → waiting     some of them were queued again and it may continue
 *                 → over        given back, or its lease released
 *   over        This worker does nothing more with it.
 *
 * Stragglers are recipients still in flight when the loop has gone on from their group.
 */
export class HeldChunk {
  readonly chunk: Chunk;
  state: HeldState = { kind: 'working' };
  /** By the lease clock. */
  validUntil: number;
  /** The campaign was stopped. */
  stopped = false;
  /** After a fail-over: the database may know nothing of this lease. */
  abandoned = false;
  /** Why this worker pauses the campaign; undefined once that is in the database. */
  tripped: Message | undefined;
  /** One promise for each group with stragglers. */
  readonly stragglers = new Set<Promise<void>>();
  /** Stragglers were queued again since a group was last marked. */
  requeued = false;
  readonly #parts: WorkerParts<HeldChunk>;
  /** Of single messages. */
  readonly #messages: MessageAttempts;
  #signing: Signing | undefined;
  /** So many equal refusals in a row that the group ends: whether the campaign is paused is decided when they are written. */
  #repeated = false;
  /** A group is on the wire whose outcomes are not written. */
  #sending = false;
  /** Outcomes could not be written: the lease is released, and the worker that takes over reads them in the journal. */
  #broken = false;
  /** Recipients that were in flight when a worker died are tried first, one by one. */
  #oneByOne: boolean;

  constructor(parts: WorkerParts<HeldChunk>, { chunk, validUntil }: Leased) {
    this.#parts = parts;
    this.chunk = chunk;
    this.validUntil = validUntil;
    this.#oneByOne = chunk.crashes > 0;
    this.#messages = new MessageAttempts(parts, chunk);
  }

  /** @returns the new state: a new object each time, so that two periods in one state can be distinguished */
  enter(kind: HeldState['kind']): HeldState {
    this.state = { kind };
    return this.state;
  }

  get canContinue(): boolean {
    const { stopping, attempts } = this.#parts;
    return !stopping && this.#mayDot() && attempts.restMs <= 0;
  }

  get #pace(): Pace {
    const { limits } = this.#parts;
    if (!this.chunk.messages) return limits.pace;
    return this.chunk.urgent ? limits.messagePace : limits.listPace;
  }

  get #deferral(): Deferral {
    if (!this.chunk.messages) return this.#parts.deferral;
    return this.chunk.urgent ? this.#parts.messageDeferral : this.#parts.listDeferral;
  }

  /** Sends group after group. @returns why it leaves the chunk */
  work(): Promise<Exit> {
    const { account, campaign, messages } = this.chunk;
    const attributes = {
      'postrider.account': formatId(account),
      ...(!messages && { 'postrider.campaign': formatId(campaign) }),
    };
    return inSpan('turn of a chunk', { attributes }, async (span) => {
      const exit = await this.#work();
      span.set({ 'postrider.exit': exit.kind });
      return exit;
    });
  }

  async #work(): Promise<Exit> {
    const content = this.chunk.messages ? undefined : await this.#parts.contents.get(this.chunk);
    const turnUntil = performance.now() + turnMs;
    for (;;) {
      const move = await this.#planGroup(content, turnUntil);
      if (move.kind === 'await stragglers') {
        await Promise.allSettled(this.stragglers);
        continue;
      }
      if (move.kind !== 'mark') return move;
      this.requeued = false;
      const group = await this.#markGroup(move.size);
      const exit = exitAfterMarking(group, this.chunk.kind);
      if (exit) {
        if (group) await this.#giveBackUnused(move, 0);
        return exit;
      }
      await inSpan('send a group', { attributes: { 'postrider.recipients': group!.marked.length } }, () =>
        this.#sendGroup(content, group!, move),
      );
    }
  }

  /**
   * Ends the chunk, or gives it back. To be called when it has no stragglers.
   * @returns false when neither was possible and its lease is to be released
   */
  async finish(exit: Extract<Exit, { kind: 'done' | 'give back' }>): Promise<boolean> {
    const { db, workerId } = this.#parts;
    const { chunk } = this;
    if (this.abandoned) return true;
    if (this.#broken) return false;
    if (exit.kind === 'give back') {
      await giveBack(db, chunk, workerId, exit.afterMs, exit.opensAt);
      return true;
    }
    return db.transaction(async (tx) => {
      if (!(await endChunk(tx, chunk, workerId))) return false;
      if (!chunk.messages) await finishIfDone(tx, chunk);
      return true;
    });
  }

  /**
   * Gives the chunk back as soon as the database is back, also after the lease has expired, unless another worker has taken it
   * over. The marks of a group whose commit was not confirmed are removed: nothing of it was sent, which no other machine can
   * know. When outcomes could not be written, the lease ends and the journal decides.
   */
  async release(): Promise<void> {
    // Some of the group may still be on the wire: then the lease has to expire.
    if (this.#sending || this.abandoned) return;
    const { db, workerId } = this.#parts;
    await Promise.allSettled(this.stragglers);
    while (performance.now() < this.#parts.giveUpAt) {
      try {
        if (this.#broken) await releaseLease(db, this.chunk, workerId);
        else await takeBack(db, this.chunk, workerId);
        return;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        await sleep(250);
      }
    }
  }

  /** A final dot may be sent now. */
  #mayDot(): boolean {
    return !this.#parts.startsPaused && !this.stopped && !this.abandoned && leaseClock() < this.validUntil;
  }

  async #planGroup(
    content: Content | undefined,
    turnUntil: number,
  ): Promise<Exit | Plan | { kind: 'await stragglers' }> {
    const { app, db, relayPool, limits, groupSize } = this.#parts;
    const { chunk } = this;
    const sender = content?.sender;
    const relayRestMs = sender ? relayPool.restMsFor(sender) : relayPool.restMs();
    const exit = exitBeforeGroup({ now: performance.now(), turnUntil, canContinue: this.canContinue, relayRestMs });
    if (relayRestMs > 0) this.#parts.onRelayRest(chunk, relayRestMs);
    if (exit) return exit;
    // Not marked one by one only to be deferred again.
    const pausedMs = Math.max(this.#deferral.chunk(chunk), this.#messages.restMs);
    if (pausedMs > 0) return { kind: 'give back', afterMs: pausedMs };
    if (content) this.#signing = await signingOf(app, chunk, content.fromEmail);
    if (this.#signing?.kind === 'refused') {
      await pauseUnsigned(app, chunk, this.#signing.why);
      return { kind: 'give back', afterMs: 0 };
    }
    const quota = await limits.quotaOf(chunk.account);
    const { left } = this.#pace.allowance('account', String(chunk.account), performance.now());
    const startedAt = performance.now();
    const perSecond = sender ? relayPool.perSecondFor(sender) : undefined;
    const maxSize = maxGroupSize({ accountLeft: left, oneByOne: this.#oneByOne, groupSize, perSecond });
    if (maxSize === 0) return { kind: 'give back', afterMs: 0 };
    const plan = { kind: 'mark', startedAt, perSecond } as const;
    if (!quota) return { ...plan, size: maxSize, reserved: undefined };
    const size = await queuedIn(db, chunk, maxSize);
    if (size === 0) return { ...plan, size, reserved: undefined };
    const grant = await reserve(db, quota, size);
    // Single messages count, but do not wait for another day.
    if (chunk.messages) return { ...plan, size, reserved: { quota, grant } };
    if (grant.granted === 0) return moveWithoutQuota(grant.retryMs, this.stragglers.size);
    return { ...plan, size: Math.min(size, grant.granted), reserved: { quota, grant } };
  }

  async #markGroup(size: number) {
    const { app, db, workerId } = this.#parts;
    const latenessSeconds = app.config.maxLateness * 3_600;
    return db.transaction((tx) => markGroup(tx, this.chunk, workerId, size, latenessSeconds));
  }

  async #giveBackUnused({ reserved }: Plan, used: number): Promise<void> {
    if (reserved) await giveBackQuota(this.#parts.db, reserved.quota, reserved.grant, reserved.grant.granted - used);
  }

  async #sendGroup(
    content: Content | undefined,
    group: { marked: Marked[]; touched: number; again: boolean },
    plan: Plan,
  ): Promise<void> {
    const { db, workerId, journal } = this.#parts;
    if (this.#oneByOne && !group.again) {
      this.#oneByOne = false;
      await resetCrashes(db, this.chunk, workerId);
    }
    // Kept until the outcomes are committed; when that fails for good, the worker that takes over needs the journal.
    const segment = journal.open();
    const counts: GroupCounts = { used: 0, notStarted: 0 };
    const done = async () => {
      segment.done();
      await this.#giveBackUnused(plan, counts.used);
    };
    this.#sending = true;
    this.#repeated = false;
    const groupSend = this.#startGroup(content, group.marked, plan);
    await groupSend.sent;
    // Read before the outcomes are taken: those that arrive during the write belong to the stragglers.
    const finished = groupSend.isFinished;
    await this.#writeOutcomes(groupSend, counts);
    this.#sending = false;
    if (finished) await done();
    else this.#followStragglers(groupSend, counts, done);
    if (this.chunk.messages) return;
    const tookMs = performance.now() - plan.startedAt;
    this.#parts.groupSize = adaptedGroupSize(this.#parts.groupSize, group.touched - counts.notStarted, tookMs);
  }

  #startGroup(content: Content | undefined, marked: readonly Marked[], { perSecond, startedAt }: Plan): GroupSend {
    const { relayPool } = this.#parts;
    const sender = content?.sender ?? senderOf(this.chunk.account, '');
    const restMs = () => (content ? relayPool.restMsFor(sender) : relayPool.restMs());
    return new GroupSend(marked, {
      pace: this.#pace,
      readAt: startedAt,
      // Two loops share the rate, so each group takes twice its time.
      minGraceMs: perSecond === undefined ? 0 : (2_500 * marked.length) / perSecond,
      account: this.chunk.account,
      capacity: () => Math.max(1, relayPool.capacityFor(sender)),
      canContinue: () => this.canContinue && !this.#repeated && restMs() === 0,
      attempt: (recipient, mayBegin, onTurn) => this.#attempt(content, recipient, mayBegin, onTurn),
      defer: (marked, waits) => this.#deferral.recipient(marked, waits),
    });
  }

  async #attempt(
    content: Content | undefined,
    marked: Marked,
    mayBegin: () => boolean,
    onTurn: () => void,
  ): Promise<{ verdict: Verdict; feedback: Feedback }> {
    const { attempts, breakers, onTrip } = this.#parts;
    const { chunk } = this;
    const mayDot = () => this.#mayDot();
    if (chunk.messages) return this.#messages.attempt(marked, { mayBegin, onTurn, mayDot });
    const signing = this.#signing;
    // What still waits for a connection goes back when the campaign is refused.
    const mayStart = () => !this.#repeated && !this.stopped && mayBegin();
    const begunAt = performance.now();
    const ended = await attempts.attempt(marked, { chunk, content, signing, mayBegin: mayStart, onTurn, mayDot });
    const verdict = breakers.ordered(chunk, ended.verdict, begunAt);
    const confirmed = chunk.confirmed ?? [];
    if (breakers.isRepeated(chunk, verdict, marked.email, confirmed)) this.#repeated = true;
    const reason = breakers.record(chunk, verdict, marked, confirmed);
    if (reason !== undefined) onTrip(chunk, reason);
    return verdict === ended.verdict ? ended : { ...ended, verdict };
  }

  /** Writes outcomes as they arrive, so that stragglers delay no one else's outcome, nor those to be re-read. */
  #followStragglers(groupSend: GroupSend, counts: GroupCounts, done: () => Promise<void>): void {
    const writeAll = async () => {
      for (let over = false; !over; ) {
        over = await Promise.race([
          groupSend.finished.then(() => true),
          sleep(stragglerWriteMs, false, { ref: false }),
        ]);
        await this.#writeOutcomes(groupSend, counts);
      }
      await done();
    };
    const following = writeAll()
      .catch((error) => {
        this.#broken = true;
        this.#parts.log.error(
          { err: error },
          'the outcomes of a group could not be written; they are read from the journal',
        );
      })
      .finally(() => {
        this.stragglers.delete(following);
      });
    this.stragglers.add(following);
  }

  /** Writes the outcomes that have arrived since the last call. */
  async #writeOutcomes(groupSend: GroupSend, counts: GroupCounts): Promise<void> {
    const outcomes = groupSend.takeOutcomes();
    const notStarted = outcomes.filter(({ verdict: { kind } }) => kind === 'notSent').length;
    counts.notStarted += notStarted;
    counts.used += outcomes.filter(({ verdict: { kind } }) => kind !== 'notSent' && kind !== 'deferred').length;
    for (const { verdict } of outcomes) this.#parts.counts[verdict.kind] += 1;
    if (outcomes.length > 0) await this.#commit(outcomes);
    if (notStarted === 0) return;
    this.requeued = true;
    this.#parts.onRequeued(this);
  }

  /**
   * Retries for as long as the database takes to come back: the outcomes are known and must not be lost. When the worker
   * stops first they stay in its journal, where the worker that takes over reads them.
   */
  async #commit(outcomes: readonly Outcome[]): Promise<void> {
    const { app, db, workerId, log } = this.#parts;
    const { chunk, tripped } = this;
    let decided: Decided | undefined;
    for (let waitMs = 100; ; waitMs = Math.min(5_000, waitMs * 2)) {
      try {
        if (this.abandoned) {
          await redo(
            app,
            workerId,
            outcomes.flatMap((outcome) => entryOf(chunk, outcome)),
          );
          return;
        }
        await db.transaction(async (tx) => {
          decided = await writeOutcomes(tx, chunk, workerId, outcomes, tripped);
          await endSoftBouncers(tx, app.config, chunk.account, softBouncers(outcomes));
        });
        if (decided) chunk.confirmed = [...decided.confirmed];
        if (decided?.stopped) this.stopped = true;
        return;
      } catch (error) {
        if (!(isUnavailable(error) || isTransient(error)) || performance.now() > this.#parts.giveUpAt) throw error;
        if (!isUnavailable(error)) log.warn({ err: error, waitMs }, 'outcomes could not be written; trying again');
        await sleep(waitMs);
      }
    }
  }
}

/** None for a message that was not started. */
function entryOf({ account, campaign }: Chunk, { marked, verdict }: Outcome): Entry[] {
  if (verdict.kind === 'deferred') return [];
  const { seq, contact, attempts, resent } = marked;
  return [{ attempt: { account, campaign, seq, contact, attempts, resent }, trace: { kind: 'outcome', verdict } }];
}
