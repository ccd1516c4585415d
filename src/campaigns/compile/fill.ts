// Fills the slots of a compiled message for pages: the public archive, previews, and the target of a click.
// Guarantees that the archive contains no personal value, no pixel and no personal URL, and that every value is escaped for
// its place. Leaves the messages themselves to the delivery's renderer, which uses the same slot values.
import {
  type Choice,
  type Compiled,
  clickAddress,
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
import { escapeFor } from '../markup/escape.ts';
import { parseTags } from '../markup/merge-tags.ts';
import { formatDate } from './date-tag.ts';

/** What the slots are filled with. Without a recipient, every field has its default. */
export type Fill = { recipient: Recipient | null; at: Date };

/** The public page of a campaign: links lead to their targets, nothing is counted. Null if there is no HTML. */
export function renderArchive(compiled: Compiled, at: Date): string | null {
  return parts(compiled, { recipient: null, at }, archived).html;
}

/** The public subject and plain part of a campaign. */
export function archiveText(compiled: Compiled, at: Date): { subject: string; plain: string | null } {
  return { subject: archiveSubject(compiled, at), plain: parts(compiled, { recipient: null, at }, archived).plain };
}

/** The public subject, for a message of which only the subject was read. */
export function archiveSubject(message: Facts & Pick<Compiled, 'subject'>, at: Date): string {
  return line(message, message.subject, { recipient: null, at });
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
  return parts(compiled, { recipient, at }, (slot) => personalText(compiled, slot, tokens));
}

/** A personal slot in a recipient's message. */
export function personalText({ baseUrl }: Pick<Compiled, 'baseUrl'>, slot: PersonalSlot, tokens: Tokens): string {
  const url = personalUrl(baseUrl, slot, tokens);
  return slot.slot === 'personal' && slot.linkText !== undefined ? `<a href="${url}">${slot.linkText}</a>` : url;
}

/** A subject or name for one recipient, as one line of text without encoding. */
export function line(facts: Facts, pieces: readonly Piece[], fill: Fill): string {
  return written(facts, pieces, fill, () => '').trim();
}

/**
 * The URL that a click leads to, for a Location header: a target of the link table with the contact's values,
 * percent-encoded. Null if the result is not an http or https URL. The host is always the author's text (see compile.ts).
 */
export function resolveTarget(target: string, facts: Facts, fill: Fill): string | null {
  const url = filledTarget(target, facts, fill);
  return url === null ? null : new URL(url).href;
}

/** The members of a message that its slots need. */
export type Facts = Pick<Compiled, 'lists' | 'language' | 'timeZone'>;

function filledTarget(target: string, facts: Facts, fill: Fill): string | null {
  const url = targetPieces(target)
    .map((piece) => (typeof piece === 'string' ? piece : slotValue(facts, piece, fill)))
    .join('');
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : null;
}

type ValueSlot = Extract<Slot, { slot: 'field' | 'date' | 'list' }>;

/** A target of the link table as text and slots. */
export function targetPieces(target: string): (string | ValueSlot)[] {
  return parseTags(target, 'address').map((part) => {
    if (typeof part === 'string') return part;
    if (part.name === 'DATE') return { slot: 'date', format: part.argument ?? '', place: 'url-part' };
    const fact = /^LIST:(NAME|COMPANY|ADDRESS|URL)$/.exec(part.name)?.[1]?.toLowerCase();
    if (fact) return { slot: 'list', fact: fact as ListFact, place: 'url-part' };
    return { slot: 'field', tag: part.name, fallback: part.argument ?? '', place: 'url-part' };
  });
}

/** The value of a slot, escaped for its place. */
export function slotValue(facts: Facts, slot: ValueSlot, { recipient, at }: Fill): string {
  if (slot.slot === 'date') {
    return escapeFor(slot.place, formatDate(at, slot.format, facts.language, facts.timeZone));
  }
  if (slot.slot === 'list') {
    const list = facts.lists.find(({ id }) => id === recipient?.list) ?? facts.lists[0];
    return escapeFor(slot.place, list?.[slot.fact] ?? '');
  }
  return escapeFor(slot.place, fieldValue(slot.tag, slot.fallback, recipient));
}

type PersonalSlot = Extract<Slot, { slot: 'personal' | 'link' | 'pixel' }>;

/** The personal URL (for a pixel: the element) of a slot in a recipient's message. */
function personalUrl(baseUrl: string, slot: PersonalSlot, tokens: Tokens): string {
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

function fieldValue(tag: string, fallback: string, recipient: Recipient | null): string {
  if (!recipient) return fallback;
  let value: string | undefined;
  if (tag === 'EMAIL') value = recipient.email;
  else if (tag === 'EMAIL_TYPE') value = recipient.emailType;
  else if (Object.hasOwn(recipient.values, tag)) value = String(recipient.values[tag] ?? '');
  return value === undefined || value.trim() === '' ? fallback : value;
}

/** The branch that a recipient gets; without a recipient the one for contacts without any value. */
export const chosenFor = (choice: Choice, { recipient }: Fill): readonly Piece[] =>
  chosen(choice, (tag) => fieldValue(tag, '', recipient));

type WritePersonal = (slot: PersonalSlot, compiled: Compiled, fill: Fill) => string;

function parts(
  compiled: Compiled,
  fill: Fill,
  writePersonal: WritePersonal,
): { html: string | null; plain: string | null } {
  const write = (pieces: Piece[] | null) =>
    pieces && written(compiled, pieces, fill, (slot) => writePersonal(slot, compiled, fill));
  return { html: write(compiled.html), plain: write(compiled.plain) };
}

function written(
  facts: Facts,
  pieces: readonly Piece[],
  fill: Fill,
  writePersonal: (slot: PersonalSlot) => string,
): string {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else if (piece.slot === 'choice') text += written(facts, chosenFor(piece, fill), fill, writePersonal);
    else if (piece.slot === 'personal' || piece.slot === 'link' || piece.slot === 'pixel') text += writePersonal(piece);
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
    const url = filledTarget(compiled.links[slot.link]!.target, compiled, fill);
    return url === null ? '#' : escapeFor(slot.place, url);
  }
  const address: Record<PersonalAddress, string> = { view: compiled.archiveUrl, ...links };
  const url = address[slot.address];
  if (slot.linkText !== undefined) {
    return url === '' ? slot.linkText : `<a href="${escapeFor('attribute', url)}">${slot.linkText}</a>`;
  }
  if (slot.place === 'plain' || slot.place === 'url-part') return escapeFor(slot.place, url);
  return url === '' ? '#' : escapeFor('attribute', url);
}
