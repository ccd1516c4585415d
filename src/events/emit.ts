// The outbox: writes an event, in the caller's transaction, for each webhook of the account that wants it.
// An event therefore exists exactly when its cause was committed. Sending is the business of src/webhooks/.
import { randomBytes } from 'node:crypto';
import { type Queries, type Sql, sql } from '../db/connect.ts';
import { jsonb } from '../db/jsonb.ts';
import type { EventSource, EventType } from './types.ts';

export type Event = {
  type: EventType;
  source: EventSource;
  /** The list the event belongs to; a webhook bound to another list does not get it. */
  listId?: number;
  /** The members of `data` beside `id`; see docs/decisions on webhooks for the names. */
  data: Record<string, unknown>;
};

/** The notification channel that wakes the dispatcher. */
export const webhookChannel = 'postrider_webhook';

/** Emits events; returns how many (event, webhook) rows came of them: 0 when nobody listens. */
export async function emit(tx: Queries, accountId: number, events: readonly Event[]): Promise<number> {
  if (events.length === 0) return 0;
  const rows = events.map((event) => {
    const id = `evt_${randomBytes(12).toString('hex')}`;
    return {
      type: event.type,
      source: event.source,
      list_id: event.listId ?? null,
      event_id: id,
      data: { id, ...event.data },
    };
  });
  // One statement for any number of events; `with … insert … select` keeps the order of the input.
  const row = await tx.row<{ count: number }>(sql`
    with wanted as (
      select w.id as webhook_id, e.event_id, e.type, e.data
      from jsonb_to_recordset(${jsonb(rows)}::jsonb)
        as e(type text, source text, list_id int, event_id text, data jsonb)
      join webhook w
        on w.account_id = ${accountId}
        and w.status <> 'off'
        and e.type = any (w.events)
        and e.source = any (w.sources)
        and (w.list_id is null or e.list_id is null or w.list_id = e.list_id)
      -- Against the deletion of the webhook, which would leave these rows behind.
      for key share of w
    ), written as (
      insert into webhook_event (account_id, webhook_id, event_id, type, payload)
      select ${accountId}::int, webhook_id, event_id, type, data
      from wanted
      returning webhook_id
    ), counted as (
      select webhook_id, count(*) as events
      from written
      group by webhook_id
    ), touched as (
      update webhook w
      set total_events = total_events + counted.events, last_event_at = now()
      from counted
      where w.account_id = ${accountId}
        and w.id = counted.webhook_id
    )
    select count(*) as count, case when count(*) > 0 then pg_notify(${webhookChannel}, '') end
    from written`);
  return row?.count ?? 0;
}

/**
 * Emits the events that a query makes, for changes of many contacts in one statement.
 * @param types every type the query can make; when nobody listens to any, it is not run
 * @param events selects type, source, list_id and data (without id), one row an event
 */
export async function emitSet(
  tx: Queries,
  accountId: number,
  types: readonly EventType[],
  events: Sql,
): Promise<number> {
  const heard = await tx.row<{ heard: boolean }>(sql`
    select exists (
      select
      from webhook
      where account_id = ${accountId}
        and status <> 'off'
        and events && ${[...types]}::text[]
    ) as heard`);
  if (!heard?.heard) return 0;
  const row = await tx.row<{ count: number }>(sql`
    with happened as materialized (
      select type, source, list_id, data, 'evt_' || left(replace(gen_random_uuid()::text, '-', ''), 24) as event_id
      from (${events}) as given
    ), written as (
      insert into webhook_event (account_id, webhook_id, event_id, type, payload)
      select ${accountId}::int, w.id, e.event_id, e.type, jsonb_build_object('id', e.event_id) || e.data
      from happened e
      join webhook w
        on w.account_id = ${accountId}
        and w.status <> 'off'
        and e.type = any (w.events)
        and e.source = any (w.sources)
        and (w.list_id is null or w.list_id = e.list_id)
      for key share of w
      returning webhook_id
    ), counted as (
      select webhook_id, count(*) as events
      from written
      group by webhook_id
    ), touched as (
      update webhook w
      set total_events = total_events + counted.events, last_event_at = now()
      from counted
      where w.account_id = ${accountId}
        and w.id = counted.webhook_id
    )
    select count(*) as count, case when count(*) > 0 then pg_notify(${webhookChannel}, '') end
    from written`);
  return row?.count ?? 0;
}
