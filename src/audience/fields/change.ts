// Reads, adds, changes and deletes the merge fields of a list. A change locks the list's fields first, so that no segment
// comes to rely on a field that is about to change.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { type Field, type FieldType, fieldsOf, readValue } from '../model/field.ts';
import { needList } from '../model/list.ts';
import { type SegmentFilter, usesField } from '../model/segment.ts';
import { needNewTag } from '../model/tag.ts';
import { lockFields } from '../segments/references.ts';
import { needNotInAutomations } from './automations.ts';
import { renameTag } from './rename.ts';

export const maxFields = 60;

export type FieldOptions = {
  field_type?: FieldType | undefined;
  req?: boolean | undefined;
  public?: boolean | undefined;
  show?: boolean | undefined;
  order?: number | undefined;
  default_value?: string | undefined;
  choices?: string[] | undefined;
  predefined_values?: string[] | undefined;
};

export async function listFields(context: Context, { id }: { id: string }) {
  const list = await needList(context, id);
  return (await fieldsOf(context, list.id)).map((field) => ({
    name: field.name,
    req: field.required,
    field_type: field.type,
    show: field.shown,
    order: field.position,
    default: field.defaultValue,
    tag: field.tag,
    predefined_values: field.choices,
  }));
}

/** @throws Fault LIST_UNKNOWN, FIELD_INVALID */
export async function addField(
  context: Context,
  { id, tag: givenTag, name, options }: { id: string; tag: string; name: string; options: FieldOptions },
): Promise<true> {
  const list = await needList(context, id);
  await lockFields(context, list.id);
  const tag = needNewTag(givenTag);
  const fields = await fieldsOf(context, list.id);
  if (fields.some((field) => field.tag === tag)) throw fault('FIELD_INVALID', 'field.exists', { member: 'tag', tag });
  if (fields.length >= maxFields) throw fault('FIELD_INVALID', 'field.too_many', { count: maxFields });
  const field: Field = {
    tag,
    mergeNo: Math.max(...fields.map(({ mergeNo }) => mergeNo)) + 1,
    name: name.trim(),
    type: options.field_type ?? 'text',
    required: options.req ?? false,
    shown: options.public ?? options.show ?? true,
    position: options.order ?? Math.max(...fields.map(({ position }) => position)) + 1,
    defaultValue: '',
    choices: composed(options.choices ?? options.predefined_values ?? []),
  };
  needChoices(field);
  if (options.default_value)
    field.defaultValue = readValue(field, options.default_value, context.published !== undefined);
  await context.tx.run(sql`
    insert into field (account_id, list_id, tag, merge_no, name, field_type, required, shown, position, default_value, choices)
    values (${context.account.id}, ${list.id}, ${field.tag}, ${field.mergeNo}, ${field.name}, ${field.type}, ${field.required},
      ${field.shown}, ${field.position}, ${field.defaultValue}, ${field.choices}::text[])`);
  return true;
}

type FieldChanges = FieldOptions & { name?: string | undefined; title?: string | undefined; tag?: string | undefined };

/** @throws Fault LIST_UNKNOWN, FIELD_INVALID, EMAIL_FIELD_FIXED, CAMPAIGN_STATE_CONFLICT */
export async function updateField(
  context: Context,
  { id, tag, options }: { id: string; tag: string; options: FieldChanges },
): Promise<true> {
  const { tx, account } = context;
  const list = await needList(context, id);
  await lockFields(context, list.id);
  const fields = await fieldsOf(context, list.id);
  const before = needField(fields, tag);
  const after: Field = {
    ...before,
    tag: changedTag(fields, before, options),
    name: (options.name ?? options.title)?.trim() ?? before.name,
    type: options.field_type ?? before.type,
    required: options.req ?? before.required,
    shown: options.public ?? options.show ?? before.shown,
    position: options.order ?? before.position,
    choices: composed(options.choices ?? options.predefined_values ?? before.choices),
  };
  needChoices(after);
  if (after.type !== before.type) await needFittingValues(context, list.id, before.tag, after);
  after.defaultValue = readValue(after, options.default_value ?? before.defaultValue, context.published !== undefined);
  await tx.run(sql`
    update field
    set tag = ${after.tag}, name = ${after.name}, field_type = ${after.type}, required = ${after.required}, shown = ${after.shown},
      position = ${after.position}, default_value = ${after.defaultValue}, choices = ${after.choices}::text[]
    where account_id = ${account.id}
      and list_id = ${list.id}
      and tag = ${before.tag}`);
  if (after.tag !== before.tag) await renameTag(context, list.id, before.tag, after.tag);
  return true;
}

