// What narrows the contacts of an account: part of the address, a status, and conditions as segments have them. They hold for
// a contact when they hold for at least one of its subscriptions, whatever the list.
import type { Context } from '../../base/context.ts';
import { empty, join, type Sql, sql } from '../../db/connect.ts';
import { fieldsOfAccount } from '../fields/field.ts';
import { contactsWith, maxAddresses, type Status } from '../members/search.ts';
import { segmentCondition } from '../segments/condition-sql.ts';
import { readFilter } from '../segments/read-filter.ts';
import { checkObjects } from '../segments/references.ts';
import { allowWholeListScan, joinsOf, wholeList, withJoins } from '../segments/scope.ts';
import { type SegmentFilter, usesContact } from '../segments/segment.ts';

export type Narrowing = { part: string; status: Status | undefined; match: 'all' | 'any'; filter: SegmentFilter };

/** What a caller sends. */
export type NarrowingGiven = {
  query: string;
  status?: Status | undefined;
  match: 'all' | 'any';
  filter: readonly unknown[];
};

/** @throws Fault SEGMENT_INVALID naming the condition */
export async function readNarrowing(context: Context, given: NarrowingGiven): Promise<Narrowing> {
  const { status, match } = given;
  const filter = given.filter.length === 0 ? [] : readFilter(await fieldsOfAccount(context), given.filter);
  await checkObjects(context, filter);
  return { part: given.query.trim().toLowerCase(), status, match, filter };
}

export const isNarrowed = ({ part, status, filter }: Narrowing): boolean =>
  part !== '' || status !== undefined || filter.length > 0;

/** SQL that is true for a contact (alias c) that matches; looks up what it did, for statements that read few contacts. */
export function contactCondition(accountId: number, { part, status, match, filter }: Narrowing): Sql {
  const conditions = [sql`true`];
  if (part !== '') conditions.push(sql`strpos(c.email_key, ${part}) > 0`);
  if (status !== undefined || filter.length > 0)
    // "offset 0" keeps the planner from reading all subscriptions at once.
    conditions.push(sql`exists (
      select from subscription s
      where s.account_id = ${accountId}
        and s.contact_id = c.id
        and ${statusIs(status)}
        and ${segmentCondition(match === 'any' && filter.length === 0 ? 'all' : match, filter, { accountId, few: true })}
      offset 0
    )`);
  return join(conditions, ' and ');
}

/** A select of the ids of all contacts that match, each once; prepares the transaction to read all of them. */
export async function allMatching(context: Context, narrowing: Narrowing): Promise<Sql> {
  const { tx, account } = context;
  const { part, status, match, filter } = narrowing;
  await allowWholeListScan(tx);
  const addresses = part === '' ? undefined : (await contactsWith(context, part)).map(({ id }) => id);
  const few = addresses !== undefined && addresses.length <= maxAddresses;
  if ((status === undefined && filter.length === 0) || few)
    return sql`
      select c.id
      from contact c
      where c.account_id = ${account.id}
        and ${few ? sql`c.id = any (${addresses}::int[])` : sql`true`}
        and ${contactCondition(account.id, narrowing)}`;
  const plain = await wholeList(tx, { accountId: account.id }, filter);
  const scope = await withJoins(tx, plain, filter);
  const condition = filter.length === 0 ? sql`true` : segmentCondition(match, filter, scope);
  const withContact = part !== '' || usesContact(filter);
  // On one list every contact is found once.
  const [{ several } = { several: true }] = await tx.rows<{ several: boolean }>(sql`
    select count(*) > 1 as several from list where account_id = ${account.id}`);
  return sql`
    select ${several ? sql`distinct` : empty} s.contact_id as id
    from subscription s
    ${withContact ? sql`join contact c on c.account_id = s.account_id and c.id = s.contact_id` : empty}
    ${joinsOf(scope)}
    where s.account_id = ${account.id}
      and ${statusIs(status)}
      and ${part === '' ? sql`true` : sql`strpos(c.email_key, ${part}) > 0`}
      and ${condition}`;
}

const statusIs = (status: Status | undefined): Sql => (status === undefined ? sql`true` : sql`s.status = ${status}`);
