// Members and contacts as a person looks for them: by any part of the address or of a value, by state and segment, with
// how many there are in each state. listMembers() answers by status alone, as the specification has it.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { join, type Sql, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { id, params, text, whole, word } from '../../method/params.ts';
import { fieldsOf } from '../fields/field.ts';
import { needList } from '../lists/list.ts';
import { paging } from '../lists/methods.ts';
import {
  asksContact,
  askWhole,
  loweredFor,
  type SegmentFilter,
  segmentCondition,
  wholeList,
} from '../segments/segment.ts';
import { membersByState } from './tally.ts';

const states = ['subscribed', 'pending', 'unsubscribed', 'inactive', 'bounced'] as const;
type State = (typeof states)[number];

export const searchMethods = [
  method({
    name: 'memberSearch',
    group: 'members',
    summary:
      'Returns the members of a list whose address or values hold a text, last change first, and how many are in each state.',
    description:
      'total counts what fits the text, the segment and the status; counts holds, for each status, what fits the text and the segment. Case does not matter. A text with an @ is looked for in addresses only.',
    params: params({
      list: id('The list.'),
      query: text('Part of the address or of a value; all members when empty.', 200).default(''),
      status: word('Only members of this status.', states).optional(),
      segment: text('Only members that fit this segment of the list.', 100).default(''),
      ...paging(25, 1_000),
    }),
    returns: z.object({
      total: z.int(),
      counts: z.object(Object.fromEntries(states.map((state) => [state, z.int()])) as Record<State, z.ZodInt>),
      data: z.array(
        z.object({
          id: z.string(),
          email: z.string(),
          status: z.string(),
          merges: z.record(z.string(), z.string()),
          signup_time: z.string(),
          status_time: z.string(),
          change_time: z.string(),
        }),
      ),
    }),
    faults: ['LIST_UNKNOWN', 'SEGMENT_INVALID', 'START_OUT_OF_RANGE', 'LIMIT_OUT_OF_RANGE'],
    scope: 'read',
    reads: true,
    example: { params: { list: '{{list}}', query: 'gra', status: 'subscribed', limit: 5 } },
    async run(context, { list: named, query, status, segment, start, limit }) {
      const list = await needList(context, named, 'list');
      const part = query.trim().toLowerCase();
      const order = sql`${status === undefined ? sql`s.changed_at` : sql`s.status_at`} desc, s.contact_id`;
      const ofStatus = status === undefined ? sql`true` : sql`s.status = ${status}`;
      const page = sql`${ofStatus} order by ${order} limit ${limit} offset ${start * limit}`;
      const asked =
        part === '' && segment === '' ? everyone(list.id) : await selection(context, list.id, part, segment);
      const { counts, rows } = await (asked.few ? foundOnce : walked)(context, asked, page, order);
      const chosen: readonly State[] = status === undefined ? states : [status];
      return {
        total: chosen.reduce((sum, one) => sum + (counts[one] ?? 0), 0),
        counts: Object.fromEntries(states.map((one) => [one, counts[one] ?? 0])) as Record<State, number>,
        data: rows.map((row) => ({
          id: formatId(row.id),
          email: row.email,
          status: row.status,
          merges: row.fields,
          signup_time: formatDate(row.signup_at),
          status_time: formatDate(row.status_at),
          change_time: formatDate(row.changed_at),
        })),
      };
    },
  }),
  method({
    name: 'contactSearch',
    group: 'members',
    summary: 'Returns contacts of the account whose address holds a text, those that begin with it first.',
    params: params({
      query: text('Part of the address.', 200),
      limit: whole('How many, 1 to 100.', 1, 100, { fault: 'LIMIT_OUT_OF_RANGE' }).default(10),
    }),
    returns: z.array(z.object({ id: z.string(), email: z.string(), lists: z.int() })),
    faults: ['LIMIT_OUT_OF_RANGE'],
    scope: 'read',
    reads: true,
    example: { params: { query: 'grace', limit: 5 } },
    async run({ tx, account }, { query, limit }) {
      const part = query.trim().toLowerCase();
      if (part === '') return [];
      const rows = await tx.rows<{ id: number; email: string; lists: number }>(sql`
        select c.id, c.email,
          (select count(*)::int from subscription s where s.account_id = ${account.id} and s.contact_id = c.id) as lists
        from (
          select id, email, email_key, strpos(email_key, ${part}) as place
          from contact
          where account_id = ${account.id}
            and strpos(email_key, ${part}) > 0
          order by place, email_key
          limit ${limit}
        ) c
        order by c.place, c.email_key`);
      return rows.map((row) => ({ ...row, id: formatId(row.id) }));
    },
  }),
];

type Member = {
  id: number;
  email: string;
  status: string;
  fields: Record<string, string>;
  signup_at: Date;
  status_at: Date;
  changed_at: Date;
};

type Found = { counts: Partial<Record<State, number>>; rows: Member[] };

const memberColumns = sql`c.id, c.email, s.status, s.fields, s.signup_at, s.status_at, s.changed_at`;

