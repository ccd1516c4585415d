// Merge tags: the three notations *|TAG|*, #[TAG]# and *[TAG]* found in a text, once, as a list of tokens.
// Promises one linear pass and plain look-ups: a tag is a name and an argument, never an expression, and nothing that
// comes out of a tag is ever searched for tags again. Escaping for the place is left to places.ts.

/** A tag where it stands in its source. `name` is upper case (`FNAME`, `LIST:NAME`, `DATE`). */
export type Tag = { start: number; end: number; name: string; argument: string | null };

/** A merge field of a list: its tag, and what stands for an empty value. */
export type MergeField = { tag: string; type: string; default: string };

/** Tags that stand for an address of the recipient's own: their URL is made for each recipient. */
export const addressTags = { UNSUB: 'unsubscribe', UPDATE_PROFILE: 'profile', ARCHIVE: 'view' } as const;

const namedTags = [
  'EMAIL',
  'EMAIL_TYPE',
  'DATE',
  'CAMPAIGN:SENDER_NAME',
  'CAMPAIGN:SUBJECT',
  'LIST:NAME',
  'LIST:COMPANY',
  'LIST:ADDRESS',
  'LIST:URL',
  ...Object.keys(addressTags),
];

// A name, then after a colon an argument of at most 200 characters that stays within its line and its markup.
const notations = [
  String.raw`\*\|[ \t]*([A-Za-z]\w{0,63})[ \t]*(?::([^|\r\n<>]{0,200}))?\|\*`,
  String.raw`#\[[ \t]*([A-Za-z]\w{0,63})[ \t]*(?::([^[\]\r\n<>]{0,200}))?\]#`,
  String.raw`\*\[[ \t]*([A-Za-z]\w{0,63})[ \t]*(?::([^[\]\r\n<>]{0,200}))?\]\*`,
];
const inText = new RegExp(notations.join('|'), 'g');

// In an address also with | [ ] written as %7C %5B %5D, as editors do.
const inAddress = new RegExp(
  [
    ...notations,
    String.raw`\*%7C(?:[ \t]|%20)*([A-Za-z]\w{0,63})(?:[ \t]|%20)*(?::((?:(?!%7C)[^|\r\n<>]){0,200}))?%7C\*`,
    String.raw`#%5B(?:[ \t]|%20)*([A-Za-z]\w{0,63})(?:[ \t]|%20)*(?::((?:(?!%5B|%5D)[^[\]\r\n<>]){0,200}))?%5D#`,
    String.raw`\*%5B(?:[ \t]|%20)*([A-Za-z]\w{0,63})(?:[ \t]|%20)*(?::((?:(?!%5B|%5D)[^[\]\r\n<>]){0,200}))?%5D\*`,
  ].join('|'),
  'gi',
);

/** Every merge tag of a text, in order; `within: 'address'` also knows the percent-encoded notations. */
export function findTags(source: string, within: 'text' | 'address' = 'text'): Tag[] {
  const tags: Tag[] = [];
  for (const match of source.matchAll(within === 'text' ? inText : inAddress)) {
    // Of each notation's two groups only those of the one that matched are set.
    let group = 1;
    while (match[group] === undefined) group += 2;
    const word = match[group]!.toUpperCase();
    let argument = match[group + 1] ?? null;
    if (argument !== null && within === 'address') argument = percentDecoded(argument);
    const start = match.index;
    const end = start + match[0].length;
    // CAMPAIGN:SUBJECT and LIST:NAME are names with a colon in them; elsewhere what follows the colon is an argument.
    if (argument !== null && (word === 'CAMPAIGN' || word === 'LIST')) {
      tags.push({ start, end, name: `${word}:${argument.trim().toUpperCase()}`, argument: null });
    } else {
      tags.push({ start, end, name: word, argument });
    }
  }
  return tags;
}

/** A text as a list of its parts: strings (never empty) and tags. */
export function parseTags(source: string, within: 'text' | 'address' = 'text'): (string | Tag)[] {
  const tokens: (string | Tag)[] = [];
  let from = 0;
  for (const tag of findTags(source, within)) {
    if (tag.start > from) tokens.push(source.slice(from, tag.start));
    tokens.push(tag);
    from = tag.end;
  }
  if (from < source.length) tokens.push(source.slice(from));
  return tokens;
}

/** The field tag a name stands for: MERGE0 is EMAIL, MERGE1 the first other field, and so on; other names themselves. */
export function fieldTag(name: string, fields: readonly MergeField[]): string {
  const number = /^MERGE(\d{1,4})$/.exec(name);
  if (!number || fields.some((field) => field.tag === name)) return name;
  const position = Number(number[1]);
  if (position === 0) return 'EMAIL';
  return fields.filter((field) => field.tag !== 'EMAIL')[position - 1]?.tag ?? name;
}

/** Every tag name that means something for these fields. */
export function knownTags(fields: readonly MergeField[]): Set<string> {
  const known = new Set(namedTags);
  let number = 0;
  known.add('MERGE0');
  for (const field of fields) {
    known.add(field.tag.toUpperCase());
    if (field.tag !== 'EMAIL') known.add(`MERGE${++number}`);
  }
  return known;
}

/** The names of a text that mean nothing for these fields, each once, in order of appearance. */
export function unknownTags(source: string, fields: readonly MergeField[]): string[] {
  const known = knownTags(fields);
  const names = findTags(source).map((tag) => tag.name);
  return [...new Set(names.filter((name) => !known.has(name)))];
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
