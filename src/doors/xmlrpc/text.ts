// Converts the bytes of an XML-RPC body to text: determines the encoding and decodes strictly. UTF-8 (with or without BOM),
// ISO-8859-1 and US-ASCII are read, as declared by Content-Type or the XML declaration; where ISO-8859-1 is declared, the bytes
// decide between it and UTF-8. Anything else, invalid UTF-8 and a DOCTYPE are faults. What clients write for bytes, by
// references or otherwise, is read as bytes. All other XML is left to the parser.
import { isUtf8 } from 'node:buffer';
import { asWindows1252, textOfLikelyUtf8, textOfUtf8 } from '../../method/windows-1252.ts';
import { MAX_BODY_BYTES, quoted, WireFault } from '../../method/wire.ts';

/** The document as text; a BOM is left for the parser to skip. Throws WireFault. */
export function readDocument(body: Uint8Array, contentType = ''): string {
  if (body.length > MAX_BODY_BYTES) throw new WireFault(-32600, `the body is longer than ${MAX_BODY_BYTES} bytes`);
  if (body.length === 0) throw malformed('the body is empty');
  const { text, isAscii } = decodeBytes(Buffer.from(body.buffer, body.byteOffset, body.byteLength), contentType);
  refuseDoctype(text);
  return withBytesRead(withJoinedSurrogates(text), isAscii);
}

type Encoding = 'UTF-8' | 'US-ASCII' | 'ISO-8859-1';
/** `isAscii`: US-ASCII is declared, so that characters above 127 cannot be what the program meant to send. */
type Decoded = { text: string; isAscii: boolean };

/** Encoding names we read, in lower case. Clients that declare US-ASCII send UTF-8 all the same. */
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

/** RFC 7303 section 3: a BOM comes first, then the charset of the Content-Type, then the XML declaration. */
function decodeBytes(bytes: Buffer, contentType: string): Decoded {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { text: decodeUtf8(bytes), isAscii: false };
  const start = bytes.toString('latin1', 0, 1024);
  // UTF-16 and UTF-32 show by their BOM, or by a NUL beside the first "<".
  if (/^(?:\xFE\xFF|\xFF\xFE|\0|.\0)/s.test(start))
    throw malformed('the body is UTF-16 or UTF-32, or contains NUL; send UTF-8');
  const named = [
    encodingNamed(charsetOf(contentType), 'Content-Type'),
    encodingNamed(/^<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"']*)["']/.exec(start)?.[1], 'XML declaration'),
  ].filter((encoding) => encoding !== undefined);
  // Latin-1 text is hardly ever valid UTF-8 by accident, and PHP's xmlrpc_encode_request declares it for every text.
  if (named.includes('ISO-8859-1'))
    return { text: textOfLikelyUtf8(bytes) ?? asWindows1252(bytes.toString('latin1')), isAscii: false };
  const isAscii = named.length > 0 && named.every((name) => name === 'US-ASCII');
  return { text: isAscii && isUtf8(bytes) ? bytes.toString('utf8') : decodeUtf8(bytes), isAscii };
}

function encodingNamed(name: string | undefined, where: string): Encoding | undefined {
  if (name === undefined) return undefined;
  const encoding = ENCODINGS.get(name.toLowerCase());
  if (encoding === undefined) throw malformed(`the ${where} names the encoding ${quoted(name)}; send UTF-8`);
  return encoding;
}

function decodeUtf8(bytes: Buffer): string {
  const text = textOfUtf8(isUtf8(bytes) ? bytes : withReferencesAsBytes(bytes));
  if (text === undefined) throw malformed(`invalid UTF-8 at byte ${firstInvalid(bytes)}`);
  return text;
}

/** Decoding puts U+FFFD where it fails, so the first U+FFFD whose own bytes are not there is the place. */
function firstInvalid(bytes: Buffer): number {
  const text = bytes.toString('utf8');
  let offset = 0;
  let from = 0;
  for (;;) {
    const at = text.indexOf('\uFFFD', from);
    offset += Buffer.byteLength(text.slice(from, at));
    if (bytes.toString('latin1', offset, offset + 3) !== '\xEF\xBF\xBD') return offset;
    offset += 3;
    from = at + 1;
  }
}

/** Whether a Content-Type declares ISO-8859-1 or windows-1252. */
export const declaresLatin1 = (contentType: string): boolean =>
  ENCODINGS.get(charsetOf(contentType)?.toLowerCase() ?? '') === 'ISO-8859-1';

const charsetOf = (contentType: string) => /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType)?.[1];

/** Looks through what may stand before a DOCTYPE, so that no byte of one is parsed. */
function refuseDoctype(text: string): void {
  const prolog = /\s+|<\?.*?\?>|<!--.*?-->/sy;
  let at = 0;
  for (; prolog.test(text); at = prolog.lastIndex);
  if (/^<!doctype/i.test(text.slice(at, at + 9))) throw new WireFault(-32600, 'a DOCTYPE is not accepted');
}

const HIGH_REFERENCE = '&#(?:x([dD][89abAB][0-9a-fA-F]{2})|(5529[6-9]|55[3-9][0-9]{2}|56[0-2][0-9]{2}|563[01][0-9]));';
const LOW_REFERENCE =
  '&#(?:x([dD][c-fC-F][0-9a-fA-F]{2})|(563[2-9][0-9]|56[4-9][0-9]{2}|57[0-2][0-9]{2}|573[0-3][0-9]|5734[0-3]));';
