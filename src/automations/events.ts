// Events that programs report about contacts: kept with the contact (audience/events), and signals to the automations that use
// them, in one transaction.
import { z } from 'zod';
import { eventParams, type GivenEvent, type ReadEvent, readEvent } from '../audience/events/event.ts';
import { type Stored, storeEvents } from '../audience/events/store.ts';
import { type BatchError, errorOf, readable, readItem, withMember } from '../audience/model/batch.ts';
import type { Context } from '../base/context.ts';
import { Fault, fault } from '../base/faults.ts';
import { sql } from '../db/connect.ts';
import { jsonb } from '../db/jsonb.ts';
import { asText, struct } from '../method/params.ts';
import { countConversions, currencyOf } from '../tracking/conversions.ts';
import { isReportedLate, type SignalledEvent } from './model/entering-event.ts';
import { type DataConditions, matchesData } from './steps/data-conditions.ts';

/** How many automations an event lets a contact into, and of how many it is the goal. */
export type Uses = { triggers: number; goals: number };

/**
 * Reports one event.
 * @throws Fault ADDRESS_UNKNOWN, ADDRESS_INVALID, DATE_INVALID
 */
export async function sendEvent(context: Context, given: GivenEvent): Promise<Uses & { duplicate: boolean }> {
  const { results, ...uses } = await reportEvents(context, [readEvent(context, given)]);
  const [result] = results;
  if (result!.outcome === 'refused') throw result!.fault;
  return { ...uses, duplicate: result!.outcome === 'duplicate' };
}

/** Events of one eventSendBatch. */
export const maxEvents = 1_000;

const eventItem = z.strictObject({ value: struct('An event.', eventParams) });

/**
 * Reports events. What is wrong with one does not affect the others.
 * @throws Fault TOO_LARGE
 */
export async function sendEvents(context: Context, { events: items }: { events: readonly unknown[] }) {
  if (items.length > maxEvents)
    throw fault('TOO_LARGE', 'event.batch_too_large', { member: 'events', length: items.length, count: maxEvents });
  const errors: BatchError[] = [];
  const read = items.flatMap((item, index) => {
    try {
      const { value } = readItem(eventItem, item, `events.${index}`);
      return [{ index, event: readItemEvent(context, value, index) }];
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      errors.push(errorOf(error, addressOf(item), index));
      return [];
    }
  });
  const { results: stored, ...uses } = await reportEvents(
    context,
    read.map(({ event }) => event),
  );
  const results = items.map((): 'accepted' | 'duplicate' | 'error' => 'error');
  for (const [i, result] of stored.entries()) {
    const { index, event } = read[i]!;
    if (result.outcome === 'refused') errors.push(errorOf(ofItem(result.fault, index), event.who, index));
    else results[index] = result.outcome;
  }
  const count = (outcome: string) => results.filter((result) => result === outcome).length;
  return {
    success_count: count('accepted'),
    duplicate_count: count('duplicate'),
    error_count: count('error'),
    ...uses,
    results,
    errors: errors.sort((a, b) => a.index - b.index),
  };
}

function readItemEvent(context: Context, given: GivenEvent, index: number): ReadEvent {
  try {
    return readEvent(context, given);
  } catch (error) {
    throw error instanceof Fault ? ofItem(error, index) : error;
  }
}

/** The same fault with the path of its member in the batch. */
const ofItem = (fault: Fault, index: number): Fault => withMember(fault, (name) => `events.${index}.${name}`) as Fault;

function addressOf(item: unknown): string {
  const address = asText((item as { email_address?: unknown } | null)?.email_address);
  return typeof address === 'string' ? readable(address) : '';
}

/** Stores events and signals the automations that use them, in the order of the events. */
export async function reportEvents(
  context: Pick<Context, 'account' | 'tx' | 'now' | 'app'>,
  events: readonly ReadEvent[],
): Promise<Uses & { results: Stored[] }> {
  const results = await storeEvents(context, events);
  const accepted = events.flatMap((event, i) => {
    const result = results[i]!;
    return result.outcome === 'accepted' ? [{ ...event, contact: result.contact }] : [];
  });
  await countConversions(
    context,
    accepted.flatMap(({ contact, at, precisionMs, value, data }) =>
      value === null ? [] : [{ contact, at, precisionMs, value, currency: currencyOf(data) }],
    ),
  );
  return { ...(await signal(context, accepted)), results };
}

