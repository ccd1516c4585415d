// Merge fields of a list: reading them, and checking the values given for a contact.

import type { PublishedCall } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Message, message } from '../../base/messages.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { asText, hasControlCharacters } from '../../method/params.ts';
import { isPlainStruct } from '../../method/wire.ts';
import { parseAddress } from '../address.ts';
import { isNotGiven, problemAsWritten, specialAsPublished, textAsPublished } from './as-published.ts';
import { chosenIn } from './choice-names.ts';
import { choiceKey, readChoices, storedChoices, yesOrNo } from './chosen.ts';
import { isoDate, readSpecialVar, type SpecialValues, specialVars } from './special-vars.ts';

export const fieldTypes = [
  'text',
  'number',
  'email',
  'date',
  'phone',
  'website',
  'address',
  'dropdown',
  'image',
  'yes_no',
  'multiple_choice',
] as const;
export type FieldType = (typeof fieldTypes)[number];

export type Field = {
  tag: string;
  mergeNo: number;
  name: string;
  type: FieldType;
  required: boolean;
  shown: boolean;
  position: number;
  defaultValue: string;
  choices: string[];
  /** Whether all lists that have the tag share its values; see account-values.ts. */
  ofAccount?: boolean;
};

const isOfAccount = sql`
  exists (select from account_field a where a.account_id = f.account_id and a.tag = f.tag) as "ofAccount"`;

export async function fieldsOf(context: { tx: Queries; account: { id: number } }, listId: number): Promise<Field[]> {
  return context.tx.rows<Field>(sql`
    select tag, merge_no as "mergeNo", name, field_type as type, required, shown, position,
      default_value as "defaultValue", choices, ${isOfAccount}
    from field f
    where account_id = ${context.account.id}
      and list_id = ${listId}
    order by position, merge_no`);
}

/**
 * The fields of all lists of the account, each tag once, named as on the oldest list. A tag whose type differs between
 * lists is compared as text.
 */
export async function fieldsOfAccount({
  tx,
  account,
}: {
  tx: Queries;
  account: { id: number };
}): Promise<(Field & { lists: number })[]> {
  const rows = await tx.rows<Field>(sql`
    select f.tag, merge_no as "mergeNo", f.name, field_type as type, required, shown, position,
      default_value as "defaultValue", choices, ${isOfAccount}
    from field f
    join list l on l.account_id = f.account_id and l.id = f.list_id
    where f.account_id = ${account.id}
    order by l.created_at, l.id, position, merge_no`);
  return [...Map.groupBy(rows, (row) => row.tag).values()].map((same) => ({
    ...same[0]!,
    type: same.every((field) => field.type === same[0]!.type) ? same[0]!.type : 'text',
    choices: [...new Set(same.flatMap((field) => field.choices))],
    lists: same.length,
  }));
}

export type MergeVars = {
  values: Record<string, string>;
  email: string | undefined;
  special: SpecialValues;
  /** Choices are added to those that the contact has. */
  addsChoices?: boolean;
};

/** The values after a change. */
export function valuesAfter(
  before: Readonly<Record<string, string>>,
  { values, addsChoices }: MergeVars,
  fields: readonly Field[],
): Record<string, string> {
  const after = { ...before, ...values };
  if (!addsChoices) return after;
  for (const { tag, type, choices } of fields)
    if (type === 'multiple_choice' && values[tag] !== undefined)
      after[tag] = storedChoices([...chosenIn(before[tag] ?? ''), ...chosenIn(values[tag])], choices);
  return after;
}

/**
 * Reads a struct of merge variables. Tags are read without regard to case; MERGE1 is the first field after EMAIL. What
 * published clients send beside the fields is counted as ignored, as is what is wrong with how a contact opted in; their dates
 * may be day first, and a date of zeros is none.
 * @throws Fault FIELD_INVALID naming the tag and the reason
 */
export function readMergeVars(
  fields: readonly Field[],
  given: Record<string, unknown>,
  published?: PublishedCall,
): MergeVars {
  const read: MergeVars = { values: {}, special: {}, email: undefined };
  const ignored = new Set<string>();
  for (const [name, raw] of Object.entries(given)) {
    const tag = name.toUpperCase();
    const field = findField(fields, tag);
    const groups = field || !published ? undefined : interestsOf(fields, tag, raw);
    if (groups) {
      for (const { field, raw } of groups.known) readMergeVar(read, field, tag, raw, true);
      if (groups.isPartly) ignored.add(name);
      continue;
    }
    const special = field ? undefined : specialVars.find((name) => name === tag);
    if (field) readMergeVar(read, field, tag, raw, published !== undefined);
    else if (special && !published) readMergeVar(read, special, tag, raw, false);
    else if (special) {
      if (!readSpecialAsPublished(read, special, raw)) ignored.add(special);
    } else if (published) ignored.add(name);
    else
      throw fault('FIELD_INVALID', 'field.not_of_list', {
        member: `merge_vars.${name.slice(0, 40)}`,
        choices: fields.map(({ tag }) => tag).join(', '),
      });
  }
  for (const name of ignored) published!.ignored.set(name, (published!.ignored.get(name) ?? 0) + 1);
  return read;
}

