// The set of lists of a person or a key: what a caller chooses, how it is stored and shown, and the program as a caller with a set sees it.
import { z } from 'zod';
import type { App, Caller } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import type { Role } from '../../base/permissions.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { arrayOf, boolean, id } from '../../method/params.ts';

/** The program, with a database that has no more than the caller's lists and what is theirs (src/db/narrowed). */
export function asSeenBy(app: App, caller: Caller): App {
  if (caller.lists === null) return app;
  const name = caller.kind === 'key' ? `key ${caller.keyId}` : caller.kind === 'user' ? `user ${caller.userId}` : '';
  return { ...app, db: app.db.narrowedTo({ lists: caller.lists, caller: name }) };
}

/** More lists are given as all. */
const maxLists = 1_000;

export const listsOption = {
  lists: arrayOf(
    'The only lists that may be seen and used; an empty array is no list. What is not about a list is then refused.',
    id('A list.'),
    maxLists,
  ).optional(),
  all_lists: boolean('true: all lists, also those to come.').optional(),
};

export const listsRecord = {
  all_lists: z.boolean().meta({ description: 'Whether it is limited to no lists.' }),
  lists: z.array(z.string()).meta({ description: 'The only lists that it may see and use, unless all_lists.' }),
};

export type ListsGiven = { lists?: readonly string[] | undefined; all_lists?: boolean | undefined };

/**
 * The set that a caller asks for: null for all lists, undefined when nothing is said about them. The lists stay until the transaction ends.
 * @throws Fault LIST_UNKNOWN, INVALID_PARAMETER
 */
export async function readLists(
  tx: Tx,
  accountId: number,
  { lists, all_lists }: ListsGiven,
): Promise<number[] | null | undefined> {
  if (all_lists === true && lists !== undefined)
    throw fault('INVALID_PARAMETER', 'lists.all_and_some', { member: 'all_lists' });
  if (all_lists === true) return null;
  if (lists === undefined) {
    if (all_lists === false) throw fault('INVALID_PARAMETER', 'lists.none_named', { member: 'lists' });
    return undefined;
  }
  const ids = [...new Set(lists)].map(parseId);
  const known = await tx.rows<{ id: number }>(sql`
    select id from list where account_id = ${accountId} and id = any (${ids}::int[]) order by id for key share`);
  const missing = lists.findIndex((named) => !known.some((list) => list.id === parseId(named)));
  if (missing !== -1)
    throw fault('LIST_UNKNOWN', 'list.unknown', { member: `lists.${missing}`, id: lists[missing]!.slice(0, 40) });
  return known.map((list) => list.id);
}

/** The same for a person: an owner has all lists. @throws Fault LIST_UNKNOWN, INVALID_PARAMETER */
export async function readListsOf(
  tx: Tx,
  accountId: number,
  { role, ...given }: ListsGiven & { role: Role },
): Promise<number[] | null | undefined> {
  const lists = await readLists(tx, accountId, given);
  if (role !== 'owner') return lists;
  if (lists) throw fault('INVALID_PARAMETER', 'lists.of_owner', { member: 'lists' });
  return null;
}

/** As methods return a set. */
export const shownLists = (lists: readonly number[] | null) => ({
  all_lists: lists === null,
  lists: (lists ?? []).map(formatId),
});

/** Takes a list that is being deleted out of every set. A set that becomes empty is of no list. */
export async function forgetList(tx: Tx, accountId: number, listId: number): Promise<void> {
  for (const table of [sql`membership`, sql`invitation`, sql`api_key`])
    await tx.run(sql`
      update ${table}
      set lists = array_remove(lists, ${listId})
      where account_id = ${accountId}
        and lists @> array[${listId}::int]`);
}
