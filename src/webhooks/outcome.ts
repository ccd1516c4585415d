// What follows from an answer, written in one transaction: the attempt's outcome, the events that leave the outbox, the
// time of the next request, and the state of the webhook. retry.ts decides, this file writes.
import { randomInt } from 'node:crypto';
import { type AccountNotice, noticeToAccount } from '../accounts/notices/account-notice.ts';
import { type Message, message } from '../base/messages.ts';
import { type Sql, sql, type Tx } from '../db/connect.ts';
import { endAttempt, type Finding, type Outcome, packReason } from './attempt.ts';
import { maxEvents } from './batch.ts';
import type { ClaimedRequest } from './claim.ts';
import { nothingWaits } from './lease.ts';
import { nextStep, type Step } from './retry.ts';

type Pauses = {
  /** After a request that took all there was. */
  gatherMs: number;
  /** Multiplies the pauses between attempts. */
  scale: number;
};

/** Writes the outcome of a request. The lease is kept only when the next request may follow immediately. */
export async function writeOutcome(
  tx: Tx,
  lease: string,
  claimed: ClaimedRequest,
  finding: Finding,
  pauses: Pauses,
): Promise<Step> {
  const { accountId, webhookId, failures, failedAlone, attempt } = claimed;
  const webhook = await lockWebhook(tx, accountId, webhookId);
  // Deleted since, along with its attempts.
  if (!webhook) return { kind: 'given_up' };
  const chance = randomInt(1_000_001) / 1_000_000;
  const events = claimed.batch.length;
  const narrowed = claimed.batchLimit < maxEvents;
  const request = { events, failures, failedAlone, narrowed, failingMs: webhook.failingMs };
  const decided = nextStep(finding.answer, request, chance, webhook.now);
  // The URL was changed since: a failure of the old one does not count for the new one.
  const outdated = webhook.url !== attempt.url && decided.kind !== 'delivered';
  const step: Step = outdated ? { kind: 'again', afterMs: 0 } : decided;
  await endAttempt(tx, attempt, finding, outcomeOf(step));
  if (step.kind === 'delivered') await markWorking(tx, accountId, webhookId);
  else if (!outdated) await markFailing(tx, accountId, webhookId, step, finding.reason);
  await updateQueue(tx, lease, claimed, step, outdated, pauses);
  if (step.kind === 'off')
    await noticeToAccount(tx, accountId, offNotice(webhook.title, attempt.url, step.because, finding.reason));
  return step;
}

/** The delivery row is locked first, as everywhere, to prevent deadlocks. */
function lockWebhook(tx: Tx, accountId: number, webhookId: number) {
  return tx.row<{ failingMs: number; now: Date; title: string; url: string }>(sql`
    select coalesce(extract(epoch from clock_timestamp() - w.failing_since) * 1000, 0)::float8 as "failingMs",
      clock_timestamp() as now, w.title, w.url
    from webhook w
    join webhook_delivery d on d.account_id = w.account_id and d.webhook_id = w.id
    where w.account_id = ${accountId}
      and w.id = ${webhookId}
    for update of d`);
}

/** Removes events that are done from the outbox and sets when the next request is due. */
async function updateQueue(
  tx: Tx,
  lease: string,
  claimed: ClaimedRequest,
  step: Step,
  outdated: boolean,
  { gatherMs, scale }: Pauses,
): Promise<void> {
  const { accountId, webhookId, batch, batchLimit, more } = claimed;
  const done = step.kind === 'delivered' || step.kind === 'given_up';
  if (done) await removeEvents(tx, accountId, webhookId, sql`id = any (${batch}::int8[])`);
  if (step.kind === 'aside') await setAside(tx, accountId, webhookId, batch[0]!, step.eventAfterMs * scale);
  const pauseMs = 'afterMs' in step ? step.afterMs * scale : more ? 0 : gatherMs;
  const keepsLease = done && more;
  const keepsBatch = !done && step.kind !== 'split' && step.kind !== 'aside';
  const limit =
    step.kind === 'delivered'
      ? Math.min(maxEvents, batchLimit * 2)
      : step.kind === 'split'
        ? step.maxEvents
        : batchLimit;
  await tx.run(sql`
    update webhook_delivery
    set next_at = clock_timestamp() + ${pauseMs}::float8 * interval '1 ms',
      batch = case when ${keepsBatch} then batch else '{}' end,
      message_id = case when ${keepsBatch} then message_id else '' end,
      failures = ${outdated ? 0 : failuresAfter(step, claimed)},
      batch_limit = ${limit},
      lease = case when ${keepsLease} then lease end,
      lease_until = case when ${keepsLease} then lease_until end,
      idle = ${keepsLease ? sql`false` : nothingWaits}
    where account_id = ${accountId}
      and webhook_id = ${webhookId}
      and lease = ${lease}`);
}

