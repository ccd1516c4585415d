// The requests that were sent to a webhook: reading them, sending their events again, and sending a test event.
import { randomBytes } from 'node:crypto';
import type { Context, PrepareContext } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { message, renderMessage, renderPacked } from '../../base/messages.ts';
import { type Queries, type Sql, sql, type Tx } from '../../db/connect.ts';
import { webhookChannel } from '../../events/emit.ts';
import { eventTypeNames, exampleData } from '../../events/types.ts';
import { formatDate } from '../../method/date.ts';
import {
  answerBytes,
  answerMs,
  beginAttempt,
  endAttempt,
  newMessageId,
  openEndpoint,
  post,
  type SealedEndpoint,
} from '../attempt.ts';
import { maxEvents } from '../batch.ts';
import { nothingWaits } from '../lease.ts';
import { findWebhook, invalidOption, needWebhook, unknownWebhook } from '../webhook.ts';

export const kinds = ['delivery', 'test'] as const;
export const outcomes = ['in_progress', 'delivered', 'failed', 'given_up', 'gone', 'unclear'] as const;

/** In the list bodies are cut here; a single attempt has all of it. */
const shownBody = 2_000;
/** Of more events that wait alone, the log does not show when they are tried again. */
const maxAlone = 1_000;

type Selection = {
  wid: string;
  outcome?: (typeof outcomes)[number] | undefined;
  start: number;
  limit: number;
  attempt?: string | undefined;
};

export async function listAttempts(context: Context, { wid, outcome, start, limit, attempt }: Selection) {
  const { tx, account } = context;
  const hook = await needWebhook(context, wid);
  const no = attempt === undefined ? null : attemptNo(attempt);
  const rows = await tx.rows<Row>(sql`
    with waiting as materialized (${waitingEvents(account.id, hook.id)})
    select a.id, a.at, a.kind, a.try, a.event_ids as events, a.url, a.headers, a.status, a.ms, a.outcome, a.reason,
      case when ${no}::bigint is null then left(a.body, ${shownBody}) else a.body end as body,
      case when ${no}::bigint is null then left(a.answer, ${shownBody}) else a.answer end as answer,
      (
        select min(w.due_at)
        from waiting w
        where a.outcome = 'failed'
          and a.kind = 'delivery'
          and w.event_id = any (a.event_ids)
          and not exists (
            select from webhook_attempt later
            where later.account_id = a.account_id and later.webhook_id = a.webhook_id and later.id > a.id
              and later.kind = 'delivery' and later.event_ids @> array[w.event_id]
          )
      ) as next_try
    from webhook_attempt a
    where a.account_id = ${account.id}
      and a.webhook_id = ${hook.id}
      and (${no}::bigint is null or a.id = ${no}::bigint)
      and (${outcome ?? null}::text is null or a.outcome = ${outcome ?? null})
    order by a.id desc
    limit ${limit} offset ${start * limit}`);
  return rows.map((row) => ({
    ...row,
    id: String(row.id),
    at: formatDate(row.at),
    status: row.status ?? 0,
    ms: row.ms ?? 0,
    next_try: formatDate(row.next_try),
    reason: renderPacked(row.reason, context.language),
  }));
}

/**
 * SQL: the events of a webhook that were tried and are tried again, and when. Not all that wait, which may be a million: those of the
 * request that is repeated, the first ones, of which the next request is made, and those that wait alone.
 */
const waitingEvents = (account: number, hook: number): Sql => sql`
  select e.event_id, greatest(e.due_at, d.next_at, now()) as due_at
  from webhook_delivery d
  join webhook w on w.account_id = d.account_id and w.id = d.webhook_id
  cross join lateral (
    select event_id, due_at
    from webhook_event
    where account_id = d.account_id
      and webhook_id = d.webhook_id
      and id = any (d.batch)
    union
    (
      select event_id, due_at
      from webhook_event
      where account_id = d.account_id
        and webhook_id = d.webhook_id
      order by id
      limit ${maxEvents}
    )
    union
    (
      select event_id, due_at
      from webhook_event
      where account_id = d.account_id
        and webhook_id = d.webhook_id
        and due_at > '-infinity'
        and failures > 0
      order by due_at
      limit ${maxAlone}
    )
  ) as e
  where d.account_id = ${account}
    and d.webhook_id = ${hook}
    and w.status in ('active', 'unverified')`;

type Resend = {
  wid: string;
  attempt?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  only_failed: boolean;
};

