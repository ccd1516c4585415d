// What XML-RPC and form posts accept beyond the JSON door, because published clients of the API family send it: arrays whose
// PHP keys have gaps, an empty struct or "null" for a value that is not given, members under other names, names of values of
// contacts that no field can have, dates day first, decimals after a comma.
// Pure, and guided by the types of the parameters: a value that none of this applies to is passed on unchanged.
import type { z } from 'zod';
import { defOf, isOptional, metaOf, unwrapped } from './schema.ts';
import { isPlainStruct, UNREADABLE } from './wire.ts';

/** The parameters as they would be sent to the JSON door. */
export function asPublished(schema: z.ZodType, value: unknown): unknown {
  const inner = unwrapped(schema);
  const { type, shape, element } = defOf(inner);
  if (type === 'array') {
    const { separateItems = false, items: item } = metaOf(schema);
    const items = separateItems
      ? rowsOf(value, (item as { type?: string } | undefined)?.type === 'string')
      : itemsOf(value);
    return Array.isArray(items) && !separateItems ? items.map((item) => asPublished(element!, item)) : items;
  }
  if (type === 'object') return isPlainStruct(value) ? membersOf(shape!, metaOf(schema).aliases, value) : value;
  if (type === 'unknown') return withItems(value);
  if (typeof value !== 'string') return value;
  if (type === 'number') return decimalOf(value);
  const { date, aliases = {} } = metaOf(schema);
  if (date) return isoDayOf(value) ?? value;
  const word = value.trim().toLowerCase();
  return Object.hasOwn(aliases, word) ? aliases[word] : value;
}

/**
 * The parameters with names of values of contacts that can be stored and shown. A name that no field can have keeps no value, which
 * may be as untidy; blanks around a name are none of it.
 */
export function withTidyNames(schema: z.ZodType, params: unknown): unknown {
  const { shape } = defOf(schema);
  if (!shape || !isPlainStruct(params)) return params;
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      const member = Object.hasOwn(shape, name) ? shape[name]! : undefined;
      return [name, member && metaOf(member).contact ? tidyContact(value) : value];
    }),
  );
}

/** The same for the values of one contact. */
export function tidyContact(values: unknown): unknown {
  // PHP writes so what has no names; an array of nothing is an empty struct (params.ts).
  const named = Array.isArray(values) && values.some((value) => value !== '') ? { ...values } : values;
  if (!isPlainStruct(named)) return values;
  return Object.fromEntries(
    Object.entries(named).map(([name, value]) => (TAG.test(name.trim()) ? [name.trim(), value] : [noTag(name), ''])),
  );
}

/** The beginning of a name, by which its owner knows it. Reserved names stay, to be refused (clean-input.ts). */
const noTag = (name: string): string =>
  name
    .slice(0, 200)
    .replaceAll(/\p{Cc}/gu, ' ')
    .replaceAll(UNREADABLE, '\uFFFD')
    .trim();

/** What may be the tag of a field, or a name that is read beside fields. */
const TAG = /^[A-Za-z][A-Za-z0-9_]{0,49}$/;

/** What programs write where there is no value. Not for texts: Null is a family name. */
export const isNothing = (text: string): boolean => /^\s*(?:null|\(null\)|undefined|nil|none)\s*$/i.test(text);

/** A number whose decimals follow a comma, with a point; 1,234 has two readings and stays as it is. */
export function decimalOf(text: string): string {
  const [, whole, decimals] = /^\s*([+-]?\d{1,15}),(\d{1,10})\s*$/.exec(text) ?? [];
  if (whole === undefined || (decimals!.length === 3 && /^[+-]?[1-9]\d{0,2}$/.test(whole))) return text;
  return `${whole}.${decimals}`;
}

/**
 * The items of an array that arrived as a struct by number, in the order of the numbers. PHP writes an array so whose keys
 * have a gap or are ids.
 */
export function itemsOf(value: unknown): unknown {
  if (!isPlainStruct(value)) return value;
  const members = Object.entries(value);
  if (members.length === 0 || !members.every(([name]) => /^-?\d{1,20}$/.test(name))) return value;
  return members.sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item);
}

