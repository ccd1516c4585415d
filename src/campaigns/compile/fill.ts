// Fills the slots of a compiled message for pages: the public archive, previews, and the target of a click.
// Guarantees that the archive contains no personal value, no pixel and no personal URL, and that every value is escaped for
// its place. Leaves the messages themselves to the delivery's renderer, which uses the same slot values.
import {
  type Choice,
  type Compiled,
  clickAddress,
  type DataSlot,
  type Each,
  type FieldWords,
  type ListFact,
  type PersonalAddress,
  type Piece,
  paths,
  pixelElement,
  type Recipient,
  type Slot,
  type Tokens,
} from '../markup/compiled.ts';
import { chosen } from '../markup/conditions.ts';
import { itemsOf, itemTag, type Json, readMember, readPath, testedOf, textOfData, valueAt } from '../markup/data.ts';
import { escapeFor, isScript, safeUrl } from '../markup/escape.ts';
import { parseTags, type Tag } from '../markup/merge-tags.ts';
import { formatDate } from './date-tag.ts';
import { inWords } from './field-words.ts';
import { isMemberTarget, ofItem } from './link-table.ts';

/** An item that a loop is at, and its number from 0. */
export type Item = { value: Json; no: number };

/** What the slots are filled with. Without a recipient, every field has its default. */
export type Fill = { recipient: Recipient | null; at: Date; item?: Item | undefined };

/** The public page of a campaign: links lead to their targets, nothing is counted. Null if there is no HTML. */
export function renderArchive(compiled: Compiled, at: Date): string | null {
  return parts(compiled, { recipient: null, at }, archived).html;
}

/** The public subject and plain part of a campaign. */
export function archiveText(compiled: Compiled, at: Date): { subject: string; plain: string | null } {
  return { subject: archiveSubject(compiled, at), plain: parts(compiled, { recipient: null, at }, archived).plain };
}

/** The public subject, for a message of which only the subject was read. A value that no one has there leaves no gap. */
export function archiveSubject(message: Facts & Pick<Compiled, 'subject'>, at: Date): string {
  const pieces = message.subject.map((piece) =>
    typeof piece !== 'string' && piece.slot === 'field' && piece.fallback === '' ? '…' : piece,
  );
  // At either end the value was an address: "Ann, your seat is kept".
  return line(message, pieces, { recipient: null, at })
    .replace(/^…[\s,:;!–-]*/, '')
    .replace(/\s*[,:;–-]\s*…$/, '');
}

/** Where the links to unsubscribe and to the preferences lead on a page; nowhere without them. */
export type PersonalLinks = { unsubscribe: string; profile: string };

/** The message as one recipient would read it; links lead to their targets, nothing is counted. */
export function preview(
  compiled: Compiled,
  recipient: Recipient,
  at: Date,
  links?: PersonalLinks,
): { subject: string; fromName: string; toName: string; html: string | null; plain: string | null } {
  const fill = { recipient, at };
  return {
    subject: line(compiled, compiled.subject, fill),
    fromName: line(compiled, compiled.fromName, fill),
    toName: line(compiled, compiled.toName, fill),
    ...parts(compiled, fill, (slot, ...rest) => archived(slot, ...rest, links)),
  };
}

/** The message exactly as it is sent, before encoding: what an email client shows after decoding. */
export function asMailed(
  compiled: Compiled,
  recipient: Recipient,
  at: Date,
  tokens: Tokens,
): { html: string | null; plain: string | null } {
  return parts(compiled, { recipient, at }, (slot, _, fill) => personalText(compiled, slot, tokens, fill));
}

/** A personal slot in a recipient's message. */
export function personalText(compiled: Compiled, slot: PersonalSlot, tokens: Tokens, fill: Fill): string {
  if (slot.slot === 'link' && slot.whole) {
    const { target } = compiled.links[slot.link]!;
    if (filledTarget(target, compiled, fill) === null) return untrackedTarget(target, slot.place, compiled, fill);
  }
  const url = personalUrl(compiled.baseUrl, slot, tokens, fill.item);
  return slot.slot === 'personal' && slot.linkText !== undefined ? `<a href="${url}">${slot.linkText}</a>` : url;
}

/** A subject or name for one recipient, as one line of text without encoding. */
export function line(facts: Facts, pieces: readonly Piece[], fill: Fill): string {
  return written(facts, pieces, fill, () => '').trim();
}

/**
 * The URL that a click leads to, for a Location header: a target of the link table with the contact's values,
 * percent-encoded. Null if the result is not an http or https URL. The host is the author's text, or of an address that the
 * sender's program sent (see compile.ts).
 * @param itemNo of the item of a loop that the link is of
 */
