// Renders a recipient's mail from a compiled message. Everything that is the same for all is encoded once, by prepare;
// a recipient costs the filling of the slots and one copy (a few microseconds at 20 kB, see test/bench/render.ts).
// Promises RFC 5322 and 2045 messages of 7-bit lines (headers may be UTF-8 where asked for) with CRLF and no line that
// begins with a dot, whatever the values hold. Signing and sending are left to dkim and smtp.
import { createHash } from 'node:crypto';
import {
  type Compiled,
  clickAddress,
  type Piece,
  paths,
  pixelElement,
  type Recipient,
  type Slot,
  type Tokens,
} from '../campaigns/compiled.ts';
import { escapeFor } from '../campaigns/places.ts';
import { line, slotValue } from '../campaigns/show.ts';
import { address, addressField, dateText, messageId, phraseOf, textField } from './header.ts';
import { frame, type InlineImage } from './mime.ts';
import { type Encoded, encodeText, encodeValue, roomFor, softBreak } from './quoted-printable.ts';

/** Whom a mail goes to, and what makes it his. */
export type Envelope = Recipient & {
  tokens: Tokens;
  /** The same for every attempt; with or without angle brackets. */
  messageId: string;
  at: Date;
  /** The receiving server takes UTF-8 in headers and addresses (SMTPUTF8). */
  utf8?: boolean;
};

/** `head` ends with the empty line; a signature field goes before it. `size` is of both in octets. */
export type Mail = { head: Buffer; body: Buffer; size: number };

/** Why a recipient can have no mail: a fault of its own data, not of the campaign. */
export type Refusal = { refused: 'address' | 'message-id' };

export type Renderer = { render(to: Envelope): Mail | Refusal };

/** Makes a renderer of a compiled message; costs some milliseconds, so once for a campaign and worker. */
export function prepare(compiled: Compiled, images: readonly InlineImage[] = []): Renderer {
  const seed = createHash('sha256').update(JSON.stringify(compiled)).digest('hex').slice(0, 24);
  const parts: Record<'html' | 'text', Plan> = {
    html: planOf(compiled, compiled.plain, compiled.html, images, seed),
    text: compiled.plain
      ? planOf(compiled, compiled.plain, null, [], seed)
      : planOf(compiled, null, compiled.html, images, seed),
  };
  const head = headOf(compiled);
  return {
    render(to) {
      const plan = parts[to.emailType];
      const headText = head(to, plan.headers);
      if (typeof headText !== 'string') return headText;
      const headBytes = Buffer.from(headText, to.utf8 ? 'utf8' : 'latin1');
      const body = filled(plan, to);
      return { head: headBytes, body, size: headBytes.length + body.length };
    },
  };
}

/**
 * A body made ready: static bytes, each followed by the slot of that index (−1 for none). Slots of the same meaning
 * share an entry of `slots`, so that a value used five times is escaped and encoded once.
 */
type Plan = {
  headers: string;
  statics: Buffer[];
  slotAt: number[];
  slots: ((to: Envelope) => string)[];
  /** Bytes of all statics. */
  staticSize: number;
};

const tokenLength = 32;

