// The link table of a campaign: which links are tracked and where they lead; also finds the links in plain text.
// Guarantees that the host of a tracked link is the author's text, so that no click URL redirects elsewhere, and that every
// distinct target has one entry.
import { addAnalytics, takesAnalytics } from '../markup/analytics.ts';
import type { DataSlot, Piece, Slot } from '../markup/compiled.ts';
import { markOf } from '../markup/conditions.ts';
import { escapeFor } from '../markup/escape.ts';
import { findTags, personalTags, type Tag } from '../markup/merge-tags.ts';
import { decodeReferences } from '../markup/scan-html.ts';
import { type CompileState, compileTag } from './compile-tag.ts';

/** Distinct links that are tracked; further links stay as they are. */
const maxLinks = 20_000;

/**
 * Compiles the URL of a link: to the number of a tracked link, to new pieces, or to null if it stays as it is (mailto:,
 * tel:, #anchor, empty, relative, a personal URL, or with a merge tag in its scheme or host).
 */
export function compileLink(
  state: CompileState,
  authors: readonly (string | Tag)[],
  part: 'html' | 'text',
): number | Piece[] | null {
  const { tracking } = state.content;
  let parts = withConstants(state, authors);
  const first = parts[0];
  if (first === undefined || parts.some((token) => typeof token !== 'string' && isNoPart(state, token))) return null;
  if (typeof first !== 'string')
    return isMember(state, first) && tracking.htmlClicks && part === 'html' ? counted(state, parts, part) : null;
  const host = parts.length === 1 ? /^\s*https?:\/\/[^/?#\s]/i : /^\s*https?:\/\/[^/?#\s]+[/?#]/i;
  if (!host.test(first)) return null;
  const given = state.content.analytics;
  const analytics = given && takesAnalytics(parts, given) ? given : null;
  if (analytics) parts = addAnalytics(parts, analytics);
  if (part === 'html' ? tracking.htmlClicks : tracking.textClicks) {
    const index = counted(state, parts, part);
    if (index !== null) return index;
  }
  if (!analytics) return null;
  const place = part === 'html' ? 'attribute' : 'plain';
  return parts.flatMap((token) =>
    typeof token === 'string' ? [escapeFor(place, token)] : compileTag(state, token, 'url-part'),
  );
}

function counted(state: CompileState, parts: readonly (string | Tag)[], part: 'html' | 'text'): number | null {
  const index = linkIndex(state, targetOf(state, parts));
  if (index !== null) state.links[index]![part]++;
  return index;
}

/** A member of a value that the sender's program sends. */
const isMember = (state: CompileState, tag: Tag) =>
  compileTag(state, tag, 'whole-url').some((piece) => typeof piece !== 'string' && piece.slot === 'data');

/** The slot of a tracked link. */
export function linkSlot(state: CompileState, link: number, place: 'attribute' | 'plain'): Slot {
  const { target } = state.links[link]!;
  const tags = findTags(target, 'address');
  return {
    slot: 'link',
    link,
    place,
    ...(tags.some(({ argument }) => argument?.includes(ofItem)) ? { perItem: true } : {}),
    ...(tags[0]?.start === 0 ? { whole: true } : {}),
  };
}

/** Personal URLs are no part of a target, and a target with conditions is not the same for all. */
function isNoPart(state: CompileState, tag: Tag): boolean {
  if (tag.name in personalTags || markOf(tag, state.content.fields)) return true;
  // A subject may have conditions.
  return compileTag(state, tag, 'url-part').some(
    (piece) => typeof piece !== 'string' && (piece.slot === 'choice' || piece.slot === 'each'),
  );
}

function linkIndex(state: CompileState, target: string): number | null {
  const index = state.linkByTarget.get(target);
  if (index !== undefined) return index;
  if (state.links.length >= maxLinks) return null;
  state.linkByTarget.set(target, state.links.length);
  return state.links.push({ target, html: 0, text: 0 }) - 1;
}

/** Fills in the tags whose value is the same for every recipient. */
function withConstants(state: CompileState, parts: readonly (string | Tag)[]): (string | Tag)[] {
  const result: (string | Tag)[] = [];
  for (const part of parts) {
    let constant: string | null = typeof part === 'string' ? part : null;
    if (typeof part !== 'string') {
      const whole = result.length === 0 || (result.length === 1 && String(result[0]).trim() === '');
      const pieces = isNoPart(state, part) ? null : compileTag(state, part, whole ? 'whole-url' : 'url-part');
      if (pieces?.every((piece) => typeof piece === 'string')) {
        constant = pieces.join('');
        if (whole) constant = decodeReferences(constant);
      }
    }
    const last = result.at(-1);
    if (constant === null) result.push(part);
    else if (typeof last === 'string') result[result.length - 1] = last + constant;
    else if (constant !== '') result.push(constant);
  }
  return result;
}

/** The target as the link table stores it: tags by their field names, with their fallbacks. */
function targetOf(state: CompileState, parts: readonly (string | Tag)[]): string {
  const text = parts.map((part) => {
    // Browsers drop line breaks and tabs in addresses.
    if (typeof part === 'string') return part.replace(/[\t\r\n]/g, '');
    return compileTag(state, part, 'url-part').map(partOfTarget).join('');
  });
  return text.join('').trim();
}

function partOfTarget(piece: Piece): string {
  if (typeof piece === 'string') return piece;
  switch (piece.slot) {
    case 'field':
      return tagText(piece.tag, piece.fallback);
    case 'date':
      return tagText('DATE', piece.format);
    case 'list':
      return tagText('LIST', piece.fact.toUpperCase());
    case 'data':
      return memberText(piece);
    // No part of an address.
    case 'personal':
    case 'link':
    case 'pixel':
    case 'choice':
    case 'each':
      return '';
  }
}

function tagText(name: string, argument: string): string {
  return argument === '' ? `*|${name}|*` : `*|${name}:${escapeFor('url-part', argument)}|*`;
}

/** Between the list of a loop and a member of its item in a target: *|EVENT:items[].url|*. */
export const ofItem = '[]';

/** A member in a target. The default of a field is percent-encoded there, and has neither brackets nor a colon. */
export const isMemberTarget = (written: string): boolean => /:[^:]*(?:\[\]|:)/.test(written);

function memberText({ of, path, item, fallback }: DataSlot): string {
  const names = (all: readonly string[]) => all.map((name) => escapeFor('url-part', name)).join('.');
  const member = item === undefined ? '' : `${ofItem}${item.length > 0 ? '.' : ''}${names(item)}`;
  const rest = fallback === '' && item !== undefined ? '' : `:${escapeFor('url-part', fallback)}`;
  return `*|${of}:${names(path)}${member}${rest}|*`;
}

/** Quotes, dashes, brackets and full stops of all scripts but ASCII, and characters without width: a URL has them percent-encoded. */
const outside = /[\s<>"`\p{Cc}\p{Cf}\p{Zs}\u2028\u2029[\p{P}--[\x00-\x7f]]]/v;
/** Letters of scripts in which words are written without a blank between them. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
/** Words that follow a name in Japanese and Korean, and begin no part of an address. */
const particle = /^(?:[\p{Script=Hiragana}]|(?:에서|에게|에|을|를|으로|로|의|은|는|이|가|와|과|도|입니다)(?!\p{L}))/u;
const foreignLetter = /[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]]/v;
/** What a part of an address may follow. */
const delimiter = /[/=?&#_+-]/;
const closers: Record<string, string> = { ')': '(', ']': '[', '}': '{' };

/**
 * Finds the URLs in plain text, in any script, without punctuation and words that belong to the sentence. What is doubtful is text: a
 * tracked link replaces what it contains.
 */
export function* plainLinks(text: string): Generator<{ start: number; end: number }> {
  const tags = findTags(text, 'plain');
  const tagAt = new Map(tags.map((tag) => [tag.start, tag]));
  let nextTag = 0;
  let from = 0;
  for (const { index } of text.matchAll(/https?:\/\//gi)) {
    // An address within the default of a tag is part of the tag.
    while (nextTag < tags.length && tags[nextTag]!.end <= index) nextTag++;
    if (index < from || (tags[nextTag]?.start ?? Number.POSITIVE_INFINITY) < index) continue;
    const end = endOf(text, index, tagAt);
    from = end;
    if (end > text.indexOf('//', index) + 2) yield { start: index, end };
  }
}

function endOf(text: string, start: number, tagAt: ReadonlyMap<number, Tag>): number {
  const host = text.indexOf('//', start) + 2;
  const open: Record<string, number> = {};
  let slashes = 0;
  // Whether the part since the last delimiter has a letter of another script.
  let isForeign = false;
  let afterTag = -1;
  let end = host;
  while (end < text.length) {
    const tag = tagAt.get(end);
    if (tag) {
      end = afterTag = tag.end;
      continue;
    }
    const letter = String.fromCodePoint(text.codePointAt(end)!);
    if (outside.test(letter)) break;
    const opener = closers[letter];
    if (opener) {
      if (!open[opener]) break;
      open[opener]--;
    } else if ('([{'.includes(letter)) open[letter] = (open[letter] ?? 0) + 1;
    if (/[,;|]/.test(letter) && /^https?:\/\//i.test(text.slice(end + 1, end + 9))) break;
    if (foreignLetter.test(letter)) {
      if (!isForeign && !mayBegin(text, end, host, slashes)) break;
      isForeign = true;
    } else if (delimiter.test(letter) || (letter === '.' && slashes === 0))
      isForeign &&= letter === '-' || letter === '_';
    if (letter === '/') slashes++;
    end += letter.length;
  }
  while (end !== afterTag && /[.,;:!?'*|([{]/.test(text[end - 1]!)) end--;
  return end;
}

/** Whether a letter of another script may be the first one of its part of an address, and not a word of the sentence. */
function mayBegin(text: string, at: number, host: number, slashes: number): boolean {
  if (at === host) return true;
  const before = text[at - 1]!;
  if (slashes === 0) return before === '.' || before === '-';
  if (!delimiter.test(before) || particle.test(text.slice(at, at + 8))) return false;
  // Directly behind the host a sentence continues more often than an address.
  return !(before === '/' && slashes === 1 && unspaced.test(text[at]!));
}
