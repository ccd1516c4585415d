// Header fields: texts and names as encoded-words (RFC 2047), addresses, identifiers, folding. Guarantees that a value
// can never end its line, add a field or a recipient, or be read as another encoded-word: a value that cannot be
// written safely is refused (null), not repaired. Every line has at most 998 characters, nearly all at most 76.
import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { headerText } from '../../campaigns/markup/escape.ts';

/** `Name: text` with its CRLF, for a field that people read (Subject). */
export function textField(name: string, text: string): string {
  const value = headerText(text).trim();
  if (isPlainText(value)) {
    if (name.length + 2 + value.length <= 76) return `${name}: ${value}\r\n`;
    const folded = foldWords(value, name.length + 2);
    if (folded !== null) return `${name}: ${folded}\r\n`;
  }
  return `${name}: ${encodedWords(value, name.length + 2)}\r\n`;
}

/** `Name: "Display name" <address>` with its CRLF; the address must come from `address` below. */
export function addressField(name: string, displayName: string, address: string): string {
  const value = headerText(displayName).trim();
  if (value === '') return `${name}: <${address}>\r\n`;
  const phrase = phraseOf(value, name.length + 2);
  const lastLine = phrase.length - (phrase.lastIndexOf('\n') + 1) + (phrase.includes('\n') ? 0 : name.length + 2);
  return `${name}: ${phrase}${lastLine + address.length + 3 > 76 ? '\r\n ' : ' '}<${address}>\r\n`;
}

/** A display name as it stands before an address or an id. */
export function phraseOf(value: string, column: number): string {
  if (isPlainText(value) && column + value.length + 2 <= 74) {
    return /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+$/.test(value) ? value : `"${value.replace(/[\\"]/g, '\\$&')}"`;
  }
  return encodedWords(value, column);
}

/**
 * An address as it is written in a header and in MAIL and RCPT, or null when it is none that is safe there. A domain
 * in other letters is given in its ASCII form; a local part in other letters only where `utf8` allows it.
 */
export function address(value: string, utf8 = false): string | null {
  const plain = /^([A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64})@([A-Za-z0-9.-]{1,253})$/.exec(value);
  if (plain) return value;
  const at = value.lastIndexOf('@');
  const local = value.slice(0, at);
  const domain = value.slice(at + 1);
  // Blanks, controls and invisible formatting of any script have no business in a mailbox name.
  if (at < 1 || local.length > 128 || /[\p{Z}\p{C}"(),:;<>@[\\\]]/u.test(local)) return null;
  if (/[^\x00-\x7f]/.test(local) && !utf8) return null;
  const ascii = /[^\p{L}\p{M}\p{N}.-]/u.test(domain) ? '' : domainToASCII(domain);
  return /^[A-Za-z0-9.-]{1,253}$/.test(ascii) ? `${local}@${ascii}` : null;
}

/** A Message-ID in angle brackets, or null when the text is none. */
export function messageId(value: string): string | null {
  const id = value.startsWith('<') && value.endsWith('>') ? value.slice(1, -1) : value;
  return /^[!-;=?A-Z[-~]{1,240}@[A-Za-z0-9.[\]:-]{1,240}$/.test(id) && id.indexOf('@') === id.lastIndexOf('@')
    ? `<${id}>`
    : null;
}

/**
 * The value of Feedback-ID. Gmail counts complaints by each part; the last one, of 5 to 15 characters, is the same for all
 * messages of a sender: an account and its domain.
 */
export function feedbackId(of: {
  campaign: string;
  account: string;
  kind: string;
  fromEmail: string;
  /** False where the built-in inbox must not show the message to everyone in the account: it goes by the id. */
  namesAccount?: boolean;
}): string {
  const domain = of.fromEmail.slice(of.fromEmail.lastIndexOf('@') + 1).toLowerCase();
  const sender = createHash('sha256').update(`${of.account} ${domain}`).digest('hex').slice(0, 12);
  return `${of.campaign}:${of.namesAccount === false ? '0' : of.account}:${of.kind}:${sender}`;
}

/** RFC 5322 3.3, in UTC. */
export function dateText(at: Date): string {
  return at.toUTCString().replace('GMT', '+0000');
}

/** Printable ASCII that cannot be mistaken for an encoded-word (RFC 2047). */
function isPlainText(value: string): boolean {
  return !/[^ -~]/.test(value) && !value.includes('=?');
}

/** Folds at single spaces; null where that cannot be done without changing the text. */
function foldWords(value: string, column: number): string | null {
  if (/ {2}|[^ ]{200}/.test(value)) return null;
  let at = column;
  let folded = '';
  for (const word of value.split(' ')) {
    if (folded === '') folded = word;
    else if (at + 1 + word.length > 76) {
      folded += `\r\n ${word}`;
      at = 1 + word.length;
      continue;
    } else folded += ` ${word}`;
    at += word.length + 1;
  }
  return folded;
}

const wordLimit = 75; // RFC 2047 2

/** The text as encoded-words in UTF-8, each whole characters, folded; Q where it is short, else B. */
function encodedWords(value: string, column: number): string {
  let foreign = 0;
  for (let i = 0; i < value.length; i++) if (value.charCodeAt(i) > 0x7e) foreign++;
  const words = foreign * 3 > value.length ? base64Words(value, column) : quotedWords(value, column);
  return words.map((word) => `=?UTF-8?${word}?=`).join('\r\n ');
}

const frame = '=?UTF-8?Q??='.length;

function base64Words(value: string, column: number): string[] {
  const words: string[] = [];
  const bytes = Buffer.from(value);
  for (let at = 0; at < bytes.length; ) {
    const limit = Math.floor((wordLimit - frame - (words.length === 0 ? Math.min(column, 40) : 1)) / 4) * 3;
    let end = Math.min(at + limit, bytes.length);
    // Not within a character: the bytes that continue one begin with 10.
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--;
    words.push(`B?${bytes.toString('base64', at, end)}`);
    at = end;
  }
  return words;
}

function quotedWords(value: string, column: number): string[] {
  const words: string[] = [];
  let chunk = '';
  const limit = () => wordLimit - frame - (words.length === 0 ? Math.min(column, 40) : 1);
  for (const character of value) {
    const unit = units[character.charCodeAt(0)] ?? hexUnits(character);
    if (chunk.length + unit.length > limit()) {
      words.push(`Q?${chunk}`);
      chunk = '';
    }
    chunk += unit;
  }
  words.push(`Q?${chunk}`);
  return words;
}

/** What stands for an ASCII character in a Q word: only what is safe in a phrase, too, stands for itself (RFC 2047 5). */
const units = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (character === ' ') return '_';
  return /[A-Za-z0-9!*+/-]/.test(character) ? character : hexUnits(character);
});

function hexUnits(character: string): string {
  let text = '';
  for (const byte of Buffer.from(character)) text += `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return text;
}

/** The same for every attempt at a recipient, so that a copy after an unclear outcome is recognised as a duplicate. */
export function messageIdOf({ campaign }: { campaign: number }, seq: number, token: string, host: string): string {
  return `<${campaign.toString(36)}.${seq.toString(36)}.${token}@${host}>`;
}
