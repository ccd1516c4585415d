// The link table of a campaign: which links are tracked and where they lead; also finds the links in plain text.
// Guarantees that the host of a tracked link is the author's text, so that no click URL redirects elsewhere, and that every
// distinct target has one entry.
import { addAnalytics } from './analytics.ts';
import { type CompileState, compileTag } from './compile-tag.ts';
import type { Piece } from './compiled.ts';
import { markOf } from './conditions.ts';
import { escapeFor } from './escape.ts';
import { personalTags, type Tag } from './merge-tags.ts';
import { decodeReferences } from './scan-html.ts';

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
  const { tracking, analytics } = state.content;
  let parts = withConstants(state, authors);
  const first = parts[0];
  if (typeof first !== 'string') return null;
  if (parts.some((token) => typeof token !== 'string' && isNoPart(state, token))) return null;
  const host = parts.length === 1 ? /^\s*https?:\/\/[^/?#\s]/i : /^\s*https?:\/\/[^/?#\s]+[/?#]/i;
  if (!host.test(first)) return null;
  if (analytics) parts = addAnalytics(parts, analytics);
  if (part === 'html' ? tracking.htmlClicks : tracking.textClicks) {
    const index = linkIndex(state, targetOf(state, parts));
    if (index !== null) {
      state.links[index]![part]++;
      return index;
    }
  }
  if (!analytics) return null;
  const place = part === 'html' ? 'attribute' : 'plain';
  return parts.flatMap((token) =>
    typeof token === 'string' ? [escapeFor(place, token)] : compileTag(state, token, 'url-part'),
  );
}

/** Personal URLs are no part of a target, and a target with conditions is not the same for all. */
function isNoPart(state: CompileState, tag: Tag): boolean {
  if (tag.name in personalTags || markOf(tag, state.content.fields)) return true;
  // A subject may have conditions.
  return compileTag(state, tag, 'url-part').some((piece) => typeof piece !== 'string' && piece.slot === 'choice');
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
    return compileTag(state, part, 'url-part')
      .map((piece) => {
        if (typeof piece === 'string') return piece;
        if (piece.slot === 'field') return tagText(piece.tag, piece.fallback);
        if (piece.slot === 'date') return tagText('DATE', piece.format);
        return piece.slot === 'list' ? tagText('LIST', piece.fact.toUpperCase()) : '';
      })
      .join('');
  });
  return text.join('').trim();
}

function tagText(name: string, argument: string): string {
  return argument === '' ? `*|${name}|*` : `*|${name}:${escapeFor('url-part', argument)}|*`;
}

const plainLink =
  /https?:\/\/(?:\*\|[^|\r\n<>]{1,260}\|\*|#\[[^[\]\r\n<>]{1,260}\]#|\*\[[^[\]\r\n<>]{1,260}\]\*|[^\s<>"])+/gi;

/** Finds the URLs in plain text, without punctuation that belongs to the sentence. */
export function* plainLinks(text: string): Generator<{ start: number; end: number }> {
  for (const match of text.matchAll(plainLink)) yield { start: match.index, end: match.index + linkLength(match[0]) };
}

/** Length of the URL in a match, without final punctuation and closing brackets that it did not open. */
function linkLength(match: string): number {
  const surplus: Record<string, number> = {};
  for (const pair of ['()', '[]', '{}']) surplus[pair[1]!] = count(match, pair[1]!) - count(match, pair[0]!);
  let end = match.length;
  for (; end > 0; end--) {
    if (/^(?:\|\*|\]#|\]\*)$/.test(match.slice(end - 2, end))) break;
    const last = match[end - 1]!;
    if (/[.,;:!?'*]/.test(last)) continue;
    if ((surplus[last] ?? 0) <= 0) break;
    surplus[last]!--;
  }
  return end;
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
