// Listing, creating, changing and deleting labels. Two labels of an account never have the same name, without regard to case.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import type { LabelColour } from './colours.ts';
import { type StoredLabel, shownLabels } from './label.ts';

export const maxLabelName = 50;
/** All of them are in one menu. */
const maxLabels = 200;

export async function listLabels({ tx, account }: Context) {
  const rows = await tx.rows<StoredLabel>(sql`
    select id, name, colour
    from label
    where account_id = ${account.id}
    order by name_key`);
  return shownLabels(rows);
}

/** @returns its id. @throws Fault LABEL_INVALID */
export async function createLabel(context: Context, given: { name: string; colour: LabelColour }): Promise<string> {
  const { tx, account } = context;
  const { name, key } = await needFreeName(context, given.name);
  const row = await tx.row<{ count: number }>(sql`
    select count(*)::int as count from label where account_id = ${account.id}`);
  if (row!.count >= maxLabels) throw fault('LABEL_INVALID', 'label.too_many', { count: maxLabels });
  const created = await tx.row<{ id: number }>(sql`
    insert into label (account_id, name, name_key, colour)
    values (${account.id}, ${name}, ${key}, ${given.colour})
    returning id`);
  return formatId(created!.id);
}

/** @throws Fault LABEL_UNKNOWN, LABEL_INVALID */
export async function updateLabel(
  context: Context,
  given: { id: string; name?: string | undefined; colour?: LabelColour | undefined },
): Promise<true> {
  const { tx, account } = context;
  const label = await lockLabel(context, given.id);
  const { name, key } =
    given.name === undefined ? { name: null, key: null } : await needFreeName(context, given.name, label.id);
  await tx.run(sql`
    update label
    set name = coalesce(${name}, name), name_key = coalesce(${key}, name_key), colour = coalesce(${given.colour ?? null}, colour)
    where account_id = ${account.id}
      and id = ${label.id}`);
  return true;
}

/** @throws Fault LABEL_UNKNOWN */
export async function deleteLabel(context: Context, given: { id: string }): Promise<true> {
  const label = await lockLabel(context, given.id);
  await context.tx.run(sql`delete from label where account_id = ${context.account.id} and id = ${label.id}`);
  return true;
}

/** Waits for calls that are about to give it to an object; later ones wait and then find it gone. */
async function lockLabel({ tx, account }: Context, named: string): Promise<{ id: number }> {
  const label = await tx.row<{ id: number }>(sql`
    select id
    from label
    where account_id = ${account.id}
      and id = ${parseId(named)}
    for update`);
  if (!label) throw fault('LABEL_UNKNOWN', 'label.unknown', { member: 'id', id: named.slice(0, 40) });
  return label;
}

/** The name as it is stored. Of two calls that take it at the same time, the unique index lets one begin again, which then finds it taken. */
async function needFreeName({ tx, account }: Context, given: string, own = -1): Promise<{ name: string; key: string }> {
  const name = given.trim().normalize('NFC');
  const key = name.toLowerCase();
  const taken = await tx.row<{ name: string }>(sql`
    select name
    from label
    where account_id = ${account.id}
      and name_key = ${key}
      and id <> ${own}`);
  if (taken) throw fault('LABEL_INVALID', 'label.name_taken', { member: 'name', name: taken.name });
  return { name, key };
}
