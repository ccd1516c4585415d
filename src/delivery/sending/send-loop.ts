// The send loops of a worker: each takes the chunk whose turn it is, works on it, and takes the next. Several run at once,
// so that the database works on one group while the wire carries another. What happens to a chunk is held-chunk.ts.
import type { App } from '../../base/context.ts';
import type { Log } from '../../base/log.ts';
import { isUnavailable } from '../../db/connect.ts';
import type { Limits } from '../pace/account-pace.ts';
import type { RelayPool } from '../smtp/relay-pool.ts';
import type { Verdict } from '../verdict/verdict.ts';
import { Attempts } from './attempt.ts';
import { CampaignBreakers } from './campaign-breakers.ts';
import type { Chunk } from './chunk.ts';
import { ContentCache } from './content.ts';
import { createPostponing } from './defer.ts';
import { createRota, type Turn } from './fair-queue.ts';
import type { Result } from './group-send.ts';
import { HeldChunk, type WorkerParts } from './held-chunk.ts';
import type { Journal } from './journal.ts';
import { leaseSeconds, renewLeases, stillSent, takeChunk } from './lease.ts';
import type { Exit } from './next-move.ts';

const loops = 3;
/** Of them, at work where the relays' own rates set the pace: more would only wait for their turn. */
const loopsAtRate = 2;
/** Promises of stragglers and releases in the background, beyond which the loops wait. */
const maxBackground = 100;
/** How long a worker that stops waits for an unreachable database. */
const lastWordsMs = 10_000;
/** After this a worker that stops cuts the connections of servers that keep it waiting. */
const cutMs = 10_000;

export type Delivery = {
  /** Looks for work now instead of at the next turn. */
  wake(): void;
  /** No further dot of this campaign, at once. */
  stopCampaign(account: number, campaign: number): void;
  /** Begins nothing further, since it would not be told of a campaign to stop. */
  deafen(): void;
  /** Goes on, but for the campaigns that were stopped meanwhile. */
  hear(): Promise<void>;
  /** Takes no further work, finishes what is on the wire. */
  stop(): Promise<void>;
  /** How many recipients have come to which end since the start. */
  readonly counts: Record<Result['kind'], number>;
  /** Domains being spared. */
  spared(): number;
  /** True for a chunk of its own that it is still at, whatever has become of the lease. */
  holds(no: number, lease: number): boolean;
};

export function startDelivery(
  app: App,
  parts: { workerId: number; relayPool: RelayPool; limits: Limits; journal: Journal<Verdict>; log: Log },
): Delivery {
  return new SendLoops(app, parts);
}

class SendLoops implements Delivery {
  readonly counts: WorkerParts['counts'] = { accepted: 0, later: 0, failed: 0, unclear: 0, withheld: 0, postponed: 0 };
  readonly #parts: WorkerParts;
  readonly #rota: ReturnType<typeof createRota>;
  /** Every chunk that is not over. */
  readonly #held = new Set<HeldChunk>();
  /** Those in state waiting. */
  readonly #waiting: HeldChunk[] = [];
  /** What goes on without a loop: stragglers to follow, leases to release. */
  readonly #background = new Set<Promise<void>>();
  readonly #wakers = new Set<() => void>();
  readonly #renewal: NodeJS.Timeout;
  readonly #running: Promise<void>[];
  #timesDeaf = 0;

