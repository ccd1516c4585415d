// Compiles a campaign's content once into texts and typed slots (compiled.ts): merge tags, tracked links, analytics
// parameters, header, footer, pixel. Guarantees that HTML outside rewritten attribute values stays unchanged byte for byte,
// that a tag is never evaluated twice, and that no click redirects to a host that the author did not write: a link with a
// merge tag in its scheme or host is not tracked, but for one that is a whole address which the sender's program sent with an
// event. Uses neither database nor network.

import { isRightToLeft } from '../../locales/languages.ts';
import type { CampaignContent, Compiled, Piece } from '../markup/compiled.ts';
import { type Draft, loopsOf, nest } from '../markup/conditions.ts';
import { escapeFor, type Place } from '../markup/escape.ts';
import { findTags, parseTags, type Tag } from '../markup/merge-tags.ts';
import { decodeReferences, isUrlAttribute, scanHtml, type Zone, ZoneFinder } from '../markup/scan-html.ts';
import { type CompileState, compileText, compileToken, joinPieces, newCompileState } from './compile-tag.ts';
import { compileLink, linkSlot, plainLinks } from './link-table.ts';
import { tidyAddresses } from './tidy-addresses.ts';

/** Never fails: what it does not understand stays as the author wrote it. */
export function compile(content: CampaignContent): Compiled {
  const clean = <T extends string | undefined>(text: T) => text?.replaceAll('\0', '').toWellFormed() as T;
  const state = newCompileState(content);
  const html = clean(content.html);
  const plain = clean(content.plain);
  return {
    version: 1,
    html: html ? compileHtml(state, html) : null,
    plain: plain || !html ? compilePlain(state, plain ?? '') : null,
    subject: compileLine(state, clean(content.subject)),
    fromName: compileLine(state, clean(content.fromName)),
    toName: compileLine(state, clean(content.toName)),
    fromEmail: content.fromEmail,
    replyTo: content.replyTo,
    links: state.links,
    lists: content.lists.map((list) => ({ ...list })),
    language: content.language,
    timeZone: content.timeZone,
    baseUrl: content.baseUrl,
    archiveUrl: content.archiveUrl,
    campaign: content.campaign,
    account: content.account,
    unsubscribeMailbox: content.unsubscribeMailbox ?? '',
    listIdHost: content.listIdHost ?? new URL(content.baseUrl).hostname,
    unknownTags: [...state.unknown],
    badConditions: [...state.badConditions],
    ...(state.badLoops.size > 0 ? { badLoops: [...state.badLoops.values()] } : {}),
  };
}

type Edit = { start: number; end: number; pieces: Draft[] };

function compileHtml(state: CompileState, authors: string): Piece[] {
  const source = withHeaderAndFooter(withDirection(tidyAddresses(authors), state.content.language), state.content);
  const scan = scanHtml(source);
  const edits: Edit[] = [];
  const zones = new ZoneFinder(scan.zones);
  const anchors = new ZoneFinder(scan.anchors.map(({ start, end }) => ({ zone: 'inert', start, end })));
  const tokens = parseTags(source);
  const loopAt = loopsOf(
    tokens.filter((token) => typeof token !== 'string'),
    state.content.fields,
  );
  for (const zone of scan.zones) {
    if (zone.zone !== 'attribute') continue;
    state.each = loopAt(zone.start);
    edits.push(...attributeEdits(state, source, zone));
  }
  let offset = 0;
  for (const token of tokens) {
    const start = offset;
    if (typeof token === 'string') {
      offset += token.length;
      continue;
    }
    offset = token.end;
    const zone = zones.at(start);
    if (zone?.zone === 'attribute') continue;
    // Text that starts between attributes and ends inside one is not a tag.
    if (zones.nextStart(start) < token.end) continue;
    const linked = anchors.at(start) !== null;
    state.each = loopAt(start);
    const place: Place = zone?.zone === 'raw' ? 'raw' : zone?.zone === 'inert' ? 'attribute' : 'text';
    const pieces = compileToken(
      state,
      { ...token, argument: token.argument && decodeReferences(token.argument) },
      place,
      {
        linked,
      },
    );
    edits.push({ start, end: token.end, pieces });
  }
  state.each = null;
  if (state.content.tracking.opens) {
    edits.push({ start: scan.bodyEnd, end: scan.bodyEnd, pieces: [{ slot: 'pixel' }] });
  }
  return nested(state, splice(source, edits));
}

