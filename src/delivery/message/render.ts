// Renders a recipient's message from a compiled one. Everything that is the same for all recipients is encoded once, by
// prepare; each recipient costs filling the slots and one copy (a few microseconds at 20 kB, see test/bench/render.ts).
// Guarantees RFC 5322 and 2045 messages of 7-bit lines (headers may be UTF-8 on request) with CRLF, in which no line
// begins with a dot, whatever the values contain. Signing and sending are left to dkim and smtp.
import { createHash } from 'node:crypto';
import { isThisMachine } from '../../base/client-network.ts';
import { chosenFor, type Fill, itemsFor, line, personalText, slotValue } from '../../campaigns/compile/fill.ts';
import {
  type Choice,
  type Compiled,
  clickAddress,
  type Each,
  type Piece,
  paths,
  pixelElement,
  type Recipient,
  type Slot,
  type Tokens,
} from '../../campaigns/markup/compiled.ts';
import { escapeFor } from '../../campaigns/markup/escape.ts';
import { address, addressField, dateText, feedbackId, messageId, phraseOf, textField } from './header.ts';
import { type Attachment, type Frame, frame, type InlineImage } from './mime.ts';
import { type Encoded, encodeShort, encodeText, encodeValue, roomFor, softBreak } from './quoted-printable.ts';
import { RelaxedSections, type Section } from './relaxed-body.ts';

/** The recipient of a message, and what personalises it. */
export type Envelope = Recipient & {
  tokens: Tokens;
  /** The same for every attempt; with or without angle brackets. */
  messageId: string;
  at: Date;
  /** Further header lines, complete, in ASCII. */
  fields?: string;
  /** The receiving server takes UTF-8 in headers and addresses (SMTPUTF8). */
  utf8?: boolean;
};

/**
 * `head` ends with the empty line; a signature field goes before it. `size` is of both in octets; `whole` is both in one
 * piece, the first `size` octets of `memory`.
 */
export type Mail = {
  head: Buffer;
  body: Buffer;
  size: number;
  whole: Buffer;
  memory: Buffer;
  /** As relaxedBodyHash of the body, in less time. Only until the memory is used for another message. */
  bodyHash?(): string;
  /** Rendered here, as the first lines of this file guarantee it. */
  isRendered?: true;
  /** Lines may begin with a dot: the message was not rendered here. */
  hasDots?: boolean;
};

/** Why no message can be made for a recipient: the cause is the recipient's data, not the campaign. */
export type Refusal = { refused: 'address' | 'message-id' };

export type Renderer = {
  /** @param memory gives at least that many octets to write into; by default each message gets its own */
  render(to: Envelope, memory?: (size: number) => Buffer): Mail | Refusal;
};

/** The header block of a message, with the empty line that ends it. @param partHeaders the body's own fields */
export type Head = (to: Envelope, partHeaders: string) => string | Refusal;

/** What goes with the text: images in the HTML, files, and the head of a message that is not a campaign's. */
export type Enclosed = { images?: readonly InlineImage[]; attachments?: readonly Attachment[]; head?: Head };

/** Makes a renderer of a compiled message; costs some milliseconds, so once for a campaign and worker. */
export function prepare(compiled: Compiled, { images = [], attachments = [], head }: Enclosed = {}): Renderer {
  const seed = createHash('sha256').update(JSON.stringify(compiled)).digest('hex').slice(0, 24);
  const { plain, html } = compiled;
  const parts: Record<'html' | 'text', Plan> = {
    html: planOf(compiled, frame(plain, html, images, seed, attachments)),
    text: planOf(
      compiled,
      plain ? frame(plain, null, [], seed, attachments) : frame(null, html, images, seed, attachments),
    ),
  };
  const headFor = head ?? headOf(compiled);
  return {
    render(to, memory = Buffer.allocUnsafe) {
      const plan = parts[to.emailType];
      const headText = headFor(to, plan.headers);
      if (typeof headText !== 'string') return headText;
      return filled(plan, to, headText, memory);
    },
  };
}

/**
 * A body made ready: sections of static bytes, each followed by the value of one slot. A slot of a known length, such
 * as the token of a tracked link, is a hole within a section: sections are copied whole and the holes written over,
 * which is half the time of a copy for every link. Slots of the same meaning share an entry of `slots`, so that a
 * value used five times is escaped and encoded once.
 */
