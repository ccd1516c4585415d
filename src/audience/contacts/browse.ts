// The contacts of an account over all its lists: a page of them by keyset, and how many match. A page costs the same however
// far down it is, and however many contacts there are.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { empty, type Sql, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { states } from '../../db/states.ts';
import { formatDate } from '../../method/date.ts';
import { usesActions } from '../model/segment.ts';
import type { Status } from '../model/subscription-status.ts';
import { suppressed } from '../model/suppression.ts';
import {
  allMatching,
  contactCondition,
  isNarrowed,
  type Narrowing,
  type NarrowingGiven,
  readNarrowing,
} from './narrowing.ts';

export const sortOrders = ['newest', 'email'] as const;
type SortOrder = (typeof sortOrders)[number];
type Given = NarrowingGiven & { sort: SortOrder; cursor: string; limit: number };

export async function contactPage(context: Context, given: Given) {
  const narrowing = await readNarrowing(context, given);
  const cursor = readCursor(given.cursor, given.sort);
  const found = await keysOf(context, narrowing, given.sort, cursor, given.limit + 1);
  // One more than asked for, which says whether there are more.
  const page = found.slice(0, given.limit);
  const more = found.length > given.limit;
  if (cursor?.back) page.reverse();
  const [first, last] = [page[0], page.at(-1)];
  const older = cursor?.back ? true : more;
  const newer = cursor?.back ? more : cursor !== undefined;
  return {
    next: older && last ? cursorOf(given.sort, last, false) : '',
    previous: newer && first ? cursorOf(given.sort, first, true) : '',
    data: await detailsOf(
      context,
      page.map(({ id }) => id),
    ),
  };
}

export async function contactCount(context: Context, given: NarrowingGiven): Promise<number> {
  const narrowing = await readNarrowing(context, given);
  const { id, from, once } = await allMatching(context, narrowing);
  // Sorting a million numbers takes half the time that a hash table of them takes.
  const row = await context.tx.row<{ count: number }>(sql`
    select ${once ? sql`count(*)` : sql`count(distinct ${id})`}::int as count
    ${from}`);
  return row!.count;
}

/** Where a contact is in the order of a page. */
type Key = { id: number; micros: string; email: string };
type Cursor = { back: boolean; after: Sql };

/**
 * So many contacts are read along the order before all that match are searched for: conditions that one in a hundred fulfils
 * fill a page from them, and what contacts did takes some dozen looks each.
 */
const walked = (narrowing: Narrowing) => (usesActions(narrowing.filter) ? 1_000 : 5_000);

async function keysOf(
  context: Context,
  narrowing: Narrowing,
  sort: SortOrder,
  cursor: Cursor | undefined,
  limit: number,
): Promise<Key[]> {
  const { tx, account } = context;
  const order = orderOf(sort, cursor?.back ?? false);
  const columns = sql`c.id, (extract(epoch from c.created_at) * 1000000)::bigint::text as micros, c.email_key as email`;
  const here = sql`c.account_id = ${account.id} and ${cursor?.after ?? sql`true`}`;
  if (!isNarrowed(narrowing))
    return tx.rows<Key>(sql`select ${columns} from contact c where ${here} order by ${order} limit ${limit}`);
  const near = await tx.row<{ count: number; keys: Key[] }>(sql`
    with near as materialized (
      select c.account_id, c.id, c.created_at, c.email_key, c.domain, c.language, c.time_zone, c.tags
      from contact c
      where ${here}
      order by ${order}
      limit ${walked(narrowing)}
    )
    select (select count(*)::int from near) as count, (
        select coalesce(jsonb_agg(found), '[]')
        from (
          select ${columns}
          from near c
          where ${contactCondition(account, narrowing)}
          order by ${order}
          limit ${limit}
        ) found
      ) as keys`);
  if (near!.keys.length === limit || near!.count < walked(narrowing)) return near!.keys;
  const { id, from, once } = await allMatching(context, narrowing);
  return tx.rows<Key>(sql`
    with matching as materialized (
      select ${once ? empty : sql`distinct`} ${id} as id
      ${from}
    )
    select ${columns}
    from matching
    join contact c on c.account_id = ${account.id} and c.id = matching.id
    where ${here}
    order by ${order}
    limit ${limit}`);
}

function orderOf(sort: SortOrder, back: boolean): Sql {
  if (sort === 'email') return back ? sql`c.email_key desc` : sql`c.email_key`;
  return back ? sql`c.created_at, c.id` : sql`c.created_at desc, c.id desc`;
}