/** Sends events again that were sent before, those that wait for their next attempt too. @returns how many */
export async function resendEvents(
  context: Context,
  { wid, attempt, since, until, only_failed }: Resend,
): Promise<number> {
  const { tx, account } = context;
  const hook = await needWebhook(context, wid);
  if ((attempt === undefined) === (since === undefined)) throw invalidOption(message('webhook.attempt_or_since'));
  const no = attempt === undefined ? null : attemptNo(attempt);
  const from = since === undefined ? null : moment('since', since);
  const to = until === undefined ? null : moment('until', until);
  const row = await tx.row<{ added: number; waiting: number }>(sql`
    with ${chosenEvents({ account: account.id, hook: hook.id }, { no, from, to })}, seen as materialized (
      select c.*, exists (
          select from webhook_event w
          where w.account_id = ${account.id} and w.webhook_id = ${hook.id} and w.event_id = c.event_id
        ) as waits
      from chosen c
    ), written as (
      insert into webhook_event (account_id, webhook_id, event_id, type, payload)
      select ${account.id}::int, ${hook.id}::int, c.event_id, c.type, c.payload
      from seen c
      where not c.waits
        and (not ${only_failed}::boolean or not exists (
          select from webhook_attempt d
          where d.account_id = ${account.id} and d.webhook_id = ${hook.id} and d.kind = 'delivery'
            and d.outcome = 'delivered' and d.event_ids @> array[c.event_id]
        ))
      order by c.id, c.no
      returning 1
    )
    select (select count(*) from written)::int as added, (select count(*) from seen where waits)::int as waiting`);
  const { added, waiting } = row!;
  if (no !== null && added + waiting === 0) await needAttempt(tx, account.id, hook.id, no);
  if (added + waiting > 0) await endPause(tx, account.id, hook.id, added);
  return added + waiting;
}

/** Sends what waits now rather than at the next attempt. @returns how many events wait */
export async function retryWaiting(context: Context, { wid }: { wid: string }): Promise<number> {
  const { tx, account } = context;
  const hook = await needWebhook(context, wid);
  await endPause(tx, account.id, hook.id, 0);
  const row = await tx.row<{ count: number }>(sql`
    select count(*)::int as count
    from webhook_event
    where account_id = ${account.id}
      and webhook_id = ${hook.id}`);
  return row!.count;
}

/**
 * Ends the pause after failures: what waits is sent now, in the same request, and the pauses begin again with the shortest. An event
 * that failed alone stays alone, under its message id. The delivery row is locked first, as everywhere, to prevent deadlocks.
 * @param resent how many of the events that wait were counted before, as ended
 */
async function endPause(tx: Tx, accountId: number, webhookId: number, resent: number): Promise<void> {
  await tx.run(sql`
    update webhook_delivery
    set ended_events = ended_events - ${resent}::int,
      failures = case when next_at > clock_timestamp() then 0 else failures end,
      next_at = least(next_at, clock_timestamp()),
      idle = ${nothingWaits}
    where account_id = ${accountId}
      and webhook_id = ${webhookId}`);
  // Not the clicks that are held back because they may be those of a machine.
  await tx.run(sql`
    update webhook_event
    set failures = 1, due_at = '-infinity'
    where account_id = ${accountId}
      and webhook_id = ${webhookId}
      and due_at > '-infinity'
      and failures > 0`);
  await tx.run(sql`select pg_notify(${webhookChannel}, ${String(accountId)})`);
}

/** What resendEvents would do with a time range. */
export async function previewResend(
  context: Context,
  { wid, since, until }: { wid: string; since: string; until?: string | undefined },
) {
  const { tx, account } = context;
  const hook = await needWebhook(context, wid);
  const range = { no: null, from: moment('since', since), to: until === undefined ? null : moment('until', until) };
  const counts = await tx.row<{ all: number; failed: number; waiting: number }>(sql`
    with ${chosenEvents({ account: account.id, hook: hook.id }, range)}, seen as (
      select exists (
          select from webhook_event w
          where w.account_id = ${account.id} and w.webhook_id = ${hook.id} and w.event_id = c.event_id
        ) as waits, exists (
          select from webhook_attempt d
          where d.account_id = ${account.id} and d.webhook_id = ${hook.id} and d.kind = 'delivery'
            and d.outcome = 'delivered' and d.event_ids @> array[c.event_id]
        ) as delivered
      from chosen c
    )
    select count(*) filter (where not waits)::int as all, count(*) filter (where not waits and not delivered)::int as failed,
      count(*) filter (where waits)::int as waiting
    from seen`);
  return counts!;
}

