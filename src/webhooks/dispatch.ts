// The dispatcher of one worker process: leases webhooks that have events waiting and sends to them.
// Guarantees: events leave the outbox only after a 2xx or when they are given up; each webhook has at most one request in
// flight; a slow receiver occupies only its own place. Order is best effort.
// lease.ts takes webhooks, claim.ts prepares a request, attempt.ts makes it, outcome.ts writes what follows.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../base/context.ts';
import { isUnavailable } from '../db/connect.ts';
import { webhookChannel } from '../events/emit.ts';
import { answerMs, post } from './attempt.ts';
import { type ChannelListener, listenTo } from './channel-listener.ts';
import { claimRequest } from './claim.ts';
import { type LeasedWebhook, leaseDueWebhooks, releaseLease } from './lease.ts';
import { writeOutcome } from './outcome.ts';

export type DispatchSettings = {
  /** Maximum requests in flight in this process. */
  maxRequests: number;
  requestMs: number;
  leaseMs: number;
  /** How often due webhooks are looked for; those that may have got events a moment after they are notified. */
  pollMs: number;
  /** How often all webhooks are looked at, in case a notification was lost. */
  sweepMs: number;
  /** Pause after a request that emptied the queue, to batch the next events. */
  gatherMs: number;
  /** Multiplies the pauses between attempts; for tests. */
  pauseScale: number;
};

const defaults: DispatchSettings = {
  maxRequests: 64,
  requestMs: answerMs,
  // Longer than a request takes.
  leaseMs: 2 * answerMs,
  pollMs: 1_000,
  sweepMs: 30_000,
  gatherMs: 250,
  pauseScale: 1,
};

/** Between two looks: each may be woken by hundreds of commits. */
const lookPauseMs = 25;
/**
 * How long an account stays notified, and all accounts after a start: a webhook may still be leased by a process that has just found
 * nothing to send and has not released it, pause after its last request, or hold a click for a moment.
 */
const notifiedMs = 5_000;

export function startDispatcher(app: App, settings: Partial<DispatchSettings> = {}): Dispatcher {
  return new Dispatcher(app, { ...defaults, ...settings });
}

/**
 * The dispatcher is RUNNING until stop(), then STOPPING: it leases nothing new and aborts the requests in flight.
 *
 * A webhook it serves: LEASED → CLAIMED (attempt recorded) → IN FLIGHT → outcome written, and then
 *   CLAIMED again  when more events wait;
 *   RELEASED       when none wait, when the lease or the webhook is gone, or when we stop;
 *   DEFERRED       after a failure: the outcome freed the lease and set the time of the next attempt.
 */
export class Dispatcher {
  readonly #app: App;
  readonly #settings: DispatchSettings;
  readonly #lease = randomBytes(12).toString('hex');
  readonly #stopping = new AbortController();
  /** The webhooks being served, by id. */
  readonly #served = new Map<number, { accountId: number; failing: boolean; done: Promise<void> }>();
  /** Accounts whose webhooks may have got events, and until when that is so. */
  readonly #notified = new Map<number, number>();
  /** When all webhooks are looked at next; before `#sweepsUntil`, at each look. */
  #sweepAt = 0;
  #sweepsUntil = performance.now() + notifiedMs;
  readonly #listener: ChannelListener;
  readonly #running: Promise<void>;
  #woken = Promise.withResolvers<void>();

