// Reads email addresses: valid syntax, deliverable, and safe in a header and an SMTP command. Returns an address or a
// reason, a domain ready for DNS, and a key that is equal for equal mailboxes. Deliberately refuses what the standards
// allow but no one uses: quoted local parts, comments, address literals, source routes. Whether the receiving server
// supports SMTPUTF8, and whether the mailbox exists, is up to delivery.
import { domainToASCII, domainToUnicode } from 'node:url';
import { type Message, message } from '../base/messages.ts';

/** What is wrong with an address, for a program; `addressProblem` has the words for people. */
export type AddressProblem =
  | 'empty'
  | 'no-at'
  | 'several-ats'
  | 'control-character'
  | 'space'
  | 'quoted'
  | 'comment'
  | 'route'
  | 'local-missing'
  | 'local-character'
  | 'local-dots'
  | 'local-too-long'
  | 'domain-missing'
  | 'domain-literal'
  | 'domain-character'
  | 'domain-dots'
  | 'domain-no-dot'
  | 'domain-label'
  | 'domain-top'
  | 'too-long';

export interface Address {
  ok: true;
  /** What delivery uses: the local part as typed (in NFC), the domain in lower case and ASCII. */
  email: string;
  /** Lower case throughout, NFC: the same for the same mailbox, for deduplication, suppression and unique indexes. */
  key: string;
  /** In lower case, international names as A-labels (`xn--…`). */
  domain: string;
  /** The local part is not ASCII, so only servers that announce SMTPUTF8 accept it. RFC 6531 */
  needsSmtpUtf8: boolean;
}

export type AddressReading = Address | { ok: false; reason: AddressProblem };

/** What is wrong as a message: the rest of a sentence that begins with the address. */
export const addressProblem = (reason: AddressProblem): Message => message(`address.problem.${reason}`);

// Far beyond 254, but it bounds the work below.
const maxInput = 2_000;
// RFC 5321 4.5.3.1.1; RFC 5321 4.5.3.1.3 with RFC 3696 erratum 1690 (a path of 256 holds two angle brackets); RFC 1035 2.3.4
const maxLocalBytes = 64;
const maxAddressBytes = 254;
const maxLabel = 63;

// Every space but those that end a line, and what has no width: zero-width signs, marks of direction, soft hyphens.
const edge = '[ \\t\\p{Zs}\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u2069\\ufeff]';
const edges = new RegExp(`^${edge}+|(?<!${edge})${edge}+$`, 'gu');

/** Reads one address. Space around it is ignored, also spaces of pasted lists and signs there that cannot be seen. */
export function parseAddress(text: string): AddressReading {
  if (text.length > maxInput) return refuse('too-long');
  const plain = plainAddress(text);
  if (plain) return plain;
  const trimmed = text.replace(edges, '');
  if (trimmed === '') return refuse('empty');
  const general = generalProblem(trimmed);
  if (general) return refuse(general);
  const at = trimmed.indexOf('@');
  const local = trimmed.slice(0, at).normalize('NFC');
  const problem = localProblem(local);
  if (problem) return refuse(problem);
  const domain = readDomain(trimmed.slice(at + 1));
  if (!domain.ok) return domain;
  const email = `${local}@${domain.name}`;
  if (Buffer.byteLength(email) > maxAddressBytes) return refuse('too-long');
  // Lower case can undo the normal form (İ becomes two characters), hence once more.
  const key = `${local.toLowerCase().normalize('NFC')}@${domain.name}`;
  return { ok: true, email, key, domain: domain.name, needsSmtpUtf8: !isAscii(local) };
}

