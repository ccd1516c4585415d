// Reads, adds, changes and deletes the merge fields of a list. A change locks the list's fields first, so that no segment
// comes to rely on a field that is about to change.
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { hasControlCharacters } from '../../method/params.ts';
import { distinctChoices, maxChoicesLength, storedChoices } from '../model/chosen.ts';
import { needNothingForeign } from '../model/contact.ts';
import { type Field, type FieldType, fieldsOf, readValue } from '../model/field.ts';
import { needList } from '../model/list.ts';
import { type SegmentFilter, usesField } from '../model/segment.ts';
import { needNewTag } from '../model/tag.ts';
import { lockFields } from '../segments/references.ts';
import { lookAgain } from '../segments/watched.ts';
import { needNotInAutomations } from './automations.ts';
import { changeChoices, needFittingConditions, renamedChoices, rereadValues, withRenamed } from './choices.ts';
import { needNotFrozen, renameTag } from './rename.ts';
import { asShared, deleteUnused, fillList, findShared, listsWith, lockFieldsOf } from './shared.ts';

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

/** Of a field that exists. */
type ChoiceOptions = {
  rename_choices?: { from: string; to: string }[] | undefined;
  drop_values?: boolean | undefined;
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
  const wanted: Field = {
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
  const field = await asShared(context, wanted, 'options.field_type');
  tidyChoices(field);
  if (options.default_value)
    field.defaultValue = readValue(field, options.default_value, context.published !== undefined);
  await context.tx.run(sql`
    insert into field (account_id, list_id, tag, merge_no, name, field_type, required, shown, position, default_value, choices)
    values (${context.account.id}, ${list.id}, ${field.tag}, ${field.mergeNo}, ${field.name}, ${field.type}, ${field.required},
      ${field.shown}, ${field.position}, ${field.defaultValue}, ${field.choices}::text[])`);
  if (field.ofAccount) await fillList(context, list.id, tag);
  return true;
}

type FieldChanges = FieldOptions &
  ChoiceOptions & { name?: string | undefined; title?: string | undefined; tag?: string | undefined };

/** @throws Fault LIST_UNKNOWN, FIELD_INVALID, EMAIL_FIELD_FIXED, CAMPAIGN_STATE_CONFLICT */
export async function updateField(
  context: Context,
  { id, tag, options }: { id: string; tag: string; options: FieldChanges },
): Promise<true> {
  const list = await needList(context, id);
  await lockFields(context, list.id);
  const fields = await fieldsOf(context, list.id);
  const before = needField(fields, tag);
  const renamed = renamedChoices(before, options.rename_choices ?? []);
  const after: Field = {
    ...before,
    tag: changedTag(fields, before, options),
    name: (options.name ?? options.title)?.trim() ?? before.name,
    type: options.field_type ?? before.type,
    required: options.req ?? before.required,
    shown: options.public ?? options.show ?? before.shown,
    position: options.order ?? before.position,
    choices: composed(
      options.choices ?? options.predefined_values ?? before.choices.map((choice) => renamed.get(choice) ?? choice),
    ),
  };
  tidyChoices(after);
  if (after.tag !== before.tag && (await findShared(context, after.tag)))
    throw fault('FIELD_INVALID', 'field.of_account_tag', { member: 'options.tag', tag: after.tag });
  const change = { renamed, drops: options.drop_values ?? false };
  needOwnField(context, before, after);
  await needNothingForeign(context, (whole) => needUnusedElsewhere(whole, list.id, before, after));
  await changeField(context, list.id, before, after, change, options.default_value);
  if (before.ofAccount) await changeOnOtherLists(context, list.id, before, after, change);
  return true;
}

/** What is the same on all lists is for callers who have all. @throws Fault NOT_ALLOWED */
function needOwnField({ caller }: Context, before: Field, after: Field): void {
  const isSame = (['tag', 'name', 'type', 'choices'] as const).every((of) => isDeepStrictEqual(before[of], after[of]));
  if (caller.lists !== null && before.ofAccount && !isSame)
    throw fault('NOT_ALLOWED', 'field.of_all_lists', { member: 'tag', tag: before.tag });
}

/** @throws Fault CAMPAIGN_STATE_CONFLICT when something uses the field as it was */
async function needUnusedElsewhere(context: Context, listId: number, before: Field, after: Field): Promise<void> {
  const isSame = (['tag', 'type', 'choices'] as const).every((of) => isDeepStrictEqual(before[of], after[of]));
  if (!isSame) await needUnused(context, listId, before.tag);
  if (before.tag !== after.tag) await needNotFrozen(context, listId, before.tag);
}

async function changeField(
  context: Context,
  listId: number,
  before: Field,
  after: Field,
  change: { renamed: ReadonlyMap<string, string>; drops: boolean },
  newDefault?: string | undefined,
): Promise<void> {
  const { tx, account } = context;
  if (after.type !== before.type) await needFittingValues(context, listId, before, after);
  else await changeChoices(context, listId, before, after, change);
  const defaultValue = newDefault ?? withRenamed(before, before.defaultValue, change.renamed);
  after.defaultValue = readValue(after, defaultValue, context.published !== undefined);
  await tx.run(sql`
    update field
    set tag = ${after.tag}, name = ${after.name}, field_type = ${after.type}, required = ${after.required}, shown = ${after.shown},
      position = ${after.position}, default_value = ${after.defaultValue}, choices = ${after.choices}::text[]
    where account_id = ${account.id}
      and list_id = ${listId}
      and tag = ${before.tag}`);
  if (after.tag !== before.tag) await renameTag(context, listId, before.tag, after.tag);
}

/** What is the same on every list that has a field of the account. @throws Fault FIELD_INVALID, CAMPAIGN_STATE_CONFLICT */
async function changeOnOtherLists(
  context: Context,
  listId: number,
  before: Field,
  after: Field,
  change: { renamed: ReadonlyMap<string, string>; drops: boolean },
): Promise<void> {
  const { tx, account } = context;
  const { tag, name, type, choices } = after;
  const common = { tag, name, type, choices };
  const was = { tag: before.tag, name: before.name, type: before.type, choices: before.choices };
  if (isDeepStrictEqual(common, was)) return;
  if ((await findShared(context, before.tag))?.state === 'joining')
    throw fault('FIELD_INVALID', 'field.joining', { member: 'tag', tag: before.tag });
  const others = (await listsWith(context, before.tag)).filter((other) => other !== listId);
  await lockFieldsOf(context, others);
  for (const other of others) {
    const fields = await fieldsOf(context, other);
    const own = needField(fields, before.tag);
    if (tag !== own.tag && fields.some((field) => field.tag === tag))
      throw fault('FIELD_INVALID', 'field.exists_elsewhere', { member: 'options.tag', tag, list: formatId(other) });
    await changeField(context, other, own, { ...own, ...common }, change);
  }
  await tx.run(sql`
    update account_field set tag = ${tag} where account_id = ${account.id} and tag = ${before.tag}`);
}

/** Deletes a field with all its values. @throws Fault LIST_UNKNOWN, FIELD_INVALID, EMAIL_FIELD_FIXED, CAMPAIGN_STATE_CONFLICT */
export async function deleteField(context: Context, { id, tag }: { id: string; tag: string }): Promise<true> {
  const { tx, account } = context;
  const list = await needList(context, id);
  await lockFields(context, list.id);
  const field = needField(await fieldsOf(context, list.id), tag);
  if (field.tag === 'EMAIL') throw fault('EMAIL_FIELD_FIXED', 'field.email_removed', { member: 'tag' });
  await needUnused(context, list.id, field.tag);
  await needNothingForeign(context, (whole) => needUnused(whole, list.id, field.tag));
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
  await lookAgain(tx, account.id);
  await deleteUnused(context);
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

/** @throws Fault FIELD_INVALID */
function tidyChoices(field: Field): void {
  const member = 'options.choices';
  if (field.type === 'multiple_choice') {
    field.choices = distinctChoices(field.choices);
    if (field.choices.some(hasControlCharacters))
      throw fault('FIELD_INVALID', 'field.value_invalid', { member, problem: message('value.control_characters') });
    if (storedChoices(field.choices, field.choices).length > maxChoicesLength)
      throw fault('FIELD_INVALID', 'field.choices_too_long', { member, count: maxChoicesLength });
  }
  if ((field.type === 'dropdown' || field.type === 'multiple_choice') && field.choices.length === 0)
    throw fault('FIELD_INVALID', field.type === 'dropdown' ? 'field.no_choices' : 'field.none_to_choose', { member });
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

/** Values that the new type reads are rewritten. @throws Fault FIELD_INVALID when stored values do not fit the new type */
async function needFittingValues(context: Context, listId: number, before: Field, after: Field): Promise<void> {
  const { tx, account } = context;
  const { tag } = before;
  if ([before, after].some(({ type }) => type === 'yes_no' || type === 'multiple_choice')) {
    await needFittingConditions(context, listId, tag, after);
    const misfits = await rereadValues(context, listId, before, after);
    if (misfits) throw misfit(tag, after, misfits);
    return;
  }
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
  if (misfits && misfits.count > 0) throw misfit(tag, after, misfits);
}

const misfit = (tag: string, after: Field, { count, example }: { count: number; example: string }) =>
  fault('FIELD_INVALID', 'field.values_misfit', {
    member: 'options.field_type',
    count,
    tag,
    type: after.type,
    example: example.slice(0, 40),
  });

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