  constructor(app: App, settings: DispatchSettings) {
    this.#app = app;
    this.#settings = settings;
    this.#listener = listenTo(app, webhookChannel, (account) => {
      if (account) this.#notified.set(Number(account), performance.now() + notifiedMs);
      else this.#sweepsUntil = performance.now() + notifiedMs;
      this.wake();
    });
    this.#running = this.#run();
  }

  /** Looks for due webhooks now instead of at the next poll. */
  wake(): void {
    this.#woken.resolve();
  }

  /** Aborts the requests in flight; their events are sent again later, under the same ids. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await this.#listener.stop();
    await this.#running;
    await Promise.all([...this.#served.values()].map(({ done }) => done));
  }

  async #run(): Promise<void> {
    const { maxRequests, pollMs } = this.#settings;
    while (!this.#stopping.signal.aborted) {
      this.#woken = Promise.withResolvers<void>();
      try {
        const leased = await this.#leaseDue();
        for (const webhook of leased) this.#begin(webhook);
        if (leased.length > 0 && this.#served.size < maxRequests) continue;
      } catch (error) {
        if (!isUnavailable(error)) this.#app.log.error({ err: error }, 'webhook dispatcher failed; retrying');
        await sleep(pollMs);
      }
      const poll = new AbortController();
      const polled = sleep(pollMs, undefined, { signal: poll.signal }).catch(() => {});
      await Promise.race([this.#woken.promise, polled]);
      poll.abort();
      if (!this.#stopping.signal.aborted) await sleep(lookPauseMs);
    }
  }

  /** Leases as many webhooks as there are free places. Neither failing webhooks nor one account may take all places. */
  async #leaseDue(): Promise<LeasedWebhook[]> {
    const { maxRequests, leaseMs, sweepMs } = this.#settings;
    const free = maxRequests - this.#served.size;
    if (free <= 0) return [];
    const places = [...this.#served.values()];
    const maxPerAccount = Math.max(1, maxRequests / 4);
    const byAccount = Map.groupBy(places, ({ accountId }) => accountId);
    const fullAccounts = [...byAccount]
      .filter(([, taken]) => taken.length >= maxPerAccount)
      .map(([account]) => account);
    const maxWebhooks = Math.min(free, Math.ceil(maxPerAccount));
    const now = performance.now();
    const sweeps = now >= this.#sweepAt || now < this.#sweepsUntil;
    const leased = await leaseDueWebhooks(this.#app.db, this.#lease, leaseMs, {
      maxWebhooks,
      allowFailing: places.filter(({ failing }) => failing).length < maxRequests / 2,
      fullAccounts,
      servedWebhooks: [...this.#served.keys()],
      accounts: sweeps ? 'all' : [...this.#notified.keys()],
    });
    // More may be due than were leased.
    if (leased.length >= maxWebhooks) return leased;
    if (sweeps) this.#sweepAt = now + sweepMs;
    for (const [account, until] of this.#notified)
      if (until <= now && !fullAccounts.includes(account)) this.#notified.delete(account);
    return leased;
  }

  #begin(webhook: LeasedWebhook): void {
    const { db, log } = this.#app;
    const done = this.#serve(webhook)
      .catch(async (error: unknown) => {
        if (!isUnavailable(error)) log.error({ err: error, ...webhook }, 'webhook dispatch failed; retrying');
        await releaseLease(db, this.#lease, webhook).catch(() => {});
        await sleep(this.#settings.pollMs);
      })
      .finally(() => {
        this.#served.delete(webhook.webhookId);
        this.wake();
      });
    this.#served.set(webhook.webhookId, { accountId: webhook.accountId, failing: webhook.failures > 0, done });
  }

  /** Sends one webhook's events until none are left, one request after the other. */
  async #serve(webhook: LeasedWebhook): Promise<void> {
    const { db, log } = this.#app;
    const { leaseMs, requestMs, gatherMs, pauseScale } = this.#settings;
    const stopping = this.#stopping.signal;
    for (;;) {
      const claimed = stopping.aborted
        ? undefined
        : await db.transaction((tx) => claimRequest(this.#app, tx, this.#lease, leaseMs, webhook));
      if (!claimed) return releaseLease(db, this.#lease, webhook);
      const finding = await post(this.#app, claimed.attempt, requestMs, stopping);
      // Aborted by us: the result is unknown, so nothing is written, and the attempt becomes "unclear".
      if (stopping.aborted && 'unreached' in finding.answer) return releaseLease(db, this.#lease, webhook);
      const pauses = { gatherMs, scale: pauseScale };
      const step = await db.transaction((tx) => writeOutcome(tx, this.#lease, claimed, finding, pauses));
      if (step.kind === 'off')
        log.warn({ account: webhook.accountId, webhook: webhook.webhookId, why: step.because }, 'webhook switched off');
      if (step.kind !== 'delivered' && step.kind !== 'given_up') return;
      if (!claimed.more) return void setTimeout(() => this.wake(), gatherMs + 5).unref();
      webhook.failures = 0;
    }
  }
}