/** Reads the address of a cell or a pasted line, where it may have a display name or be a link: `Ann <a@b.c>`, `mailto:a@b.c`. */
export function parseMailbox(text: string): AddressReading {
  const reading = parseAddress(text);
  if (reading.ok) return reading;
  const bare = /<([^<>]*)>\s*$/.exec(text)?.[1] ?? text;
  const other = parseAddress(bare.replace(/^\s*mailto:\/*/i, ''));
  return other.ok ? other : reading;
}

/** One address, also with what people and programs leave around it: signs that cannot be seen, quotation marks, a full stop. */
export function readUntidyMailbox(text: string): AddressReading {
  if (text.length > maxInput) return refuse('too-long');
  // No address begins or ends with one of these, although the standards allow it.
  const reading = parseMailbox(text.replace(/^[\s'`´‘’“”„«»]+|[\s`´‘’“”„«»]+$/g, ''));
  if (reading.ok) return reading;
  const tidy = text
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u00ad]/g, '')
    .normalize('NFKC')
    .replace(/&#64;|&commat;/gi, '@')
    .replace(/^\s*(?:[-*•·]\s+|e-?mail\s*:)/i, '')
    .replace(/^\s*mailto:\/*([^?]*)\?.*$/i, '$1')
    .replace(/(\S)\s*\([^()]*\)\s*$/, '$1')
    .replace(/^[\s"'`´‘’“”„«»<([{,;:.]+|[\s"'`´‘’“”„«»>)\]},;:.|/\\*]+$/g, '')
    .replace(/\s*@\s*/, '@');
  const other = tidy === text ? reading : parseMailbox(tidy);
  return other.ok ? other : reading;
}

/** Reads an address of the usual form with one expression, in a tenth of the time; undefined for any other. */
function plainAddress(text: string): Address | undefined {
  if (text.length > maxLabel + 1) return undefined;
  const at = text.indexOf('@');
  if (!/^[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*@(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]{2,}$/.test(text)) return undefined;
  const domain = text.slice(at + 1);
  return { ok: true, email: text, key: text.slice(0, at).toLowerCase() + text.slice(at), domain, needsSmtpUtf8: false };
}

/** The key of an address, for looking it up; null when it is invalid. */
export function addressKey(text: string): string | null {
  const reading = parseAddress(text);
  return reading.ok ? reading.key : null;
}

/**
 * The mailbox behind a key, however it is spelled: without +tag, and without dots where the provider ignores them. For
 * limits and for the public form only; elsewhere each spelling is a different address. Same as mailbox_of in the database.
 */
export function mailboxOf(key: string): string {
  const at = key.indexOf('@');
  const domain = key.slice(at + 1);
  const local = key.slice(0, at).replace(/^([^+]+)\+.*$/s, '$1');
  return domain === 'gmail.com' || domain === 'googlemail.com'
    ? `${local.replaceAll('.', '')}@gmail.com`
    : `${local}@${domain}`;
}

/** Whether a text is an address that every server accepts, also without SMTPUTF8. */
export function isAsciiAddress(text: string): boolean {
  const reading = parseAddress(text);
  return reading.ok && !reading.needsSmtpUtf8;
}

/** A domain as DNS needs it (lower case, A-labels), or why it cannot be that of a mailbox. */
export function readDomain(text: string): { ok: true; name: string } | { ok: false; reason: AddressProblem } {
  if (text === '') return refuse('domain-missing');
  if (text.startsWith('[')) return refuse('domain-literal');
  // Before the conversion, which would undo percent-encoding and read 0x7f.1 as an IP address.
  if (/[^A-Za-z0-9.\u0080-\u{10ffff}-]/u.test(text)) return refuse('domain-character');
  if (/^[0-9.]*[0-9][0-9.]*$/.test(text)) return refuse('domain-literal');
  const name = isAscii(text) ? text.toLowerCase() : domainToASCII(text);
  if (name === '') return refuse('domain-character');
  if (/^\.|\.$|\.\./.test(name)) return refuse('domain-dots');
  const labels = name.split('.');
  if (labels.length === 1) return refuse('domain-no-dot');
  for (const label of labels) {
    if (/[^a-z0-9-]/.test(label)) return refuse('domain-character');
    if (label.length > maxLabel || label.startsWith('-') || label.endsWith('-')) return refuse('domain-label');
    // An A-label that does not decode is no name of any script.
    if (label.startsWith('xn--') && domainToUnicode(label).startsWith('xn--')) return refuse('domain-character');
  }
  // Letters, at least two: there is no numeric top-level domain, and what looks like one is an IP address. RFC 3696 2
  if (!/^([a-z]{2,}|xn--[a-z0-9-]+)$/.test(labels.at(-1)!)) return refuse('domain-top');
  return { ok: true, name };
}

/** What is wrong anywhere in the address: characters that end a header, a command or an address list. */
function generalProblem(text: string): AddressProblem | null {
  if (/[\u0000-\u001f\u007f-\u009f]/.test(text)) return 'control-character';
  if (/["\\]/.test(text)) return 'quoted';
  if (/[()]/.test(text)) return 'comment';
  if (/[<>,;]/.test(text) || /^[^[]*:/.test(text)) return 'route';
  // Zero-width joiners are for the domain's IDNA rules to judge; in a local part they are refused further down.
  if (/(?![\u200c\u200d])[\p{C}\p{Z}]/u.test(text)) return 'space';
  const ats = text.split('@').length - 1;
  return ats === 0 ? 'no-at' : ats > 1 ? 'several-ats' : null;
}

function localProblem(local: string): AddressProblem | null {
  if (local === '') return 'local-missing';
  if (Buffer.byteLength(local) > maxLocalBytes) return 'local-too-long';
  if (/^\.|\.$|\.\./.test(local)) return 'local-dots';
  // RFC 5322 3.2.3 atext without % and !, which old mail systems take for a route to another host, and with any
  // visible character beyond ASCII. RFC 6531 3.3
  if (/[^A-Za-z0-9.#$&'*+\-/=?^_`{|}~\u0080-\u{10ffff}]|[\u200c\u200d]/u.test(local)) return 'local-character';
  // Some servers decode an encoded word in an address and deliver to what comes out of it.
  if (/=\?.*\?=/.test(local)) return 'local-character';
  return null;
}

function isAscii(text: string): boolean {
  return /^[\u0000-\u007f]*$/.test(text);
}

function refuse(reason: AddressProblem): { ok: false; reason: AddressProblem } {
  return { ok: false, reason };
}