export function resolveTarget(target: string, facts: Facts, fill: Fill, itemNo?: number): string | null {
  const url = filledTarget(
    target,
    facts,
    itemNo === undefined ? fill : { ...fill, item: itemOf(target, itemNo, fill) },
  );
  return url === null ? null : new URL(url).href;
}

/** The members of a message that its slots need. */
export type Facts = Pick<Compiled, 'lists' | 'language' | 'timeZone'>;

function filledTarget(target: string, facts: Facts, fill: Fill): string | null {
  const pieces = targetPieces(target);
  const [first] = pieces;
  // A value alone is parsed already.
  if (pieces.length === 1 && typeof first !== 'string' && first!.place === 'whole-url') {
    const url = safeUrl(dataValue(first as DataSlot, fill));
    return /^https?:/i.test(url) ? url : null;
  }
  const url = pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      return piece.place === 'whole-url' ? safeUrl(dataValue(piece as DataSlot, fill)) : slotValue(facts, piece, fill);
    })
    .join('');
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : null;
}

/** A target as it is in a message that does not count clicks: a value is an address of the web or of a mailbox, or nothing. */
export function untrackedTarget(target: string, place: 'attribute' | 'plain', facts: Facts, fill: Fill): string {
  return targetPieces(target)
    .map((piece) => (typeof piece === 'string' ? escapeFor(place, piece) : slotValue(facts, piece, fill)))
    .join('');
}

type ValueSlot = Extract<Slot, { slot: 'field' | 'date' | 'list' | 'data' }>;

/** The item that a click is about. */
function itemOf(target: string, no: number, fill: Fill): Item | undefined {
  const list = targetPieces(target).find((piece) => typeof piece !== 'string' && piece.slot === 'data' && piece.item);
  const value = list && itemsFor(list as DataSlot, fill)[no];
  return value === undefined ? undefined : { value, no };
}

/** Those of links in loops are read for each item. */
const pieceCache = new Map<string, readonly (string | ValueSlot)[]>();
const maxCached = 2_000;

/** A target of the link table as text and slots. */
export function targetPieces(target: string): readonly (string | ValueSlot)[] {
  let pieces = pieceCache.get(target);
  if (pieces) return pieces;
  pieces = parseTags(target, 'address').map((part, no) => {
    if (typeof part === 'string') return part;
    const member = targetMember(target, part, no === 0 ? 'whole-url' : 'url-part');
    if (member) return member;
    if (part.name === 'DATE') return { slot: 'date', format: part.argument ?? '', place: 'url-part' };
    const fact = /^LIST:(NAME|COMPANY|ADDRESS|URL)$/.exec(part.name)?.[1]?.toLowerCase();
    if (fact) return { slot: 'list', fact: fact as ListFact, place: 'url-part' };
    return { slot: 'field', tag: part.name, fallback: part.argument ?? '', place: 'url-part' };
  });
  if (pieceCache.size >= maxCached) pieceCache.clear();
  pieceCache.set(target, pieces);
  return pieces;
}

/** A member in a target: *|EVENT:cart.url|*, or *|EVENT:items[].url|* of the item that a loop is at. */
function targetMember(target: string, tag: Tag, place: 'whole-url' | 'url-part'): DataSlot | undefined {
  const { name, argument } = tag;
  if (argument === null || !isMemberTarget(target.slice(tag.start, tag.end))) return undefined;
  const [list = '', rest] = argument.split(ofItem, 2);
  const member = readMember(rest === undefined ? list : rest.replace(/^\./, ''));
  if (!member) return undefined;
  const { path, fallback } = member;
  if (rest === undefined) return { slot: 'data', of: name, path, fallback, place };
  return { slot: 'data', of: name, path: readPath(list) ?? [], item: path, fallback, place };
}

/** The value of a slot, escaped for its place. */
export function slotValue(facts: Facts, slot: ValueSlot, fill: Fill): string {
  const { recipient, at } = fill;
  if (slot.slot === 'data') {
    const value = dataValue(slot, fill);
    return slot.place === 'plain' && isScript(value) ? '' : escapeFor(slot.place, value);
  }
  if (slot.slot === 'date') {
    return escapeFor(slot.place, formatDate(at, slot.format, facts.language, facts.timeZone));
  }
  if (slot.slot === 'list') {
    const list = facts.lists.find(({ id }) => id === recipient?.list) ?? facts.lists[0];
    return escapeFor(slot.place, list?.[slot.fact] ?? '');
  }
  return escapeFor(slot.place, fieldValue(slot.tag, slot.fallback, recipient, slot.as));
}

type PersonalSlot = Extract<Slot, { slot: 'personal' | 'link' | 'pixel' }>;