const SURROGATE_PAIR = new RegExp(HIGH_REFERENCE + LOW_REFERENCE, 'g');

/**
 * Two character references that are the halves of a surrogate pair become the one character they mean: Apache XML-RPC
 * writes every emoji so. Not in CDATA, where references are plain text.
 */
function withJoinedSurrogates(text: string): string {
  if (text.search(SURROGATE_PAIR) === -1) return text;
  let joined = '';
  for (let at = 0; ; ) {
    const cdata = text.indexOf('<![CDATA[', at);
    const end = cdata === -1 ? -1 : text.indexOf(']]>', cdata);
    joined += text.slice(at, cdata === -1 ? undefined : cdata).replace(SURROGATE_PAIR, joinedPair);
    if (end === -1) return cdata === -1 ? joined : joined + text.slice(cdata);
    joined += text.slice(cdata, end);
    at = end;
  }
}

const joinedPair = (_pair: string, highHex?: string, high?: string, lowHex?: string, low?: string) =>
  String.fromCharCode(codeUnit(highHex, high), codeUnit(lowHex, low));
const codeUnit = (hex: string | undefined, decimal: string | undefined) =>
  hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);

/** A reference to a character from 128 to 255. */
const BYTE_REFERENCE = /&#(?:x0{0,8}([89a-fA-F][0-9a-fA-F])|0{0,8}(12[89]|1[3-9][0-9]|2[0-4][0-9]|25[0-5]));/g;
const BYTE_OR_REFERENCE = new RegExp(`[\\x80-\\xFF]|${BYTE_REFERENCE.source}`);
const REFERENCE = /&#(?:x([0-9a-fA-F]{1,8})|([0-9]{1,9}));/g;

/**
 * References that stand for bytes instead of characters become the characters that are meant. Some clients, such as PHP's
 * xmlrpc_encode_request by default, write each byte above 127 as a reference: of UTF-8, or of windows-1252. Not in CDATA.
 * Perl's RPC::XML takes each byte for a character instead, and declares US-ASCII: there a character is as good as its reference.
 */
function withBytesRead(text: string, isAscii: boolean): string {
  if (text.search(isAscii ? BYTE_OR_REFERENCE : BYTE_REFERENCE) === -1) return text;
  return withRuns(text, (run) => charactersOf(isAscii ? run.replace(/[\x80-\xFF]/g, referenceTo) : run));
}

/**
 * A text that has some bytes of UTF-8 as references and others as they are, as phpxmlrpc wrote it before version 4, which took
 * UTF-8 for ISO-8859-1, becomes bytes.
 */
function withReferencesAsBytes(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  if (text.search(BYTE_REFERENCE) === -1) return bytes;
  return Buffer.from(
    withRuns(text, (run) => {
      if (!/[\x80-\xFF]/.test(run)) return run;
      const octets = referencesAsBytes(run);
      return textOfLikelyUtf8(Buffer.from(octets, 'latin1')) === undefined ? run : octets;
    }),
    'latin1',
  );
}

/** The document with each text between two tags replaced; CDATA stays as it is. */
function withRuns(text: string, replaced: (run: string) => string): string {
  const pieces: string[] = [];
  for (let at = 0; ; ) {
    const tag = text.indexOf('<', at);
    pieces.push(replaced(text.slice(at, tag === -1 ? undefined : tag)));
    if (tag === -1) return pieces.join('');
    const end = text.startsWith('<![CDATA[', tag) ? text.indexOf(']]>', tag) : text.indexOf('>', tag);
    if (end === -1) return pieces.join('') + text.slice(tag);
    pieces.push(text.slice(tag, end + 1));
    at = end + 1;
  }
}

/**
 * The text between two tags. If the bytes of all its references are UTF-8, with punctuation of Windows or without, they are that: other
 * text is so hardly ever. Otherwise 128 to 159 are windows-1252, as in bytes, and the others are characters.
 */
function charactersOf(run: string): string {
  if (run.search(BYTE_REFERENCE) === -1) return run;
  const isBytes =
    !/[^\0-\x7F]/.test(run) && [...run.matchAll(REFERENCE)].every(([, hex, decimal]) => codeUnit(hex, decimal) < 256);
  const text = isBytes ? textOfLikelyUtf8(Buffer.from(referencesAsBytes(run), 'latin1')) : undefined;
  return text ?? run.replace(BYTE_REFERENCE, windowsCharacter);
}

const referencesAsBytes = (run: string) =>
  run.replace(BYTE_REFERENCE, (_reference, hex, decimal) => String.fromCharCode(codeUnit(hex, decimal)));

const referenceTo = (char: string) => `&#${char.charCodeAt(0)};`;

function windowsCharacter(reference: string, hex?: string, decimal?: string): string {
  const code = codeUnit(hex, decimal);
  return code < 0xa0 ? asWindows1252(String.fromCharCode(code)) : reference;
}

function malformed(why: string): WireFault {
  return new WireFault(-32700, `not well-formed XML: ${why}`);
}