/**
 * In a language written from right to left, content that names no direction gets one: its document, body and outer table, as some email
 * programs drop the first two; a fragment is put into an element.
 */
function withDirection(source: string, language: string): string {
  if (!isRightToLeft(language)) return source;
  const { bodyStart, bodyEnd } = scanHtml(source);
  const [head, body, rest] = [source.slice(0, bodyStart), source.slice(bodyStart, bodyEnd), source.slice(bodyEnd)];
  if (/<(?:html|body)\b[^>]*\sdir\s*=/i.test(head)) return source;
  const lang = ` lang="${language.replace(/[^\w-]/g, '')}"`;
  if (!/<(?:html|body)\b/i.test(head)) return `${head}<div${lang} dir="rtl">${body}</div>${rest}`;
  const directed = (part: string, tag: RegExp) =>
    part.replace(
      tag,
      (start) => `${start}${/\slang\s*=/i.test(part.slice(part.search(tag)).split('>')[0]!) ? '' : lang} dir="rtl"`,
    );
  return directed(directed(head, /<html\b/i), /<body\b/i) + directed(body, /<table\b(?![^>]*\sdir\s*=)/i) + rest;
}

/** Puts the header and the footer inside the body. */
function withHeaderAndFooter(source: string, { header, footer }: CampaignContent): string {
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

/** The edits of one attribute value: the whole value for a tracked link or one with analytics, else each merge tag. */
function attributeEdits(state: CompileState, source: string, zone: AttributeZone): Edit[] {
  const raw = source.slice(zone.start, zone.end);
  const rewritten = isLink(zone) ? compileLink(state, parseTags(zone.value, 'address'), 'html') : null;
  if (rewritten !== null) {
    const pieces = typeof rewritten === 'number' ? [linkSlot(state, rewritten, 'attribute')] : rewritten;
    return [{ start: zone.start, end: zone.end, pieces: zone.quoted ? pieces : ['"', ...pieces, '"'] }];
  }
  const tokens = parseTags(raw, isUrlAttribute(zone.name) ? 'address' : 'text');
  if (!tokens.some((token) => typeof token !== 'string')) return [];
  const placeAt = placesOf(zone, raw);
  if (zone.quoted) {
    return tokens
      .filter((token) => typeof token !== 'string')
      .map((tag) => ({
        start: zone.start + tag.start,
        end: zone.start + tag.end,
        pieces: compileToken(state, decodedArgument(tag), placeAt(tag.start)),
      }));
  }
  // An unquoted value gets quotes, so that a space in a tag's value cannot end it.
  const pieces = tokens.flatMap((token) =>
    typeof token === 'string'
      ? [token.replaceAll('"', '&quot;')]
      : compileToken(state, decodedArgument(token), placeAt(token.start)),
  );
  return [{ start: zone.start, end: zone.end, pieces: ['"', ...pieces, '"'] }];
}

function decodedArgument(tag: Tag): Tag {
  return tag.argument === null ? tag : { ...tag, argument: decodeReferences(tag.argument) };
}

/** Returns the place of a tag at an offset of the attribute's value. */
function placesOf(zone: AttributeZone, raw: string): (offset: number) => Place {
  if (zone.name === 'srcdoc' || zone.name.startsWith('on')) return () => 'raw';
  if (zone.name === 'style') return placesInStyle(raw);
  if (!isUrlAttribute(zone.name)) return () => 'attribute';
  const start = raw.length - raw.trimStart().length;
  const within = placeWithin(raw.slice(start));
  return (offset) => (offset <= start ? 'whole-url' : within);
}

/** The places in a style attribute: only a tag inside url(…) is part of an address. Offsets must be ascending. */
function placesInStyle(raw: string): (offset: number) => Place {
  const urls = raw.matchAll(/url\(\s*(?:&quot;|&#3[49];|["'])?\s*([^()"']*)/gi);
  let start = -1;
  let end = -1;
  let within: Place | undefined;
  return (offset) => {
    while (end < offset) {
      const { value: url } = urls.next();
      if (!url) return 'raw';
      end = url.index + url[0].length;
      start = end - url[1]!.length;
      within = undefined;
    }
    if (offset < start) return 'raw';
    if (offset === start) return 'whole-url';
    // The start of the address decides, once all of it is known.
    if (within) return within;
    const place = placeWithin(raw.slice(start, offset));
    if (offset - start >= 1000) within = place;
    return place;
  };
}

/** The place of tags that are not at the start of this address. */
function placeWithin(address: string): Place {
  const start = address.slice(0, 1000);
  // After a tag that is a whole URL, whose scheme is checked, everything is part of the URL.
  if (findTags(start, 'address')[0]?.start === 0) return 'url-part';
  // Text after javascript: or data: is decoded before it is used, so percent-encoding would not protect it.
  return /^[\s\x00-\x20]*(?:https?|mailto|tel|sms|cid|ftp):|^[^:]*$|^[^:]*[/?#]/i.test(decodeReferences(start))
    ? 'url-part'
    : 'raw';
}

/** Links are the href of <a> and <area>, and of VML shapes, which Outlook uses for buttons. */
function isLink(zone: AttributeZone): boolean {
  return zone.name === 'href' && (zone.element === 'a' || zone.element === 'area' || zone.element.startsWith('v:'));
}

function compilePlain(state: CompileState, authors: string): Piece[] {
  const { header, footer } = state.content;
  const text = [header?.plain, authors, footer?.plain].filter((part) => part).join('\n\n');
  const pieces: Draft[] = [];
  let from = 0;
  const loopAt = loopsOf(findTags(text, 'plain'), state.content.fields);
  for (const { start, end } of plainLinks(text)) {
    pieces.push(...plainPieces(state, text, from, start, loopAt));
    state.each = loopAt(start);
    const parts = parseTags(text.slice(start, end), 'address');
    const rewritten = compileLink(state, parts, 'text');
    if (typeof rewritten === 'number') pieces.push(linkSlot(state, rewritten, 'plain'));
    else if (rewritten) pieces.push(...rewritten);
    else
      for (const part of parts)
        pieces.push(...(typeof part === 'string' ? [part] : compileToken(state, part, 'url-part')));
    from = end;
  }
  pieces.push(...plainPieces(state, text, from, text.length, loopAt));
  state.each = null;
  return nested(state, pieces);
}

function plainPieces(
  state: CompileState,
  text: string,
  from: number,
  to: number,
  loopAt: ReturnType<typeof loopsOf>,
): Draft[] {
  let offset = from;
  const drafts = parseTags(text.slice(from, to), 'plain').map((token) => {
    const start = offset;
    offset += typeof token === 'string' ? token.length : token.end - token.start;
    state.each = loopAt(start);
    return typeof token === 'string' ? [token] : compileToken(state, token, 'plain');
  });
  return withAsides(drafts.flat());
}

/** `name (address)`: of a member that is empty, the parentheses are left out too. */
function withAsides(drafts: Draft[]): Draft[] {
  for (const [i, slot] of drafts.entries()) {
    const before = drafts[i - 1];
    const after = drafts[i + 1];
    if (typeof slot === 'string' || !('slot' in slot) || slot.slot !== 'data') continue;
    if (typeof before !== 'string' || typeof after !== 'string') continue;
    if (!/\s\($/.test(before) || !after.startsWith(')')) continue;
    drafts.splice(i - 1, 3, before.replace(/\s\($/, ''), { ...slot, place: 'aside' }, after.slice(1));
  }
  return drafts;
}

function compileLine(state: CompileState, text: string): Piece[] {
  return nested(state, compileText(state, text, 'header', { write: (words) => escapeFor('header', words) }));
}

/** Applies the edits; an edit that starts inside another is dropped. */
function splice(source: string, edits: Edit[]): Draft[] {
  const pieces: Draft[] = [];
  let from = 0;
  for (const edit of edits.sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (edit.start < from) continue;
    pieces.push(source.slice(from, edit.start), ...edit.pieces);
    from = edit.end;
  }
  pieces.push(source.slice(from));
  return pieces;
}

function nested(state: CompileState, drafts: readonly Draft[]): Piece[] {
  return nest(joinPieces(drafts), state.badConditions, state.badLoops);
}
