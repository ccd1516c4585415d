// The outbox: writes an event, in the caller's transaction, for each webhook of the account that subscribes to it.
// An event therefore exists exactly when its cause was committed. Delivery is the job of src/webhooks/.
import { type Sql, sql, type Tx } from '../db/connect.ts';
import { jsonb } from '../db/jsonb.ts';
import { type EventData, type EventSource, type EventType, subscriptionsTo } from './types.ts';

export type Event = {
  [T in EventType]: {
    type: T;
    source: EventSource;
    /** The list the event belongs to; a webhook bound to another list does not get it. */
    listId?: number;
    /** Webhooks get the event so much later, because it may still be withdrawn. */
    holdMs?: number;
    data: EventData<T>;
  };
}[EventType];

/** The notification channel that wakes the dispatchers; the payload is the id of the account. */
export const webhookChannel = 'postrider_webhook';

/** Emits events. @returns the number of rows written, one for each event and webhook */
export async function emit(tx: Tx, accountId: number, events: readonly Event[]): Promise<number> {
  if (events.length === 0) return 0;
  const rows = events.map(({ type, source, listId, holdMs, data }) => ({
    type,
    source,
    list_id: listId ?? null,
    hold_ms: holdMs ?? 0,
    data,
  }));
  return fanOut(
    tx,
    accountId,
    sql`
      select type, source, list_id, hold_ms, data
      from jsonb_to_recordset(${jsonb(rows)}::jsonb) as e(type text, source text, list_id int, hold_ms int, data jsonb)`,
  );
}

/**
 * Emits the events that a query selects, for changes of many contacts in one statement.
 * @param types every type the query can select; the query is skipped when no webhook subscribes to any of them
 * @param events selects type, source, list_id and data, one row an event
 */
export async function emitSet(tx: Tx, accountId: number, types: readonly EventType[], events: Sql): Promise<number> {
  const subscribed = await tx.row<{ found: boolean }>(sql`select ${isWanted(accountId, types)} as found`);
  return subscribed?.found ? fanOut(tx, accountId, sql`select given.*, 0 as hold_ms from (${events}) as given`) : 0;
}

/** SQL: whether a webhook of the account subscribes to one of these types. */
export const isWanted = (accountId: number, types: readonly EventType[]): Sql => sql`exists (
  select
  from webhook
  where account_id = ${accountId}
    and status <> 'off'
    and events && ${types.flatMap(subscriptionsTo)}::text[]
)`;

/** Gives each event an id, writes a row for each webhook that subscribes to it, in order, and wakes the dispatcher. */
async function fanOut(tx: Tx, accountId: number, events: Sql): Promise<number> {
  const row = await tx.row<{ count: number }>(sql`
    with happened as materialized (
      select type, source, list_id, hold_ms, data, 'evt_' || left(replace(gen_random_uuid()::text, '-', ''), 24) as event_id
      from (${events}) as given
    ), written as (
      insert into webhook_event (account_id, webhook_id, event_id, type, payload, due_at)
      select ${accountId}::int, w.id, e.event_id, e.type, jsonb_build_object('id', e.event_id) || e.data,
        case when e.hold_ms > 0 then now() + e.hold_ms * interval '1 ms' else '-infinity' end
      from happened e
      join webhook w
        on w.account_id = ${accountId}
        and w.status <> 'off'
        and array[e.type, split_part(e.type, '.', 1) || '.*', '*'] && w.events
        and e.source = any (w.sources)
        and (w.list_id is null or e.list_id is null or w.list_id = e.list_id)
      -- A webhook deleted at the same time would leave these rows behind.
      for key share of w
      returning 1
    )
    select count(*) as count, case when count(*) > 0 then pg_notify(${webhookChannel}, ${String(accountId)}) end
    from written`);
  return row?.count ?? 0;
}