/** The direction and the key of a contact: "older-1732361000123456-a0000001" or "next-" and its address. */
function cursorOf(sort: SortOrder, { id, micros, email }: Key, back: boolean): string {
  const key = sort === 'email' ? Buffer.from(email).toString('base64url') : `${micros}-${formatId(id)}`;
  return `${back ? 'before' : 'after'}-${key}`;
}

/** @throws Fault START_OUT_OF_RANGE */
function readCursor(text: string, sort: SortOrder): Cursor | undefined {
  if (text.trim() === '') return undefined;
  const [, direction, key = ''] = /^(after|before)-(.+)$/.exec(text.trim()) ?? [];
  const back = direction === 'before';
  const sign = back === (sort === 'email') ? sql`<` : sql`>`;
  if (sort === 'email' && direction && /^[\w-]{1,700}$/.test(key)) {
    const email = Buffer.from(key, 'base64url').toString();
    if (!email.includes('\0')) return { back, after: sql`c.email_key ${sign} ${email}` };
  }
  const [, micros, id] = /^(\d{1,17})-([abcdf][0-9a-f]{7})$/.exec(key) ?? [];
  if (sort !== 'newest' || !direction || micros === undefined)
    throw fault('START_OUT_OF_RANGE', 'contact.cursor', { member: 'cursor' });
  const at = sql`to_timestamp(0) + make_interval(secs => 0.000001 * ${micros}::bigint)`;
  return { back, after: sql`(c.created_at, c.id) ${sign} (${at}, ${parseId(id!)})` };
}

type Details = {
  id: number;
  email: string;
  tags: string[];
  language: string;
  timeZone: string;
  createdAt: Date;
  changedAt: Date;
  pausedUntil: Date | null;
  suppressed: boolean;
  lists: { id: number; status: Status }[];
  merges: Record<string, string>;
  emails: number;
  opened: number;
  clicked: number;
  lastActiveAt: Date | null;
};

/** What the table shows of some contacts, in the order of their ids. */
async function detailsOf({ tx, account }: Context, ids: readonly number[]) {
  if (ids.length === 0) return [];
  const rows = await tx.rows<Details>(sql`
    select c.id, c.email, c.tags, c.language, c.time_zone as "timeZone", c.created_at as "createdAt", c.changed_at as "changedAt",
      case when c.paused_until > now() then c.paused_until end as "pausedUntil",
      ${suppressed(account.id, sql`c.email_key`, sql`c.domain`)} as suppressed,
      coalesce(own.lists, '[]') as lists, coalesce(own.merges, '{}') as merges, sent.*
    from unnest(${ids}::int[]) with ordinality as wanted (id, place)
    join contact c on c.account_id = ${account.id} and c.id = wanted.id
    cross join lateral (
      select jsonb_agg(jsonb_build_object('id', s.list_id, 'status', s.status) order by s.signup_at, s.list_id) as lists,
        -- Of a tag on several lists, the value that was changed last.
        (
          select jsonb_object_agg(f.key, f.value order by o.changed_at)
          from subscription o, jsonb_each_text(o.fields) f
          where o.account_id = ${account.id}
            and o.contact_id = c.id
            and f.value <> ''
        ) as merges
      from subscription s
      where s.account_id = ${account.id}
        and s.contact_id = c.id
    ) own
    cross join lateral (
      select count(*)::int as emails, count(*) filter (where e.opens > 0 or e.clicks > 0)::int as opened,
        count(*) filter (where e.clicks > 0)::int as clicked,
        max(greatest(e.last_open_at, e.last_click_at)) as "lastActiveAt"
      from delivery d
      -- "offset 0" makes it one look into the partition of the month.
      left join lateral (
        select opens, clicks, last_open_at, last_click_at
        from engagement
        where account_id = d.account_id and campaign_id = d.campaign_id and seq = d.seq and month = d.month
        offset 0
      ) e on true
      where d.account_id = ${account.id}
        and d.contact_id = c.id
        and d.state = ${states.accepted}
        and (d.month >= (date_trunc('month', now() at time zone 'UTC') - interval '12 months')::date or d.month < '0001-01-01')
    ) sent
    order by wanted.place`);
  return rows.map((row) => ({
    id: formatId(row.id),
    email: row.email,
    tags: row.tags,
    merges: row.merges,
    lists: row.lists.map(({ id, status }) => ({ id: formatId(id), status })),
    language: row.language,
    timezone: row.timeZone,
    create_time: formatDate(row.createdAt),
    change_time: formatDate(row.changedAt),
    suppressed: row.suppressed,
    paused_until: formatDate(row.pausedUntil),
    emails: row.emails,
    opened: row.opened,
    clicked: row.clicked,
    last_active: formatDate(row.lastActiveAt),
  }));
}