/** Requests in a row that failed. A repeated failure of one event says nothing about the others. */
function failuresAfter(step: Step, { failures, failedAlone }: ClaimedRequest): number {
  if (step.kind === 'again') return failures + 1;
  if (step.kind === 'split') return failures;
  if (step.kind === 'aside') return failedAlone > 0 ? failures : failures + 1;
  return step.kind === 'given_up' && failedAlone > 0 ? failures : 0;
}

/** Lets an event wait while the others go on. */
async function setAside(tx: Tx, accountId: number, webhookId: number, event: number, afterMs: number) {
  await tx.run(sql`
    update webhook_event
    set failures = failures + 1, due_at = clock_timestamp() + ${afterMs}::float8 * interval '1 ms'
    where account_id = ${accountId}
      and webhook_id = ${webhookId}
      and id = ${event}`);
}

/** Removes events from the outbox. @returns how many */
export async function removeEvents(tx: Tx, accountId: number, webhookId: number, which: Sql): Promise<number> {
  const row = await tx.row<{ count: number }>(sql`
    with gone as (
      delete from webhook_event
      where account_id = ${accountId}
        and webhook_id = ${webhookId}
        and ${which}
      returning at
    ), counted as (
      select count(*) as count, max(at) as last_at
      from gone
    )
    update webhook_delivery d
    set ended_events = d.ended_events + counted.count, last_event_at = greatest(d.last_event_at, counted.last_at)
    from counted
    where d.account_id = ${accountId}
      and d.webhook_id = ${webhookId}
    returning counted.count`);
  return row?.count ?? 0;
}

async function markWorking(tx: Tx, accountId: number, webhookId: number): Promise<void> {
  await tx.run(sql`
    update webhook
    set failing_since = null, status = case status when 'unverified' then 'active' else status end,
      status_reason = ''
    where account_id = ${accountId}
      and id = ${webhookId}
      and (failing_since is not null or status = 'unverified')`);
}

async function markFailing(tx: Tx, accountId: number, webhookId: number, step: Step, reason: Message | undefined) {
  await tx.run(sql`
    update webhook
    set failing_since = coalesce(failing_since, clock_timestamp()),
      status = case when ${step.kind === 'off'} and status <> 'paused' then 'off' else status end,
      status_reason = ${packReason(step.kind === 'off' ? offReason(step.because) : reason)}
    where account_id = ${accountId}
      and id = ${webhookId}`);
}

function outcomeOf(step: Step): Outcome {
  if (step.kind === 'delivered') return 'delivered';
  if (step.kind === 'given_up') return 'given_up';
  return step.kind === 'off' && step.because === 'gone' ? 'gone' : 'failed';
}

const offReason = (because: 'gone' | 'failing') => message(`webhook.off.${because}`);

function offNotice(
  title: string,
  url: string,
  because: 'gone' | 'failing',
  reason: Message | undefined,
): AccountNotice {
  const paragraphs = [
    message('webhook.notice.off', { title, url }),
    offReason(because),
    ...(because === 'failing' && reason ? [message('webhook.notice.last_failure', { reason })] : []),
    message('webhook.notice.kept'),
  ];
  return { subject: message('webhook.notice.subject', { title }), paragraphs };
}
