// The dispatcher of one worker process: takes webhooks that have events waiting, one lease each, and sends.
// Promises that events leave the outbox only after a 2xx or when they are given up, that one request is under way per
// webhook, and that a slow receiver occupies no more than its own place. Order is best effort.
// What a request holds is attempt.ts's, what follows from an answer retry.ts's.
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../base/context.ts';
import { isUnavailable, sql } from '../db/connect.ts';
import { webhookChannel } from '../events/emit.ts';
import { enqueue } from '../jobs/queue.ts';
import { type Attempt, beginAttempt, type Endpoint, endAttempt, newMessageId, type Outcome, post } from './attempt.ts';
import { chooseBatch, maxBytes, maxEvents, type Waiting } from './batch.ts';
import { hear } from './channel-listener.ts';
import { nextStep, type Step } from './retry.ts';

export type Dispatcher = {
  wake(): void;
  /** Ends the requests under way; their events go out again, under the same ids. */
  stop(): Promise<void>;
};

export type DispatchSettings = {
  /** Requests at once in this process. */
  atOnce: number;
  requestMs: number;
  leaseMs: number;
  pollMs: number;
  /** Pause after a request that took all there was, in which further events gather. */
  gatherMs: number;
  /** What the pauses between attempts are multiplied by; for tests. */
  pauseScale: number;
};

const usual: DispatchSettings = {
  atOnce: 64,
  requestMs: 15_000,
  leaseMs: 30_000,
  pollMs: 1_000,
  gatherMs: 250,
  pauseScale: 1,
};

type Leased = { accountId: number; webhookId: number; failures: number };
type Claimed = Leased & { attempt: Attempt; batch: number[]; more: boolean };

