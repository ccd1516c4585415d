// Members and contacts as a person looks for them: by any part of the address or of a value, by state and segment, with
// how many there are in each state. listMembers() answers by status alone, as the specification has it.
import { z } from 'zod';
import { formatDate } from '../api/date.ts';
import { method } from '../api/method.ts';
import { id, params, text, whole, word } from '../api/params.ts';
import type { Context } from '../context.ts';
import { join, type Sql, sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { Fault } from '../faults.ts';
import { needList } from './list.ts';
import { paging } from './list-methods.ts';
import { type SegmentFilter, segmentCondition } from './segment.ts';

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
    faults: ['LIST_UNKNOWN', 'SEGMENT_BAD', 'START_BAD', 'LIMIT_BAD'],
    scope: 'read',
    reads: true,
    example: { params: { list: '{{list}}', query: 'gra', status: 'subscribed', limit: 5 } },
    async run(context, { list: named, query, status, segment, start, limit }) {
      const { tx, account } = context;
      const list = await needList(context, named, 'list');
      const part = query.trim();
      const where = join(
        [
          sql`s.account_id = ${account.id} and s.list_id = ${list.id}`,
          ...(part === '' ? [] : [holds(part)]),
          ...(segment === '' ? [] : [await segmentOf(context, list.id, segment)]),
        ],
        ' and ',
      );
      // Counting a million members takes three times as long with their contacts, which only some questions need.
      const contact =
        part === '' && segment === ''
          ? sql``
          : sql`join contact c on c.account_id = s.account_id and c.id = s.contact_id`;
      const counted = await tx.rows<{ status: State; count: number }>(sql`
        select s.status, count(*)::int as count
        from subscription s
        ${contact}
        where ${where}
        group by s.status`);
      const counts = Object.fromEntries(states.map((one) => [one, 0])) as Record<State, number>;
      for (const one of counted) counts[one.status] = one.count;
      const rows = await tx.rows<Member>(sql`
        select c.id, c.email, s.status, s.fields, s.signup_at, s.status_at, s.changed_at
        from subscription s
        join contact c on c.account_id = s.account_id and c.id = s.contact_id
        where ${where}
          ${status === undefined ? sql`` : sql`and s.status = ${status}`}
        order by ${status === undefined ? sql`s.changed_at` : sql`s.status_at`} desc, s.contact_id
        limit ${limit}
        offset ${start * limit}`);
      const chosen: readonly State[] = status === undefined ? states : [status];
      return {
        total: chosen.reduce((sum, one) => sum + counts[one], 0),
        counts,
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
      limit: whole('How many, 1 to 100.', 1, 100, { fault: 'LIMIT_BAD' }).default(10),
    }),
    returns: z.array(z.object({ id: z.string(), email: z.string(), lists: z.int() })),
    faults: ['LIMIT_BAD'],
    scope: 'read',
    reads: true,
    example: { params: { query: 'grace', limit: 5 } },
    async run({ tx, account }, { query, limit }) {
      const part = query.trim().toLowerCase();
      if (part === '') return [];
      const rows = await tx.rows<{ id: number; email: string; lists: number }>(sql`
        select c.id, c.email,
          (select count(*)::int from subscription s where s.account_id = c.account_id and s.contact_id = c.id) as lists
        from contact c
        where c.account_id = ${account.id}
          and strpos(c.email_key, ${part}) > 0
        order by strpos(c.email_key, ${part}), c.email_key
        limit ${limit}`);
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

function holds(part: string): Sql {
  const wanted = part.toLowerCase();
  const inAddress = sql`strpos(c.email_key, ${wanted}) > 0`;
  if (wanted.includes('@')) return inAddress;
  return sql`(${inAddress} or exists (
    select from jsonb_each_text(s.fields) as held
    where strpos(lower(held.value), ${wanted}) > 0
  ))`;
}

async function segmentOf({ tx, account }: Context, listId: number, named: string): Promise<Sql> {
  const row = await tx.row<{ match: 'all' | 'any'; filter: SegmentFilter }>(sql`
    select match, filter
    from segment
    where account_id = ${account.id}
      and list_id = ${listId}
      and id = ${parseId(named)}`);
  if (!row) throw new Fault('SEGMENT_BAD', `segment: there is no segment "${named.slice(0, 40)}" of this list`);
  return segmentCondition(row.match, row.filter, { accountId: account.id, listId });
}