/** SQL: the events of attempts, each once, for use after `with`: of one attempt, or of a time range. */
function chosenEvents(
  { account, hook }: { account: number; hook: number },
  { no, from, to }: { no: number | null; from: Date | null; to: Date | null },
): Sql {
  const isChosen = sql`
    a.account_id = ${account}
    and a.webhook_id = ${hook}
    and a.kind = 'delivery'
    and (${no}::bigint is null or a.id = ${no}::bigint)
    and (${from}::timestamptz is null or a.at >= ${from}::timestamptz)
    and (${to}::timestamptz is null or a.at < ${to}::timestamptz)`;
  return sql`
    sent as (
      select a.id, a.outcome, e.value->>'type' as type, e.value->'data' as payload, e.no
      from webhook_attempt a
      cross join lateral jsonb_array_elements(a.body::jsonb->'events') with ordinality as e (value, no)
      where ${isChosen}
        and a.body::jsonb ? 'events'
      union all
      select a.id, a.outcome, a.body::jsonb->>'hook', e.value, e.no
      from webhook_attempt a
      cross join lateral jsonb_array_elements(a.body::jsonb->'data') with ordinality as e (value, no)
      where ${isChosen}
        and a.body::jsonb ? 'hook'
    ), chosen as (
      select distinct on (payload->>'id') payload->>'id' as event_id, type, payload, id, no
      from sent
      order by payload->>'id', id
    )`;
}

type Tested = Awaited<ReturnType<typeof sendTestEvent>>;

/** Sends one example event, outside the transaction, and records the attempt. */
export async function sendTestEvent({ app, account }: PrepareContext, { wid, type }: { wid: string; type: string }) {
  const { db } = app;
  const found = await db.row<{ id: number }>(findWebhook(account.id, wid));
  if (!found) throw unknownWebhook(wid);
  const eventType = eventTypeNames.find((name) => name === type);
  if (!eventType)
    throw invalidOption(message('parameter.not_one_of', { member: 'type', choices: eventTypeNames.join(', ') }));
  const sealed = await db.row<SealedEndpoint & { now: Date }>(sql`
    select account_id as "accountId", id as "webhookId", url, secret, algorithm, format, signature_header as "signatureHeader", clock_timestamp() as now,
      case when old_secret_until > clock_timestamp() then old_secret end as "oldSecret"
    from webhook
    where account_id = ${account.id}
      and id = ${found.id}`);
  if (!sealed) throw unknownWebhook(wid);
  const to = openEndpoint(app, sealed);
  if (!to) throw invalidOption(message('webhook.secret_lost', { setting: 'SEAL_KEY' }));
  const event = `evt_${randomBytes(12).toString('hex')}`;
  const payload = JSON.stringify({ ...exampleData(eventType, event), test: true });
  const waiting = { id: 0, eventId: event, type, payload, failures: 0 };
  const request = { messageId: newMessageId(), kind: 'test', attemptNo: 1, now: to.now } as const;
  const attempt = await beginAttempt(db, to, [waiting], request);
  const finding = await post(app, attempt, answerMs);
  const delivered = finding.status !== null && finding.status >= 200 && finding.status < 300;
  await endAttempt(db, attempt, finding, delivered ? 'delivered' : 'failed');
  return { attempt: String(attempt.id), event, delivered, finding };
}

export async function testAnswer(
  { language }: Context,
  _params: unknown,
  { attempt, event, delivered, finding }: Tested,
) {
  const { status, ms, text: answer, reason } = finding;
  return {
    attempt,
    event,
    delivered,
    status: status ?? 0,
    ms: ms ?? 0,
    answer: answer.slice(0, answerBytes),
    reason: reason ? renderMessage(reason, language) : '',
  };
}

type Row = {
  id: number;
  at: Date;
  kind: (typeof kinds)[number];
  try: number;
  events: string[];
  url: string;
  headers: Record<string, string>;
  body: string;
  status: number | null;
  answer: string;
  ms: number | null;
  outcome: (typeof outcomes)[number];
  reason: string;
  next_try: Date | null;
};

function attemptNo(named: string): number {
  return /^\d{1,15}$/.test(named) ? Number(named) : -1;
}

async function needAttempt(tx: Queries, accountId: number, webhookId: number, attempt: number): Promise<void> {
  const row = await tx.row(sql`
    select 1
    from webhook_attempt
    where account_id = ${accountId}
      and webhook_id = ${webhookId}
      and id = ${attempt}`);
  if (!row) throw invalidOption(message('webhook.attempt_unknown', { member: 'attempt' }));
}

function moment(name: string, given: string): Date {
  const match = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d))?$/.exec(given.trim());
  const at = match ? new Date(`${match[1]}T${match[2] ?? '00:00:00'}Z`) : undefined;
  if (!at || Number.isNaN(at.getTime()))
    throw fault('DATE_INVALID', 'webhook.date', { member: name, value: given.slice(0, 40) });
  return at;
}