/** Counted by workers, and a page by walking along an index: for conditions that many members fit. */
async function walked({ tx, account }: Context, asked: Selection, page: Sql, order: Sql): Promise<Found> {
  const { listId, from, where } = asked;
  const of = sql`s.account_id = ${account.id} and s.list_id = ${listId} and ${where}`;
  const counted = asked.all
    ? await membersByState(tx, account.id, listId)
    : new Map(
        (
          await tx.rows<{ status: State; count: number }>(sql`
            select s.status, count(*)::int as count
            ${from}
            where ${of}
            group by s.status`)
        ).map(({ status, count }) => [status, count]),
      );
  // Those before the page are passed over without their contacts.
  const rows = await tx.rows<Member>(sql`
    select ${memberColumns}
    from (
      select s.contact_id, s.status, s.fields, s.signup_at, s.status_at, s.changed_at
      ${from}
      where ${of}
        and ${page}
    ) s
    join contact c on c.account_id = ${account.id} and c.id = s.contact_id
    order by ${order}`);
  return { counts: Object.fromEntries(counted), rows };
}

/** Found once for the counts and the page: for texts, which few members hold. */
async function foundOnce(
  { tx, account }: Context,
  { listId, from, where }: Selection,
  page: Sql,
  order: Sql,
): Promise<Found> {
  const rows = await tx.rows<{ counts: Found['counts'] | null } & (Member | { id: null })>(sql`
    with held as materialized (
      select s.contact_id, s.status, s.status_at, s.changed_at
      ${from}
      where s.account_id = ${account.id}
        and s.list_id = ${listId}
        and ${where}
    )
    select counted.counts, found.*
    from (
      select jsonb_object_agg(status, count) as counts
      from (select status, count(*) as count from held group by status) by_status
    ) counted
    left join (
      select ${memberColumns}, row_number() over (order by ${order}) as place
      from (select s.contact_id from held s where ${page}) page
      join subscription s on s.account_id = ${account.id} and s.list_id = ${listId} and s.contact_id = page.contact_id
      join contact c on c.account_id = ${account.id} and c.id = page.contact_id
    ) found on true
    order by found.place`);
  return { counts: rows[0]?.counts ?? {}, rows: rows.filter((row): row is typeof row & Member => row.id !== null) };
}

type Selection = { listId: number; from: Sql; where: Sql; few: boolean; all?: true };

const everyone = (listId: number): Selection => ({
  listId,
  from: sql`from subscription s`,
  where: sql`true`,
  few: false,
  all: true,
});

/** Addresses that hold the text, up to so many, are looked up beforehand: a list of a million is then read without its contacts. */
const maxFound = 20_000;

async function selection(context: Context, listId: number, part: string, segment: string): Promise<Selection> {
  const { tx, account } = context;
  const alone = sql`from subscription s`;
  const withContact = sql`from subscription s join contact c on c.account_id = s.account_id and c.id = s.contact_id`;
  const chosen = segment === '' ? undefined : await segmentOf(context, listId, segment);
  const conditions = chosen ? [chosen.condition] : [];
  if (part === '')
    return { listId, from: chosen?.contact ? withContact : alone, where: join(conditions, ' and '), few: false };
  await askWhole(tx);
  // No address holds white space.
  const addresses = /\s/.test(part)
    ? []
    : await tx.rows<{ id: number }>(sql`
        -- Found before they are limited: the planner would otherwise hope to find so many at once, by itself.
        with found as materialized (
          select id
          from contact
          where account_id = ${account.id}
            and strpos(email_key, ${part}) > 0
        )
        select id
        from found
        limit ${maxFound + 1}`);
  const many = addresses.length > maxFound;
  const inAddress = many
    ? sql`strpos(c.email_key, ${part}) > 0`
    : sql`s.contact_id = any (${addresses.map((one) => one.id)}::int[])`;
  const where = part.includes('@') ? inAddress : sql`(${inAddress} or ${await valueHolds(context, listId, part)})`;
  return {
    listId,
    from: many || chosen?.contact ? withContact : alone,
    where: join([where, ...conditions], ' and '),
    few: !many,
  };
}

/** Whether one of the values of s holds the text; put together and turned to lower case once, not each by itself. */
async function valueHolds(context: Context, listId: number, part: string): Promise<Sql> {
  const tags = (await fieldsOf(context, listId)).map((field) => field.tag).filter((tag) => tag !== 'EMAIL');
  if (tags.length === 0) return sql`false`;
  // A sign that no text field takes keeps a value from running into the next.
  const values = sql`(${join(
    tags.map((tag) => sql`coalesce(s.fields ->> ${tag}, '')`),
    ' || chr(1) || ',
  )})`;
  return sql`strpos(${loweredFor(part, values)}, ${part}) > 0`;
}

/** A stored segment of the list. */
async function segmentOf(
  { tx, account }: Context,
  listId: number,
  named: string,
): Promise<{ condition: Sql; contact: boolean }> {
  const row = await tx.row<{ match: 'all' | 'any'; filter: SegmentFilter }>(sql`
    select match, filter
    from segment
    where account_id = ${account.id}
      and list_id = ${listId}
      and id = ${parseId(named)}`);
  if (!row) throw new Fault('SEGMENT_INVALID', `segment: there is no segment "${named.slice(0, 40)}" of this list`);
  const place = await wholeList(tx, { accountId: account.id, listId }, row.filter);
  return { condition: segmentCondition(row.match, row.filter, place), contact: asksContact(row.filter) };
}