/** The personal URL (for a pixel: the element) of a slot in a recipient's message. */
function personalUrl(baseUrl: string, slot: PersonalSlot, tokens: Tokens, item: Item | undefined): string {
  if (slot.slot === 'link') {
    const [before, after] = clickAddress(baseUrl, slot.link, slot.perItem && item?.no);
    return before + tokens.click + after;
  }
  if (slot.slot === 'pixel') {
    const [before, after] = pixelElement(baseUrl);
    return before + tokens.open + after;
  }
  const url = baseUrl + paths[slot.address] + tokens[slot.address];
  return slot.place === 'url-part' ? escapeFor('url-part', url) : url;
}

function fieldValue(tag: string, fallback: string, recipient: Recipient | null, as?: FieldWords): string {
  if (!recipient) return fallback;
  let value: string | undefined;
  if (tag === 'EMAIL') value = recipient.email;
  else if (tag === 'EMAIL_TYPE') value = recipient.emailType;
  else if (Object.hasOwn(recipient.values, tag)) value = String(recipient.values[tag] ?? '');
  if (value === undefined || value.trim() === '') return fallback;
  return as ? inWords(value, as) : value;
}

/** The text of a member; its default where it is empty. */
function dataValue({ of, path, item, fallback }: DataSlot, fill: Fill): string {
  const found = item === undefined ? valueAt(fill.recipient?.data?.[of], path) : valueAt(fill.item?.value, item);
  const value = textOfData(found);
  return value.trim() === '' ? fallback : value;
}

/** The items that a loop repeats its pieces for. */
export function itemsFor({ of, path }: Pick<Each, 'of' | 'path'>, { recipient }: Fill): readonly Json[] {
  return itemsOf(valueAt(recipient?.data?.[of], path));
}

/** The branch that a recipient gets; without a recipient the one for contacts without any value. */
export const chosenFor = (choice: Choice, fill: Fill): readonly Piece[] =>
  chosen(choice, (tag, isSet) => testedValue(tag, isSet, fill));

/** What a condition tests: a field, a member (`EVENT:total`) or the item of a loop. */
function testedValue(tag: string, isSet: boolean, { recipient, item }: Fill): string {
  const at = tag.indexOf(':');
  const name = at < 0 ? tag : tag.slice(0, at);
  const isItem = name === itemTag && (at >= 0 || item !== undefined);
  const from = isItem ? item?.value : recipient?.data?.[name];
  if (!isItem && at < 0 && from === undefined) return fieldValue(tag, '', recipient);
  const found = at < 0 ? from : valueAt(from, tag.slice(at + 1).split('.'));
  return isSet ? testedOf(found) : textOfData(found);
}

type WritePersonal = (slot: PersonalSlot, compiled: Compiled, fill: Fill) => string;

function parts(
  compiled: Compiled,
  fill: Fill,
  writePersonal: WritePersonal,
): { html: string | null; plain: string | null } {
  const write = (pieces: Piece[] | null) =>
    pieces && written(compiled, pieces, fill, (slot, inner) => writePersonal(slot, compiled, inner));
  return { html: write(compiled.html), plain: write(compiled.plain) };
}

function written(
  facts: Facts,
  pieces: readonly Piece[],
  fill: Fill,
  writePersonal: (slot: PersonalSlot, fill: Fill) => string,
): string {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else if (piece.slot === 'choice') text += written(facts, chosenFor(piece, fill), fill, writePersonal);
    else if (piece.slot === 'each')
      for (const [no, value] of itemsFor(piece, fill).entries())
        text += written(facts, piece.pieces, { ...fill, item: { value, no } }, writePersonal);
    else if (piece.slot === 'personal' || piece.slot === 'link' || piece.slot === 'pixel')
      text += writePersonal(piece, fill);
    else text += slotValue(facts, piece, fill);
  }
  return text;
}

/** A personal slot for a reader who is not the recipient. */
function archived(
  slot: PersonalSlot,
  compiled: Compiled,
  fill: Fill,
  links: PersonalLinks = { unsubscribe: '', profile: '' },
): string {
  if (slot.slot === 'pixel') return '';
  if (slot.slot === 'link') {
    const { target } = compiled.links[slot.link]!;
    const url = filledTarget(target, compiled, fill);
    if (url !== null) return escapeFor(slot.place, url);
    return (slot.whole && untrackedTarget(target, slot.place, compiled, fill)) || '#';
  }
  const address: Record<PersonalAddress, string> = { view: compiled.archiveUrl, ...links };
  const url = address[slot.address];
  if (slot.linkText !== undefined) {
    return url === '' ? slot.linkText : `<a href="${escapeFor('attribute', url)}">${slot.linkText}</a>`;
  }
  if (slot.place === 'plain' || slot.place === 'url-part') return escapeFor(slot.place, url);
  return url === '' ? '#' : escapeFor('attribute', url);
}
