// What narrows the contacts of an account: words of the address and of values, a status, and conditions as segments have them. They hold for
// a contact when they hold for at least one of its subscriptions, whatever the list.
import type { Account, Context } from '../../base/context.ts';
import { empty, join, type Sql, sql } from '../../db/connect.ts';
import { peopleWith, personHas, type Word, wordsOf } from '../members/words.ts';
import { fieldsOfAccount } from '../model/field.ts';
import { type Match, type SegmentFilter, usesContact, usesSubscription } from '../model/segment.ts';
import type { Status } from '../model/subscription-status.ts';
import { segmentCondition } from '../segments/condition-sql.ts';
import { withJoins } from '../segments/joins.ts';
import { readFilter } from '../segments/read-filter.ts';
import { checkObjects } from '../segments/references.ts';
import { allowWholeListScan, joinsOf, wholeList } from '../segments/scope.ts';

export type Narrowing = {
  words: readonly Word[];
  status: Status | undefined;
  match: Match;
  filter: SegmentFilter;
};

/** What a caller sends. */
export type NarrowingGiven = {
  query: string;
  status?: Status | undefined;
  match: Match;
  filter: readonly unknown[];
};

/** @throws Fault SEGMENT_INVALID naming the condition */
export async function readNarrowing(context: Context, given: NarrowingGiven): Promise<Narrowing> {
  const { status, match } = given;
  const filter =
    given.filter.length === 0
      ? []
      : readFilter(await fieldsOfAccount(context), given.filter, context.published !== undefined);
  await checkObjects(context, filter);
  return { words: await wordsOf(context.tx, given.query), status, match, filter };
}

export const isNarrowed = ({ words, status, filter }: Narrowing): boolean =>
  words.length > 0 || status !== undefined || filter.length > 0;

/** Whether the subscriptions of a contact decide, as opposed to the contact itself. */
const readsSubscriptions = ({ status, filter }: Narrowing) => status !== undefined || usesSubscription(filter);

/** A contact (alias c) in place of its subscription, for conditions that hold for all of them alike. */
const contactAsSubscription = sql`(select c.account_id, c.id as contact_id) s`;

/** SQL that is true for a contact (alias c) that matches; looks up what it did, for statements that read few contacts. */
export function contactCondition(
  { id: accountId, timeZone: zone }: Pick<Account, 'id' | 'timeZone'>,
  narrowing: Narrowing,
): Sql {
  const { words, status, match, filter } = narrowing;
  const conditions = [sql`true`];
  if (words.length > 0) conditions.push(personHas(accountId, words));
  const condition = filter.length === 0 ? sql`true` : segmentCondition(match, filter, { accountId, zone, few: true });
  if (readsSubscriptions(narrowing))
    // "offset 0" keeps the planner from reading all subscriptions in one scan.
    conditions.push(sql`exists (
      select from subscription s
      where s.account_id = ${accountId}
        and s.contact_id = c.id
        and ${statusIs(status)}
        and ${condition}
      offset 0
    )`);
  else if (filter.length > 0)
    conditions.push(sql`exists (select from ${contactAsSubscription} where ${condition} offset 0)`);
  return join(conditions, ' and ');
}

/** All contacts that match, as the parts of a select: their id, `from` and `where`, and whether each is there once. */
export type Matching = { id: Sql; from: Sql; once: boolean };

/** Up to this many people with the words are looked up first; a million contacts are then read without the others. */
const maxPeople = 20_000;

/** The ids of people who have the words; one more than maxPeople when there are more. */
async function somePeople({ tx, account }: Context, words: readonly Word[]): Promise<number[]> {
  const rows = await tx.rows<{ id: number }>(sql`
    -- Materialized before the limit: otherwise the planner expects to find that many right away.
    with found as materialized (${peopleWith(account.id, words)})
    select id
    from found
    limit ${maxPeople + 1}`);
  return rows.map(({ id }) => id);
}

/** Prepares the transaction to read all contacts. */
export async function allMatching(context: Context, narrowing: Narrowing): Promise<Matching> {
  const { tx, account } = context;
  const { words, status, match, filter } = narrowing;
  await allowWholeListScan(tx);
  const people = words.length === 0 ? undefined : await somePeople(context, words);
  if (people && people.length <= maxPeople)
    return {
      id: sql`c.id`,
      from: sql`
        from contact c
        where c.account_id = ${account.id}
          and c.id = any (${people}::int[])
          and ${contactCondition(account, { ...narrowing, words: [] })}`,
      once: true,
    };
  const scope = await withJoins(
    tx,
    await wholeList(tx, { accountId: account.id, zone: account.timeZone }, filter),
    filter,
  );
  const conditions = [filter.length === 0 ? sql`true` : segmentCondition(match, filter, scope)];
  if (words.length > 0) conditions.push(sql`s.contact_id in (select id from (${peopleWith(account.id, words)}) found)`);
  const condition = join(conditions, ' and ');
  // With a set of lists, the few contacts are those of its subscriptions.
  if (!readsSubscriptions(narrowing) && !tx.narrowing)
    return {
      id: sql`c.id`,
      from: sql`
        from contact c
        cross join lateral ${contactAsSubscription}
        ${joinsOf(scope)}
        where c.account_id = ${account.id}
          and ${condition}`,
      once: true,
    };
  const withContact = usesContact(filter);
  const row = await tx.row<{ lists: number }>(sql`
    select count(*)::int as lists from list where account_id = ${account.id}`);
  return {
    id: sql`s.contact_id`,
    from: sql`
      from subscription s
      ${withContact ? sql`join contact c on c.account_id = s.account_id and c.id = s.contact_id` : empty}
      ${joinsOf(scope)}
      where s.account_id = ${account.id}
        and ${statusIs(status)}
        and ${condition}`,
    once: row!.lists === 1,
  };
}

const statusIs = (status: Status | undefined): Sql => (status === undefined ? sql`true` : sql`s.status = ${status}`);
