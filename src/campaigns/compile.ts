// Compiles a campaign's content, once, into texts and typed slots (compiled.ts): merge tags, tracked links, analytics
// parameters, header, footer, pixel. Promises that HTML outside rewritten attribute values stays byte for byte, that a
// tag is never evaluated twice, and that no click redirects to a host that the author did not write: a link with a
// merge tag in its scheme or host is left as it is, with the value escaped in it. Touches no database and no network.
import { type Analytics, addAnalytics } from './analytics.ts';
import type { Compiled, CompiledList, Link, ListFact, OwnAddress, Piece } from './compiled.ts';
import { addressTags, fieldTag, findTags, knownTags, type MergeField, parseTags, type Tag } from './merge.ts';
import { escapeFor, type Place } from './places.ts';
import { decodeReferences, isAddress, scanHtml, type Zone } from './scan.ts';
import { usualFormat } from './tag-date.ts';

/** All that a campaign's mail is made of. Texts may hold merge tags, except the facts of the lists. */
export type CampaignContent = {
  html?: string;
  plain?: string;
  subject: string;
  fromName: string;
  fromEmail: string;
  replyTo: string;
  /** The display name of the To header, or ''. */
  toName: string;
  fields: readonly MergeField[];
  /** The lists that the campaign goes to, at least one. */
  lists: readonly CompiledList[];
  /** BCP 47, for day and month names. */
  language: string;
  timeZone: string;
  tracking: { opens: boolean; htmlClicks: boolean; textClicks: boolean };
  analytics?: Analytics | null;
  /** Put before and after the author's content. */
  header?: { html: string; plain: string };
  footer?: { html: string; plain: string };
  /** What the link of an UNSUB, UPDATE_PROFILE or ARCHIVE tag in running text says. */
  words: Record<OwnAddress, string>;
  /** Where this installation is reached, without a slash at the end. */
  baseUrl: string;
  /** The campaign's public page. */
  archiveUrl: string;
  /** Public ids. */
  campaign: string;
  account: string;
  unsubscribeMailbox?: string;
};

/** More distinct links than this are not tracked. */
const linkLimit = 20_000;

/** Compiles the content. Never fails: what it does not understand stays as the author wrote it. */
export function compile(content: CampaignContent): Compiled {
  const clean = <T extends string | undefined>(text: T) => text?.replaceAll('\0', '').toWellFormed() as T;
  const work: Work = {
    content,
    links: [],
    linkByTarget: new Map(),
    known: knownTags(content.fields),
    unknown: new Set(),
  };
  const html = clean(content.html);
  const plain = clean(content.plain);
  return {
    version: 1,
    html: html ? compileHtml(work, html) : null,
    plain: plain || !html ? compilePlain(work, plain ?? '') : null,
    subject: compileLine(work, clean(content.subject)),
    fromName: compileLine(work, clean(content.fromName)),
    toName: compileLine(work, clean(content.toName)),
    fromEmail: content.fromEmail,
    replyTo: content.replyTo,
    links: work.links,
    lists: content.lists.map((list) => ({ ...list })),
    language: content.language,
    timeZone: content.timeZone,
    baseUrl: content.baseUrl,
    archiveUrl: content.archiveUrl,
    campaign: content.campaign,
    account: content.account,
    unsubscribeMailbox: content.unsubscribeMailbox ?? '',
    unknownTags: [...work.unknown],
  };
}

type Work = {
  content: CampaignContent;
  links: Link[];
  linkByTarget: Map<string, number>;
  known: Set<string>;
  unknown: Set<string>;
};

type Edit = { start: number; end: number; pieces: Piece[] };

function compileHtml(work: Work, authors: string): Piece[] {
  const source = framed(authors, work.content);
  const scan = scanHtml(source);
  const edits: Edit[] = [];
  const covered = new Cover(scan.zones);
  const anchors = new Cover(scan.anchors.map(({ start, end }) => ({ zone: 'inert', start, end })));
  for (const zone of scan.zones) {
    if (zone.zone === 'attribute') edits.push(...attributeEdits(work, source, zone));
  }
  let offset = 0;
  for (const token of parseTags(source)) {
    const start = offset;
    if (typeof token === 'string') {
      offset += token.length;
      continue;
    }
    offset = token.end;
    const zone = covered.at(start);
    if (zone?.zone === 'attribute') continue;
    // A tag that runs over the border of its place is no tag: its default would bring markup with it.
    if (zone ? token.end > zone.end : covered.nextStart(start) < token.end) continue;
    const linked = anchors.at(start) !== null;
    const place: Place = zone?.zone === 'raw' ? 'raw' : zone?.zone === 'inert' ? 'attribute' : 'text';
    const pieces = tagPieces(work, { ...token, argument: token.argument && decodeReferences(token.argument) }, place, {
      linked,
    });
    edits.push({ start, end: token.end, pieces });
  }
  if (work.content.tracking.opens) {
    edits.push({ start: scan.bodyEnd, end: scan.bodyEnd, pieces: [{ slot: 'pixel' }] });
  }
  return splice(source, edits);
}