/** Deletes a field with all its values. @throws Fault LIST_UNKNOWN, FIELD_INVALID, EMAIL_FIELD_FIXED, CAMPAIGN_STATE_CONFLICT */
export async function deleteField(context: Context, { id, tag }: { id: string; tag: string }): Promise<true> {
  const { tx, account } = context;
  const list = await needList(context, id);
  await lockFields(context, list.id);
  const field = needField(await fieldsOf(context, list.id), tag);
  if (field.tag === 'EMAIL') throw fault('EMAIL_FIELD_FIXED', 'field.email_removed', { member: 'tag' });
  await needUnused(context, list.id, field.tag);
  await tx.run(sql`
    delete from field
    where account_id = ${account.id}
      and list_id = ${list.id}
      and tag = ${field.tag}`);
  await tx.run(sql`
    update subscription
    set fields = fields - ${field.tag}::text
    where account_id = ${account.id}
      and list_id = ${list.id}
      and fields ? ${field.tag}`);
  return true;
}

/** The tag after a change. @throws Fault EMAIL_FIELD_FIXED, FIELD_INVALID */
function changedTag(fields: readonly Field[], before: Field, options: FieldChanges): string {
  const tag = options.tag === undefined ? before.tag : options.tag.toUpperCase();
  if (
    before.tag === 'EMAIL' &&
    (tag !== 'EMAIL' || (options.field_type ?? 'email') !== 'email' || options.req === false)
  )
    throw fault('EMAIL_FIELD_FIXED', 'field.email_fixed', { member: 'tag' });
  if (tag === before.tag) return tag;
  needNewTag(tag);
  if (fields.some((field) => field.tag === tag))
    throw fault('FIELD_INVALID', 'field.exists', { member: 'options.tag', tag });
  return tag;
}

function needChoices(field: Field): void {
  if (field.type === 'dropdown' && field.choices.length === 0)
    throw fault('FIELD_INVALID', 'field.no_choices', { member: 'options.choices' });
}

function needField(fields: readonly Field[], tag: string): Field {
  const field = fields.find((listField) => listField.tag === tag.toUpperCase());
  if (!field)
    throw fault('FIELD_INVALID', 'field.unknown', {
      member: 'tag',
      tag: tag.slice(0, 40),
      choices: fields.map((listField) => listField.tag).join(', '),
    });
  return field;
}

/** Patterns of stored values by type; the other types accept any text. */
const valuePatterns: Partial<Record<Field['type'], string>> = {
  number: '^[+-]?[0-9]{1,15}([.][0-9]{1,10})?$',
  date: '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$',
  email: '^[^@[:space:]]+@[^@[:space:]]+[.][^@[:space:]]+$',
  website: '^https?://[^[:space:]<>"]+$',
  image: '^https?://[^[:space:]<>"]+$',
};

/** @throws Fault FIELD_INVALID when stored values do not fit the new type */
async function needFittingValues({ tx, account }: Context, listId: number, tag: string, after: Field): Promise<void> {
  const value = sql`fields ->> ${tag}`;
  const pattern = valuePatterns[after.type];
  if (pattern === undefined && after.type !== 'dropdown') return;
  const fits = pattern === undefined ? sql`${value} = any (${after.choices}::text[])` : sql`${value} ~* ${pattern}`;
  const misfits = await tx.row<{ count: number; example: string }>(sql`
    select count(*)::int as count, min(${value}) as example
    from subscription
    where account_id = ${account.id}
      and list_id = ${listId}
      and ${value} <> ''
      and not (${fits})`);
  if (misfits && misfits.count > 0)
    throw fault('FIELD_INVALID', 'field.values_misfit', {
      member: 'options.field_type',
      count: misfits.count,
      tag,
      type: after.type,
      example: misfits.example.slice(0, 40),
    });
}

/** @throws Fault CAMPAIGN_STATE_CONFLICT when a segment, automation or autoresponder uses the field: without it they would reach other members */
async function needUnused(context: Context, listId: number, tag: string): Promise<void> {
  const { tx, account } = context;
  await needNotInAutomations(context, listId, tag);
  const segments = await tx.rows<{ id: number; title: string; filter: SegmentFilter }>(sql`
    select id, title, filter
    from segment
    where account_id = ${account.id}
      and list_id = ${listId}
    order by id`);
  const users = segments.filter((segment) => usesField(segment.filter, tag));
  if (users.length > 0)
    throw fault('CAMPAIGN_STATE_CONFLICT', 'field.used_by_segment', { member: 'tag', tag, segments: titlesOf(users) });
  const autoresponders = await tx.rows<{ id: number; title: string }>(sql`
    select c.id, c.title
    from campaign_list l
    join campaign c on c.account_id = l.account_id and c.id = l.campaign_id
    where l.account_id = ${account.id}
      and l.list_id = ${listId}
      and c.type = 'auto'
      and c.status not in ('draft', 'sent')
      and c.auto ->> 'tag' = ${tag}
    order by c.id`);
  if (autoresponders.length > 0)
    throw fault('CAMPAIGN_STATE_CONFLICT', 'field.used_by_autoresponder', {
      member: 'tag',
      tag,
      autoresponders: titlesOf(autoresponders),
    });
}

const titlesOf = (items: { id: number; title: string }[]) =>
  items.map((item) => `${formatId(item.id)} "${item.title}"`).join(', ');

/** Choices as values are stored. */
const composed = (choices: readonly string[]) => choices.map((choice) => choice.normalize('NFC'));