type Plan = {
  headers: string;
  sections: Section[];
  slots: ((to: Envelope) => string)[];
  /** Bytes of all sections. */
  staticSize: number;
  /** Made for the first message that is signed. */
  relaxed?: RelaxedSections;
};

const tokenLength = 32;

function planOf(compiled: Compiled, { headers, body }: Frame): Plan {
  const plan: Plan = { headers, sections: [], slots: [], staticSize: 0 };
  const slotNumber = new Map<string, number>();
  let text: string[] = [];
  let length = 0;
  let column = 0;
  let holeAt: number[] = [];
  let holeSlot: number[] = [];

  const add = (encoded: Encoded) => {
    text.push(encoded.text);
    length += encoded.text.length;
    column = encoded.column;
  };
  const numberOf = (key: string, fill: (to: Envelope) => string) => {
    let number = slotNumber.get(key);
    if (number === undefined) {
      number = plan.slots.push(fill) - 1;
      slotNumber.set(key, number);
    }
    return number;
  };
  const closeSection = (slot: number) => {
    const bytes = Buffer.from(text.join(''), 'latin1');
    plan.sections.push({ bytes, holeAt, holeSlot, value: slot });
    plan.staticSize += bytes.length;
    text = [];
    length = 0;
    holeAt = [];
    holeSlot = [];
  };
  const token = (purpose: 'click' | 'open') => {
    add(roomFor(tokenLength, column));
    holeAt.push(length);
    holeSlot.push(numberOf(purpose, (to) => fixedToken(to.tokens[purpose])));
    add({ text: ' '.repeat(tokenLength), column });
  };
  /** @param fill the value, encoded from the beginning of a line */
  const encodedValue = (key: string, fill: (to: Envelope) => string) => {
    if (column > 0) add({ text: softBreak, column: 0 });
    closeSection(numberOf(key, fill));
    add({ text: softBreak, column: 0 });
  };
  const value = (key: string, fill: (to: Envelope) => string) => encodedValue(key, (to) => encodeValue(fill(to)));

  for (const part of body) {
    if ('raw' in part) {
      // White space that ends a text would end a line here, where servers may take it away. RFC 2045 6.7
      if (/[ \t]$/.test(text.findLast((part) => part !== '') ?? '')) add({ text: softBreak, column: 0 });
      add({ text: part.raw, column: 0 });
      continue;
    }
    for (const piece of part.pieces) {
      if (typeof piece === 'string') {
        add(encodeText(piece, column));
      } else if (piece.slot === 'choice') {
        encodedValue(JSON.stringify(piece), choiceFill(compiled, piece));
      } else if (piece.slot === 'each') {
        encodedValue(JSON.stringify(piece), eachFill(compiled, piece));
      } else if (piece.slot === 'link' && piece.whole) {
        value(JSON.stringify(piece), personalFill(compiled, piece));
      } else if (piece.slot === 'link' || piece.slot === 'pixel') {
        const [before, after] =
          piece.slot === 'link' ? clickAddress(compiled.baseUrl, piece.link) : pixelElement(compiled.baseUrl);
        add(encodeText(before, column));
        token(piece.slot === 'link' ? 'click' : 'open');
        add(encodeText(after, column));
      } else if (piece.slot === 'personal') {
        const { linkText } = piece;
        const url = compiled.baseUrl + paths[piece.address];
        add(
          encodeText(
            (linkText === undefined ? '' : '<a href="') +
              (piece.place === 'url-part' ? escapeFor('url-part', url) : url),
            column,
          ),
        );
        value(`personal ${piece.address}`, (to) => safeToken(to.tokens[piece.address]));
        if (linkText !== undefined) add(encodeText(`">${linkText}</a>`, column));
      } else {
        value(JSON.stringify(piece), slotFill(compiled, piece));
      }
    }
  }
  closeSection(-1);
  return plan;
}

/** @param fill of the item that a loop is at; made once for all slots in it, of which there may be many */
type ItemFill = (to: Envelope, fill?: Fill) => string;

const fillOf = (to: Envelope): Fill => ({ recipient: to, at: to.at });

/** The text of the branch that a recipient gets, encoded. What is the same for all recipients is encoded once. */
function choiceFill(compiled: Compiled, choice: Choice): ItemFill {
  const branches = new Map(choice.branches.map(({ pieces }) => [pieces as readonly Piece[], textOf(compiled, pieces)]));
  return (to, fill = fillOf(to)) => {
    const text = branches.get(chosenFor(choice, fill));
    return text ? joined(text, to, fill) : '';
  };
}

