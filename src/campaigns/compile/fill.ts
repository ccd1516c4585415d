// Fills a compiled message for people who look at it: the public archive page, previews, and the target of a click.
// Promises that the archive holds no personal value, no pixel and no personal address, and that every value is escaped
// for its place. Mail itself is rendered by delivery, from the same slot values.
import {
  type Compiled,
  type CompiledList,
  clickAddress,
  type OwnAddress,
  type Piece,
  paths,
  pixelElement,
  type Recipient,
  type Slot,
  type Tokens,
} from './compiled.ts';
import { parseTags } from './merge.ts';
import { escapeFor } from './places.ts';
import { formatDate } from './tag-date.ts';

/** What the slots of a message are filled with. Without a recipient, every field has its default. */
export type Fill = { recipient: Recipient | null; at: Date };

/** The campaign's page for everybody: links lead to their targets, nothing is counted. Null when there is no HTML. */
export function renderArchive(compiled: Compiled, at: Date): string | null {
  const fill = { recipient: null, at };
  return compiled.html && written(compiled, compiled.html, fill, archived);
}

/** The plain part and the subject for everybody, as renderArchive. */
export function archiveText(compiled: Compiled, at: Date): { subject: string; plain: string | null } {
  const fill = { recipient: null, at };
  return {
    subject: line(compiled, compiled.subject, fill),
    plain: compiled.plain && written(compiled, compiled.plain, fill, archived),
  };
}

/** The subject for everybody, of a message of which only this is at hand. */
export function archiveSubject(message: Facts & Pick<Compiled, 'subject'>, at: Date): string {
  return message.subject
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      if (piece.slot === 'own' || piece.slot === 'link' || piece.slot === 'pixel') return '';
      return slotValue(message, piece, { recipient: null, at });
    })
    .join('')
    .trim();
}

/** The message as one recipient reads it; links lead to their targets and nothing is counted. */
export function preview(
  compiled: Compiled,
  recipient: Recipient,
  at: Date,
): { subject: string; fromName: string; toName: string; html: string | null; plain: string | null } {
  const fill = { recipient, at };
  return {
    subject: line(compiled, compiled.subject, fill),
    fromName: line(compiled, compiled.fromName, fill),
    toName: line(compiled, compiled.toName, fill),
    html: compiled.html && written(compiled, compiled.html, fill, archived),
    plain: compiled.plain && written(compiled, compiled.plain, fill, archived),
  };
}

/** The message exactly as it is mailed, before any encoding: what a receiver's mail program must get back. */
export function asMailed(
  compiled: Compiled,
  recipient: Recipient,
  at: Date,
  tokens: Tokens,
): { html: string | null; plain: string | null } {
  const fill = { recipient, at };
  const own = (slot: OwnSlot) => {
    const open = ownAddress(compiled.baseUrl, slot, tokens);
    return slot.slot === 'own' && slot.words !== undefined ? `<a href="${open}">${slot.words}</a>` : open;
  };
  return {
    html: compiled.html && written(compiled, compiled.html, fill, own),
    plain: compiled.plain && written(compiled, compiled.plain, fill, own),
  };
}

/** A subject or name for one recipient, as text on one line, without any encoding. */
export function line(compiled: Compiled, pieces: readonly Piece[], fill: Fill): string {
  const text = written(compiled, pieces, fill, () => '');
  return text.trim();
}

/**
 * Where a click goes, fit for a Location header: the entry of the link table with the contact's values in it,
 * percent-encoded. Null when the result is no http or https address. A template's host is always the author's own
 * text (see compile.ts).
 */
export function resolveTarget(target: string, facts: Facts, fill: Fill): string | null {
  const url = filledTarget(target, facts, fill);
  return url === null ? null : new URL(url).href;
}

/** What a message says of its lists and its language. */
export type Facts = Pick<Compiled, 'lists' | 'language' | 'timeZone'>;

