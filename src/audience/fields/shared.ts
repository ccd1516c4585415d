// What the change of a field of one list means for a field of the account: the other lists that have it, a list that gets it, the
// last list that loses it.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { onWhole } from '../../db/narrowed/narrow.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Field, FieldType } from '../model/field.ts';

export type SharedField = {
  tag: string;
  state: 'joining' | 'joined';
  name: string;
  type: FieldType;
  choices: string[];
};

type AccountQueries = { tx: Queries; account: { id: number } };

/** A field of the account, with what is the same on all lists that have it; undefined if the tag is none. */
export async function findShared({ tx, account }: AccountQueries, tag: string): Promise<SharedField | undefined> {
  return onWhole(tx, (whole) =>
    whole.row<SharedField>(sql`
      select a.tag, a.state, f.name, f.field_type as type, f.choices
      from account_field a
      join field f on f.account_id = a.account_id and f.tag = a.tag
      where a.account_id = ${account.id}
        and a.tag = ${tag}
      order by f.list_id
      limit 1`),
  );
}

/** The lists that have a field with this tag, in the order in which they are locked. */
export async function listsWith({ tx, account }: AccountQueries, tag: string): Promise<number[]> {
  const rows = await tx.rows<{ id: number }>(sql`
    select list_id as id from field where account_id = ${account.id} and tag = ${tag} order by list_id`);
  return rows.map(({ id }) => id);
}

/** Locks the fields of these lists for a change, as lockFields does. */
export async function lockFieldsOf({ tx, account }: AccountQueries, lists: readonly number[]): Promise<void> {
  await tx.run(sql`
    select from list where account_id = ${account.id} and id = any (${[...lists]}::int[]) order by id for no key update`);
}

/**
 * A new field of a list whose tag is one of the account: named and with choices as on the other lists. Its values come with it: a caller
 * with a set of lists gets none of lists that are not theirs.
 * @throws Fault FIELD_INVALID when its type is another, NOT_ALLOWED when a list that the caller does not have has the field
 */
export async function asShared<F extends Pick<Field, 'tag' | 'name' | 'type' | 'choices'>>(
  context: Pick<Context, 'tx' | 'account' | 'caller'>,
  field: F,
  member: string,
): Promise<F & { ofAccount?: boolean }> {
  const shared = await findShared(context, field.tag);
  if (!shared) return field;
  const { lists } = context.caller;
  const having = await onWhole(context.tx, (tx) => listsWith({ ...context, tx }, field.tag));
  if (lists !== null && having.some((list) => !lists.includes(list)))
    throw fault('NOT_ALLOWED', 'field.of_other_lists', { member: 'tag', tag: field.tag });
  if (field.type !== shared.type)
    throw fault('FIELD_INVALID', 'field.of_account_type', { member, tag: field.tag, type: shared.type });
  return { ...field, name: shared.name, choices: shared.choices, ofAccount: true };
}

/** Gives the members of a list that got the field the present values of their contacts. */
export async function fillList({ tx, account }: AccountQueries, listId: number, tag: string): Promise<void> {
  const hasMembers = await tx.row(sql`
    select from subscription where account_id = ${account.id} and list_id = ${listId} limit 1`);
  if (!hasMembers) return;
  await tx.run(sql`
    update account_field
    set state = 'joining', after_contact = -1, joined_at = null
    where account_id = ${account.id}
      and tag = ${tag}`);
  await enqueue(tx, 'joinAccountField', { account_id: account.id, tag });
}

/** Deletes the fields of the account that no list has any more. */
export async function deleteUnused({ tx, account }: Pick<Context, 'tx' | 'account'>): Promise<void> {
  await onWhole(tx, (whole) =>
    whole.run(sql`
      delete from account_field a
      where a.account_id = ${account.id}
        and not exists (select from field f where f.account_id = a.account_id and f.tag = a.tag)`),
  );
}
