// Labels: finding one, and reading and changing those of an object. Each kind of object has a table that says which labels it has
// (`Labelled`); its own update method changes them, so that the right to change an object is the right to label it.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { named } from '../../method/named.ts';
import { boolean, id, unlessEmpty } from '../../method/params.ts';
import { type LabelColour, labelColours } from './colours.ts';

export const labelRecord = named('Label', z.object({ id: z.string(), name: z.string(), colour: z.enum(labelColours) }));

/** More would not be seen in a row. */
export const maxLabelsOfObject = 20;

/** What records of objects say about it. */
export const orderRecord = {
  labels: z.array(labelRecord).meta({ description: 'Its labels, by name.' }),
  hidden: z.boolean().meta({ description: 'Whether the screens leave it out.' }),
};

/** What methods of the family that list objects answer published clients: their records stay as they were. */
export const withoutLabels = <S extends z.ZodRawShape & typeof orderRecord>(record: z.ZodObject<S>) => ({
  meaning: 'the records without labels and hidden',
  returns: z.array(record.omit({ labels: true, hidden: true } as never)),
  of: (rows: readonly { labels: unknown; hidden: unknown }[]) =>
    rows.map(({ labels: _labels, hidden: _hidden, ...row }) => row),
});

/** The filters of methods that list objects. */
export const orderFilters = {
  label: unlessEmpty(id('Only those that have this label.')),
  hidden: unlessEmpty(boolean('Only those that are hidden (true) or are not (false); all when not given.')),
};

export type OrderFilters = { label?: string | undefined; hidden?: boolean | undefined };

/** The table of the labels of a kind of object, and its column with the id of the object. */
export type Labelled = { table: Sql; object: Sql };

export type StoredLabel = { id: number; name: string; colour: LabelColour };

/** SQL: the labels of the object as JSON, by name. */
export const labelsOf = ({ table, object }: Labelled, accountId: Sql, objectId: Sql): Sql => sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', label.id, 'name', label.name, 'colour', label.colour) order by label.name_key), '[]')
  from ${table} as has
  join label on label.account_id = has.account_id and label.id = has.label_id
  where has.account_id = ${accountId}
    and has.${object} = ${objectId}
)`;

/** SQL: whether the object passes the filters. @param isHidden its column */
export function passes(
  { table, object }: Labelled,
  { label, hidden }: OrderFilters,
  of: { accountId: Sql; objectId: Sql; isHidden: Sql },
): Sql {
  const labelled =
    label === undefined
      ? sql`true`
      : sql`exists (
          select from ${table} as has
          where has.account_id = ${of.accountId} and has.${object} = ${of.objectId} and has.label_id = ${parseId(label)}
        )`;
  return hidden === undefined ? labelled : sql`(${labelled} and ${of.isHidden} = ${hidden})`;
}

/** Labels as methods return them. */
export const shownLabels = (labels: readonly StoredLabel[]) => labels.map((one) => ({ ...one, id: formatId(one.id) }));

/** How update methods name a change of labels; its value is the id of one label, so that two people never undo each other. */
export const labelChanges = ['add_label', 'remove_label'] as const;
export type LabelChange = (typeof labelChanges)[number];

export const isLabelChange = (name: string): name is LabelChange => (labelChanges as readonly string[]).includes(name);

/** A label that is not deleted before the end of the transaction. @throws Fault LABEL_UNKNOWN */
export async function needLabel({ tx, account }: Context, named: string, member: string): Promise<{ id: number }> {
  const label = await tx.row<{ id: number }>(sql`
    select id
    from label
    where account_id = ${account.id}
      and id = ${parseId(named)}
    for key share`);
  if (!label) throw fault('LABEL_UNKNOWN', 'label.unknown', { member, id: named.slice(0, 40) });
  return label;
}

/** Adds or removes a label of an object whose row is locked. @throws Fault LABEL_UNKNOWN, LABEL_INVALID */
export async function changeLabel(
  context: Context,
  { table, object }: Labelled,
  objectId: number,
  { change, label: named, member }: { change: LabelChange; label: string; member: string },
): Promise<void> {
  const { tx, account } = context;
  const label = await needLabel(context, named, member);
  const of = sql`account_id = ${account.id} and ${object} = ${objectId}`;
  if (change === 'remove_label') {
    await tx.run(sql`delete from ${table} where ${of} and label_id = ${label.id}`);
    return;
  }
  await tx.run(sql`
    insert into ${table} (account_id, ${object}, label_id)
    values (${account.id}, ${objectId}, ${label.id})
    on conflict do nothing`);
  const row = await tx.row<{ count: number }>(sql`select count(*)::int as count from ${table} where ${of}`);
  if (row!.count > maxLabelsOfObject)
    throw fault('LABEL_INVALID', 'label.too_many_of_object', { member, count: maxLabelsOfObject });
}
