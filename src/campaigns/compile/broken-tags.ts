// Finds what an author meant as a merge tag and what is none, such as *|F-NAME|*, *|FNAME| or *|FNAME:a|b|*: readers get it as text.
// Pure. In doubt a text is no tag: a sign alone, emphasis of Markdown and lines between columns are other things.
import { findTags, type Within } from '../markup/merge-tags.ts';

/** The signs, and those that look like them: editors, fonts and keyboards of other scripts put them in their place. */
const stars = '*＊∗⁎﹡✱';
const bars = '|｜∣│ǀ❘¦￨';
const star = `[${stars}]`;
/** Also as Markdown escapes it. */
const bar = `\\\\?[${bars}]`;
/** Blanks, also those without width, where none belong. */
const gap = '[\\p{Zs}\\t\\p{Cf}]{0,4}';
const name = '[A-Za-z]\\w{0,63}';
const inner = (end: string) => `((?:(?!${star}${bar}|${end})[^\\r\\n]){1,2000}?)`;

/** Both signs are there, and what is between them has the form of no tag. */
const whole = [new RegExp(`${star}${bar}${inner(`${bar}${star}`)}${bar}${star}`, 'gu'), /#\[([^[\]\r\n]{1,2000})\]#/g];

/** As above, where it may be something else; the first group is the name. */
const likely = [
  new RegExp(`${star}${gap}${bar}${gap}(${name})${gap}(?::[^${bars}*\\r\\n]{0,300})?${gap}${bar}${gap}${star}`, 'gu'),
  /\*\[[ \t]{0,4}([A-Z][\w -]{0,63}?)[ \t]{0,4}(?::[^[\]\r\n]{0,2000})?\]\*/g,
];

/** A sign is missing; the first group is the name. What follows is quoted as far as it may belong to the tag. */
const halves = [
  new RegExp(
    `(?<![\\p{L}\\p{N}*])${star}${bar}${gap}(${name})(?:${gap}:[^${bars}*\\r\\n]{0,60}(?=[${bars}*]))?${gap}(?:${bar}|${star})?`,
    'gu',
  ),
  new RegExp(
    `(?:${bar}${gap})?(?<!\\w)(${name})(?::[^${bars}*\\r\\n]{0,60})?${gap}${bar}${gap}${star}(?![\\p{L}\\p{N}*])`,
    'gu',
  ),
  /[#*]\[[ \t]{0,4}([A-Z][A-Z0-9_]{0,63})(?!\w|\]\()(?::[^[\]\r\n]{0,60})?\]?/g,
  /\[?[ \t]{0,4}\b([A-Z][A-Z0-9_]{0,63})(?::[^[\]\r\n]{0,60})?\][#*](?![\p{L}\p{N}*])/gu,
];

/** Both stars are missing, as Markdown takes them away. */
const bare = /(?<![|\p{L}\p{N}])\|([A-Z][A-Z0-9_]{0,63})(?::[^|\r\n]{0,200})?\|(?![|\p{L}\p{N}])/gu;

/** Names that are no words, between signs, so that any other notation of them is a mistake too: @FNAME@. */
const otherSigns = /(?<![\w?&=/.-])[@#$%*|{}<>[\]~^!\\]{1,3}(FNAME|LNAME|MERGE\d{1,3})[@#$%*|{}<>[\]~^!\\]{1,3}/g;

const signs = new RegExp(`[${stars}${bars}]|[#*]\\[|\\][#*]|NAME|MERGE`, 'u');
const anyBar = new RegExp(`[${bars}]`, 'gu');

/**
 * What looks like a merge tag, as it is in the text, each once, in order.
 * @param line one line of text in which the tags that are in order are masked (`withoutTags`)
 * @param known names of tags, in capitals
 */
export function brokenTags(line: string, known: ReadonlySet<string>): string[] {
  if (!signs.test(line)) return [];
  let text = line;
  const found: { at: number; text: string }[] = [];
  const take = (pattern: RegExp, isTag: (name: string, whole: string) => boolean) => {
    text = text.replace(pattern, (match: string, inner: string, at: number) => {
      if (!isTag(inner, match)) return match;
      const quoted = match.trim();
      found.push({ at, text: quoted.length > 100 ? `${quoted.slice(0, 99)}…` : quoted });
      return '\ue000'.repeat(match.length);
    });
  };
  const isKnown = (name: string) => known.has(name.trim().toUpperCase());
  for (const pattern of whole) take(pattern, (inner) => /\p{L}/u.test(inner));
  take(likely[0]!, (name) => name === name.toUpperCase() && isKnown(name));
  take(likely[1]!, (name) => name === name.toUpperCase());
  for (const pattern of halves)
    take(pattern, (name, match) => {
      const isUpper = name === name.toUpperCase();
      if (isKnown(name)) return isUpper || pattern === halves[0];
      // An unknown name only with its second bar: *|VORNAME|
      return isUpper && name.length > 2 && (match.match(anyBar) ?? []).length === 2;
    });
  if ((text.match(/\|/g) ?? []).length === 2) take(bare, isKnown);
  // *FNAME* is emphasis.
  take(otherSigns, (name, match) => isKnown(name) && !/^\*+\w+\*+$/.test(match));
  return [...new Set(found.sort((a, b) => a.at - b.at).map(({ text }) => text))];
}

/** The text with private characters in place of its tags. */
export function withoutTags(text: string, within: Within = 'text'): string {
  let masked = '';
  let from = 0;
  for (const { start, end } of findTags(text, within)) {
    masked += text.slice(from, start) + '\ue000'.repeat(end - start);
    from = end;
  }
  return masked + text.slice(from);
}
