// The encodings that documents and forms may declare: UTF-8, US-ASCII, ISO-8859-1 (which is windows-1252), and all others with
// ASCII in its place that Node.js can decode. UTF-16 and UTF-32 are not read.
import { isUtf8 } from 'node:buffer';
import { asWindows1252, textOfLikelyUtf8 } from '../../method/windows-1252.ts';
import { UNREADABLE } from '../../method/wire.ts';

/** The first three have rules of their own; others are named as in the Encoding Standard. */
export type Encoding = 'UTF-8' | 'US-ASCII' | 'ISO-8859-1' | (string & {});

const ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  ['utf-8', 'UTF-8'],
  ['utf8', 'UTF-8'],
  ['us-ascii', 'US-ASCII'],
  ['ascii', 'US-ASCII'],
  ['iso-8859-1', 'ISO-8859-1'],
  ['iso8859-1', 'ISO-8859-1'],
  ['iso_8859-1', 'ISO-8859-1'],
  ['latin1', 'ISO-8859-1'],
  ['windows-1252', 'ISO-8859-1'],
]);

/** The encoding of a name; undefined for one that is not read. */
export function encodingOf(name: string): Encoding | undefined {
  const known = ENCODINGS.get(name.toLowerCase());
  if (known !== undefined) return known;
  try {
    const { encoding } = new TextDecoder(name);
    if (encoding === 'windows-1252') return 'ISO-8859-1';
    if (encoding === 'utf-8') return 'UTF-8';
    return /^(utf-16|iso-2022|x-user)/.test(encoding) ? undefined : encoding;
  } catch {
    return undefined;
  }
}

/** The charset of a Content-Type. */
export const charsetOf = (contentType: string): string | undefined =>
  /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType)?.[1];

/**
 * Bytes in an encoding that was declared. Programs declare a Latin one for UTF-8 too, which bytes of it hardly ever are by
 * accident; PHP's xmlrpc_encode_request declares ISO-8859-1 for every text.
 * @param marks whether a byte that the encoding does not have is marked; otherwise the text is undefined
 */
export function decoded(bytes: Buffer, encoding: Encoding, marks: boolean): string | undefined {
  if (encoding === 'ISO-8859-1') return textOfLikelyUtf8(bytes) ?? asWindows1252(bytes.toString('latin1'));
  if (encoding === 'iso-8859-15') {
    const text = textOfLikelyUtf8(bytes);
    if (text !== undefined) return text;
  } else if (!MULTIBYTE.test(encoding) && isUtf8(bytes)) return bytes.toString('utf8');
  const text = asWindows1252(new TextDecoder(encoding).decode(bytes));
  if (!text.includes('\uFFFD')) return text;
  return marks ? text.replaceAll('\uFFFD', UNREADABLE) : undefined;
}

/** In these, two letters are often a sequence of UTF-8 too. */
const MULTIBYTE = /^(big5|euc-|gb|shift_jis)/;