/** The text of a loop, encoded. */
function eachFill(compiled: Compiled, each: Each): ItemFill {
  const text = textOf(compiled, each.pieces);
  return (to) => {
    const fill = fillOf(to);
    const items = itemsFor(each, fill);
    let encoded = '';
    for (let no = 0; no < items.length; no++) encoded += joined(text, to, { ...fill, item: { value: items[no]!, no } });
    return encoded;
  };
}

function joined(text: readonly (string | ItemFill)[], to: Envelope, fill: Fill): string {
  let encoded = '';
  for (const part of text) encoded += typeof part === 'string' ? part : part(to, fill);
  return encoded;
}

/** Parts that each begin a line and end before one. */
function textOf(compiled: Compiled, pieces: readonly Piece[]): (string | ItemFill)[] {
  return pieces.map((piece) => {
    if (typeof piece === 'string') return wholeLines(piece);
    if (piece.slot === 'choice') return choiceFill(compiled, piece);
    if (piece.slot === 'each') return eachFill(compiled, piece);
    const text: ItemFill =
      piece.slot === 'personal' || piece.slot === 'link' || piece.slot === 'pixel'
        ? personalFill(compiled, piece)
        : slotFill(compiled, piece);
    return (to, fill) => wholeLines(text(to, fill));
  });
}

function personalFill(compiled: Compiled, slot: Extract<Slot, { slot: 'personal' | 'link' | 'pixel' }>): ItemFill {
  const token = slot.slot === 'link' ? 'click' : slot.slot === 'pixel' ? 'open' : slot.address;
  return (to, fill = fillOf(to)) => {
    safeToken(to.tokens[token]);
    return personalText(compiled, slot, to.tokens, fill);
  };
}

/** Encoded from the beginning of a line to the beginning of another. */
function wholeLines(text: string): string {
  if (text === '') return '';
  const short = encodeShort(text);
  if (short !== null) return short + softBreak;
  const encoded = encodeText(text);
  return encoded.column > 0 ? encoded.text + softBreak : encoded.text;
}

function slotFill(compiled: Compiled, slot: Extract<Slot, { slot: 'field' | 'date' | 'list' | 'data' }>): ItemFill {
  const value: ItemFill = (to, fill = fillOf(to)) => slotValue(compiled, slot, fill);
  if (slot.slot !== 'date') return value;
  // A date is the same for all recipients within a second.
  let second = Number.NaN;
  let text = '';
  return (to) => {
    const now = Math.floor(to.at.getTime() / 1000);
    if (now !== second) {
      text = value(to);
      second = now;
    }
    return text;
  };
}

function fixedToken(token: string): string {
  if (token.length === tokenLength) return safeToken(token);
  throw new Error(`a click or open token has ${tokenLength} characters, not ${token.length}`);
}

function safeToken(token: string): string {
  if (/[^A-Za-z0-9_-]/.test(token)) throw new Error('a token has characters of base64url only');
  return token;
}

function filled(plan: Plan, to: Envelope, head: string, memory: (size: number) => Buffer): Mail {
  const { sections, slots } = plan;
  const values: string[] = [];
  for (let i = 0; i < slots.length; i++) values.push(slots[i]!(to));
  const headSize = to.utf8 ? Buffer.byteLength(head) : head.length;
  let size = headSize + plan.staticSize;
  for (let i = 0; i < sections.length; i++) {
    const { value } = sections[i]!;
    if (value >= 0) size += values[value]!.length;
  }
  // One piece of memory for head and body: an allocation costs as much as filling it.
  const mail = memory(size);
  let at = mail.write(head, 0, to.utf8 ? 'utf8' : 'latin1');
  for (let i = 0; i < sections.length; i++) {
    const { bytes, holeAt, holeSlot, value } = sections[i]!;
    mail.set(bytes, at);
    for (let k = 0; k < holeAt.length; k++) writeToken(mail, values[holeSlot[k]!]!, at + holeAt[k]!);
    at += bytes.length;
    if (value >= 0) at += mail.write(values[value]!, at, 'latin1');
  }
  const body = mail.subarray(headSize, size);
  return {
    head: mail.subarray(0, headSize),
    body,
    size,
    whole: mail.subarray(0, size),
    memory: mail,
    bodyHash: () => {
      plan.relaxed ??= new RelaxedSections(sections, tokenLength);
      return plan.relaxed.hash(body, values);
    },
    isRendered: true,
  };
}