type Interests = { known: { field: Field; raw: unknown }[]; isPartly: boolean };

/**
 * Interest groups as published clients send them: GROUPINGS of {name, groups}, and INTERESTS of a list that has one multiple choice.
 * Undefined for other names, and for what no field has.
 */
function interestsOf(fields: readonly Field[], tag: string, raw: unknown): Interests | undefined {
  const several = fields.filter(({ type }) => type === 'multiple_choice');
  if (tag === 'INTERESTS')
    return several.length === 1 ? { known: [{ field: several[0]!, raw }], isPartly: false } : undefined;
  if (tag !== 'GROUPINGS' || typeof raw !== 'object' || raw === null) return undefined;
  const groupings = isPlainStruct(raw) && ('groups' in raw || 'name' in raw) ? [raw] : Object.values(raw);
  const known = groupings.flatMap((grouping: unknown) => {
    if (!isPlainStruct(grouping)) return [];
    const name = asText(grouping.name ?? grouping.id);
    const field =
      typeof name === 'string' &&
      several.find(
        (field) =>
          choiceKey(field.name) === choiceKey(name) ||
          field.tag === name.trim().toUpperCase() ||
          (grouping.name === undefined && String(field.mergeNo) === name.trim()),
      );
    return field ? [{ field, raw: grouping.groups ?? '' }] : [];
  });
  return known.length === 0 ? undefined : { known, isPartly: known.length < groupings.length };
}

function readMergeVar(
  read: MergeVars,
  variable: Field | (typeof specialVars)[number],
  tag: string,
  raw: unknown,
  isPublished: boolean,
): void {
  const isSpecial = typeof variable === 'string';
  if (!isSpecial && isSeveral(variable, raw)) {
    read.values[variable.tag] = readSeveral(variable, raw);
    return;
  }
  const text = plainValue(isSpecial ? tag : variable.tag, raw, !isSpecial && variable.type === 'address');
  const published = isPublished && !isSpecial ? variable : undefined;
  if (published && isNotGiven(published, text)) return;
  const value = published ? textAsPublished(published.type, text) : text;
  const reading = isSpecial ? readSpecialVar(variable, value, new Date()) : readFieldText(variable, value);
  if (!reading.ok)
    throw invalidField(
      isSpecial ? tag : variable.tag,
      published?.type === 'date' ? problemAsWritten(reading.problem, text) : reading.problem,
    );
  if (isSpecial) read.special[variable] = reading.value;
  else if (variable.tag === 'EMAIL') read.email = reading.value;
  else read.values[variable.tag] = reading.value;
}

/** Whether the value of a special variable could be read. A program that does not know the address of a visitor sends a word. */
function readSpecialAsPublished(read: MergeVars, variable: (typeof specialVars)[number], raw: unknown): boolean {
  if (isPlainStruct(raw) || Array.isArray(raw)) return false;
  const value = specialAsPublished(variable, plainValue(variable, raw, false));
  if (value === undefined) return true;
  const reading = readSpecialVar(variable, value, new Date());
  if (reading.ok) read.special[variable] = reading.value;
  return reading.ok;
}

/** The field of a tag in upper case, which may also be MERGE and a number. */
export const findField = (fields: readonly Field[], tag: string): Field | undefined =>
  fields.find((field) => field.tag === tag) ?? fields.find((field) => `MERGE${field.mergeNo}` === tag);

/** @throws Fault FIELD_REQUIRED for the first required field that has no value */
export function checkRequired(fields: readonly Field[], values: Record<string, string>): void {
  const missing = fields.find(
    (field) => field.required && field.tag !== 'EMAIL' && !values[field.tag] && !field.defaultValue,
  );
  if (missing)
    throw fault('FIELD_REQUIRED', 'field.required', { member: `merge_vars.${missing.tag}`, name: missing.name });
}

/**
 * A value in its stored form; '' is always allowed and means "no value".
 * @param isPublished whether it comes from a published client, which may write dates day first
 * @throws Fault FIELD_INVALID
 */
export function readValue(field: Field, raw: unknown, isPublished = false): string {
  if (isSeveral(field, raw)) return readSeveral(field, raw);
  const text = plainValue(field.tag, raw, field.type === 'address');
  const reading = readFieldText(field, isPublished ? textAsPublished(field.type, text) : text);
  if (!reading.ok) throw invalidField(field.tag, reading.problem);
  return reading.value;
}

