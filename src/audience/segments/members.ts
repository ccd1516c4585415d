// The members of a segment: counting them and reading a page, fast also on lists of a million members.
import type { App, Context } from '../../base/context.ts';
import { empty, join, type Sql, sql } from '../../db/connect.ts';
import type { Page } from '../../method/paging.ts';
import { type SegmentFilter, usesActions, usesContact, usesTime } from '../model/segment.ts';
import { segmentCondition } from './condition-sql.ts';
import { countInWords } from './count-in-words.ts';
import { withJoins } from './joins.ts';
import { joinsOf, type SegmentScope, wholeList } from './scope.ts';
import type { Segment } from './stored.ts';

export type SegmentConditions = Pick<Segment, 'listId' | 'match' | 'filter'>;

export async function countMembers(context: Context, segment: SegmentConditions): Promise<number> {
  const scope = await wholeListScope(context, segment.listId, segment.filter);
  const counted =
    countInWords(segment, scope) ??
    sql`
      select count(*)::int as count
      ${membersFrom(segment, scope)}`;
  const row = await context.tx.row<{ count: number }>(counted);
  return row!.count;
}

/** How many members more would match if their opens and clicks were recorded. */
export async function countUntracked(
  { tx, account }: Context,
  { listId, match, filter }: SegmentConditions,
): Promise<number> {
  if (!usesActions(filter)) return 0;
  const scope = { accountId: account.id, listId, zone: account.timeZone, few: true };
  const row = await tx.row<{ count: number }>(sql`
    select count(*)::int as count
    from contact c
    join subscription s on s.account_id = c.account_id and s.contact_id = c.id and s.list_id = ${listId} and s.status = 'subscribed'
    where c.account_id = ${account.id}
      and c.untracked
      and ${segmentCondition(match, filter, { ...scope, withUntracked: true })}
      and not ${segmentCondition(match, filter, scope)}`);
  return row!.count;
}

async function wholeListScope({ tx, account }: Context, listId: number, filter: SegmentFilter): Promise<SegmentScope> {
  return withJoins(tx, await wholeList(tx, { accountId: account.id, listId, zone: account.timeZone }, filter), filter);
}

type VersionedSegment = SegmentConditions & { id: number; version: string };
type CachedCount = { count: number; expiresAt: number };

/** Counts on large lists, which a screen requests again and again; cached per process, for a short time. */
const cachedCounts = new WeakMap<App, Map<string, CachedCount>>();
const cacheMs = 30_000;
/** Smaller lists are not cached: counting them takes milliseconds. */
const largeList = 100_000;

/** Counts the members of several segments of a list, in one pass through it. */
export async function countEach(
  context: Context,
  listId: number,
  segments: readonly VersionedSegment[],
): Promise<number[]> {
  const cached = cachedCounts.get(context.app) ?? new Map<string, CachedCount>();
  cachedCounts.set(context.app, cached);
  const now = performance.now();
  for (const [key, { expiresAt }] of cached) if (expiresAt < now) cached.delete(key);
  const keyOf = (segment: VersionedSegment) => `${context.account.id} ${segment.id} ${segment.version}`;
  const missing = segments.filter((segment) => !cached.has(keyOf(segment)));
  const fresh = new Map<VersionedSegment, number>();
  if (missing.length > 0) {
    const filters = missing.flatMap((segment) => segment.filter);
    const scope = await wholeListScope(context, listId, filters);
    const counts = missing.map(
      ({ match, filter }) => sql`count(*) filter (where ${segmentCondition(match, filter, scope, false)})`,
    );
    const row = await context.tx.row<{ counts: number[] }>(sql`
      select array[count(*), ${join(counts, ', ')}]::int[] as counts
      ${membersFrom({ listId, match: 'all', filter: [] }, scope, usesContact(filters))}`);
    const [listMembers, ...segmentMembers] = row!.counts;
    missing.forEach((segment, i) => {
      const count = segmentMembers[i]!;
      fresh.set(segment, count);
      if (listMembers! >= largeList) cached.set(keyOf(segment), { count, expiresAt: now + cacheMs });
    });
  }
  return segments.map((segment) => fresh.get(segment) ?? cached.get(keyOf(segment))!.count);
}

/** The `from` and `where` of a statement about the members of a segment. */
function membersFrom(
  { match, filter }: SegmentConditions,
  scope: SegmentScope,
  withContact = usesContact(filter),
  subscriptions = sql`subscription`,
): Sql {
  const condition = segmentCondition(match, filter, scope);
  // The join with a million contacts takes as long as the rest; only some conditions need it.
  const contact = withContact ? sql`join contact c on c.account_id = s.account_id and c.id = s.contact_id` : empty;
  return sql`
    from ${subscriptions} s
    ${contact}
    ${joinsOf(scope)}
    where s.account_id = ${scope.accountId}
      and s.list_id = ${scope.listId}
      and s.status = 'subscribed'
      and ${condition}`;
}

/**
 * Up to this share of a list, members are read one after the other in the order shown, a few microseconds each. Beyond
 * it, finding all members with parallel workers is faster.
 */
const maxWalkedShare = 0.1;

/**
 * A page of a segment of `total` members. The planner knows neither how many members match a condition nor that recent
 * members are at one end of the order; both decide whether to walk along the order or to find all and sort.
 */
export async function pageOf(context: Context, segment: SegmentConditions, total: number, page: { order: Sql } & Page) {
  if (total === 0) return [];
  const { tx, account } = context;
  const plain = { accountId: account.id, listId: segment.listId, zone: account.timeZone };
  const findAll = ((page.start + 1) * page.limit) / total > maxWalkedShare || usesTime(segment.filter);
  const scope = findAll ? await wholeListScope(context, segment.listId, segment.filter) : { ...plain, few: true };
  // The planner expects so few matches that it would find and sort them all; it cannot see through `offset 0`.
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
  const allMembers = findAll
    ? sql`with s as materialized (select s.contact_id, s.status_at ${membersFrom(segment, scope)})`
    : empty;
  return tx.rows<{ id: number; email: string; statusAt: Date }>(sql`
    ${allMembers}
    select c.id, c.email, s.status_at as "statusAt"
    from (
      select s.contact_id, s.status_at
      ${findAll ? sql`from s` : membersFrom(segment, scope, undefined, inOrder)}
      order by ${page.order}
      limit ${page.limit}
      offset ${page.start * page.limit}
    ) s
    join contact c on c.account_id = ${account.id} and c.id = s.contact_id
    order by ${page.order}`);
}