/** A token is ASCII. Octet by octet takes a quarter of the time of a call of Buffer.write. */
function writeToken(mail: Buffer, token: string, at: number): void {
  for (let i = 0; i < tokenLength; i++) mail[at + i] = token.charCodeAt(i);
}

/** The header block as a function of the recipient and the body's own headers. */
function headOf(compiled: Compiled): Head {
  const fromAddress = address(compiled.fromEmail);
  const replyTo = address(compiled.replyTo);
  if (fromAddress === null) throw new Error('the sender address of a campaign must be valid');
  const host = compiled.listIdHost.replace(/[^A-Za-z0-9.-]/g, '') || 'localhost';
  const isConstant = (pieces: readonly Piece[]) => pieces.every((piece) => typeof piece === 'string');
  const from = (to: Envelope) =>
    addressField('From', line(compiled, compiled.fromName, { recipient: to, at: to.at }), fromAddress);
  const subject = (to: Envelope) =>
    textField('Subject', line(compiled, compiled.subject, { recipient: to, at: to.at }));
  const once = (field: (to: Envelope) => string, pieces: readonly Piece[]) => {
    if (!isConstant(pieces)) return field;
    let text: string | undefined;
    return (to: Envelope) => (text ??= field(to));
  };
  const fromField = once(from, compiled.fromName);
  const subjectField = once(subject, compiled.subject);
  const listId = new Map(compiled.lists.map((list) => [list.id, listIdField(list.name, list.publicId, host)]));
  const unsubscribeBase = `List-Unsubscribe: <${compiled.baseUrl}${paths.unsubscribe}`;
  const mailbox = compiled.unsubscribeMailbox === '' ? null : address(compiled.unsubscribeMailbox);
  const fixed =
    oneClickField(compiled.baseUrl) +
    (replyTo === null || replyTo === fromAddress ? '' : `Reply-To: ${replyTo}\r\n`) +
    `Feedback-ID: ${feedbackId({ campaign: idText(compiled.campaign), account: idText(compiled.account), kind: 'campaign', fromEmail: fromAddress })}\r\n` +
    `X-Campaign-ID: ${idText(compiled.campaign)}\r\n` +
    'Precedence: bulk\r\nMIME-Version: 1.0\r\n';
  const dateField = sameSecond((at) => `Date: ${dateText(at)}\r\n`);

  return (to, partHeaders) => {
    const email = address(to.email, to.utf8);
    if (email === null) return { refused: 'address' };
    const id = messageId(to.messageId);
    if (id === null) return { refused: 'message-id' };
    const name = compiled.toName.length === 0 ? '' : line(compiled, compiled.toName, { recipient: to, at: to.at });
    const unsubscribe = safeToken(to.tokens.unsubscribe);
    return (
      fromField(to) +
      addressField('To', name, email) +
      subjectField(to) +
      dateField(to.at) +
      `Message-ID: ${id}\r\n` +
      (listId.get(to.list) ?? listId.values().next().value ?? '') +
      unsubscribeBase +
      unsubscribe +
      (mailbox === null ? '>\r\n' : `>,\r\n <mailto:${mailbox}?subject=${unsubscribe}>\r\n`) +
      fixed +
      (to.fields ?? '') +
      partHeaders +
      '\r\n'
    );
  };
}

function oneClickField(baseUrl: string): string {
  return offersOneClick(baseUrl) ? 'List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n' : '';
}

/** RFC 8058 3.1: only with an https address. On this machine, for trying things out, http will do. */
export function offersOneClick(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'https:' || isThisMachine(hostname);
}

/** RFC 2919: a name, and an identifier within the domain of this installation. */
function listIdField(name: string, publicId: string, host: string): string {
  const id = `<${idText(publicId)}.list.${host}>`;
  const text = name.trim();
  if (text === '') return `List-Id: ${id}\r\n`;
  const phrase = phraseOf(text, 'List-Id: '.length);
  return `List-Id: ${phrase}\r\n ${id}\r\n`;
}

function idText(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '');
}

function sameSecond(text: (at: Date) => string): (at: Date) => string {
  let second = Number.NaN;
  let last = '';
  return (at) => {
    const now = Math.floor(at.getTime() / 1000);
    if (now !== second) {
      last = text(at);
      second = now;
    }
    return last;
  };
}
