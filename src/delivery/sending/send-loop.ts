// The send loops of a worker. Each takes the chunk whose turn it is, works on it, and takes the next. Several run side by side,
// so that the database works on one group while another is on the wire. What happens to a chunk is in held-chunk.ts.
import type { App } from '../../base/context.ts';
import type { Log } from '../../base/log.ts';
import type { Message } from '../../base/messages.ts';
import { isUnavailable } from '../../db/connect.ts';
import type { RelayPool } from '../../relays/smtp/relay-pool.ts';
import type { Verdict } from '../../relays/verdict/verdict.ts';
import type { Chunk } from '../ledger/chunk.ts';
import type { Limits } from '../pace/account-pace.ts';
import type { Journal } from '../recovery/journal.ts';
import { Attempts } from './attempt.ts';
import { CampaignBreakers } from './campaign-breakers.ts';
import { ContentCache } from './content.ts';
import { Deferral } from './defer.ts';
import { createFairQueue, messagesDue, type Turn, urgentMessagesDue } from './fair-queue.ts';
import { HeldChunk } from './held-chunk.ts';
import { campaignsStillSending, leaseSeconds, releaseUnknown, renewLeases, takeChunk } from './lease.ts';
import { type Exit, giveBackNow } from './next-move.ts';
import type { WorkerParts } from './worker-parts.ts';

const loops = 3;
/**
 * Loops that serve single messages only, so that these never wait for a campaign; the second one also those of lists, so that
 * no link to set a password waits for the confirmations of an import.
 */
const messageLoops = ['urgent messages', 'messages'] as const;
type Served = 'campaigns' | (typeof messageLoops)[number];
/** Loops in use where the relays are rate-limited: more would only wait. */
const loopsAtRate = 2;
/** How long new messages of lists may wait before they are looked for: an import writes hundreds a second. */
const soonMs = 50;
/** How often single messages are looked for without a notification. */
const messageCheckMs = 1_000;
/** The loops wait while this many chunks are being finished in the background. */
const maxBackground = 100;
/** Limit for each reply of the database: others wait for the chunk. */
const answerMs = 20_000;
/** How long a worker that stops waits for an unreachable database. */
const shutdownWaitMs = 10_000;
/** A campaign whose relays all rest is offered again after this. */
const maxRelayRestMs = 5_000;
/** A worker that stops closes the connections of slow servers after this. */
const closeRelaysMs = 10_000;

/** The loops start with the constructor and end with stop(). */
export class SendLoops {
  /** Recipients by outcome since the start. */
  readonly counts: WorkerParts<HeldChunk>['counts'] = {
    accepted: 0,
    later: 0,
    failed: 0,
    unclear: 0,
    notSent: 0,
    deferred: 0,
  };
  readonly #parts: WorkerParts<HeldChunk>;
  readonly #fairQueue: ReturnType<typeof createFairQueue>;
  readonly #messageQueue: ReturnType<typeof createFairQueue>;
  readonly #urgentQueue: ReturnType<typeof createFairQueue>;
  /** Every chunk that is not over, or still has stragglers. */
  readonly #held = new Set<HeldChunk>();
  /** The chunks in state waiting. */
  readonly #waiting: HeldChunk[] = [];
  /** Chunks finished without a loop: stragglers to follow, leases to release. */
  readonly #background = new Set<Promise<void>>();
  /** By campaign: the time until which no chunk of it is taken, because none of its relays can be used while others can. */
  readonly #relayRests = new Map<string, number>();
  readonly #wakers = new Set<() => void>();
  readonly #renewal: NodeJS.Timeout;
  readonly #running: Promise<void>[];
  #timesPaused = 0;
  #soon: NodeJS.Timeout | undefined;

