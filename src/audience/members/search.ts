// Finds members and contacts by words that are in the address or in values, by status, segment and conditions, with the number of members
// of each status. listMembers filters by status alone.
import type { Context } from '../../base/context.ts';
import { empty, join, type Queries, type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import type { Page } from '../../method/paging.ts';
import { fieldsOf } from '../model/field.ts';
import { needList } from '../model/list.ts';
import { type Match, usesContact, usesTime } from '../model/segment.ts';
import { type Status, statuses } from '../model/subscription-status.ts';
import { membersByStatus } from '../model/tally.ts';
import { segmentCondition } from '../segments/condition-sql.ts';
import { withJoins } from '../segments/joins.ts';
import { readFilter } from '../segments/read-filter.ts';
import { checkObjects } from '../segments/references.ts';
import {
  allowWholeListScan,
  firstMembers,
  joinsOf,
  type OrderedPage,
  readInOrder,
  type SegmentScope,
  wholeList,
} from '../segments/scope.ts';
import { needSegmentOf, type Segment } from '../segments/stored.ts';
import {
  allInAddress,
  inAddressSql,
  indexedPeople,
  inValuesSql,
  isAmongPeople,
  isPart,
  peopleWith,
  type Word,
  wordsOf,
} from './words.ts';

type MemberSearch = {
  list: string;
  query: string;
  status?: Status | undefined;
  segment: string;
  match: Match;
  filter: readonly unknown[];
} & Page;

export async function memberSearch(
  context: Context,
  { list: named, query, status, segment, match, filter, start, limit }: MemberSearch,
) {
  const list = await needList(context, named, 'list');
  const words = await wordsOf(context.tx, query);
  const order = sql`${status === undefined ? sql`s.changed_at` : sql`s.status_at`} desc, s.contact_id`;
  const page = { status, order, start, limit };
  const conditions = await conditionsOf(context, list.id, segment, { match, filter });
  const selection =
    words.length === 0 && !conditions ? allMembers(list.id) : await selectionFor(context, list.id, words, conditions);
  const { counts, rows } = await (selection.few ? readOnce : readAlongIndex)(context, selection, page);
  const counted: readonly Status[] = status === undefined ? statuses : [status];
  return {
    total: counted.reduce((sum, name) => sum + (counts[name] ?? 0), 0),
    counts: Object.fromEntries(statuses.map((name) => [name, counts[name] ?? 0])) as Record<Status, number>,
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
}

type FoundContact = { id: number; email: string; email_key: string; place: number };

/** The contacts looked at one by one, in the order of the answer, before all that match are collected. */
export const lookedAt = { byAddress: 1_000, byValues: 500 };

/** Those that begin with the first word come first, then those that have it later in their address, then the others. */
export async function contactSearch({ tx, account }: Context, { query, limit }: { query: string; limit: number }) {
  const words = await wordsOf(tx, query);
  if (words.length === 0) return [];
  await allowWholeListScan(tx);
  const found = await firstContacts({ tx, account }, words, limit);
  const lists = await tx.rows<{ id: number; lists: number }>(sql`
    select contact_id as id, count(*)::int as lists
    from subscription
    where account_id = ${account.id}
      and contact_id = any (${found.map(({ id }) => id)}::int[])
    group by contact_id`);
  const listsOf = new Map(lists.map((row) => [row.id, row.lists]));
  return found.map(({ id, email }) => ({ id: formatId(id), email, lists: listsOf.get(id) ?? 0 }));
}

/**
 * Words that many people have are found soon in the order of the answer; words that few have are found by the indexes. Which it is
 * shows in the first contacts of that order.
 */
async function firstContacts(
  { tx, account }: Pick<Context, 'tx' | 'account'>,
  words: readonly Word[],
  limit: number,
): Promise<FoundContact[]> {
  const part = words[0]!.inAddress;
  const place = sql`strpos(c.email_key, ${part})`;
  const contact = sql`c.id, c.email, c.email_key`;
  const is = isAmongPeople(account.id, words);
  const inAddress = await tx.rows<FoundContact & { is: boolean }>(sql`
    with ahead as materialized (
      select ${contact}, ${place} as place
      from contact c
      where c.account_id = ${account.id}
        and ${inAddressSql(part)}
      order by place, c.email_key
      limit ${lookedAt.byAddress}
    )
    select ${contact}, c.place, ${is} as is
    from ahead c
    order by c.place, c.email_key`);
  const first = inAddress.filter((row) => row.is).slice(0, limit);
  if (first.length === limit) return first;
  if (inAddress.length === lookedAt.byAddress) return collected(tx, account.id, words, limit);
  // With an @ it is searched for in addresses only.
  if (part.includes('@')) return first;
  const left = limit - first.length;
  const walked = await tx.rows<FoundContact>(sql`
    with ahead as materialized (
      select ${contact}
      from contact c
      where c.account_id = ${account.id}
        and ${place} = 0
      order by c.email_key
      limit ${lookedAt.byValues}
    )
    select ${contact}, 1000 as place
    from ahead c
    where ${is}
    order by c.email_key
    limit ${left}`);
  if (walked.length === left) return [...first, ...walked];
  const branches = indexedPeople(account.id, words);
  if (branches.length === 0) return first;
  const others = await tx.rows<FoundContact>(sql`
    select ${contact}, 1000 as place
    from contact c
    where c.account_id = ${account.id}
      and c.id in (${join(branches, ' union ')})
      and ${place} = 0
    order by c.email_key
    limit ${left}`);
  return [...first, ...others];
}

/** All that match, put in order. */
async function collected(tx: Queries, accountId: number, words: readonly Word[], limit: number) {
  return tx.rows<FoundContact>(sql`
    select c.id, c.email, c.email_key, coalesce(nullif(strpos(c.email_key, ${words[0]!.inAddress}), 0), 1000) as place
    from (${peopleWith(accountId, words)}) found
    join contact c on c.account_id = ${accountId} and c.id = found.id
    order by place, c.email_key
    limit ${limit}`);
}

type MemberRow = {
  id: number;
  email: string;
  status: Status;
  fields: Record<string, string>;
  signup_at: Date;
  status_at: Date;
  changed_at: Date;
};

type SearchResult = { counts: Partial<Record<Status, number>>; rows: MemberRow[] };

const memberColumns = sql`c.id, c.email, s.status, s.fields, s.signup_at, s.status_at, s.changed_at`;

const pageSql = ({ status, order, start, limit }: OrderedPage): Sql =>
  sql`${status === undefined ? sql`true` : sql`s.status = ${status}`} order by ${order} limit ${limit} offset ${start * limit}`;

/** Counts with parallel workers and reads the page along an index: for conditions that many members match. */
async function readAlongIndex(context: Context, selection: Selection, page: OrderedPage): Promise<SearchResult> {
  const { tx, account } = context;
  const { listId, from, where, ahead } = selection;
  const matching = sql`s.account_id = ${account.id} and s.list_id = ${listId} and ${where}`;
  const found = ahead && (await pageAhead(context, { listId, ahead }, page));
  if (ahead && !found) return readOnce(context, selection, page);
  const counts = selection.all
    ? await membersByStatus(tx, account.id, listId)
    : new Map(
        (
          await tx.rows<{ status: Status; count: number }>(sql`
            select s.status, count(*)::int as count
            ${from}
            where ${matching}
            group by s.status`)
        ).map(({ status, count }) => [status, count]),
      );
  // Members before the page are skipped without reading their contacts.
  const rows =
    found ??
    (await tx.rows<MemberRow>(sql`
      select ${memberColumns}
      from (
        select s.contact_id, s.status, s.fields, s.signup_at, s.status_at, s.changed_at
        ${from}
        where ${matching}
          and ${pageSql(page)}
      ) s
      join contact c on c.account_id = ${account.id} and c.id = s.contact_id
      order by ${page.order}`));
  return { counts: Object.fromEntries(counts), rows };
}

/** The page, if it is among the first members in the order of the answer; see membersOf of the segments. */
async function pageAhead(
  { tx, account }: Context,
  { listId, ahead }: { listId: number; ahead: Ahead },
  page: OrderedPage,
): Promise<MemberRow[] | undefined> {
  const first = firstMembers({ accountId: account.id, listId }, page);
  if (!first) return undefined;
  const rows = await readInOrder(tx, () =>
    tx.rows<MemberRow>(sql`
    select ${memberColumns}
    from (
      select s.contact_id, s.status, s.fields, s.signup_at, s.status_at, s.changed_at
      from ${first} s
      ${ahead.joins}
      where ${ahead.where}
      order by ${page.order}
      limit ${page.limit}
      offset ${page.start * page.limit}
    ) s
    join contact c on c.account_id = ${account.id} and c.id = s.contact_id
    order by ${page.order}`),
  );
  return rows.length === page.limit ? rows : undefined;
}

/** Finds the members once, for the counts and the page: for texts and conditions that few members match. */
async function readOnce(
  { tx, account }: Context,
  { listId, from, where }: Selection,
  page: OrderedPage,
): Promise<SearchResult> {
  const rows = await tx.rows<{ counts: SearchResult['counts'] | null } & (MemberRow | { id: null })>(sql`
    with matching as materialized (
      select s.contact_id, s.status, s.status_at, s.changed_at
      ${from}
      where s.account_id = ${account.id}
        and s.list_id = ${listId}
        and ${where}
    )
    select counted.counts, member.*
    from (
      select jsonb_object_agg(status, count) as counts
      from (select status, count(*) as count from matching group by status) by_status
    ) counted
    left join (
      select ${memberColumns}, row_number() over (order by ${page.order}) as place
      from (select s.contact_id from matching s where ${pageSql(page)}) page
      join subscription s on s.account_id = ${account.id} and s.list_id = ${listId} and s.contact_id = page.contact_id
      join contact c on c.account_id = ${account.id} and c.id = page.contact_id
    ) member on true
    order by member.place`);
  return { counts: rows[0]?.counts ?? {}, rows: rows.filter((row): row is typeof row & MemberRow => row.id !== null) };
}

/** Conditions on a few members that are looked at one by one, and what they join. */
type Ahead = { where: Sql; joins: Sql };

type Selection = {
  listId: number;
  from: Sql;
  where: Sql;
  /** Whether few members match. */
  few: boolean;
  /** The same for the first members in the order of the answer, where the page may be among them. */
  ahead?: Ahead | undefined;
  /** Whether there is no condition. */
  all?: true;
};

const allMembers = (listId: number): Selection => ({
  listId,
  from: sql`from subscription s`,
  where: sql`true`,
  few: false,
  all: true,
});

/** Up to this many matching addresses are looked up first; a list of a million is then read without its contacts. */
const maxAddresses = 20_000;

/** The contacts whose address has every word; one more than maxAddresses when there are more. */
async function contactsWith({ tx, account }: Context, words: readonly Word[]): Promise<{ id: number }[]> {
  return tx.rows<{ id: number }>(sql`
    -- Materialized before the limit: otherwise the planner expects to find that many right away.
    with matching as materialized (
      select c.id
      from contact c
      where c.account_id = ${account.id}
        and ${allInAddress(words)}
    )
    select id
    from matching
    limit ${maxAddresses + 1}`);
}

const joinContact = sql`join contact c on c.account_id = s.account_id and c.id = s.contact_id`;

async function selectionFor(
  context: Context,
  listId: number,
  words: readonly Word[],
  conditions: Conditions | undefined,
): Promise<Selection> {
  const contacts = conditions?.usesContact ? joinContact : empty;
  // Times correlate with the order.
  const isAhead = conditions?.usesTime !== true;
  if (words.length === 0 && conditions) {
    const ahead = isAhead ? { where: conditions.whereAhead, joins: contacts } : undefined;
    const from = sql`from subscription s ${contacts} ${conditions.joins}`;
    return { listId, from, where: conditions.where, few: ahead === undefined, ahead };
  }
  await allowWholeListScan(context.tx);
  const each = await Promise.all(words.map((word) => contactsWith(context, [word])));
  const many = each.some((addresses) => addresses.length > maxAddresses);
  const tags = (await fieldsOf(context, listId)).map((field) => field.tag).filter((tag) => tag !== 'EMAIL');
  const has = words.map((word, i) => {
    const { inAddress } = word;
    const addressHas = many
      ? inAddressSql(inAddress)
      : sql`s.contact_id = any (${each[i]!.map((address) => address.id)}::int[])`;
    return isPart(word) || tags.length === 0 ? addressHas : sql`(${addressHas} or ${inValuesSql(tags, word)})`;
  });
  const joins = many ? joinContact : contacts;
  const all = (also: Sql | undefined) => join(also ? [...has, also] : has, ' and ');
  return {
    listId,
    from: sql`from subscription s ${joins} ${conditions?.joins ?? empty}`,
    where: all(conditions?.where),
    few: !isAhead,
    ahead: isAhead ? { where: all(conditions?.whereAhead), joins } : undefined,
  };
}

/** SQL for all members of the list, with joins, and for a few of them. */
type Conditions = { where: Sql; joins: Sql; whereAhead: Sql; usesContact: boolean; usesTime: boolean };

/** Those of a stored segment of the list, and conditions that are not stored. */
async function conditionsOf(
  context: Context,
  listId: number,
  segmentId: string,
  { match, filter }: Pick<MemberSearch, 'match' | 'filter'>,
): Promise<Conditions | undefined> {
  const asked: Pick<Segment, 'match' | 'filter'>[] = [];
  if (segmentId !== '') asked.push(await needSegmentOf(context, listId, segmentId));
  if (filter.length > 0) {
    const read = readFilter(await fieldsOf(context, listId), filter, context.published !== undefined);
    await checkObjects(context, read);
    asked.push({ match, filter: read });
  }
  if (asked.length === 0) return undefined;
  const { tx, account } = context;
  const all = asked.flatMap(({ filter }) => filter);
  const place = { accountId: account.id, listId, zone: account.timeZone };
  const scope = await withJoins(tx, await wholeList(tx, place, all), all);
  const sqlFor = (scope: SegmentScope) =>
    join(
      asked.map(({ match, filter }) => segmentCondition(match, filter, scope)),
      ' and ',
    );
  const where = sqlFor(scope);
  return {
    where,
    joins: joinsOf(scope),
    whereAhead: sqlFor({ ...place, few: true }),
    usesContact: usesContact(all),
    usesTime: usesTime(all),
  };
}
