// The link table of a campaign: which links are counted, the address each leads to, and the links of plain text.
// Promises that a link's host is always the author's own text, so that no click address redirects elsewhere, and that
// every distinct target has one entry.
import { addAnalytics } from './analytics.ts';
import type { Piece } from './compiled.ts';
import { addressTags, type Tag } from './merge.ts';
import { tagPieces, type Work } from './pieces.ts';
import { escapeFor } from './places.ts';
import { decodeReferences } from './scan.ts';

/** More distinct links than this are not tracked. */
const linkLimit = 20_000;

/**
 * What stands for a link's address: the number of a tracked link, new pieces, or null for an address left as it is
 * (mailto:, tel:, #anchor, empty, relative, one of the recipient's own, or with a merge tag in scheme or host).
 */
export function rewriteLink(
  work: Work,
  authors: readonly (string | Tag)[],
  part: 'html' | 'text',
): number | Piece[] | null {
  const { tracking, analytics } = work.content;
  let parts = withConstants(work, authors);
  const first = parts[0];
  if (typeof first !== 'string') return null;
  if (parts.some((token) => typeof token !== 'string' && token.name in addressTags)) return null;
  const host = parts.length === 1 ? /^\s*https?:\/\/[^/?#\s]/i : /^\s*https?:\/\/[^/?#\s]+[/?#]/i;
  if (!host.test(first)) return null;
  if (analytics) parts = addAnalytics(parts, analytics);
  if (part === 'html' ? tracking.htmlClicks : tracking.textClicks) {
    const index = linkIndex(work, target(work, parts));
    if (index !== null) {
      work.links[index]![part]++;
      return index;
    }
  }
  if (!analytics) return null;
  const place = part === 'html' ? 'attribute' : 'plain';
  return parts.flatMap((token) =>
    typeof token === 'string' ? [escapeFor(place, token)] : tagPieces(work, token, 'url-part'),
  );
}

function linkIndex(work: Work, of: string): number | null {
  const found = work.linkByTarget.get(of);
  if (found !== undefined) return found;
  if (work.links.length >= linkLimit) return null;
  work.linkByTarget.set(of, work.links.length);
  return work.links.push({ target: of, html: 0, text: 0 }) - 1;
}

/** The parts of an address with all that is the same for every recipient written in. */
function withConstants(work: Work, parts: readonly (string | Tag)[]): (string | Tag)[] {
  const result: (string | Tag)[] = [];
  for (const part of parts) {
    let constant: string | null = typeof part === 'string' ? part : null;
    if (typeof part !== 'string') {
      const whole = result.length === 0 || (result.length === 1 && String(result[0]).trim() === '');
      const pieces = part.name in addressTags ? null : tagPieces(work, part, whole ? 'whole-url' : 'url-part');
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

/** The entry of the link table: tags by their field names, with the default that holds for them. */
function target(work: Work, parts: readonly (string | Tag)[]): string {
  const text = parts.map((part) => {
    // Browsers drop line breaks and tabs in addresses.
    if (typeof part === 'string') return part.replace(/[\t\r\n]/g, '');
    return tagPieces(work, part, 'url-part')
      .map((piece) => {
        if (typeof piece === 'string') return piece;
        if (piece.slot === 'field') return tagText(piece.tag, piece.otherwise);
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

/** The addresses of a plain text, without what only ends their sentence. */
export function* plainLinks(text: string): Generator<{ start: number; end: number }> {
  for (const match of text.matchAll(plainLink)) yield { start: match.index, end: match.index + linkLength(match[0]) };
}

/** How much of a match is the address: what ends a sentence or closes a bracket that it did not open is not. */
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

function count(text: string, sign: string): number {
  let found = 0;
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) found++;
  return found;
}