export function startDispatcher(app: App, given: Partial<DispatchSettings> = {}): Dispatcher {
  const settings = { ...usual, ...given };
  const { db, log } = app;
  const lease = randomBytes(12).toString('hex');
  const ending = new AbortController();
  /** By webhook. */
  const underWay = new Map<number, { accountId: number; failing: boolean; done: Promise<void> }>();
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();

  /** Takes the lease of webhooks that are due, as many as there are places. */
  async function take(): Promise<Leased[]> {
    const free = settings.atOnce - underWay.size;
    if (free <= 0) return [];
    const places = [...underWay.values()];
    // Neither those that fail nor one account may occupy all places.
    const mayFail = places.filter((place) => place.failing).length < settings.atOnce / 2;
    const share = Math.max(1, settings.atOnce / 4);
    const counts = Map.groupBy(places, (place) => place.accountId);
    const full = [...counts].filter(([, of]) => of.length >= share).map(([accountId]) => accountId);
    return db.rows<Leased>(sql`
      update webhook_delivery d
      set lease = ${lease}, lease_until = clock_timestamp() + ${settings.leaseMs} * interval '1 ms'
      from (
        select d.account_id, d.webhook_id
        from webhook_delivery d
        join webhook w on w.account_id = d.account_id and w.id = d.webhook_id
        where d.next_at <= clock_timestamp()
          and (d.lease_until is null or d.lease_until < clock_timestamp())
          and w.status in ('active', 'unverified')
          and (d.failures = 0 or ${mayFail})
          and d.account_id <> all (${full}::int[])
          -- A lease that ran out while it was used here is not taken again beside that use.
          and d.webhook_id <> all (${[...underWay.keys()]}::int[])
          and exists (
            select from webhook_event e
            where e.account_id = d.account_id and e.webhook_id = d.webhook_id
          )
        order by d.next_at
        limit ${Math.min(free, Math.ceil(share))}
        for update of d skip locked
      ) as due
      where d.account_id = due.account_id
        and d.webhook_id = due.webhook_id
      returning d.account_id as "accountId", d.webhook_id as "webhookId", d.failures`);
  }

  /** Sends one webhook's events until there are none, one request after the other. */
  async function serve(leased: Leased): Promise<void> {
    for (;;) {
      const claimed = ending.signal.aborted ? undefined : await claim(leased);
      if (!claimed) return release(leased);
      const finding = await post(app, claimed.attempt, settings.requestMs, ending.signal);
      // Ended by ourselves: nothing is known, so nothing is written; the attempt becomes "unclear".
      if (ending.signal.aborted && 'unreached' in finding.answer) return release(leased);
      const step = await settle(claimed, finding);
      if (step.kind !== 'delivered' && step.kind !== 'given up') return;
      if (!claimed.more) return void setTimeout(wake, settings.gatherMs + 5).unref();
      leased.failures = 0;
    }
  }

  /** Renews the lease, decides what the next request holds and records it. */
  async function claim({ accountId, webhookId }: Leased): Promise<Claimed | undefined> {
    return db.transaction(async (tx) => {
      const state = await tx.row<{ batch: string[]; messageId: string; failures: number; now: Date }>(sql`
        update webhook_delivery
        set lease_until = clock_timestamp() + ${settings.leaseMs} * interval '1 ms'
        where account_id = ${accountId}
          and webhook_id = ${webhookId}
          and lease = ${lease}
          and lease_until > clock_timestamp()
        returning batch, message_id as "messageId", failures, clock_timestamp() as now`);
      const to = state && (await endpoint(accountId, webhookId));
      if (!state || !to) return undefined;
      // Only the holder of the lease sends, so what is still under way was never finished.
      await tx.run(sql`
        update webhook_attempt
        set outcome = 'unclear', reason = 'The sending process ended before an answer came.'
        where account_id = ${accountId}
          and webhook_id = ${webhookId}
          and outcome = 'under way'
          and kind = 'delivery'`);
      const begun = state.batch.map(Number);
      let waiting = begun.length > 0 ? await events(accountId, webhookId, begun) : [];
      let more = true;
      if (waiting.length === 0) {
        const all = await events(accountId, webhookId, null);
        waiting = chooseBatch(all, to.format);
        more = all.length > waiting.length;
      }
      if (waiting.length === 0) return undefined;
      const messageId = state.messageId || newMessageId();
      const batch = waiting.map((event) => event.id);
      await tx.run(sql`
        update webhook_delivery
        set batch = ${batch}, message_id = ${messageId}
        where account_id = ${accountId}
          and webhook_id = ${webhookId}`);
      const attemptNo = state.failures + 1;
      const request = { messageId, kind: 'delivery', attemptNo, now: state.now } as const;
      const attempt = await beginAttempt(tx, to, waiting, request);
      return { accountId, webhookId, failures: state.failures, attempt, batch, more };

      function endpoint(account: number, id: number): Promise<Endpoint | undefined> {
        return tx.row<Endpoint>(sql`
          select account_id as "accountId", id as "webhookId", url, secret, algorithm, format,
            case when old_secret_until > clock_timestamp() then old_secret else '' end as "oldSecret"
          from webhook
          where account_id = ${account}
            and id = ${id}
            and status in ('active', 'unverified')`);
      }

      /**
       * @param only the rows to read; null for the first that wait, one more than fit in a request: a hundred of large ones
       * would take more memory than all else here
       */
      function events(account: number, id: number, only: number[] | null): Promise<Waiting[]> {
        return tx.rows<Waiting>(sql`
          with first as materialized (
            select id, event_id, type, payload::text as payload
            from webhook_event
            where account_id = ${account}
              and webhook_id = ${id}
              and (${only}::int8[] is null or id = any (${only}::int8[]))
            order by id
            limit ${maxEvents + 1}
          ), measured as (
            select id, event_id, type, payload,
              sum(octet_length(payload)) over (order by id) - octet_length(payload) as bytes_before
            from first
          )
          select id, event_id as "eventId", type, payload
          from measured
          where ${only}::int8[] is not null
            or bytes_before <= ${maxBytes}
          order by id`);
      }
    });
  }

  async function settle(claimed: Claimed, finding: Awaited<ReturnType<typeof post>>): Promise<Step> {
    const { accountId, webhookId, batch, failures, attempt } = claimed;
    return db.transaction(async (tx) => {
      const hook = await tx.row<{ failingMs: number; now: Date; title: string; url: string }>(sql`
        select coalesce(extract(epoch from clock_timestamp() - w.failing_since) * 1000, 0)::float8 as "failingMs",
          clock_timestamp() as now, w.title, w.url
        from webhook w
        join webhook_delivery d on d.account_id = w.account_id and d.webhook_id = w.id
        where w.account_id = ${accountId}
          and w.id = ${webhookId}
        -- First this row, as everywhere, so that nobody waits in a circle.
        for update of d`);
      // Deleted meanwhile, with its attempts.
      if (!hook) return { kind: 'given up' };
      const chance = randomInt(1_000_001) / 1_000_000;
      const found = nextStep(finding.answer, failures, hook.failingMs, chance, hook.now);
      // What an address that is no longer the webhook's has failed in says nothing of the new one.
      const outdated = hook.url !== attempt.url && found.kind !== 'delivered';
      const step: Step = outdated ? { kind: 'again', afterMs: 0 } : found;
      await endAttempt(tx, attempt, finding, outcomeOf(step));
      const leaves = step.kind === 'delivered' || step.kind === 'given up';
      if (leaves)
        await tx.run(sql`
          delete from webhook_event
          where account_id = ${accountId}
            and webhook_id = ${webhookId}
            and id = any (${batch})`);
      const pauseMs = step.kind === 'again' ? step.afterMs * settings.pauseScale : claimed.more ? 0 : settings.gatherMs;
      const keepsLease = leaves && claimed.more;
      await tx.run(sql`
        update webhook_delivery
        set next_at = clock_timestamp() + ${pauseMs}::float8 * interval '1 ms',
          batch = case when ${leaves} then '{}' else batch end,
          message_id = case when ${leaves} then '' else message_id end,
          failures = case when ${step.kind === 'again' && !outdated} then failures + 1 else 0 end,
          lease = case when ${keepsLease} then lease end,
          lease_until = case when ${keepsLease} then lease_until end
        where account_id = ${accountId}
          and webhook_id = ${webhookId}
          and lease = ${lease}`);
      if (step.kind === 'delivered')
        await tx.run(sql`
          update webhook
          set failing_since = null, status = case status when 'unverified' then 'active' else status end,
            status_reason = ''
          where account_id = ${accountId}
            and id = ${webhookId}
            and (failing_since is not null or status = 'unverified')`);
      else if (!outdated)
        await tx.run(sql`
          update webhook
          set failing_since = coalesce(failing_since, clock_timestamp()),
            status = case when ${step.kind === 'off'} and status <> 'paused' then 'off' else status end,
            status_reason = ${step.kind === 'off' ? offReason(step.because) : finding.reason}
          where account_id = ${accountId}
            and id = ${webhookId}`);
      if (step.kind === 'off') {
        log.warn({ account: accountId, webhook: webhookId, why: step.because }, 'webhook off');
        await enqueue(tx, 'sendAccountNotice', {
          account_id: accountId,
          ...offNotice(hook.title, attempt.url, step.because, finding.reason),
        });
      }
      return step;
    });
  }

  async function release({ accountId, webhookId }: Leased): Promise<void> {
    await db.run(sql`
      update webhook_delivery
      set lease = null, lease_until = null
      where account_id = ${accountId}
        and webhook_id = ${webhookId}
        and lease = ${lease}`);
  }

  function begin(leased: Leased): void {
    const done = serve(leased)
      .catch(async (error: unknown) => {
        if (!isUnavailable(error)) log.error({ err: error, ...leased }, 'a webhook stumbled');
        await release(leased).catch(() => {});
        await sleep(settings.pollMs);
      })
      .finally(() => {
        underWay.delete(leased.webhookId);
        wake();
      });
    underWay.set(leased.webhookId, { accountId: leased.accountId, failing: leased.failures > 0, done });
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      woken = Promise.withResolvers<void>();
      try {
        const leased = await take();
        for (const one of leased) begin(one);
        if (leased.length > 0 && underWay.size < settings.atOnce) continue;
      } catch (error) {
        if (!isUnavailable(error)) log.error({ err: error }, 'the webhook dispatcher stumbled');
        await sleep(settings.pollMs);
      }
      const rest = new AbortController();
      await Promise.race([woken.promise, sleep(settings.pollMs, undefined, { signal: rest.signal }).catch(() => {})]);
      rest.abort();
    }
  }

  const listener = hear(app, webhookChannel, wake);
  const running = run();
  return {
    wake,
    async stop() {
      ending.abort();
      wake();
      await listener.stop();
      await running;
      await Promise.all([...underWay.values()].map((place) => place.done));
    },
  };
}

function outcomeOf(step: Step): Outcome {
  if (step.kind === 'delivered') return 'delivered';
  if (step.kind === 'given up') return 'given up';
  return step.kind === 'off' && step.because === 'gone' ? 'gone' : 'failed';
}

function offReason(because: 'gone' | 'failing'): string {
  return because === 'gone'
    ? 'Switched off: the receiver answered 410, which says that it wants no more.'
    : 'Switched off: nothing but failures for five days.';
}

function offNotice(title: string, url: string, because: 'gone' | 'failing', reason: string) {
  return {
    subject: `The webhook "${title}" was switched off`,
    text: [
      `The webhook "${title}" to ${url} was switched off.`,
      offReason(because),
      ...(because === 'failing' ? [`The last failure: ${reason}`] : []),
      'Events that had not been delivered are kept, and are sent when the webhook is switched on again. Events that happen until then are not kept.',
    ].join('\n\n'),
  };
}