/**
 * The same for the items of a batch, whose keys may be any words, such as customer numbers. One struct with EMAIL, or one address,
 * shows that the members are rows: what is wrong with another of them is the error of that row. A struct with EMAIL itself is one row.
 */
export function rowsOf(value: unknown, ofAddresses = false): unknown {
  const items = itemsOf(value);
  if (!isPlainStruct(items) || (!ofAddresses && hasEmail(items))) return items;
  const members = Object.values(items);
  const isRow = (member: unknown) =>
    isPlainStruct(member) ? hasEmail(member) : ofAddresses && typeof member === 'string' && member.includes('@');
  return members.some(isRow) ? members : items;
}

const hasEmail = (row: object): boolean => Object.keys(row).some((name) => name.toUpperCase() === 'EMAIL');

/**
 * A date as published clients write it, in the form that our methods read: YYYY-MM-DD, and what follows it. Day first with
 * slashes, dots or hyphens, and year first with slashes or dots. Undefined for any other text.
 */
export function isoDayOf(text: string): string | undefined {
  const dayFirst = /^\s*(\d{1,2})([/.-])(\d{1,2})\2(\d{4})((?:[ T].*)?)$/s.exec(text);
  const yearFirst = /^\s*(\d{4})([/.])(\d{1,2})\2(\d{1,2})((?:[ T].*)?)$/s.exec(text);
  const [year, month, day, rest] = dayFirst
    ? [dayFirst[4], dayFirst[3], dayFirst[1], dayFirst[5]]
    : yearFirst
      ? [yearFirst[1], yearFirst[3], yearFirst[4], yearFirst[5]]
      : [];
  return year === undefined ? undefined : `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}${rest}`;
}

/**
 * MySQL's date without a value, what PHP's date functions make of it, which is 30 November of the year -1, or that of .NET; with or
 * without a time, which is midnight. No date is longer than 60 characters; this bounds the work of the patterns.
 */
export function isZeroDate(text: string): boolean {
  if (text.length > 60) return false;
  const day = text.trim().replace(MIDNIGHT, '');
  return ZERO_DAY.test(isoDayOf(day) ?? day);
}

const MIDNIGHT = /(?:\s+|T)(?:[0:.]+|12:00(?::00)?\s*AM)\s*(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})?$/i;
const ZERO_DAY =
  /^(?:0000-00-00|0001-01-01|-0001[-/.]11[-/.]30|(?:30[-/.]11|11[-/.]30)[-/.]-0001|(?:wed,? )?30 nov(?:ember)? -0001|nov(?:ember)? 30, -0001)$/i;

function membersOf(
  shape: Record<string, z.ZodType>,
  aliases: Record<string, string> = {},
  given: Record<string, unknown>,
): Record<string, unknown> {
  const read: [string, unknown][] = [];
  for (const [name, value] of Object.entries(given)) {
    const own = Object.hasOwn(aliases, name) ? aliases[name]! : name;
    if (own === '' || (own !== name && Object.hasOwn(given, own))) continue;
    const member = Object.hasOwn(shape, own) ? shape[own]! : undefined;
    if (member && isOptional(member) && isNotGiven(member, value)) continue;
    read.push([own, member ? asPublished(member, value) : value]);
  }
  return Object.fromEntries(read);
}

/** An empty struct in place of nil, a date without a value, or a word for nothing where no text is due. */
function isNotGiven(member: z.ZodType, value: unknown): boolean {
  const { type, entries = {} } = defOf(unwrapped(member));
  if (!scalars.has(type)) return false;
  if (isPlainStruct(value) || Array.isArray(value)) return Object.keys(value).length === 0;
  if (typeof value !== 'string') return false;
  const isDate = metaOf(member).date === true;
  if (isDate && isZeroDate(value)) return true;
  return (type !== 'string' || isDate) && isNothing(value) && !Object.hasOwn(entries, value.trim().toLowerCase());
}

const scalars: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'enum']);

/** The same for a value whose type the method knows. */
function withItems(value: unknown): unknown {
  const items = itemsOf(value);
  if (Array.isArray(items)) return items.map(withItems);
  if (!isPlainStruct(items)) return items;
  return Object.fromEntries(Object.entries(items).map(([name, member]) => [name, withItems(member)]));
}