/** Like readValue, for a text; returns what is wrong with it instead of throwing. */
export function readFieldText(
  field: Field,
  text: string,
): { ok: true; value: string } | { ok: false; problem: Message } {
  const value = text.trim().normalize('NFC');
  if (value === '') return { ok: true, value };
  const problem = textProblem(value) ?? problemOf(field, value);
  if (problem) return { ok: false, problem };
  if (field.type === 'date') return { ok: true, value: isoDate(value)! };
  if (field.type === 'yes_no') return { ok: true, value: yesOrNo(value)! };
  if (field.type === 'multiple_choice') return readChosen(field, value);
  if (field.type === 'dropdown')
    return { ok: true, value: field.choices.find((choice) => plainChoice(choice) === plainChoice(value))! };
  return { ok: true, value };
}

/** Whether a value is several names of choices: an array, or what programs write for one. */
const isSeveral = ({ type }: Field, raw: unknown): raw is unknown[] | Record<string, unknown> =>
  type === 'multiple_choice' &&
  (Array.isArray(raw) || (isPlainStruct(raw) && Object.keys(raw).every((key) => /^\d+$/.test(key))));

/** @throws Fault FIELD_INVALID */
function readSeveral(field: Field, raw: unknown[] | Record<string, unknown>): string {
  const names = Object.entries(raw).map(([no, item]) => {
    const name = asText(item);
    if (typeof name !== 'string')
      throw fault('FIELD_INVALID', 'parameter.not_a_string', { member: `merge_vars.${field.tag}.${no}` });
    return name;
  });
  const reading = readChosen(
    field,
    names.filter((name) => name.trim() !== ''),
  );
  if (!reading.ok) throw invalidField(field.tag, reading.problem);
  return reading.value;
}

function readChosen(field: Field, written: string | string[]): ReturnType<typeof readFieldText> {
  const reading = readChoices(written, field.choices);
  if (reading.ok) return reading;
  const values = { value: reading.unknown.slice(0, 40), choices: field.choices.join(', ') };
  return { ok: false, problem: message('value.not_one_of', values) };
}

const plainChoice = (text: string) => text.toLowerCase().normalize('NFC');

const invalidField = (tag: string, problem: Message) =>
  fault('FIELD_INVALID', 'field.value_invalid', { member: `merge_vars.${tag}`, problem });

const maxTextLength = 2_000;

function textProblem(text: string): Message | undefined {
  if (text.length > maxTextLength) return message('value.too_long', { count: maxTextLength });
  if (text.includes('\0')) return message('value.nul');
  if (hasControlCharacters(text)) return message('value.control_characters');
  return undefined;
}

function problemOf(field: Field, value: string): Message | undefined {
  switch (field.type) {
    case 'number':
      return /^[+-]?\d{1,15}(\.\d{1,10})?$/.test(value)
        ? undefined
        : message('value.not_a_number', { value: value.slice(0, 40) });
    case 'email':
      return parseAddress(value).ok ? undefined : message('value.not_an_address', { value: value.slice(0, 40) });
    case 'date':
      return isoDate(value) ? undefined : message('value.not_a_date', { value: value.slice(0, 40) });
    case 'yes_no':
      return yesOrNo(value) ? undefined : message('value.not_yes_or_no', { value: value.slice(0, 40) });
    case 'website':
    case 'image':
      return /^https?:\/\/[^\s<>"]+$/i.test(value)
        ? undefined
        : message('value.not_a_url', { value: value.slice(0, 40) });
    case 'dropdown':
      return field.choices.some((choice) => plainChoice(choice) === plainChoice(value))
        ? undefined
        : message('value.not_one_of', { value: value.slice(0, 40), choices: field.choices.join(', ') });
    default:
      return undefined;
  }
}

const addressParts = ['addr1', 'addr2', 'city', 'state', 'zip', 'country'];

function plainValue(tag: string, raw: unknown, isAddress = false): string {
  let text: string;
  if (raw instanceof Uint8Array) throw fault('FIELD_INVALID', 'parameter.not_utf8', { member: `merge_vars.${tag}` });
  if (typeof raw === 'string') text = raw;
  else if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) {
    // An address as a struct: its parts in the usual order, separated by two spaces.
    const parts = raw as Record<string, unknown>;
    const unknown = Object.keys(parts).find((name) => !addressParts.includes(name.toLowerCase()));
    if (unknown !== undefined && !isAddress)
      throw fault('FIELD_INVALID', 'parameter.not_a_string', { member: `merge_vars.${tag}` });
    if (unknown !== undefined)
      throw fault('FIELD_INVALID', 'field.address_part', {
        member: `merge_vars.${tag}.${unknown.slice(0, 40)}`,
        choices: addressParts.join(', '),
      });
    const byName = new Map(Object.entries(parts).map(([name, part]) => [name.toLowerCase(), part]));
    text = addressParts
      .map((name) => asText(byName.get(name)))
      .map((part) => (typeof part === 'string' ? part.trim() : ''))
      .filter(Boolean)
      .join('  ');
  } else throw fault('FIELD_INVALID', 'parameter.not_a_string', { member: `merge_vars.${tag}` });
  // One value, whether a letter and its accent came as one character or as two.
  const clean = text.trim().normalize('NFC');
  const problem = textProblem(clean);
  if (problem) throw invalidField(tag, problem);
  return clean;
}
