// The events of a contact and the names of those of an account, as they are shown and exported.
import type { Context } from '../../base/context.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import { formatDate } from '../../method/date.ts';
import type { Page } from '../../method/paging.ts';

/** A page of the events of a contact, newest first. */
export async function eventsOf({ tx, account }: Context, contactId: number, page: Page) {
  const rows = await tx.rows<EventRow>(sql`
    select n.name, e.at, e.received_at as "receivedAt", trim_scale(e.value)::text as value, e.data
    from contact_event e
    join event_name n on n.account_id = e.account_id and n.no = e.name_no
    where e.account_id = ${account.id}
      and e.contact_id = ${contactId}
    order by e.at desc, e.id desc
    limit ${page.limit}
    offset ${page.start * page.limit}`);
  return rows.map(({ name, at, receivedAt, value, data }) => ({
    name,
    time: formatDate(at),
    received_time: formatDate(receivedAt),
    value: value ?? '',
    data: data ?? {},
  }));
}

/** The latest event of a name that a contact had. */
export function latestEvent(
  db: Queries,
  { account, contact, name }: { account: number; contact: number; name: string },
): Promise<{ at: Date; data: Record<string, unknown> } | undefined> {
  return db.row(sql`
    select e.at, coalesce(e.data, '{}') as data
    from contact_event e
    join event_name n on n.account_id = e.account_id and n.no = e.name_no
    where e.account_id = ${account}
      and e.contact_id = ${contact}
      and n.name = ${name}
    order by e.at desc, e.id desc
    limit 1`);
}

/** Events of a contact that are looked at: more of one name within hours come from a program that repeats itself. */
const maxLooked = 100;

export type LaterEvent = { contact: number; at: Date; value: number | null; data: Record<string, unknown> };

/** The latest events of a name that contacts had after a time of their own, whenever they were reported. */
export function eventsAfter(
  db: Queries,
  { account, name, since }: { account: number; name: string; since: readonly { contact: number; at: string }[] },
): Promise<LaterEvent[]> {
  return db.rows(sql`
    select g.contact, e.at, e.value::float8 as value, coalesce(e.data, '{}') as data
    from event_name n
    cross join jsonb_to_recordset(${jsonb(since)}::jsonb) as g(contact int, at timestamptz)
    cross join lateral (
      select at, value, data
      from contact_event
      where account_id = ${account}
        and contact_id = g.contact
        and at > g.at
        and name_no = n.no
      order by at desc
      limit ${maxLooked}
    ) as e
    where n.account_id = ${account}
      and n.name = ${name}`);
}

type EventRow = {
  name: string;
  at: Date;
  receivedAt: Date;
  value: string | null;
  data: Record<string, unknown> | null;
};

/** The names of events and when each last happened, in their order. */
export async function listEventNames({ tx, account }: Context, page: Page) {
  const rows = await tx.rows<{ name: string; lastAt: Date | null; total: number }>(sql`
    select n.name, e.at as "lastAt", n.total
    from (
      select no, name, count(*) over () as total
      from event_name
      where account_id = ${account.id}
      order by name
      limit ${page.limit}
      offset ${page.start * page.limit}
    ) as n
    left join lateral (
      select at
      from contact_event
      where account_id = ${account.id}
        and name_no = n.no
      order by at desc
      limit 1
    ) as e on true
    order by n.name`);
  return {
    total: rows[0]?.total ?? 0,
    data: rows.map(({ name, lastAt }) => ({ name, last_time: formatDate(lastAt) })),
  };
}
