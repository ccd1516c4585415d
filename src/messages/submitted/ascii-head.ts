// The header fields of a message that a program has composed, as every mail server takes them: raw letters beyond ASCII become encoded
// words (RFC 2047) or parameters (RFC 2231), and lines beyond the limit are folded. What is ASCII and short stays as it is.
import { isUtf8 } from 'node:buffer';
import { addressParser, decodeWords } from 'postal-mime';
import { fault } from '../../base/faults.ts';
import { address, phraseOf, textField } from '../../delivery/message/header.ts';
import { asWindows1252 } from '../../method/windows-1252.ts';

/** RFC 5322 2.1.1 */
export const maxLine = 998;

/** A field with its folded lines, without the last line end; bytes as Latin-1. */
export type Field = { name: string; text: string };

const addressFields =
  /^(resent-)?(from|sender|reply-to|to|cc|bcc)$|^(disposition-notification-to|return-receipt-to|errors-to)$/;
const parameterFields = /^content-(type|disposition)$/;

/** @throws Fault CONTENT_INVALID for a line that is no field, control characters, and what cannot be written in ASCII */
export function asciiFields(head: string): Field[] {
  const fields: Field[] = [];
  for (const line of head.split('\r\n')) {
    const [, name] = /^([!-9;-~]{1,70})[ \t]*:/.exec(line) ?? [];
    if (/^[ \t]/.test(line) && fields.length > 0) fields.at(-1)!.text += `\r\n${line}`;
    else if (name !== undefined) fields.push({ name: name.toLowerCase(), text: line });
    else throw fault('CONTENT_INVALID', 'message.raw_head', { member: 'source', line: line.slice(0, 60) });
  }
  const written = fields.map((one) => ({ ...one, text: inAscii(one) }));
  if (written.some(({ text }) => /[^\t\r\n -~]/.test(text))) throw notAscii();
  if (written.some(({ text }) => hasLongLine(text)))
    throw fault('CONTENT_INVALID', 'message.raw_lines', { member: 'source', count: maxLine });
  return written;
}

export const hasLongLine = (text: string): boolean => {
  let at = 0;
  for (;;) {
    const end = text.indexOf('\r\n', at);
    if ((end < 0 ? text.length : end) - at > maxLine) return true;
    if (end < 0) return false;
    at = end + 2;
  }
};

/** Bytes above 127 without a charset: UTF-8 if they are, otherwise windows-1252. */
export function lettersOf(latin1: string): string {
  const bytes = Buffer.from(latin1, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : asWindows1252(latin1);
}

function inAscii({ name, text }: Field): string {
  const isForeign = /[\x80-\xff]/.test(text);
  if (!isForeign && !hasLongLine(text)) return text;
  const colon = text.indexOf(':');
  const given = text.slice(0, colon).trimEnd();
  const value = lettersOf(text.slice(colon + 1).replace(/\r\n(?=[ \t])/g, '')).trim();
  // Nothing that a control character could hide in is rewritten.
  if (/[\p{Cc}]/u.test(value.replaceAll('\t', ' '))) return text;
  if (addressFields.test(name)) return addressesField(given, value);
  const ascii = parameterFields.test(name) ? withParameters(value) : value;
  const folded = `${given}: ${ascii.replace(/[ \t]+/g, (blank) => (ascii.length > 70 ? `\r\n${blank}` : blank))}`;
  if (!/[^\t\r\n -~]/.test(folded) && !hasLongLine(folded)) return folded;
  return textField(given, decodeWords(ascii)).replace(/\r\n$/, '');
}

/** The same addresses; a domain in other letters in its ASCII form. */
function addressesField(name: string, value: string): string {
  const all = addressParser(value).flatMap((one) => (one.group ? one.group : [one]));
  const written = all.map((one) => {
    const ascii = address(one.address ?? '');
    if (ascii === null) throw notAscii();
    const shown = decodeWords(one.name).trim();
    return shown === '' ? ascii : `${phraseOf(shown, 40)} <${ascii}>`;
  });
  return `${name}: ${written.join(',\r\n ')}`;
}

function withParameters(value: string): string {
  return value
    .replace(/([\w-]+)=("(?:[^"\\]|\\.)*"|[^\s;"]+)/g, (all, name: string, given: string) => {
      if (!/[^\x00-\x7f]/.test(all)) return all;
      const text = given.startsWith('"') ? given.slice(1, -1).replace(/\\(.)/g, '$1') : given;
      const escaped = encodeURIComponent(text.toWellFormed()).replace(
        /['()*]/g,
        (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
      );
      return `${name}*=UTF-8''${escaped}`;
    })
    .replace(/[^\x00-\x7f]/g, '?');
}

const notAscii = () => fault('CONTENT_INVALID', 'message.raw_head_ascii', { member: 'source' });
