// Compiles a campaign's content, once, into texts and typed slots (compiled.ts): merge tags, tracked links, analytics
// parameters, header, footer, pixel. Promises that HTML outside rewritten attribute values stays byte for byte, that a
// tag is never evaluated twice, and that no click redirects to a host that the author did not write: a link with a
// merge tag in its scheme or host is left as it is, with the value escaped in it. Touches no database and no network.
import type { CampaignContent, Compiled, Piece } from './compiled.ts';
import { plainLinks, rewriteLink } from './link-table.ts';
import { findTags, parseTags, type Tag } from './merge.ts';
import { begin, joined, tagPieces, type Work } from './pieces.ts';
import { escapeFor, type Place } from './places.ts';
import { Cover, decodeReferences, isAddress, scanHtml, type Zone } from './scan.ts';

export type { CampaignContent };

/** Compiles the content. Never fails: what it does not understand stays as the author wrote it. */
export function compile(content: CampaignContent): Compiled {
  const clean = <T extends string | undefined>(text: T) => text?.replaceAll('\0', '').toWellFormed() as T;
  const work = begin(content);
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
    // A tag that begins between attributes and ends in one is no tag.
    if (covered.nextStart(start) < token.end) continue;
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
  const placeAt = placesOf(zone, raw);
  if (zone.quoted) {
    return tokens
      .filter((token) => typeof token !== 'string')
      .map((tag) => ({
        start: zone.start + tag.start,
        end: zone.start + tag.end,
        pieces: tagPieces(work, decodedArgument(tag), placeAt(tag.start)),
      }));
  }
  // A value without quotes gets them, so that a space in what is put in cannot end it.
  const pieces = tokens.flatMap((token) =>
    typeof token === 'string'
      ? [token.replaceAll('"', '&quot;')]
      : tagPieces(work, decodedArgument(token), placeAt(token.start)),
  );
  return [{ start: zone.start, end: zone.end, pieces: ['"', ...pieces, '"'] }];
}

function decodedArgument(tag: Tag): Tag {
  return tag.argument === null ? tag : { ...tag, argument: decodeReferences(tag.argument) };
}

/** What kind of place a tag at an offset of an attribute's value has. */
function placesOf(zone: AttributeZone, raw: string): (offset: number) => Place {
  if (zone.name === 'srcdoc' || zone.name.startsWith('on')) return () => 'raw';
  if (zone.name === 'style') {
    return (offset) => {
      // Only the last bit is looked at, so that a style of thousands of tags stays cheap.
      const url = /url\(\s*(?:&quot;|&#3[49];|["'])?([^()"']*)$/i.exec(raw.slice(Math.max(0, offset - 2000), offset));
      if (!url) return 'raw';
      return url[1]!.trim() === '' ? 'whole-url' : placeWithin(url[1]!);
    };
  }
  if (!isAddress(zone.name)) return () => 'attribute';
  const start = raw.length - raw.trimStart().length;
  const within = placeWithin(raw.slice(start));
  return (offset) => (offset <= start ? 'whole-url' : within);
}

/** The place of tags that stand not at the start of this address. */
function placeWithin(address: string): Place {
  const start = address.slice(0, 1000);
  // Behind a whole address, whose scheme is checked, everything is a part of it.
  if (findTags(start, 'address')[0]?.start === 0) return 'url-part';
  // The text behind javascript: or data: is decoded again before it is used: percent-encoding holds nothing there.
  return /^[\s\x00-\x20]*(?:https?|mailto|tel|sms|cid|ftp):|^[^:]*$|^[^:]*[/?#]/i.test(decodeReferences(start))
    ? 'url-part'
    : 'raw';
}

/** Links are the href of a and area, and of VML shapes, which are Outlook's buttons. */
function isLink(zone: AttributeZone): boolean {
  return zone.name === 'href' && (zone.element === 'a' || zone.element === 'area' || zone.element.startsWith('v:'));
}

function compilePlain(work: Work, authors: string): Piece[] {
  const { header, footer } = work.content;
  const text = [header?.plain, authors, footer?.plain].filter((part) => part).join('\n\n');
  const pieces: Piece[] = [];
  let from = 0;
  for (const { start, end } of plainLinks(text)) {
    pieces.push(...plainPieces(work, text.slice(from, start)));
    const parts = parseTags(text.slice(start, end), 'address');
    const rewritten = rewriteLink(work, parts, 'text');
    if (typeof rewritten === 'number') pieces.push({ slot: 'link', link: rewritten, place: 'plain' });
    else if (rewritten) pieces.push(...rewritten);
    else
      for (const part of parts) pieces.push(...(typeof part === 'string' ? [part] : tagPieces(work, part, 'url-part')));
    from = end;
  }
  pieces.push(...plainPieces(work, text.slice(from)));
  return joined(pieces);
}

function plainPieces(work: Work, text: string): Piece[] {
  return parseTags(text).flatMap((token) => (typeof token === 'string' ? [token] : tagPieces(work, token, 'plain')));
}

function compileLine(work: Work, text: string): Piece[] {
  return joined(
    parseTags(text).flatMap((token) =>
      typeof token === 'string' ? [escapeFor('header', token)] : tagPieces(work, token, 'header'),
    ),
  );
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
