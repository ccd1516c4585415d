// Values with structure: the data of an event, or values of a message that are objects or lists. Reads the names that lead to a
// member, finds it, and writes it as text. Guarantees that nothing but members that were sent is found (no inherited ones), and
// that an object or list never appears as text.

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** The type, among the merge fields, of a name whose value has members: *|EVENT:customer.name|*. */
export const dataType = 'data';

/** The tag for the item that a loop is at. */
export const itemTag = 'ITEM';

/** The tag for the data of the event that let a contact into an automation. */
export const eventTag = 'EVENT';

/** Items that a loop repeats its content for; later ones are left out. */
export const maxItems = 50;

/** What leads to a value: the name in front of the colon, and members within members. */
export type DataPath = { of: string; path: readonly string[] };

/** The members of `customer.name`; [] for none, null where one has no name. */
export function readPath(text: string): string[] | null {
  if (text.trim() === '') return [];
  const names = text.split('.').map((name) => name.trim());
  return names.includes('') ? null : names;
}

/** Reads `EVENT:items` or `ITEMS`; null when it is neither. */
export function readDataPath(text: string): DataPath | null {
  const [, name, rest = ''] = /^\s*([A-Za-z]\w{0,63})\s*(?::(.*))?$/s.exec(text) ?? [];
  const path = name === undefined ? null : readPath(rest);
  return path && { of: name!.toUpperCase(), path };
}

/** Splits the argument of a tag, `customer.name:friend`, into its path and what replaces an empty value. */
export function readMember(argument: string | null): { path: string[]; fallback: string } | null {
  const [, names, fallback = ''] = /^([^:]*)(?::(.*))?$/s.exec(argument ?? '')!;
  const path = readPath(names!);
  return path && { path, fallback };
}

/** A member of members; undefined where there is none. Items of a list are found by their number, from 0. */
export function valueAt(from: Json | undefined, path: readonly string[]): Json | undefined {
  let value = from;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value) ? !/^(?:0|[1-9]\d{0,3})$/.test(name) : !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, Json>)[name];
  }
  return value;
}

/** The text of a value; '' for an object, a list and what is missing. */
export function textOfData(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** What a condition without a comparison tests: '' for what is missing, empty or false. */
export function testedOf(value: Json | undefined): string {
  if (typeof value !== 'object' || value === null) return value === false ? '' : textOfData(value);
  return Object.keys(value).length > 0 ? 'true' : '';
}

/** The items that a loop is for; none where the value is no list. */
export function itemsOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value.slice(0, maxItems) : [];
}

/** The path as an author writes it. */
export const pathText = ({ of, path }: DataPath): string => (path.length === 0 ? of : `${of}:${path.join('.')}`);