function filledTarget(target: string, facts: Facts, fill: Fill): string | null {
  const url = parseTags(target, 'address')
    .map((part) => {
      if (typeof part === 'string') return part;
      if (part.name === 'DATE')
        return slotValue(facts, { slot: 'date', format: part.argument ?? '', place: 'url-part' }, fill);
      const fact = /^LIST:(NAME|COMPANY|ADDRESS|URL)$/.exec(part.name)?.[1]?.toLowerCase();
      if (fact)
        return slotValue(facts, { slot: 'list', fact: fact as keyof CompiledList & 'name', place: 'url-part' }, fill);
      return slotValue(
        facts,
        { slot: 'field', tag: part.name, otherwise: part.argument ?? '', place: 'url-part' },
        fill,
      );
    })
    .join('');
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : null;
}

/** The value of a slot, escaped for its place. */
export function slotValue(
  facts: Facts,
  slot: Extract<Slot, { slot: 'field' | 'date' | 'list' }>,
  { recipient, at }: Fill,
): string {
  if (slot.slot === 'date') {
    return escapeFor(slot.place, formatDate(at, slot.format, facts.language, facts.timeZone));
  }
  if (slot.slot === 'list') {
    const list = facts.lists.find(({ id }) => id === recipient?.list) ?? facts.lists[0];
    return escapeFor(slot.place, list?.[slot.fact] ?? '');
  }
  return escapeFor(slot.place, fieldValue(slot.tag, slot.otherwise, recipient));
}

type OwnSlot = Extract<Slot, { slot: 'own' | 'link' | 'pixel' }>;

/** The address (for a pixel: the element) of such a slot in a recipient's mail. */
export function ownAddress(baseUrl: string, slot: OwnSlot, tokens: Tokens): string {
  if (slot.slot === 'link') {
    const [before, after] = clickAddress(baseUrl, slot.link);
    return before + tokens.click + after;
  }
  if (slot.slot === 'pixel') {
    const [before, after] = pixelElement(baseUrl);
    return before + tokens.open + after;
  }
  const url = baseUrl + paths[slot.address] + tokens[slot.address];
  return slot.place === 'url-part' ? escapeFor('url-part', url) : url;
}

function fieldValue(tag: string, otherwise: string, recipient: Recipient | null): string {
  if (!recipient) return otherwise;
  let value: string | undefined;
  if (tag === 'EMAIL') value = recipient.email;
  else if (tag === 'EMAIL_TYPE') value = recipient.emailType;
  else if (Object.hasOwn(recipient.values, tag)) value = String(recipient.values[tag] ?? '');
  return value === undefined || value.trim() === '' ? otherwise : value;
}

type WriteOwn = (slot: OwnSlot, compiled: Compiled, fill: Fill) => string;

function written(compiled: Compiled, pieces: readonly Piece[], fill: Fill, own: WriteOwn): string {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else if (piece.slot === 'own' || piece.slot === 'link' || piece.slot === 'pixel')
      text += own(piece, compiled, fill);
    else text += slotValue(compiled, piece, fill);
  }
  return text;
}

/** Slots of a recipient's own for somebody who is not that recipient. */
function archived(slot: OwnSlot, compiled: Compiled, fill: Fill): string {
  if (slot.slot === 'pixel') return '';
  if (slot.slot === 'link') {
    const url = filledTarget(compiled.links[slot.link]!.target, compiled, fill);
    return url === null ? '#' : escapeFor(slot.place, url);
  }
  const address: Record<OwnAddress, string> = { view: compiled.archiveUrl, unsubscribe: '', profile: '' };
  const url = address[slot.address];
  if (slot.words !== undefined) {
    return url === '' ? slot.words : `<a href="${escapeFor('attribute', url)}">${slot.words}</a>`;
  }
  if (slot.place === 'plain' || slot.place === 'url-part') return escapeFor(slot.place, url);
  return url === '' ? '#' : escapeFor('attribute', url);
}