  constructor(
    app: App,
    parts: { workerId: number; relayPool: RelayPool; limits: Limits; journal: Journal<Verdict>; log: Log },
  ) {
    const db = app.db.within(answerMs);
    this.#parts = {
      ...parts,
      app,
      db,
      attempts: new Attempts(app, parts),
      breakers: new CampaignBreakers(),
      contents: new ContentCache(db),
      deferral: new Deferral(parts.limits.pace),
      messageDeferral: new Deferral(parts.limits.messagePace),
      listDeferral: new Deferral(parts.limits.listPace),
      counts: this.counts,
      groupSize: 100,
      stopping: false,
      startsPaused: false,
      giveUpAt: Number.POSITIVE_INFINITY,
      onTrip: (of, reason) => this.#trip(of, reason),
      onRelayRest: (of, ms) => this.#relayRests.set(turnKey(of), performance.now() + Math.min(ms, maxRelayRestMs)),
      onRequeued: (held) => this.#resume(held),
    };
    this.#fairQueue = createFairQueue(db);
    this.#messageQueue = createFairQueue(db, messagesDue);
    this.#urgentQueue = createFairQueue(db, urgentMessagesDue);
    this.#renewal = setInterval(() => this.#renewLeases(), (leaseSeconds * 1_000) / 4);
    this.#running = [
      ...Array.from({ length: loops }, (_, nth) => this.#run(nth, 'campaigns')),
      ...messageLoops.map((served) => this.#run(0, served)),
    ];
  }

  /** Looks for work now instead of at the next turn. */
  wake(): void {
    this.#fairQueue.refresh();
    this.#messageQueue.refresh();
    this.#urgentQueue.refresh();
    this.#wakeLoops();
  }