function planOf(
  compiled: Compiled,
  plain: readonly Piece[] | null,
  html: readonly Piece[] | null,
  images: readonly InlineImage[],
  seed: string,
): Plan {
  const { headers, body } = frame(plain, html, images, seed);
  const plan: Plan = { headers, statics: [], slotAt: [], slots: [], staticSize: 0 };
  const slotNumber = new Map<string, number>();
  let text: string[] = [];
  let column = 0;

  const add = (encoded: Encoded) => {
    text.push(encoded.text);
    column = encoded.column;
  };
  const slot = (key: string, fill: (to: Envelope) => string) => {
    let number = slotNumber.get(key);
    if (number === undefined) {
      number = plan.slots.push(fill) - 1;
      slotNumber.set(key, number);
    }
    const bytes = Buffer.from(text.join(''), 'latin1');
    plan.statics.push(bytes);
    plan.slotAt.push(number);
    plan.staticSize += bytes.length;
    text = [];
  };
  // Every token of a purpose has the same length: it is laid out now and only copied later.
  const token = (purpose: 'click' | 'open') => {
    add(roomFor(tokenLength, column));
    slot(purpose, (to) => fixedToken(to.tokens[purpose]));
  };
  const value = (key: string, fill: (to: Envelope) => string) => {
    if (column > 0) add({ text: softBreak, column: 0 });
    slot(key, (to) => encodeValue(fill(to)));
    add({ text: softBreak, column: 0 });
  };

  for (const part of body) {
    if ('raw' in part) {
      add({ text: part.raw, column: 0 });
      continue;
    }
    for (const piece of part.pieces) {
      if (typeof piece === 'string') {
        add(encodeText(piece, column));
      } else if (piece.slot === 'link' || piece.slot === 'pixel') {
        const [before, after] =
          piece.slot === 'link' ? clickAddress(compiled.baseUrl, piece.link) : pixelElement(compiled.baseUrl);
        add(encodeText(before, column));
        token(piece.slot === 'link' ? 'click' : 'open');
        add(encodeText(after, column));
      } else if (piece.slot === 'own') {
        const { words } = piece;
        const url = compiled.baseUrl + paths[piece.address];
        add(
          encodeText(
            (words === undefined ? '' : '<a href="') + (piece.place === 'url-part' ? escapeFor('url-part', url) : url),
            column,
          ),
        );
        value(`own ${piece.address}`, (to) => safeToken(to.tokens[piece.address]));
        if (words !== undefined) add(encodeText(`">${words}</a>`, column));
      } else {
        value(JSON.stringify(piece), slotFill(compiled, piece));
      }
    }
  }
  const bytes = Buffer.from(text.join(''), 'latin1');
  plan.statics.push(bytes);
  plan.slotAt.push(-1);
  plan.staticSize += bytes.length;
  return plan;
}

function slotFill(
  compiled: Compiled,
  slot: Extract<Slot, { slot: 'field' | 'date' | 'list' }>,
): (to: Envelope) => string {
  const value = (to: Envelope) => slotValue(compiled, slot, { recipient: to, at: to.at });
  if (slot.slot !== 'date') return value;
  // A date is the same for everybody within a second.
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

function filled(plan: Plan, to: Envelope): Buffer {
  const { statics, slotAt, slots } = plan;
  const values: string[] = [];
  for (let i = 0; i < slots.length; i++) values.push(slots[i]!(to));
  let size = plan.staticSize;
  for (let i = 0; i < slotAt.length - 1; i++) size += values[slotAt[i]!]!.length;
  const body = Buffer.allocUnsafe(size);
  let at = 0;
  for (let i = 0; i < statics.length; i++) {
    const bytes = statics[i]!;
    body.set(bytes, at);
    at += bytes.length;
    const number = slotAt[i]!;
    if (number >= 0) at += body.write(values[number]!, at, 'latin1');
  }
  return body;
}

/** The header block as a function of the recipient and the body's own headers. */
function headOf(compiled: Compiled): (to: Envelope, partHeaders: string) => string | Refusal {
  const fromAddress = address(compiled.fromEmail);
  const replyTo = address(compiled.replyTo);
  if (fromAddress === null) throw new Error('the sender address of a campaign must be valid');
  const host = new URL(compiled.baseUrl).hostname.replace(/[^A-Za-z0-9.-]/g, '') || 'localhost';
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
    (replyTo === null || replyTo === fromAddress ? '' : `Reply-To: ${replyTo}\r\n`) +
    `Feedback-ID: ${idText(compiled.campaign)}:${idText(compiled.account)}:campaign:${host}\r\n` +
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
      'List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n' +
      fixed +
      partHeaders +
      '\r\n'
    );
  };
}

/** RFC 2919: a name, and an identifier within our host's domain. */
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