/** The source with header and footer inside its body. */
function framed(source: string, { header, footer }: CampaignContent): string {
  if (!header?.html && !footer?.html) return source;
  const { bodyStart, bodyEnd } = scanHtml(source);
  return (
    source.slice(0, bodyStart) +
    (header?.html ?? '') +
    source.slice(bodyStart, bodyEnd) +
    (footer?.html ?? '') +
    source.slice(bodyEnd)
  );
}

type AttributeZone = Extract<Zone, { zone: 'attribute' }>;

/** The changes within one attribute value: a tracked or extended link as a whole, else its merge tags one by one. */
function attributeEdits(work: Work, source: string, zone: AttributeZone): Edit[] {
  const raw = source.slice(zone.start, zone.end);
  const rewritten = isLink(zone) ? rewriteLink(work, parseTags(zone.value, 'address'), 'html') : null;
  if (rewritten !== null) {
    const pieces =
      typeof rewritten === 'number'
        ? [{ slot: 'link' as const, link: rewritten, place: 'attribute' as const }]
        : rewritten;
    return [{ start: zone.start, end: zone.end, pieces: zone.quoted ? pieces : ['"', ...pieces, '"'] }];
  }
  const address = isAddress(zone.name);
  const tokens = parseTags(raw, address ? 'address' : 'text');
  if (!tokens.some((token) => typeof token !== 'string')) return [];
  if (zone.quoted) {
    return tokens
      .filter((token) => typeof token !== 'string')
      .map((tag) => ({
        start: zone.start + tag.start,
        end: zone.start + tag.end,
        pieces: tagPieces(work, decodedArgument(tag), attributePlace(zone, raw.slice(0, tag.start))),
      }));
  }
  // A value without quotes gets them, so that a space in what is put in cannot end it.
  let before = '';
  const pieces = tokens.flatMap((token) => {
    if (typeof token === 'string') {
      before += token;
      return [token.replaceAll('"', '&quot;')];
    }
    const made = tagPieces(work, decodedArgument(token), attributePlace(zone, before));
    before += raw.slice(token.start, token.end);
    return made;
  });
  return [{ start: zone.start, end: zone.end, pieces: ['"', ...pieces, '"'] }];
}

function decodedArgument(tag: Tag): Tag {
  return tag.argument === null ? tag : { ...tag, argument: decodeReferences(tag.argument) };
}

