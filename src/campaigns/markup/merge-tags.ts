// Finds merge tags in a text: the notations *|TAG|*, #[TAG]# and *[TAG]*.
// Guarantees a single linear pass: a tag is a name and an argument, never an expression. Leaves values to compile-tag.ts and
// escaping to escape.ts.
import { dataType } from './data.ts';

/** A tag and its position in the source. `name` is upper case (`FNAME`, `LIST:NAME`, `DATE`). */
export type Tag = { start: number; end: number; name: string; argument: string | null };

/** A merge field of a list: its tag, and the default for an empty value. */
export type MergeField = { tag: string; type: string; default: string };

/** Tags for personal URLs, which differ for each recipient. */
export const personalTags = { UNSUB: 'unsubscribe', UPDATE_PROFILE: 'profile', ARCHIVE: 'view' } as const;

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
  ...Object.keys(personalTags),
];

// Conditions, whose argument may compare with < and >: `<` only where it cannot begin markup.
const condition = String.raw`[ \t]*((?:[Ee][Ll][Ss][Ee])?[Ii][Ff](?:[Nn][Oo][Tt])?)[ \t]*:`;
const conditions = [
  String.raw`\*\|${condition}((?:[^|\r\n<]|<(?![A-Za-z/!?])){1,200})\|\*`,
  String.raw`#\[${condition}((?:[^[\]\r\n<]|<(?![A-Za-z/!?])){1,200})\]#`,
  String.raw`\*\[${condition}((?:[^[\]\r\n<]|<(?![A-Za-z/!?])){1,200})\]\*`,
];

// A name, then after a colon an argument of at most 200 characters that stays within its line and its markup.
const notations = [
  String.raw`\*\|[ \t]*([A-Za-z]\w{0,63})[ \t]*(?::([^|\r\n<>]{0,200}))?\|\*`,
  String.raw`#\[[ \t]*([A-Za-z]\w{0,63})[ \t]*(?::([^[\]\r\n<>]{0,200}))?\]#`,
  String.raw`\*\[[ \t]*([A-Za-z]\w{0,63})[ \t]*(?::([^[\]\r\n<>]{0,200}))?\]\*`,
];
const inText = new RegExp([...conditions, ...notations].join('|'), 'g');

// In plain text and in a header < and > are letters like others.
const inPlain = new RegExp([...conditions, ...notations.map((notation) => notation.replace('<>', ''))].join('|'), 'g');

// In an address also with | [ ] written as %7C %5B %5D, as editors do.
const inAddress = new RegExp(
  [
    ...conditions,
    ...notations,
    String.raw`\*%7C(?:[ \t]|%20)*([A-Za-z]\w{0,63})(?:[ \t]|%20)*(?::((?:(?!%7C)[^|\r\n<>]){0,200}))?%7C\*`,
    String.raw`#%5B(?:[ \t]|%20)*([A-Za-z]\w{0,63})(?:[ \t]|%20)*(?::((?:(?!%5B|%5D)[^[\]\r\n<>]){0,200}))?%5D#`,
    String.raw`\*%5B(?:[ \t]|%20)*([A-Za-z]\w{0,63})(?:[ \t]|%20)*(?::((?:(?!%5B|%5D)[^[\]\r\n<>]){0,200}))?%5D\*`,
  ].join('|'),
  'gi',
);

/** text: of HTML; plain: without markup, such as a subject; address: also with the percent-encoded notations. */
export type Within = 'text' | 'plain' | 'address';

const notationsIn: Record<Within, RegExp> = { text: inText, plain: inPlain, address: inAddress };

/** Every merge tag of a text, in order. */
export function findTags(source: string, within: Within = 'text'): Tag[] {
  const tags: Tag[] = [];
  for (const match of source.matchAll(notationsIn[within])) {
    // Each notation has two groups; only those of the notation that matched are set.
    let group = 1;
    while (match[group] === undefined) group += 2;
    const word = match[group]!.toUpperCase();
    let argument = match[group + 1] ?? null;
    if (argument !== null && within === 'address') argument = percentDecoded(argument);
    const start = match.index;
    const end = start + match[0].length;
    // In CAMPAIGN:SUBJECT and LIST:NAME the colon is part of the name; elsewhere an argument follows it.
    if (argument !== null && (word === 'CAMPAIGN' || word === 'LIST')) {
      tags.push({ start, end, name: `${word}:${argument.trim().toUpperCase()}`, argument: null });
    } else {
      tags.push({ start, end, name: word, argument });
    }
  }
  return tags;
}

/** Splits a text into strings (never empty) and tags. */
export function parseTags(source: string, within: Within = 'text'): (string | Tag)[] {
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

/** Tags of other providers' templates that have a meaning here; `FOOTER_WHY` is the sentence of the footer. */
const aliases: Record<string, { name: string; argument: string | null }> = {
  'MC:SUBJECT': { name: 'CAMPAIGN:SUBJECT', argument: null },
  CURRENT_YEAR: { name: 'DATE', argument: 'Y' },
  'LIST:ADDRESSLINE': { name: 'LIST:ADDRESS', argument: null },
  'HTML:LIST_ADDRESS': { name: 'LIST:ADDRESS', argument: null },
  'HTML:LIST_ADDRESS_HTML': { name: 'LIST:ADDRESS', argument: null },
  'LIST:DESCRIPTION': { name: 'FOOTER_WHY', argument: null },
};

/** The tag of ours that another provider's tag stands for; undefined for other tags. */
export function tagOfAlias(tag: Tag): Tag | undefined {
  const whole = tag.argument === null ? tag.name : `${tag.name}:${tag.argument.trim().toUpperCase()}`;
  return Object.hasOwn(aliases, whole) ? { ...tag, ...aliases[whole]! } : undefined;
}

/** Resolves MERGE0 to EMAIL, MERGE1 to the first other field, and so on; other names stay. */
export function fieldTag(name: string, fields: readonly MergeField[]): string {
  const number = /^MERGE(\d{1,4})$/.exec(name);
  if (!number || fields.some((field) => field.tag === name)) return name;
  const position = Number(number[1]);
  if (position === 0) return 'EMAIL';
  return fields.filter(isNumbered)[position - 1]?.tag ?? name;
}

/** The address is MERGE0, and a value with members has no number. */
const isNumbered = ({ tag, type }: MergeField) => tag !== 'EMAIL' && type !== dataType;

/** Every tag name that is known with these fields. */
export function knownTags(fields: readonly MergeField[]): Set<string> {
  const known = new Set(namedTags);
  let number = 0;
  known.add('MERGE0');
  for (const field of fields) {
    known.add(field.tag.toUpperCase());
    if (isNumbered(field)) known.add(`MERGE${++number}`);
  }
  return known;
}

/** The unknown tag names in a text, each once, in order of appearance. */
export function unknownTags(source: string, fields: readonly MergeField[]): string[] {
  const known = knownTags(fields);
  const names = findTags(source)
    .filter((tag) => !isCondition(tag.name))
    .map((tag) => tag.name);
  return [...new Set(names.filter((name) => !known.has(name)))];
}

/** Whether a tag of this name may be part of a condition or loop (conditions.ts). */
export const isCondition = (name: string): boolean => /^(?:(?:ELSE)?IF(?:NOT)?|ELSE|END|ENDIF|EACH)$/.test(name);

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
