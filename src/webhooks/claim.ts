// The next request to a webhook: renews the lease, chooses the events and records the attempt before it is made.
// A batch that failed is sent again unchanged, under the same message id, until it is delivered or given up.
import type { App } from '../base/context.ts';
import { message, packMessage } from '../base/messages.ts';
import { type Queries, sql, type Tx } from '../db/connect.ts';
import { countWrite } from '../db/standby/writes.ts';
import {
  type Attempt,
  beginAttempt,
  type Endpoint,
  messageIdOf,
  newMessageId,
  openEndpoint,
  type SealedEndpoint,
} from './attempt.ts';
import { chooseBatch, maxBytes, maxEvents, type Waiting } from './batch.ts';
import type { LeasedWebhook } from './lease.ts';

export type ClaimedRequest = LeasedWebhook & {
  attempt: Attempt;
  /** Outbox rows of the events in the request. */
  batch: number[];
  /** Events in a request at most, at present. */
  batchLimit: number;
  /** Attempts with the only event of the request that failed before. */
  failedAlone: number;
  /** Whether more events may be waiting. */
  more: boolean;
};

/** Claims the next request. @returns undefined when nothing is waiting, or when the lease or the webhook is gone */
export async function claimRequest(
  app: App,
  tx: Tx,
  lease: string,
  leaseMs: number,
  { accountId, webhookId }: LeasedWebhook,
): Promise<ClaimedRequest | undefined> {
  const state = await tx.row<DeliveryState>(sql`
    update webhook_delivery
    set lease_until = clock_timestamp() + ${leaseMs} * interval '1 ms'
    where account_id = ${accountId}
      and webhook_id = ${webhookId}
      and lease = ${lease}
      and lease_until > clock_timestamp()
    returning batch, message_id as "messageId", attempt_at as "attemptAt", failures, batch_limit as "batchLimit", clock_timestamp() as now`);
  const endpoint = state && (await readEndpoint(app, tx, accountId, webhookId));
  if (!state || !endpoint) return undefined;
  if (state.attemptAt) await markUnclear(tx, accountId, webhookId, state.attemptAt);
  const repeated = state.batch.map(Number);
  let events = repeated.length > 0 ? await readEvents(tx, accountId, webhookId, repeated) : [];
  let more = true;
  if (events.length === 0) {
    const waiting = await readEvents(tx, accountId, webhookId, null);
    events = chooseBatch(waiting, endpoint.format, Math.min(state.batchLimit, maxEvents));
    more = waiting.length > events.length;
  }
  if (events.length === 0) return undefined;
  const failedAlone = events.length === 1 ? events[0]!.failures : 0;
  // An event that failed alone keeps one id from then on, though other requests are made in between.
  const messageId = state.messageId || (failedAlone > 0 ? messageIdOf(events[0]!.eventId) : newMessageId());
  const batch = events.map((event) => event.id);
  await tx.run(sql`
    update webhook_delivery
    set batch = ${batch}, message_id = ${messageId}, attempt_at = ${state.now}
    where account_id = ${accountId}
      and webhook_id = ${webhookId}`);
  const attemptNo = (failedAlone > 0 ? failedAlone : state.failures) + 1;
  const request = { messageId, kind: 'delivery', attemptNo, now: state.now } as const;
  const attempt = await beginAttempt(tx, endpoint, events, request);
  // The receiver may ask for what it learns of.
  if (app.config.readDatabaseUrl !== '') await countWrite(tx, accountId);
  const { failures, batchLimit } = state;
  return { accountId, webhookId, failures, attempt, batch, batchLimit, failedAlone, more };
}

type DeliveryState = {
  batch: string[];
  messageId: string;
  attemptAt: Date | null;
  failures: number;
  batchLimit: number;
  now: Date;
};

/** Only the holder of the lease sends, so an attempt still in progress was left behind by a process that ended. */
async function markUnclear(tx: Tx, accountId: number, webhookId: number, lastAt: Date): Promise<void> {
  await tx.run(sql`
    update webhook_attempt
    set outcome = 'unclear', reason = ${packMessage(message('webhook.process_ended'))}
    where account_id = ${accountId}
      and webhook_id = ${webhookId}
      and outcome = 'in_progress'
      and kind = 'delivery'
      and at = ${lastAt}`);
}

/** Pauses a webhook whose secret cannot be opened: its events wait. */
async function readEndpoint(app: App, tx: Tx, accountId: number, webhookId: number): Promise<Endpoint | undefined> {
  const sealed = await tx.row<SealedEndpoint>(sql`
    select account_id as "accountId", id as "webhookId", url, secret, algorithm, format, signature_header as "signatureHeader",
      case when old_secret_until > clock_timestamp() then old_secret end as "oldSecret"
    from webhook
    where account_id = ${accountId}
      and id = ${webhookId}
      and status in ('active', 'unverified')`);
  const endpoint = sealed && openEndpoint(app, sealed);
  if (sealed && !endpoint)
    await tx.run(sql`
      update webhook
      set status = 'paused', status_reason = ${packMessage(message('webhook.secret_lost', { setting: 'SEAL_KEY' }))}
      where account_id = ${accountId}
        and id = ${webhookId}`);
  return endpoint;
}

/**
 * @param only the outbox rows to read; null for the oldest that wait, one more than fit in a request. Not more, because a
 * hundred large events take much memory
 */
function readEvents(tx: Queries, accountId: number, webhookId: number, only: number[] | null): Promise<Waiting[]> {
  return tx.rows<Waiting>(sql`
    with first as materialized (
      select id, event_id, type, failures, payload::text as payload
      from webhook_event
      where account_id = ${accountId}
        and webhook_id = ${webhookId}
        and (id = any (${only}::int8[]) or (${only}::int8[] is null and due_at <= clock_timestamp()))
      order by id
      limit ${maxEvents + 1}
    ), measured as (
      select id, event_id, type, failures, payload,
        sum(octet_length(payload)) over (order by id) - octet_length(payload) as bytes_before
      from first
    )
    select id, event_id as "eventId", type, failures, payload
    from measured
    where ${only}::int8[] is not null
      or bytes_before <= ${maxBytes}
    order by id`);
}
