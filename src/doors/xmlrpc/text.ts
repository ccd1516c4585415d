// Converts the bytes of an XML-RPC body to text: determines the encoding (encodings.ts) and decodes strictly, or marks what is no
// text, so that only the value is refused. A DOCTYPE is a fault. What clients write for bytes, by references or otherwise, is read as
// bytes. All other XML is left to the parser.
import { isUtf8 } from 'node:buffer';
import { asWindows1252, textOfLikelyUtf8, textOfUtf8, textWithMarks } from '../../method/windows-1252.ts';
import { MAX_BODY_BYTES, quoted, UNREADABLE, WireFault } from '../../method/wire.ts';
import { charsetOf, decoded, type Encoding, encodingOf } from './encodings.ts';

/**
 * The document as text; a BOM is left for the parser to skip. Throws WireFault.
 * @param marks whether what is no text is marked instead of refused
 */
export function readDocument(body: Uint8Array, contentType = '', marks = false): string {
  if (body.length > MAX_BODY_BYTES) throw new WireFault(-32600, `the body is longer than ${MAX_BODY_BYTES} bytes`);
  if (body.length === 0) throw malformed('the body is empty');
  const { text, isAscii } = decodeBytes(Buffer.from(body.buffer, body.byteOffset, body.byteLength), contentType, marks);
  refuseDoctype(text);
  const read = withBytesRead(withJoinedSurrogates(text), isAscii);
  return marks ? withMarks(read) : read;
}

/** `isAscii`: US-ASCII is declared, so that characters above 127 cannot be what the program meant to send. */
type Decoded = { text: string; isAscii: boolean };

/** RFC 7303 section 3: a BOM comes first, then the charset of the Content-Type, then the XML declaration. */
function decodeBytes(bytes: Buffer, contentType: string, marks: boolean): Decoded {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return { text: decodeUtf8(bytes, marks), isAscii: false };
  const start = bytes.toString('latin1', 0, 1024);
  // UTF-16 and UTF-32 show by their BOM, or by a NUL beside the first "<".
  if (/^(?:\xFE\xFF|\xFF\xFE|\0|.\0)/s.test(start))
    throw malformed('the body is UTF-16 or UTF-32, or contains NUL; send UTF-8');
  const named = [
    encodingNamed(charsetOf(contentType), 'Content-Type'),
    encodingNamed(/^<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"']*)["']/.exec(start)?.[1], 'XML declaration'),
  ].filter((encoding) => encoding !== undefined);
  const other = named.find((encoding) => encoding !== 'UTF-8' && encoding !== 'US-ASCII');
  if (other !== undefined) {
    const text = named.includes('UTF-8') && isUtf8(bytes) ? textOfUtf8(bytes) : decoded(bytes, other, marks);
    if (text === undefined) throw malformed(`the body is not ${other}, which it declares`);
    return { text, isAscii: false };
  }
  const isAscii = named.length > 0 && named.every((name) => name === 'US-ASCII');
  return { text: isAscii && isUtf8(bytes) ? bytes.toString('utf8') : decodeUtf8(bytes, marks), isAscii };
}

function encodingNamed(name: string | undefined, where: string): Encoding | undefined {
  if (name === undefined) return undefined;
  const encoding = encodingOf(name);
  if (encoding === undefined) throw malformed(`the ${where} names the encoding ${quoted(name)}; send UTF-8`);
  return encoding;
}

function decodeUtf8(bytes: Buffer, marks: boolean): string {
  const read = isUtf8(bytes) ? bytes : withReferencesAsBytes(bytes);
  const text = textOfUtf8(read) ?? (marks ? textWithMarks(read) : undefined);
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

/** Looks through what may stand before a DOCTYPE, so that no byte of one is parsed. */
function refuseDoctype(text: string): void {
  const prolog = /\s+|<\?.*?\?>|<!--.*?-->/sy;
  let at = 0;
  for (; prolog.test(text); at = prolog.lastIndex);
  if (/^<!doctype/i.test(text.slice(at, at + 9))) throw new WireFault(-32600, 'a DOCTYPE is not accepted');
}

/** What XML 1.0 section 2.2 forbids, of which text from a database, a spreadsheet or a terminal has some. */
const FORBIDDEN = /[\0-\x08\x0B\x0C\x0E-\x1F\uD800-\uDFFF\uFFFE\uFFFF]/u;
const EACH_FORBIDDEN = new RegExp(FORBIDDEN.source, 'gu');

/** The document with a mark for each character that XML forbids, as it is or as a reference. */
function withMarks(text: string): string {
  const plain = FORBIDDEN.test(text) ? text.replace(EACH_FORBIDDEN, UNREADABLE) : text;
  return plain.search(REFERENCE) === -1 ? plain : withRuns(plain, (run) => run.replace(REFERENCE, marked));
}

function marked(reference: string, hex?: string, decimal?: string): string {
  const code = codeUnit(hex, decimal);
  return code > 0x10ffff || FORBIDDEN.test(String.fromCodePoint(code)) ? UNREADABLE : reference;
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
