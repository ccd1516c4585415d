// What bytes of windows-1252 mean in texts of published programs, which paste what Word writes: quotation marks, dashes and the
// ellipsis, as bytes in a text that is UTF-8 otherwise, or as the control characters of ISO-8859-1. No one means those.
import { isUtf8 } from 'node:buffer';
import { UNREADABLE } from './wire.ts';

/** What windows-1252 has at 0x80 to 0x9F. */
const CHARACTERS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8DŽ\x8F\x90‘’“”•–—˜™š›œ\x9DžŸ';

/** A text whose characters 128 to 159 are bytes of windows-1252. */
export const asWindows1252 = (text: string): string =>
  text.replace(/[\x80-\x9F]/g, (char) => CHARACTERS[char.charCodeAt(0) - 0x80]!);

/**
 * The text of bytes that are UTF-8 but for punctuation as Word writes it: € … ‘ ’ “ ” • – —, which are the same bytes in all
 * of Windows' encodings of one byte. Undefined for other bytes, such as letters of ISO-8859-1, Cyrillic or Japanese ones.
 */
export function textOfUtf8(bytes: Buffer): string | undefined {
  if (isUtf8(bytes)) return asWindows1252(bytes.toString('utf8'));
  const expanded = withPunctuation(bytes);
  return expanded && isUtf8(expanded) ? asWindows1252(expanded.toString('utf8')) : undefined;
}

/** The same for any bytes, with a mark for each that is no text. */
export function textWithMarks(bytes: Buffer): string {
  const text = withPunctuation(bytes, Buffer.from(UNREADABLE))!.toString('utf8');
  return asWindows1252(isUtf8(bytes) ? text : text.replaceAll('\uFFFD', UNREADABLE));
}

/**
 * The same for bytes of which it is not known whether they are UTF-8 or windows-1252: undefined unless a sequence of UTF-8 among them
 * is hardly ever meant as letters. Capitals before a quotation mark (É”) are a sequence too.
 */
export const textOfLikelyUtf8 = (bytes: Buffer): string | undefined =>
  CLEAR_SEQUENCE.test(bytes.toString('latin1')) ? textOfUtf8(bytes) : undefined;

/** Â or Ã before any byte, â€, or a sequence with a byte that is not punctuation of Windows. */
const CLEAR_SEQUENCE =
  /[\xC2\xC3][\x80-\xBF]|\xE2\x80[\x80-\xBF]|[\xC4-\xF4][\x80-\xBF]{0,2}[\x81-\x84\x86-\x90\x98-\xBF]/;

const PUNCTUATION = new Map(
  [0x80, 0x85, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97].map((byte) => [byte, Buffer.from(CHARACTERS[byte - 0x80]!)]),
);

/**
 * The bytes with each byte of punctuation as UTF-8; undefined at the first byte that is neither that nor begins a sequence of
 * UTF-8, unless a mark is given for it. Looks at each byte once, and allocates only what is needed: any caller can send 32 MiB.
 */
function withPunctuation(bytes: Buffer, mark?: Buffer): Buffer | undefined {
  let added = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length === 0) added += ((PUNCTUATION.get(bytes[at]!) ?? mark)?.length ?? Number.NaN) - 1;
    if (Number.isNaN(added)) return undefined;
    at += length || 1;
  }
  const expanded = Buffer.allocUnsafe(bytes.length + added);
  let end = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length === 0) for (const byte of (PUNCTUATION.get(bytes[at]!) ?? mark)!) expanded[end++] = byte;
    else for (let i = at; i < at + length; i++) expanded[end++] = bytes[i]!;
    at += length || 1;
  }
  return expanded;
}

/** How many bytes the sequence of UTF-8 at a place has; 0 if none begins there. Overlong ones are left to isUtf8. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (let i = 1; i < length; i++) if ((bytes[at + i]! & 0xc0) !== 0x80) return 0;
  return length;
}
