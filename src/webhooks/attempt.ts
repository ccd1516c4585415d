// One request to a receiver: its bytes and headers, the row that records it before it is made, and its outcome.
// Guarantees that an unfinished attempt never counts as a success: it stays in_progress and later becomes unclear.
import { randomBytes } from 'node:crypto';
import type { App } from '../base/context.ts';
import { type Message, message, packMessage } from '../base/messages.ts';
import { remember } from '../base/remember.ts';
import { inSpan, traceparent } from '../base/spans.ts';
import { type Queries, sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { type Format, type Waiting, writeBody } from './batch.ts';
import type { Answer } from './retry.ts';
import { type Algorithm, openSecret, signatureHeaders } from './signature.ts';
import { unreachedReason } from './unreached.ts';

/** How long a receiver may take to answer, in milliseconds. */
export const answerMs = 15_000;

export type Endpoint = {
  accountId: number;
  webhookId: number;
  url: string;
  secret: string;
  oldSecret: string;
  algorithm: Algorithm;
  format: Format;
  /** A further header with the signature, in the classic format; '' for none. */
  signatureHeader: string;
};

/** An endpoint as it is stored. */
export type SealedEndpoint = Omit<Endpoint, 'secret' | 'oldSecret'> & {
  secret: Buffer | null;
  oldSecret: Buffer | null;
};

/** Undefined when the secret cannot be opened: then no request may leave, as it would not be signed. */
export function openEndpoint<T extends SealedEndpoint>(
  app: App,
  sealed: T,
): (Omit<T, 'secret' | 'oldSecret'> & Endpoint) | undefined {
  const secret = openSecret(app, sealed.accountId, sealed.secret);
  if (secret === null) {
    app.log.error({ webhookId: sealed.webhookId }, 'cannot decrypt the secret of a webhook: SEAL_KEY has changed');
    return undefined;
  }
  return { ...sealed, secret, oldSecret: openSecret(app, sealed.accountId, sealed.oldSecret) ?? '' };
}

export type Attempt = {
  id: number;
  /** When it began, by the database's clock: its row is in the partition of that month. */
  at: Date;
  accountId: number;
  webhookId: number;
  url: string;
  headers: Record<string, string>;
  body: Buffer;
};

/** What the log keeps of a finished attempt, besides its outcome. */
export type Finding = {
  answer: Answer;
  status: number | null;
  text: string;
  ms: number | null;
  /** Why it failed; undefined for a success. */
  reason: Message | undefined;
};

export type Outcome = 'delivered' | 'failed' | 'given_up' | 'gone';

/** The bytes read from the body of an answer. */
export const answerBytes = 16 * 1024;

export const newMessageId = () => `msg_${randomBytes(12).toString('hex')}`;
/** The message id of requests with this event alone. */
export const messageIdOf = (eventId: string) => eventId.replace('evt_', 'msg_');

/** Composes a request and writes the row that records it. @param request.now the database's clock */
export async function beginAttempt(
  db: Queries,
  to: Endpoint,
  events: readonly Waiting[],
  request: { messageId: string; kind: 'delivery' | 'test'; attemptNo: number; now: Date },
): Promise<Attempt> {
  const at = Math.floor(request.now.getTime() / 1000);
  const body = writeBody(events, to.format, at);
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Postrider-Webhooks',
    ...signatureHeaders(body, request.messageId, at, {
      ...to,
      signatureHeader: to.format === 'classic' ? to.signatureHeader : '',
    }),
  };
  const row = await db.row<{ id: number }>(sql`
    insert into webhook_attempt (account_id, webhook_id, kind, try, event_ids, url, headers, body, at)
    values (
      ${to.accountId}, ${to.webhookId}, ${request.kind}, ${request.attemptNo}, ${events.map((event) => event.eventId)},
      ${to.url}, ${JSON.stringify(headers)}, ${body.toString()}, ${request.now})
    returning id`);
  const { accountId, webhookId, url } = to;
  return { id: row!.id, at: request.now, accountId, webhookId, url, headers, body };
}

/** The code of the last failure of each webhook, as far as this process knows. */
const lastCodes = new Map<number, string>();
const maxRemembered = 10_000;

/** Makes the request. Never throws; a redirect is an answer like any other. */
export async function post(
  app: App,
  { url, headers, body, accountId, webhookId }: Attempt,
  totalMs: number,
  signal?: AbortSignal,
): Promise<Finding> {
  const attributes = { 'postrider.account': formatId(accountId), 'postrider.webhook': formatId(webhookId) };
  const result = await inSpan('webhook', { attributes }, () =>
    app.outbound.fetch(url, {
      method: 'POST',
      // The receiver can continue the trace. Not part of the recorded request: it is not signed.
      headers: { ...headers, ...traceHeader() },
      body,
      redirects: 'never',
      totalMs,
      headersMs: totalMs,
      maxBytes: answerBytes,
      overflow: 'cut',
      agentKey: `webhook ${accountId} ${webhookId}`,
      ...(signal ? { signal } : {}),
    }),
  );
  if (!result.ok) {
    const { detail } = result;
    // A warning when it begins or has another cause, not at each of the attempts.
    const isNew = lastCodes.get(webhookId) !== (result.code || result.why);
    remember(lastCodes, webhookId, result.code || result.why, maxRemembered);
    app.log[isNew ? 'warn' : 'debug']({ account: accountId, webhook: webhookId, detail }, 'webhook unreachable');
    // The time is not shown either: it would distinguish a closed port from a silent one.
    return { answer: { unreached: true }, status: null, text: '', ms: null, reason: unreachedReason(result, url) };
  }
  lastCodes.delete(webhookId);
  const { status } = result;
  return {
    answer: { status, retryAfter: result.headers['retry-after'] },
    status,
    // PostgreSQL's text holds no NUL.
    text: result.body.subarray(0, answerBytes).toString().replaceAll('\0', '\uFFFD'),
    ms: result.ms,
    reason: reasonOf(status),
  };
}

function traceHeader(): { traceparent?: string } {
  const value = traceparent();
  return value === undefined ? {} : { traceparent: value };
}

/** Why an answer is a failure; undefined for a 2xx. */
export function reasonOf(status: number): Message | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) return message('webhook.redirected', { status });
  return message(status === 401 ? 'webhook.unauthorized' : 'webhook.answered', { status });
}

/** A reason for its column; '' for none. */
export const packReason = (reason: Message | undefined) => (reason ? packMessage(reason) : '');

/** Writes the outcome of an attempt. */
export async function endAttempt(db: Queries, attempt: Attempt, finding: Finding, outcome: Outcome): Promise<void> {
  await db.run(sql`
    update webhook_attempt
    set outcome = ${outcome}, reason = ${packReason(finding.reason)}, status = ${finding.status}, answer = ${finding.text},
      ms = ${finding.ms}
    where account_id = ${attempt.accountId}
      and webhook_id = ${attempt.webhookId}
      and id = ${attempt.id}
      and at = ${attempt.at}`);
}

/** Whether a URL answers HEAD with 200, and the reason if it does not. */
export async function checkUrl(
  app: App,
  url: string,
  totalMs = 10_000,
): Promise<{ ok: boolean; reason: Message | undefined }> {
  const result = await app.outbound.fetch(url, { method: 'HEAD', totalMs, padFailureMs: Math.min(2_000, totalMs) });
  if (!result.ok) return { ok: false, reason: unreachedReason(result, url) };
  if (result.status === 200) return { ok: true, reason: undefined };
  return { ok: false, reason: message('webhook.head_answered', { status: result.status }) };
}
