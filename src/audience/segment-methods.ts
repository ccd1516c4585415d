// The methods about segments of a list.
import { z } from 'zod';
import { formatDate } from '../api/date.ts';
import { method } from '../api/method.ts';
import { filledText, id, many, params, struct, text, truth, word } from '../api/params.ts';
import type { Context } from '../context.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { Fault } from '../faults.ts';
import { fieldsOf } from './field.ts';
import { needList } from './list.ts';
import { paging } from './list-methods.ts';
import { builtInFields, conditions, type SegmentFilter, segmentCondition, segmentFilter } from './segment.ts';

const match = word('all: every condition must hold; any: one is enough.', ['all', 'any'], {}, { fault: 'SEGMENT_BAD' });
const filter = many(
  'The conditions.',
  struct(
    'A condition.',
    {
      field: filledText(`A merge tag of the list, or one of ${builtInFields.join(', ')}.`, 100),
      condition: word('How the field is compared.', conditions),
      value: text(
        'What it is compared with; several values for isoneof and notoneof are separated by ;',
        2_000,
      ).default(''),
    },
    { fault: 'SEGMENT_BAD', selfFault: 'SEGMENT_BAD' },
  ),
  100,
  { fault: 'SEGMENT_BAD' },
);
const example = [{ field: 'FNAME', condition: 'starts', value: 'A' }];