  constructor(
    app: App,
    parts: { workerId: number; relayPool: RelayPool; limits: Limits; journal: Journal<Verdict>; log: Log },
  ) {
    this.#parts = {
      ...parts,
      app,
      attempts: new Attempts(app, parts),
      breakers: new CampaignBreakers(),
      contents: new ContentCache(app.db),
      postpone: createPostponing(parts.limits.pace),
      counts: this.counts,
      groupSize: 100,
      stopping: false,
      deaf: false,
      leaveBy: Number.POSITIVE_INFINITY,
      onTrip: (of, reason) => this.#trip(of, reason),
      onRequeued: (held) => this.#resume(held),
    };
    this.#rota = createRota(app.db);
    this.#renewal = setInterval(() => this.#renewLeases(), (leaseSeconds * 1_000) / 4);
    this.#running = Array.from({ length: loops }, (_, nth) => this.#run(nth));
  }

  wake(): void {
    this.#rota.renew();
    this.#wakeLoops();
  }

  stopCampaign(account: number, campaign: number): void {
    for (const held of this.#held) if (isOf(held.chunk, { account, campaign })) held.stopped = true;
    this.#parts.contents.drop(account, campaign);
  }

  deafen(): void {
    this.#parts.deaf = true;
    this.#timesDeaf += 1;
  }

  async hear(): Promise<void> {
    // Stops of what is taken from now on are heard, or seen when its first group is marked.
    const since = this.#timesDeaf;
    const chunks = [...this.#held].map(({ chunk }) => chunk);
    const sending = await stillSent(this.#parts.app.db, chunks);
    for (const held of this.#held) if (!sending.some((turn) => isOf(held.chunk, turn))) held.stopped = true;
    this.#parts.contents.clear();
    // Lost again meanwhile: then the next connection asks again.
    if (since !== this.#timesDeaf) return;
    this.#parts.deaf = false;
    this.wake();
  }

  async stop(): Promise<void> {
    this.#parts.stopping = true;
    this.#parts.leaveBy = performance.now() + lastWordsMs;
    this.#wakeLoops();
    const cut = setTimeout(() => void this.#parts.relayPool.close(), cutMs);
    await Promise.all(this.#running);
    while (this.#background.size > 0) await Promise.all(this.#background);
    clearTimeout(cut);
    clearInterval(this.#renewal);
    this.#parts.limits.stop();
  }

  holds(no: number, lease: number): boolean {
    return [...this.#held].some(({ chunk }) => chunk.no === no && chunk.lease === lease);
  }

  spared(): number {
    return this.#parts.limits.pace.spared(performance.now()).filter((domain) => domain.pausedMs > 0).length;
  }

  /** One loop, until the worker stops. */
  async #run(nth: number): Promise<void> {
    while (!this.#parts.stopping) {
      try {
        const restMs = this.#restMs(nth);
        if (restMs > 0) {
          await this.#pause(restMs);
          continue;
        }
        const closed = this.#parts.limits.closed(performance.now());
        const held = await this.#take(closed.accounts);
        if (!held) await this.#pause(closed.ms);
        else await this.#work(held);
        while (this.#background.size >= maxBackground) await Promise.race(this.#background);
      } catch (error) {
        if (!isUnavailable(error)) this.#parts.log.error({ err: error }, 'a lane of the delivery stumbled');
        await this.#pause(isUnavailable(error) ? 500 : 2_000);
      }
    }
    for (const held of this.#waiting.splice(0)) this.#follow(held, giveBackNow);
  }

  /** How long a loop takes up nothing; 0 when it may. */
  #restMs(nth: number): number {
    const { relayPool, attempts, deaf } = this.#parts;
    if (deaf || (nth >= loopsAtRate && relayPool.perSecond !== undefined)) return 1_000;
    // Without a relay or a journal recipients stay queued, and the database is left in peace.
    return Math.min(5_000, Math.max(0, relayPool.restMs(), attempts.restMs));
  }

  /** The next chunk: first any that has to be given back, then by turn. */
  async #take(closedAccounts: readonly number[]): Promise<HeldChunk | undefined> {
    return (
      this.#takeWaiting((held) => !held.canContinue) ??
      (await this.#rota.next(
        closedAccounts,
        () => this.#waiting.map(({ chunk }) => chunk),
        async (turn) => this.#takeWaiting(({ chunk }) => isOf(chunk, turn)) ?? this.#takeNew(turn),
      ))
    );
  }

  #takeWaiting(matches: (held: HeldChunk) => boolean): HeldChunk | undefined {
    const at = this.#waiting.findIndex(matches);
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0];
  }

  async #takeNew(turn: Turn): Promise<HeldChunk | undefined> {
    const leased = await takeChunk(this.#parts.app.db, this.#parts.workerId, turn);
    return leased && new HeldChunk(this.#parts, leased);
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
      // After a failure too: the lease then expires, and the worker that takes over reads the journal.
      if (held.state.kind === 'working') this.#forget(held);
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
        // Those not started meanwhile are queued again, in this very chunk: it is given back rather than ended.
        if (isCurrent()) await this.#finish(held, exit.kind === 'done' ? giveBackNow : exit);
      })
      .catch((error) => {
        if (isUnavailable(error)) this.#release(held);
        else this.#parts.log.error({ err: error }, 'a chunk could not be given back');
      })
      .finally(() => {
        if (isCurrent()) this.#forget(held);
        this.#background.delete(following);
        this.#wakeLoops();
      });
    this.#background.add(following);
    // Between the loop's last look and here.
    if (held.requeued) this.#resume(held);
  }

  /** Gives a chunk without a loop another turn, for the recipients that were queued again. */
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
      .catch((error) => this.#parts.log.error({ err: error }, 'a lease could not be ended'))
      .finally(() => this.#background.delete(releasing));
    this.#background.add(releasing);
  }

  /** Forgets a chunk, once nothing of it is in flight: until then this worker does not recover it from itself. */
  #forget(held: HeldChunk): void {
    held.enter('over');
    if (held.stragglers.size === 0) this.#held.delete(held);
    else void Promise.allSettled(held.stragglers).then(() => this.#held.delete(held));
  }

  #trip(of: Turn, reason: string): void {
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
    renewLeases(this.#parts.app.db, this.#parts.workerId, chunks)
      .then((untilOf) => {
        for (const held of mine) held.validUntil = untilOf(held.chunk);
      })
      .catch(() => {});
  }

  /** Waits for a while, or until woken. */
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

const giveBackNow: Left = { kind: 'give back', afterMs: 0 };

const isOf = (chunk: Chunk, turn: Turn): boolean => chunk.account === turn.account && chunk.campaign === turn.campaign;