async function signal(
  { tx, account, now, app }: Pick<Context, 'account' | 'tx' | 'now' | 'app'>,
  events: readonly (ReadEvent & { contact: number })[],
): Promise<Uses> {
  if (events.length === 0) return { triggers: 0, goals: 0 };
  const names = [...new Set(events.map(({ name }) => name))];
  const used = await tx.rows<Used>(sql`
    select distinct a.id, a.list_id as list, 'leave' as kind, v.definition -> 'goal' ->> 'event' as name,
      v.definition -> 'goal' -> 'data' as data
    from automation a
    join automation_version v on v.account_id = a.account_id and v.automation_id = a.id
    where a.account_id = ${account.id}
      and a.status <> 'draft'
      and v.definition -> 'goal' ->> 'event' = any (${names}::text[])
    union all
    -- Which step of which version waits for it, and for which data, the engine finds out.
    select a.id, a.list_id, 'reach', name, null
    from automation a, unnest(a.waits_for) as name
    where a.account_id = ${account.id}
      and name = any (${names}::text[])
    union all
    select a.id, a.list_id, 'enter', v.definition -> 'trigger' ->> 'name', v.definition -> 'trigger' -> 'data'
    from automation a
    join automation_version v on v.account_id = a.account_id and v.automation_id = a.id and v.no = a.version
    where a.account_id = ${account.id}
      and a.status = 'active'
      and a.trigger_type = 'event'
      and v.definition -> 'trigger' ->> 'name' = any (${names}::text[])`);
  if (used.length === 0) return { triggers: 0, goals: 0 };
  const pairs = events.flatMap((event, i) => usesOf(used, event).map((use) => ({ i, ...use })));
  const isUsed = new Set(pairs.map(({ i }) => i));
  const given = events.flatMap(({ contact, name, at, precisionMs, value, data }, i) => {
    if (!isUsed.has(i)) return [];
    const until = precisionMs > 1 ? { until: new Date(at.getTime() + precisionMs).toISOString() } : {};
    const event: SignalledEvent = { name, at: at.toISOString(), ...until, value, data };
    return [{ i, contact, name, event, late: isReportedLate(event, now, app.config.maxLateness * 3_600_000) }];
  });
  const counts = await tx.row<Uses>(sql`
    with used as (
      select u.id, g.contact, u.kind, g.name, g.event, g.late, g.i
      from jsonb_to_recordset(${jsonb(given)}::jsonb) as g(i int, contact int, name text, event jsonb, late boolean)
      join jsonb_to_recordset(${jsonb(pairs)}::jsonb) as u(i int, id int, list int, kind text) on u.i = g.i
      join subscription s
        on s.account_id = ${account.id}
        and s.list_id = u.list
        and s.contact_id = g.contact
        and s.status = 'subscribed'
    ), signal as (
      insert into automation_signal (account_id, automation_id, contact_id, kind, outcome, occasion, event)
      select ${account.id}::int, id, contact, kind, case when kind = 'leave' then 'goal' end,
        case when kind = 'enter' then '' else name end, event
      from used
      -- Goals first, then steps that wait for it, so that an event which is both ends one way through and begins another.
      order by i, case kind when 'leave' then 1 when 'reach' then 2 else 3 end
    )
    -- One that is late lets no one in, but its signal is taken: it is counted in the order of the signals.
    select (count(*) filter (where kind = 'enter' and not late))::int as triggers,
      (count(*) filter (where kind = 'leave'))::int as goals
    from used`);
  return counts!;
}

/** An automation that an event of this name concerns, if its data is such. */
type Used = {
  id: number;
  list: number;
  kind: 'enter' | 'leave' | 'reach';
  name: string;
  data: DataConditions | null;
};

/** The automations that an event concerns, each once for each kind: versions may have the same goal with other data. */
function usesOf(used: readonly Used[], event: ReadEvent): Pick<Used, 'id' | 'list' | 'kind'>[] {
  const matching = used.filter(({ name, data }) => name === event.name && matchesData(data ?? undefined, event));
  return [...new Map(matching.map(({ id, list, kind }) => [`${id} ${kind}`, { id, list, kind }])).values()];
}
