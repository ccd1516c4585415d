// Merge fields of a list: reading them, and checking the values given for a contact.

import { Fault } from '../../base/faults.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { parseAddress } from '../address.ts';
import { isoDate, readSpecialVar, type SpecialValues, specialVars } from '../contacts/special-vars.ts';

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
};

export async function fieldsOf(context: { tx: Queries; account: { id: number } }, listId: number): Promise<Field[]> {
  return context.tx.rows<Field>(sql`
    select tag, merge_no as "mergeNo", name, field_type as type, required, shown, position,
      default_value as "defaultValue", choices
    from field
    where account_id = ${context.account.id}
      and list_id = ${listId}
    order by position, merge_no`);
}

export type MergeVars = { values: Record<string, string>; email: string | undefined; special: SpecialValues };

/**
 * Reads a struct of merge variables. Tags are read without regard to case; MERGE1 is the first field after EMAIL.
 * @throws Fault FIELD_INVALID naming the tag and the reason
 */
export function readMergeVars(fields: readonly Field[], given: Record<string, unknown>): MergeVars {
  const values: Record<string, string> = {};
  const special: SpecialValues = {};
  let email: string | undefined;
  for (const [name, raw] of Object.entries(given)) {
    const tag = name.toUpperCase();
    const field = findField(fields, tag);
    const specialVar = specialVars.find((name) => name === tag);
    if (!field && specialVar) {
      const reading = readSpecialVar(specialVar, plainValue(tag, raw), new Date());
      if (!reading.ok) throw new Fault('FIELD_INVALID', `merge_vars.${tag}: ${reading.reason}`);
      special[specialVar] = reading.value;
      continue;
    }
    if (!field)
      throw new Fault(
        'FIELD_INVALID',
        `merge_vars.${name.slice(0, 40)} is no field of this list; it has ${fields.map(({ tag }) => tag).join(', ')}`,
      );
    const value = readValue(field, raw);
    if (field.tag === 'EMAIL') email = value;
    else values[field.tag] = value;
  }
  return { values, email, special };
}

/** The field of a tag in upper case, which may also be MERGE and a number. */
export const findField = (fields: readonly Field[], tag: string): Field | undefined =>
  fields.find((field) => field.tag === tag) ?? fields.find((field) => `MERGE${field.mergeNo}` === tag);

/** @throws Fault FIELD_REQUIRED for the first required field that has no value */
export function checkRequired(fields: readonly Field[], values: Record<string, string>): void {
  const missing = fields.find(
    (field) => field.required && field.tag !== 'EMAIL' && !values[field.tag] && !field.defaultValue,
  );
  if (missing) throw new Fault('FIELD_REQUIRED', `merge_vars.${missing.tag} is required ("${missing.name}")`);
}

/** A value in its stored form; '' is always allowed and means "no value". @throws Fault FIELD_INVALID */
export function readValue(field: Field, raw: unknown): string {
  const value = plainValue(field.tag, raw);
  if (value === '') return '';
  const problem = problemOf(field, value);
  if (problem) throw new Fault('FIELD_INVALID', `merge_vars.${field.tag}: ${problem}`);
  if (field.type === 'date') return isoDate(value)!;
  if (field.type === 'dropdown') return field.choices.find((choice) => choice.toLowerCase() === value.toLowerCase())!;
  return value;
}

function problemOf(field: Field, value: string): string | undefined {
  switch (field.type) {
    case 'number':
      return /^[+-]?\d{1,15}(\.\d{1,10})?$/.test(value) ? undefined : `"${value.slice(0, 40)}" is not a number`;
    case 'email':
      return parseAddress(value).ok ? undefined : `"${value.slice(0, 40)}" is not an e-mail address`;
    case 'date':
      return isoDate(value) ? undefined : `"${value.slice(0, 40)}" is not a date (YYYY-MM-DD)`;
    case 'website':
    case 'image':
      return /^https?:\/\/[^\s<>"]+$/i.test(value)
        ? undefined
        : `"${value.slice(0, 40)}" is not an address that begins with http:// or https://`;
    case 'dropdown':
      return field.choices.some((choice) => choice.toLowerCase() === value.toLowerCase())
        ? undefined
        : `"${value.slice(0, 40)}" is none of ${field.choices.join(', ')}`;
    default:
      return undefined;
  }
}

const addressParts = ['addr1', 'addr2', 'city', 'state', 'zip', 'country'];

function plainValue(tag: string, raw: unknown): string {
  let text: string;
  if (typeof raw === 'string') text = raw;
  else if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) {
    // An address as a struct: its parts in the usual order, separated by two spaces.
    const parts = raw as Record<string, unknown>;
    const unknown = Object.keys(parts).find((name) => !addressParts.includes(name.toLowerCase()));
    if (unknown !== undefined)
      throw new Fault(
        'FIELD_INVALID',
        `merge_vars.${tag}.${unknown.slice(0, 40)} is no part of an address (${addressParts.join(', ')})`,
      );
    text = addressParts
      .map((name) => (typeof parts[name] === 'string' ? parts[name].trim() : ''))
      .filter(Boolean)
      .join('  ');
  } else throw new Fault('FIELD_INVALID', `merge_vars.${tag} is not a string`);
  const clean = text.trim();
  if (clean.length > 2_000) throw new Fault('FIELD_INVALID', `merge_vars.${tag} is longer than 2,000 characters`);
  if (clean.includes('\0')) throw new Fault('FIELD_INVALID', `merge_vars.${tag} contains a NUL character`);
  return clean;
}