  /** Looks for work within 50 ms, once for all calls in that time. */
  wakeSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.wake();
    }, soonMs);
  }

  /** Other relays may take the messages that found none. */
  relaysChanged(): void {
    this.#relayRests.clear();
    this.wake();
  }

  /** Sends no further final dot of this campaign. */
  stopCampaign(account: number, campaign: number): void {
    for (const held of this.#held) if (isOf(held.chunk, { account, campaign })) held.stopped = true;
    this.#parts.contents.drop(account, campaign);
  }

  /** Starts nothing new while stop notifications cannot arrive. */
  pauseStarts(): void {
    this.#parts.startsPaused = true;
    this.#timesPaused += 1;
  }

  /** Starts again, except for the campaigns that were stopped in between. */
  async resumeStarts(): Promise<void> {
    // Chunks taken from now on need no check: a stop is notified, or read when their first group is marked.
    const since = this.#timesPaused;
    const chunks = [...this.#held].map(({ chunk }) => chunk);
    await releaseUnknown(this.#parts.db, this.#parts.workerId, chunks);
    const sending = await campaignsStillSending(this.#parts.db, chunks);
    for (const held of this.#held) if (!sending.some((turn) => isOf(held.chunk, turn))) held.stopped = true;
    this.#parts.contents.clear();
    // Paused again during the query: the next connection asks again.
    if (since !== this.#timesPaused) return;
    this.#parts.startsPaused = false;
    this.wake();
  }

  /**
   * Gives up all leases without a change to the database, which no longer has what was done under them. Waits for the
   * replies in flight, at most `ms`; those that come later are redone.
   */
  async abandon(ms: number): Promise<void> {
    const mine = [...this.#held];
    for (const held of mine) held.abandoned = true;
    for (const held of this.#waiting.splice(0)) this.#follow(held, giveBackNow);
    const deadline = performance.now() + ms;
    while (mine.some((held) => this.#held.has(held)) && performance.now() < deadline) await this.#pause(50);
    for (const held of mine) this.#held.delete(held);
  }

  /** Takes no further work and finishes what is on the wire. */
  async stop(): Promise<void> {
    this.#parts.stopping = true;
    this.#parts.giveUpAt = performance.now() + shutdownWaitMs;
    this.#wakeLoops();
    const closing = setTimeout(() => void this.#parts.relayPool.close(), closeRelaysMs);
    await Promise.all(this.#running);
    while (this.#background.size > 0) await Promise.all(this.#background);
    clearTimeout(closing);
    clearInterval(this.#renewal);
    clearTimeout(this.#soon);
    this.#parts.limits.stop();
  }

  /** True for a chunk that this worker still works on, even when the lease has expired. */
  holds(no: number, lease: number): boolean {
    return [...this.#held].some(({ chunk }) => chunk.no === no && chunk.lease === lease);
  }

  /** Domains whose sending is paused. */
  spared(): number {
    return this.#parts.limits.pace.spared(performance.now()).filter((domain) => domain.pausedMs > 0).length;
  }

  /** One loop, until the worker stops. */
  async #run(nth: number, served: Served): Promise<void> {
    const messages = served !== 'campaigns';
    while (!this.#parts.stopping) {
      try {
        const restMs = this.#restMs(nth);
        if (restMs > 0) {
          await this.#pause(restMs);
          continue;
        }
        const closed = this.#parts.limits.closed(performance.now());
        const held = await (messages ? this.#takeMessages(served) : this.#take(closed.accounts));
        if (!held) await this.#pause(messages ? messageCheckMs : closed.ms);
        else await this.#work(held);
        const maxBehind = messages ? 2 * maxBackground : maxBackground;
        while (this.#background.size >= maxBehind) await Promise.race(this.#background);
      } catch (error) {
        if (!isUnavailable(error)) this.#parts.log.error({ err: error }, 'a send loop failed; it continues');
        await this.#pause(isUnavailable(error) ? 500 : 2_000);
      }
    }
    for (const held of this.#waiting.splice(0)) this.#follow(held, giveBackNow);
  }

  /** How long a loop takes no chunk; 0 when it may. */
  #restMs(nth: number): number {
    const { relayPool, attempts, startsPaused } = this.#parts;
    if (startsPaused || (nth >= loopsAtRate && relayPool.perSecond !== undefined)) return 1_000;
    // Without a relay or a journal recipients stay queued, and the database is not queried.
    return Math.min(5_000, Math.max(0, relayPool.restMs(), attempts.restMs));
  }

  /** The next chunk: first those that must be given back, then by turn. */
  async #take(closedAccounts: readonly number[]): Promise<HeldChunk | undefined> {
    return (
      this.#takeWaiting((held) => !held.chunk.messages && !held.canContinue) ??
      (await this.#fairQueue.next(closedAccounts, () => this.#waitingTurns('campaigns'), this.#takeAt))
    );
  }

  /** The next chunk of single messages. */
  async #takeMessages(served: (typeof messageLoops)[number]): Promise<HeldChunk | undefined> {
    const queue = served === 'messages' ? this.#messageQueue : this.#urgentQueue;
    return (
      this.#takeWaiting((held) => isServed(held.chunk, served) && !held.canContinue) ??
      (await queue.next([], () => this.#waitingTurns(served), this.#takeAt))
    );
  }

  #waitingTurns(served: Served): Chunk[] {
    return this.#waiting.map(({ chunk }) => chunk).filter((chunk) => isServed(chunk, served));
  }

  readonly #takeAt = async (turn: Turn): Promise<HeldChunk | undefined> =>
    this.#takeWaiting(({ chunk }) => isOf(chunk, turn)) ?? this.#takeNew(turn);

  #takeWaiting(matches: (held: HeldChunk) => boolean): HeldChunk | undefined {
    const at = this.#waiting.findIndex(matches);
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0];
  }

  async #takeNew(turn: Turn): Promise<HeldChunk | undefined> {
    if (this.#relayRests.size > 0 && this.#restsFor(turn)) return undefined;
    const leased = await takeChunk(this.#parts.db, this.#parts.workerId, turn);
    return leased && new HeldChunk(this.#parts, leased);
  }

  #restsFor(turn: Turn): boolean {
    const until = this.#relayRests.get(turnKey(turn)) ?? 0;
    if (until > performance.now()) return true;
    this.#relayRests.delete(turnKey(turn));
    return false;
  }

  async #work(held: HeldChunk): Promise<void> {
    held.enter('working');
    this.#held.add(held);
    try {
      await this.#leave(held, await held.work());
    } catch (error) {
      if (isUnavailable(error)) this.#release(held);
      throw error;
    } finally {
      // Also after a failure: the lease then expires, and the worker that takes over reads the journal.
      if (held.state.kind === 'working') this.#drop(held);
    }
  }

  async #leave(held: HeldChunk, exit: Exit): Promise<void> {
    if (exit.kind === 'lost') return;
    const inFlight = held.stragglers.size > 0;
    if (exit.kind === 'turn over' && inFlight) {
      // Continues at its next turn: those in flight may take minutes.
      held.enter('waiting');
      this.#waiting.push(held);
      return;
    }
    const left = exit.kind === 'turn over' ? giveBackNow : exit;
    if (inFlight) this.#follow(held, left);
    else await this.#finish(held, left);
  }

  /** Finishes the chunk when its stragglers have an outcome. */
  #follow(held: HeldChunk, exit: Left): void {
    const state = held.enter('stragglers');
    const isCurrent = () => held.state === state;
    const following: Promise<void> = Promise.allSettled(held.stragglers)
      .then(async () => {
        // Stragglers that were not started are queued again in this chunk, so it is given back rather than ended.
        if (isCurrent()) await this.#finish(held, exit.kind === 'done' ? giveBackNow : exit);
      })
      .catch((error) => {
        if (isUnavailable(error)) this.#release(held);
        else this.#parts.log.error({ err: error }, 'a chunk could not be given back');
      })
      .finally(() => {
        if (isCurrent()) this.#drop(held);
        this.#background.delete(following);
        this.#wakeLoops();
      });
    this.#background.add(following);
    // Stragglers were queued again after the loop last marked a group.
    if (held.requeued) this.#resume(held);
  }

  /** Gives a chunk another turn for the recipients that were queued again. */
  #resume(held: HeldChunk): void {
    if (held.state.kind !== 'stragglers' || !held.canContinue) return;
    held.enter('waiting');
    this.#waiting.push(held);
    this.#wakeLoops();
  }

  async #finish(held: HeldChunk, exit: Left): Promise<void> {
    if (!(await held.finish(exit))) this.#release(held);
  }

  #release(held: HeldChunk): void {
    const releasing = held
      .release()
      .catch((error) => this.#parts.log.error({ err: error }, 'a lease could not be released'))
      .finally(() => this.#background.delete(releasing));
    this.#background.add(releasing);
  }

  /** Drops a chunk once nothing of it is in flight. Until then this worker does not recover it. */
  #drop(held: HeldChunk): void {
    held.enter('over');
    if (held.stragglers.size === 0) this.#held.delete(held);
    else void Promise.allSettled(held.stragglers).then(() => this.#held.delete(held));
  }

  #trip(of: Turn, reason: Message): void {
    for (const held of this.#held) {
      if (!isOf(held.chunk, of)) continue;
      held.stopped = true;
      held.tripped = reason;
    }
  }

  #renewLeases(): void {
    if (this.#held.size === 0) return;
    const mine = [...this.#held];
    const chunks = mine.map(({ chunk }) => chunk);
    renewLeases(this.#parts.db, this.#parts.workerId, chunks)
      .then((untilOf) => {
        for (const held of mine) held.validUntil = untilOf(held.chunk);
      })
      .catch(() => {});
  }

  /** Resolves after `ms`, or when woken. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#wakers.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#wakers.add(done);
    });
  }

  #wakeLoops(): void {
    for (const done of this.#wakers) done();
  }
}

type Left = Extract<Exit, { kind: 'done' | 'give back' }>;
const isServed = ({ messages = false, urgent = false }: Chunk, served: Served): boolean =>
  served === 'campaigns' ? !messages : messages && (urgent || served === 'messages');

const turnKey = ({ account, campaign }: Turn): string => `${account}.${campaign}`;

const isOf = (chunk: Chunk, turn: Turn): boolean => chunk.account === turn.account && chunk.campaign === turn.campaign;
