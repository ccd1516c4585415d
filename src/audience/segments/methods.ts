// The methods about segments of a list.
import { z } from 'zod';
import type { App, Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { empty, join, type Sql, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { anything, filledText, id, many, params, struct, text, truth, word } from '../../method/params.ts';
import { fieldsOf } from '../fields/field.ts';
import { needList } from '../lists/list.ts';
import { paging } from '../lists/methods.ts';
import { readingOf } from './describe.ts';
import { readFilter } from './filter.ts';
import { holdFields, namesFor, needObjects } from './references.ts';
import {
  asksContact,
  asksTime,
  builtInFields,
  conditions,
  joinsOf,
  type SegmentFilter,
  type SegmentPlace,
  segmentCondition,
  wholeList,
  withJoins,
} from './segment.ts';

const match = word(
  'all: every condition must hold; any: one is enough.',
  ['all', 'any'],
  {},
  { fault: 'SEGMENT_INVALID' },
);
const filter = many(
  'The conditions; up to 50, in groups up to four deep.',
  struct(
    'A condition, or a group {match, filter}.',
    {
      field: text(`A merge tag of the list, or one of ${builtInFields.join(', ')}.`, 100).optional(),
      condition: text(`How the field is compared: ${conditions.join(', ')}.`, 40).optional(),
      value: text(
        'What it is compared with. Several values for isoneof and notoneof are separated by ; — times and dates: YYYY-MM-DD, or "30 days" (greater: within them; less: longer ago) — opened, clicked, not_opened, was_sent: the id of a campaign, or "last 5" for any of the latest five to this list — clicked_link: the address of the link — list: the id of another list.',
        2_000,
      ).optional(),
      match: match.optional(),
      filter: many('Of a group: its conditions and groups.', anything('A condition or a group.'), 50, {
        fault: 'SEGMENT_INVALID',
      }).optional(),
    },
    { fault: 'SEGMENT_INVALID', selfFault: 'SEGMENT_INVALID' },
  ),
  50,
  { fault: 'SEGMENT_INVALID' },
);
/** Conditions as they are kept: {field, condition, value} or {match, filter}. */
const keptFilter = z.array(z.record(z.string(), z.unknown()));
const example = [{ field: 'FNAME', condition: 'starts', value: 'A' }];

export const segmentMethods = [
  method({
    name: 'listSegments',
    group: 'segments',
    summary: 'Returns the segments of a list with their present numbers of members.',
    description:
      'The numbers of a list of 100,000 members or more may be half a minute old; segmentPreview counts anew.',
    params: params({ id: id('The list.') }),
    returns: z.array(
      z.object({
        id: z.string(),
        web_id: z.int(),
        name: z.string(),
        date_created: z.string(),
        member_count: z.int(),
        match: z.string(),
        filter: keptFilter,
        auto_update: z.boolean(),
        reading: z
          .string()
          .meta({ description: "The condition in words, in the account's language (English or German)." }),
      }),
    ),
    faults: ['LIST_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { id: '{{list}}' } },
    async run(context, given) {
      const list = await needList(context, given.id);
      const rows = await context.tx.rows<
        Segment & { web_id: number; created_at: Date; auto_update: boolean; version: string }
      >(sql`
        select id, list_id as "listId", web_id, title, match, filter, auto_update, created_at, changed_at::text as version
        from segment
        where account_id = ${context.account.id}
          and list_id = ${list.id}
        order by created_at, id`);
      const { account } = context;
      const names = await namesFor(
        context,
        rows.map((row) => row.filter),
      );
      const members = await countEach(context, list.id, rows);
      const records = [];
      for (const [i, row] of rows.entries()) {
        records.push({
          id: formatId(row.id),
          web_id: row.web_id,
          name: row.title,
          date_created: formatDate(row.created_at),
          member_count: members[i]!,
          match: row.match,
          filter: row.filter,
          auto_update: row.auto_update,
          reading: readingOf(row.match, row.filter, account.language, names),
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
    faults: ['LIST_UNKNOWN', 'SEGMENT_INVALID'],
    scope: 'write',
    example: { params: { list: '{{list}}', title: 'Names with A', match: 'all', filter: example } },
    async run(context, given) {
      const list = await needList(context, given.list, 'list');
      await holdFields(context, list.id);
      const conditionsRead = readFilter(await fieldsOf(context, list.id), given.filter);
      await needObjects(context, conditionsRead);
      const row = await context.tx.row<{ id: number }>(sql`
        insert into segment (account_id, list_id, title, match, filter, auto_update)
        values (${context.account.id}, ${list.id}, ${given.title.trim()}, ${given.match}, ${JSON.stringify(conditionsRead)}, ${given.auto_update})
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
    faults: ['SEGMENT_INVALID'],
    scope: 'write',
    example: { params: { id: '{{segment}}', title: 'Renamed' } },
    async run(context, given) {
      const segment = await needSegment(context, given.id);
      if (given.filter) await holdFields(context, segment.listId);
      const conditionsRead = given.filter && readFilter(await fieldsOf(context, segment.listId), given.filter);
      if (conditionsRead) await needObjects(context, conditionsRead);
      await context.tx.run(sql`
        update segment
        set title = ${given.title?.trim() ?? segment.title}, match = ${given.match ?? segment.match},
          filter = ${JSON.stringify(conditionsRead ?? segment.filter)}, auto_update = coalesce(${given.auto_update ?? null}::boolean, auto_update),
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
    faults: ['SEGMENT_INVALID', 'CAMPAIGN_STATE_CONFLICT'],
    scope: 'write',
    example: { params: { id: '{{segment}}' } },
    async run(context, given) {
      const { tx, account } = context;
      const segment = await needSegment(context, given.id);
      // Without it the campaign would quietly go to the whole list.
      const user = await tx.row<{ id: number }>(sql`
        select c.id
        from (
          select account_id, campaign_id, segment_id from campaign_segment
          union all
          select account_id, campaign_id, target_id from campaign_exclusion where kind = 'segment'
        ) as g
        join campaign c on c.account_id = g.account_id and c.id = g.campaign_id
        where g.account_id = ${account.id}
          and g.segment_id = ${segment.id}
          and (c.status <> 'sent' or c.type = 'auto')
        limit 1`);
      if (user)
        throw new Fault(
          'CAMPAIGN_STATE_CONFLICT',
          `id: campaign ${formatId(user.id)} goes to this segment or leaves it out; change or delete it first`,
        );
      await tx.run(sql`delete from campaign_segment where account_id = ${account.id} and segment_id = ${segment.id}`);
      await tx.run(
        sql`delete from campaign_exclusion where account_id = ${account.id} and kind = 'segment' and target_id = ${segment.id}`,
      );
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
    faults: ['SEGMENT_INVALID', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    reads: true,
    example: { params: { id: '{{segment}}' } },
    async run(context, { id: named, start, limit }) {
      const segment = await needSegment(context, named);
      const total = await countMembers(context, segment);
      const rows = await pageOf(context, segment, total, { order: sql`s.status_at, s.contact_id`, start, limit });
      return { total, data: rows.map((row) => ({ email: row.email, timestamp: formatDate(row.statusAt) })) };
    },
  }),
  method({
    name: 'segmentPreview',
    group: 'segments',
    summary: 'Tells how many members of a list conditions hold at present, and shows ten of them; nothing is saved.',
    params: params({ list: id('The list.'), match: match.default('all'), filter }),
    returns: z.object({
      count: z.int(),
      sample: z.array(z.object({ id: z.string(), email: z.string() })),
      reading: z.string().meta({ description: 'The condition in words.' }),
    }),
    faults: ['LIST_UNKNOWN', 'SEGMENT_INVALID'],
    scope: 'read',
    reads: true,
    example: {
      params: {
        list: '{{list}}',
        filter: [{ match: 'any', filter: [{ field: 'FNAME', condition: 'starts', value: 'G' }, ...example] }],
      },
    },
    async run(context, given) {
      const list = await needList(context, given.list, 'list');
      const read = readFilter(await fieldsOf(context, list.id), given.filter);
      const segment = { listId: list.id, match: given.match, filter: read };
      const count = await countMembers(context, segment);
      const order = sql`s.status_at desc, s.contact_id`;
      const sample = await pageOf(context, segment, count, { order, start: 0, limit: 10 });
      return {
        count,
        sample: sample.map((row) => ({ id: formatId(row.id), email: row.email })),
        reading: readingOf(given.match, read, context.account.language, await namesFor(context, [read])),
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
  if (!row) throw new Fault('SEGMENT_INVALID', `id: there is no segment "${named.slice(0, 40)}"`);
  return row;
}

type Asked = Pick<Segment, 'listId' | 'match' | 'filter'>;

async function countMembers(context: Context, segment: Asked): Promise<number> {
  const place = await wholeAndJoined(context, segment.listId, segment.filter);
  const row = await context.tx.row<{ count: number }>(sql`
    select count(*)::int as count
    ${membersOf(segment, place)}`);
  return row!.count;
}

async function wholeAndJoined({ tx, account }: Context, listId: number, filter: SegmentFilter): Promise<SegmentPlace> {
  return withJoins(tx, await wholeList(tx, { accountId: account.id, listId }, filter), filter);
}

type Stored = Asked & { id: number; version: string };
type Kept = { count: number; until: number };

/** Counts of large lists, which a screen asks for again and again; per process, for a moment. */
const keptCounts = new WeakMap<App, Map<string, Kept>>();
const keptMs = 30_000;
/** Of a list of fewer members nothing is kept: it is counted in a moment. */
const largeList = 100_000;

/** The members of several segments of a list, counted in one pass through it. */
async function countEach(context: Context, listId: number, segments: readonly Stored[]): Promise<number[]> {
  const kept = keptCounts.get(context.app) ?? new Map<string, Kept>();
  keptCounts.set(context.app, kept);
  const now = performance.now();
  for (const [key, { until }] of kept) if (until < now) kept.delete(key);
  const keyOf = (one: Stored) => `${context.account.id} ${one.id} ${one.version}`;
  const missing = segments.filter((one) => !kept.has(keyOf(one)));
  const fresh = new Map<Stored, number>();
  if (missing.length > 0) {
    const all = missing.flatMap((one) => one.filter);
    const place = await wholeAndJoined(context, listId, all);
    const counts = missing.map(
      ({ match, filter }) => sql`count(*) filter (where ${segmentCondition(match, filter, place, false)})`,
    );
    const row = await context.tx.row<{ counts: number[] }>(sql`
      select array[count(*), ${join(counts, ', ')}]::int[] as counts
      ${membersOf({ listId, match: 'all', filter: [] }, place, asksContact(all))}`);
    const [members, ...found] = row!.counts;
    missing.forEach((one, i) => {
      fresh.set(one, found[i]!);
      if (members! >= largeList) kept.set(keyOf(one), { count: found[i]!, until: now + keptMs });
    });
  }
  return segments.map((one) => fresh.get(one) ?? kept.get(keyOf(one))!.count);
}

function membersOf(
  { match, filter }: Asked,
  place: SegmentPlace,
  withContact = asksContact(filter),
  subscriptions = sql`subscription`,
): Sql {
  // The join with a million contacts takes as long as the rest; only some conditions need it.
  const held = segmentCondition(match, filter, place);
  const contact = withContact ? sql`join contact c on c.account_id = s.account_id and c.id = s.contact_id` : empty;
  return sql`
    from ${subscriptions} s
    ${contact}
    ${joinsOf(place)}
    where s.account_id = ${place.accountId}
      and s.list_id = ${place.listId}
      and s.status = 'subscribed'
      and ${held}`;
}

/**
 * The part of a list up to which members are met one after the other in the order that is shown, a few microseconds each.
 * Beyond it all workers together find everybody sooner.
 */
const walkedPart = 0.1;

/**
 * A page of a segment of `total` members. The planner knows neither how many members a condition holds nor that those
 * who came lately stand at one end of the order; both decide whether to walk along the order or to find all and sort.
 */
async function pageOf(
  context: Context,
  segment: Asked,
  total: number,
  page: { order: Sql; start: number; limit: number },
) {
  if (total === 0) return [];
  const { tx, account } = context;
  const plain = { accountId: account.id, listId: segment.listId };
  const findAll = ((page.start + 1) * page.limit) / total > walkedPart || asksTime(segment.filter);
  const place = findAll ? await wholeList(tx, plain, segment.filter) : { ...plain, few: true };
  // It takes a condition to hold so few that it would rather find and sort them, and cannot see through `offset 0`.
  if (!findAll)
    await tx.run(sql`
      select set_config(name, 'off', true)
      from unnest(array['enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'enable_hashjoin', 'enable_mergejoin']) as name`);
  const inOrder = sql`(
        select account_id, list_id, contact_id, status, email_type, fields, source, confirm_at, signup_at, status_at, changed_at
        from subscription s
        where account_id = ${account.id}
          and list_id = ${segment.listId}
          and status = 'subscribed'
        order by ${page.order}
        offset 0
      )`;
  const held = findAll
    ? sql`with s as materialized (select s.contact_id, s.status_at ${membersOf(segment, place)})`
    : empty;
  return tx.rows<{ id: number; email: string; statusAt: Date }>(sql`
    ${held}
    select c.id, c.email, s.status_at as "statusAt"
    from (
      select s.contact_id, s.status_at
      ${findAll ? sql`from s` : membersOf(segment, place, undefined, inOrder)}
      order by ${page.order}
      limit ${page.limit}
      offset ${page.start * page.limit}
    ) s
    join contact c on c.account_id = ${account.id} and c.id = s.contact_id
    order by ${page.order}`);
}
