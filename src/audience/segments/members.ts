// The members of a segment: counting them and reading a page, fast also on lists of a million members.
import type { App, Context } from '../../base/context.ts';
import { empty, join, type Sql, sql } from '../../db/connect.ts';
import { type SegmentFilter, usesActions, usesContact, usesTime } from '../model/segment.ts';
import { segmentCondition } from './condition-sql.ts';
import { countInWords } from './count-in-words.ts';
import { withJoins } from './joins.ts';
import { firstMembers, joinsOf, type OrderedPage, readInOrder, type SegmentScope, wholeList } from './scope.ts';
import type { Segment } from './stored.ts';

export type SegmentConditions = Pick<Segment, 'listId' | 'match' | 'filter'>;

async function countMembers(context: Context, segment: SegmentConditions): Promise<number> {
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

type MemberRow = { id: number; email: string; statusAt: Date };
/** `order`: SQL on contact_id and status_at of the alias s. */
type SubscribedPage = Omit<OrderedPage, 'status'>;

/**
 * Reads a page of a segment and counts its members. The planner knows neither how many members match a condition nor that recent
 * members are at one end of the order. So a few are read in the order shown: a page of a segment that many match is among them, and
 * of one that few match all are collected, which counts them too.
 */
export async function membersOf(
  context: Context,
  segment: SegmentConditions,
  page: SubscribedPage,
): Promise<{ total: number; rows: MemberRow[] }> {
  // Times correlate with the order.
  const rows = usesTime(segment.filter) ? undefined : await pageAhead(context, segment, page);
  return rows ? { total: await countMembers(context, segment), rows } : collect(context, segment, page);
}

/** The page, if it is full without going far along the order. */
async function pageAhead(
  { tx, account }: Context,
  segment: SegmentConditions,
  { order, start, limit }: SubscribedPage,
): Promise<MemberRow[] | undefined> {
  const scope = { accountId: account.id, listId: segment.listId, zone: account.timeZone, few: true };
  const first = firstMembers(scope, { status: 'subscribed', order, start, limit });
  if (!first) return undefined;
  const rows = await readInOrder(tx, () =>
    tx.rows<MemberRow>(sql`
    select c.id, c.email, s.status_at as "statusAt"
    from (
      select s.contact_id, s.status_at
      ${membersFrom(segment, scope, undefined, first)}
      order by ${order}
      limit ${limit}
      offset ${start * limit}
    ) s
    join contact c on c.account_id = ${account.id} and c.id = s.contact_id
    order by ${order}`),
  );
  return rows.length === limit ? rows : undefined;
}

/** Finds all members by parallel workers. */
async function collect(context: Context, segment: SegmentConditions, { order, start, limit }: SubscribedPage) {
  const { tx, account } = context;
  const scope = await wholeListScope(context, segment.listId, segment.filter);
  const found = await tx.rows<{ total: number } & (MemberRow | { id: null })>(sql`
    with member as materialized (select s.contact_id, s.status_at ${membersFrom(segment, scope)})
    select counted.total, c.id, c.email, s.status_at as "statusAt"
    from (select count(*)::int as total from member) counted
    left join (
      select s.contact_id, s.status_at
      from member s
      order by ${order}
      limit ${limit}
      offset ${start * limit}
    ) s on true
    left join contact c on c.account_id = ${account.id} and c.id = s.contact_id
    order by ${order}`);
  const rows = found.filter((row): row is typeof row & MemberRow => row.id !== null);
  return { total: found[0]!.total, rows };
}