export const segmentMethods = [
  method({
    name: 'listSegments',
    group: 'segments',
    summary: 'Returns the segments of a list with their present numbers of members.',
    params: params({ id: id('The list.') }),
    returns: z.array(
      z.object({
        id: z.string(),
        web_id: z.int(),
        name: z.string(),
        date_created: z.string(),
        member_count: z.int(),
        match: z.string(),
        filter: segmentFilter,
        auto_update: z.boolean(),
      }),
    ),
    faults: ['LIST_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { id: '{{list}}' } },
    async run(context, given) {
      const list = await needList(context, given.id);
      const rows = await context.tx.rows<Segment & { web_id: number; created_at: Date; auto_update: boolean }>(sql`
        select id, list_id as "listId", web_id, title, match, filter, auto_update, created_at
        from segment
        where account_id = ${context.account.id}
          and list_id = ${list.id}
        order by created_at, id`);
      const records = [];
      for (const row of rows) {
        records.push({
          id: formatId(row.id),
          web_id: row.web_id,
          name: row.title,
          date_created: formatDate(row.created_at),
          member_count: await countMembers(context, row),
          match: row.match,
          filter: row.filter,
          auto_update: row.auto_update,
        });
      }
      return records;
    },
  }),
  method({
    name: 'listSegmentCreate',
    group: 'segments',
    summary: 'Saves a segment of a list and returns its id.',
    params: params({
      list: id('The list.'),
      title: filledText('Name of the segment.', 200),
      match,
      filter,
      auto_update: truth(
        'Whether the segment follows its conditions; it always does here, the word is kept for programs that send it.',
      ).default(true),
    }),
    returns: z.string(),
    faults: ['LIST_UNKNOWN', 'SEGMENT_BAD'],
    scope: 'write',
    example: { params: { list: '{{list}}', title: 'Names with A', match: 'all', filter: example } },
    async run(context, given) {
      const list = await needList(context, given.list, 'list');
      await checkFilter(context, list.id, given.filter);
      const row = await context.tx.row<{ id: number }>(sql`
        insert into segment (account_id, list_id, title, match, filter, auto_update)
        values (${context.account.id}, ${list.id}, ${given.title.trim()}, ${given.match}, ${JSON.stringify(given.filter)}, ${given.auto_update})
        returning id`);
      return formatId(row!.id);
    },
  }),
  method({
    name: 'listSegmentUpdate',
    group: 'segments',
    summary: 'Changes the title, the match or the conditions of a segment.',
    params: params({
      id: id('The segment.'),
      title: filledText('New name.', 200).optional(),
      match: match.optional(),
      filter: filter.optional(),
      auto_update: truth('Whether the segment follows its conditions.').optional(),
    }),
    returns: z.boolean(),
    faults: ['SEGMENT_BAD'],
    scope: 'write',
    example: { params: { id: '{{segment}}', title: 'Renamed' } },
    async run(context, given) {
      const segment = await needSegment(context, given.id);
      if (given.filter) await checkFilter(context, segment.listId, given.filter);
      await context.tx.run(sql`
        update segment
        set title = ${given.title?.trim() ?? segment.title}, match = ${given.match ?? segment.match},
          filter = ${JSON.stringify(given.filter ?? segment.filter)}, auto_update = coalesce(${given.auto_update ?? null}::boolean, auto_update),
          changed_at = now()
        where account_id = ${context.account.id}
          and id = ${segment.id}`);
      return true;
    },
  }),
  method({
    name: 'listSegmentDelete',
    group: 'segments',
    summary: 'Deletes a segment. A draft or scheduled campaign that goes to it must be changed first.',
    params: params({ id: id('The segment.') }),
    returns: z.boolean(),
    faults: ['SEGMENT_BAD', 'STATE_BAD'],
    scope: 'write',
    example: { params: { id: '{{segment}}' } },
    async run(context, given) {
      const { tx, account } = context;
      const segment = await needSegment(context, given.id);
      // Without it the campaign would quietly go to the whole list.
      const user = await tx.row<{ id: number }>(sql`
        select c.id
        from campaign_segment g
        join campaign c on c.account_id = g.account_id and c.id = g.campaign_id
        where g.account_id = ${account.id}
          and g.segment_id = ${segment.id}
          and (c.status <> 'sent' or c.type = 'auto')
        limit 1`);
      if (user)
        throw new Fault(
          'STATE_BAD',
          `id: campaign ${formatId(user.id)} goes to this segment; change or delete it first`,
        );
      await tx.run(sql`delete from campaign_segment where account_id = ${account.id} and segment_id = ${segment.id}`);
      await tx.run(sql`delete from segment where account_id = ${account.id} and id = ${segment.id}`);
      return true;
    },
  }),
  method({
    name: 'listSegmentMembers',
    group: 'segments',
    summary: 'Returns the subscribed members that a segment holds at present.',
    params: params({ id: id('The segment.'), ...paging(100, 15_000) }),
    returns: z.object({ total: z.int(), data: z.array(z.object({ email: z.string(), timestamp: z.string() })) }),
    faults: ['SEGMENT_BAD', 'LIMIT_BAD', 'START_BAD'],
    scope: 'read',
    reads: true,
    example: { params: { id: '{{segment}}' } },
    async run(context, { id: named, start, limit }) {
      const segment = await needSegment(context, named);
      const rows = await context.tx.rows<{ email: string; status_at: Date }>(sql`
        select c.email, s.status_at
        from subscription s
        join contact c on c.account_id = s.account_id and c.id = s.contact_id
        where s.account_id = ${context.account.id}
          and s.list_id = ${segment.listId}
          and s.status = 'subscribed'
          and ${segmentCondition(segment.match, segment.filter)}
        order by s.status_at, s.contact_id
        limit ${limit}
        offset ${start * limit}`);
      return {
        total: await countMembers(context, segment),
        data: rows.map((row) => ({ email: row.email, timestamp: formatDate(row.status_at) })),
      };
    },
  }),
];

type Segment = { id: number; listId: number; title: string; match: 'all' | 'any'; filter: SegmentFilter };

async function needSegment(context: Context, named: string): Promise<Segment> {
  const row = await context.tx.row<Segment>(sql`
    select id, list_id as "listId", title, match, filter
    from segment
    where account_id = ${context.account.id}
      and id = ${parseId(named)}`);
  if (!row) throw new Fault('SEGMENT_BAD', `id: there is no segment "${named.slice(0, 40)}"`);
  return row;
}

async function countMembers(context: Context, segment: Segment): Promise<number> {
  const row = await context.tx.row<{ count: number }>(sql`
    select count(*)::int as count
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where s.account_id = ${context.account.id}
      and s.list_id = ${segment.listId}
      and s.status = 'subscribed'
      and ${segmentCondition(segment.match, segment.filter)}`);
  return row!.count;
}

const timeFields = ['confirm_time', 'signup_time'];
const timeConditions = ['is', 'not', 'isany', 'greater', 'less'];

/** @throws Fault SEGMENT_BAD naming the condition and the reason */
async function checkFilter(context: Context, listId: number, given: SegmentFilter): Promise<void> {
  if (given.length === 0) throw new Fault('SEGMENT_BAD', 'filter has no condition');
  const tags = (await fieldsOf(context, listId)).map((field) => field.tag);
  for (const [i, { field, condition, value }] of given.entries()) {
    const name = field.trim();
    const builtIn = builtInFields.find((one) => one.toLowerCase() === name.toLowerCase());
    if (!builtIn && !tags.includes(name.toUpperCase())) {
      throw new Fault(
        'SEGMENT_BAD',
        `filter.${i}.field: "${name.slice(0, 40)}" is neither a field of the list (${tags.join(', ')}) nor one of ${builtInFields.join(', ')}`,
      );
    }
    if (builtIn && timeFields.includes(builtIn)) {
      if (!timeConditions.includes(condition))
        throw new Fault('SEGMENT_BAD', `filter.${i}.condition: ${builtIn} takes ${timeConditions.join(', ')}`);
      if (condition !== 'isany' && !isTime(value))
        throw new Fault(
          'SEGMENT_BAD',
          `filter.${i}.value: "${value.slice(0, 40)}" is neither YYYY-MM-DD (with HH:MM:SS) nor a number of days such as "30 days"`,
        );
    }
    if (builtIn && ['opened', 'clicked', 'not_opened', 'list'].includes(builtIn) && parseId(value.trim()) < 0) {
      throw new Fault('SEGMENT_BAD', `filter.${i}.value: "${value.slice(0, 40)}" is not an id`);
    }
  }
}

/** A time that PostgreSQL will read as the same, or a number of days. */
function isTime(value: string): boolean {
  if (/^\d{1,5} days?$/i.test(value.trim())) return true;
  const match = /^(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2}:\d{2}))?$/.exec(value.trim());
  if (!match) return false;
  const at = new Date(`${match[1]}T${match[2] ?? '00:00:00'}Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(match[1]!);
}