/** What kind of place a tag in an attribute has, by the attribute and the text before the tag. */
function attributePlace(zone: AttributeZone, before: string): Place {
  if (zone.name === 'srcdoc' || zone.name.startsWith('on')) return 'raw';
  if (zone.name === 'style') {
    const url = /url\(\s*(?:&quot;|&#3[49];|["'])?([^()"']*)$/i.exec(before);
    return url ? addressPlace(url[1]!) : 'raw';
  }
  return isAddress(zone.name) ? addressPlace(before) : 'attribute';
}

function addressPlace(before: string): Place {
  if (before.trim() === '') return 'whole-url';
  // Behind a whole address, whose scheme is checked, everything is a part of it.
  if (findTags(before, 'address')[0]?.start === 0) return 'url-part';
  // The text behind javascript: or data: is decoded again before it is used: percent-encoding holds nothing there.
  return /^[\s\x00-\x20]*(?:https?|mailto|tel|sms|cid|ftp):|^[^:]*$|^[^:]*[/?#]/i.test(decodeReferences(before))
    ? 'url-part'
    : 'raw';
}

/** Links are the href of a and area, and of VML shapes, which are Outlook's buttons. */
function isLink(zone: AttributeZone): boolean {
  return zone.name === 'href' && (zone.element === 'a' || zone.element === 'area' || zone.element.startsWith('v:'));
}

/**
 * What stands for a link's address: the number of a tracked link, new pieces, or null for an address left as it is
 * (mailto:, tel:, #anchor, empty, relative, one of the recipient's own, or with a merge tag in scheme or host).
 */
function rewriteLink(work: Work, authors: readonly (string | Tag)[], part: 'html' | 'text'): number | Piece[] | null {
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

function compilePlain(work: Work, authors: string): Piece[] {
  const { header, footer } = work.content;
  const text = [header?.plain, authors, footer?.plain].filter((part) => part).join('\n\n');
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(plainLink)) {
    const end = match.index + linkLength(match[0]);
    if (match.index < from) continue;
    const parts = parseTags(text.slice(match.index, end), 'address');
    const rewritten = rewriteLink(work, parts, 'text');
    pieces.push(...plainPieces(work, text.slice(from, match.index)));
    if (typeof rewritten === 'number') pieces.push({ slot: 'link', link: rewritten, place: 'plain' });
    else
      pieces.push(
        ...(rewritten ??
          parts.flatMap((part) => (typeof part === 'string' ? [part] : tagPieces(work, part, 'url-part')))),
      );
    from = end;
  }
  pieces.push(...plainPieces(work, text.slice(from)));
  return joined(pieces);
}

function plainPieces(work: Work, text: string): Piece[] {
  return parseTags(text).flatMap((token) => (typeof token === 'string' ? [token] : tagPieces(work, token, 'plain')));
}

/** How much of a match is the address: what ends a sentence or closes a bracket that it did not open is not. */
function linkLength(match: string): number {
  const surplus: Record<string, number> = {};
  for (const [open, close] of ['()', '[]', '{}'] as const) surplus[close] = count(match, close) - count(match, open);
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

function compileLine(work: Work, text: string): Piece[] {
  return joined(
    parseTags(text).flatMap((token) =>
      typeof token === 'string' ? [escapeFor('header', token)] : tagPieces(work, token, 'header'),
    ),
  );
}

/** What a tag puts into its place: constant text, slots, or nothing for an unknown one. */
function tagPieces(work: Work, tag: Tag, place: Place, within: { linked?: boolean; nested?: boolean } = {}): Piece[] {
  const { content, known } = work;
  if (!known.has(tag.name)) {
    work.unknown.add(tag.name);
    return [];
  }
  if (tag.name in addressTags) return ownAddress(content, tag, place, within.linked ?? false);
  if (tag.name === 'DATE') return [{ slot: 'date', format: tag.argument?.trim() || usualFormat, place }];
  if (tag.name === 'CAMPAIGN:SUBJECT' || tag.name === 'CAMPAIGN:SENDER_NAME') {
    // The subject may hold tags, but not itself.
    if (within.nested) return [];
    const inner: Place = place === 'whole-url' ? 'url-part' : place;
    return parseTags(tag.name === 'CAMPAIGN:SUBJECT' ? content.subject : content.fromName).flatMap((token) =>
      typeof token === 'string' ? [escapeFor(inner, token)] : tagPieces(work, token, inner, { nested: true }),
    );
  }
  if (tag.name.startsWith('LIST:')) {
    const fact = tag.name.slice('LIST:'.length).toLowerCase() as ListFact;
    const first = content.lists[0]?.[fact] ?? '';
    const same = content.lists.every((list) => list[fact] === first);
    return same ? [escapeFor(place, first)] : [{ slot: 'list', fact, place }];
  }
  const name = fieldTag(tag.name, content.fields);
  const field = content.fields.find((known) => known.tag === name);
  return [{ slot: 'field', tag: name, otherwise: tag.argument ?? field?.default ?? '', place }];
}

/** The recipient's own address: a link that says something in running text, the address itself elsewhere. */
function ownAddress(content: CampaignContent, tag: Tag, place: Place, linked: boolean): Piece[] {
  if (place === 'raw' || place === 'header') return [];
  const address = addressTags[tag.name as keyof typeof addressTags];
  if (place !== 'text') return [{ slot: 'own', address, place }];
  const words = escapeFor('text', tag.argument?.trim() || content.words[address]);
  return linked ? [words] : [{ slot: 'own', address, place, words }];
}

/** The source with the edits made; an edit that begins within another is dropped. */
function splice(source: string, edits: Edit[]): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const edit of edits.sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (edit.start < from) continue;
    pieces.push(source.slice(from, edit.start), ...edit.pieces);
    from = edit.end;
  }
  pieces.push(source.slice(from));
  return joined(pieces);
}

/** Neighbouring strings made one, empty ones dropped. */
function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  let text: string[] = [];
  const flush = () => {
    const whole = text.join('');
    if (whole !== '') result.push(whole);
    text = [];
  };
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      text.push(piece);
    } else {
      flush();
      result.push(piece);
    }
  }
  flush();
  return result;
}

/** Which zone an offset lies in: an attribute's rather than its tag's. Asked in ascending order. */
class Cover {
  readonly #zones: Zone[];
  #next = 0;
  #tag: Zone | null = null;
  #inner: Zone | null = null;

  constructor(zones: readonly Zone[]) {
    this.#zones = [...zones].sort((a, b) => a.start - b.start || b.end - a.end);
  }

  at(offset: number): Zone | null {
    while (this.#next < this.#zones.length && this.#zones[this.#next]!.start <= offset) {
      const zone = this.#zones[this.#next++]!;
      if (zone.zone === 'attribute') this.#inner = zone;
      else this.#tag = zone;
    }
    if (this.#inner && offset < this.#inner.end) return this.#inner;
    return this.#tag && offset < this.#tag.end ? this.#tag : null;
  }

  /** Where the next zone after the last asked offset begins. */
  nextStart(offset: number): number {
    this.at(offset);
    return this.#zones[this.#next]?.start ?? Number.POSITIVE_INFINITY;
  }
}
