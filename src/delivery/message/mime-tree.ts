// Reads any message, however broken, as a tree of parts, for the recognition of bounces and complaints. Never throws,
// and keeps to its limits: 1 MiB, 10 levels, 100 parts, 500 header fields per part. Lenient where mail servers are
// careless: any line ends, missing or unclosed boundaries, truncated headers.
import { decodeWords } from 'postal-mime';

export interface Part {
  fields: { name: string; value: string }[];
  /** `text/plain` and so on, in lower case. */
  type: string;
  params: Map<string, string>;
  /** Undecoded; bytes as Latin-1, line ends as LF. */
  body: string;
  /** Of a multipart; empty for everything else. An attached message is not opened: see `attachedMessage`. */
  parts: Part[];
}

const maxBytes = 1024 * 1024;
const maxDepth = 10;
const maxParts = 100;
const maxFields = 500;
const maxFieldLength = 16 * 1024;

/** Reads the first MiB of a message. */
export function readMail(raw: Uint8Array): Part {
  const text = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, maxBytes)).toString('latin1');
  return readPart(withLineFeeds(text).replace(/^\n+/, ''), 0, { parts: 0 });
}

/** The value of the first field of that name (given in lower case), with encoded words decoded; '' when there is none. */
export function field(part: Part, name: string): string {
  const found = part.fields.find((field) => field.name === name);
  return found ? decodeWords(utf8OrLatin1(found.value)) : '';
}

/** All values of the fields of that name. */
export function fieldsOf(part: Part, name: string): string[] {
  return part.fields.filter((field) => field.name === name).map((field) => utf8OrLatin1(field.value));
}

/** The part itself and all below it, in the order of the mail. */
export function allParts(part: Part): Part[] {
  return [part, ...part.parts.flatMap(allParts)];
}

/** The text of a part with its transfer encoding and charset undone. */
export function textOf(part: Part): string {
  return withLineFeeds(inCharset(bytesOf(part), part.params.get('charset') ?? ''));
}

/** The head (and body) of a message that is attached whole or as its header fields. */
export function attachedMessage(part: Part): Part {
  return readPart(withLineFeeds(bytesOf(part).toString('latin1')).replace(/^\n+/, ''), 0, { parts: 0 });
}

/** A block of fields without a body, as message/delivery-status has them. */
export function readFields(text: string): { name: string; value: string }[] {
  return readHead(text).fields;
}

/** Also from CR alone, as some programs have stored mail, and CR CR LF, as others have sent it. */
function withLineFeeds(text: string): string {
  // Looked for only at the first CR of a run, so that long runs take linear time.
  return text.replace(/(?<!\r)\r+\n/g, '\n').replaceAll('\r', '\n');
}

function readPart(text: string, depth: number, count: { parts: number }): Part {
  count.parts++;
  const { fields, body } = readHead(text);
  const { type, params } = readContentType(fields.find((field) => field.name === 'content-type')?.value ?? '');
  const part: Part = { fields, type, params, body, parts: [] };
  if (type.startsWith('multipart/') && depth < maxDepth) part.parts = readParts(part, depth, count);
  return part;
}

function readHead(text: string): Pick<Part, 'fields' | 'body'> {
  const fields: Part['fields'] = [];
  let at = 0;
  while (at < text.length && fields.length < maxFields) {
    let end = text.indexOf('\n', at);
    if (end === -1) end = text.length;
    const line = text.slice(at, Math.min(end, at + maxFieldLength));
    if (/^[ \t]*$/.test(line) && line.length < maxFieldLength) return { fields, body: text.slice(end + 1) };
    const last = fields.at(-1);
    const colon = /^([!-9;-~]+)[ \t]*:/.exec(line);
    if (/^[ \t]/.test(line) && last) {
      if (last.value.length < maxFieldLength) last.value += ` ${line.trim()}`;
    } else if (colon) {
      fields.push({ name: colon[1]!.toLowerCase(), value: line.slice(colon[0].length).trim() });
    } else if (!/^>?From /.test(line) || fields.length > 0) {
      // Not a field: the empty line is missing, the body begins here.
      return { fields, body: text.slice(at) };
    }
    at = end + 1;
  }
  return { fields, body: text.slice(at) };
}

function readContentType(value: string): Pick<Part, 'type' | 'params'> {
  const type = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)/.exec(value)?.[1]?.toLowerCase() ?? 'text/plain';
  const params = new Map<string, string>();
  for (const match of value.matchAll(/;\s*([\w-]+)(\*\d*\*?)?\s*=\s*("(?:[^"\\]|\\.)*"|[^;\s]*)/g)) {
    const name = match[1]!.toLowerCase();
    const text = match[3]!.startsWith('"') ? match[3]!.slice(1, -1).replace(/\\(.)/g, '$1') : match[3]!;
    // RFC 2231 3: a long value comes in numbered pieces.
    params.set(name, match[2] ? (params.get(name) ?? '') + text : (params.get(name) ?? text));
  }
  return { type, params };
}

function readParts(part: Part, depth: number, count: { parts: number }): Part[] {
  const lines = part.body.split('\n');
  const boundary = boundaryOf(part, lines);
  if (boundary === null) return [];
  const parts: Part[] = [];
  let begin = -1;
  const close = (end: number) => {
    if (begin >= 0 && count.parts < maxParts) {
      parts.push(readPart(lines.slice(begin, end).join('\n'), depth + 1, count));
    }
  };
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith(boundary)) continue;
    const rest = line.slice(boundary.length).trimEnd();
    if (rest !== '' && rest !== '--') continue;
    close(index);
    begin = rest === '' ? index + 1 : -1;
    if (rest === '--') return parts;
  }
  // Never closed: the message was cut off.
  close(lines.length);
  return parts;
}

/** The announced boundary with its dashes or, when no line begins with it, the first that looks like one. */
function boundaryOf(part: Part, lines: string[]): string | null {
  const announced = part.params.get('boundary');
  if (announced) {
    const boundary = `--${announced.trimEnd()}`;
    if (lines.some((line) => line.startsWith(boundary))) return boundary;
  }
  const index = lines.findIndex(
    (line, i) => /^--[^\s-][^\s]{0,80}$/.test(line.trimEnd()) && /^content-[a-z-]+:/i.test(lines[i + 1] ?? ''),
  );
  return index === -1 ? null : lines[index]!.trimEnd();
}

/** The content of a part with its transfer encoding undone. Of 8-bit text, line ends have changed. */
export function bytesOf(part: Part): Buffer {
  const encoding =
    part.fields
      .find((field) => field.name === 'content-transfer-encoding')
      ?.value.trim()
      .toLowerCase() ?? '';
  if (encoding.startsWith('base64')) {
    // Padding in the middle would end it for Buffer; a disclaimer that a relay has added is no Base64.
    const text = part.body.split(/\n[ \t]*\n/)[0]!.replace(/[^A-Za-z0-9+/=]/g, '');
    return Buffer.concat((text.match(/[^=]+={0,2}/g) ?? []).map((piece) => Buffer.from(piece, 'base64')));
  }
  if (encoding.startsWith('quoted-printable')) {
    const text = part.body
      .replace(/=[ \t]*\n/g, '')
      .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return Buffer.from(text, 'latin1');
  }
  return Buffer.from(part.body, 'latin1');
}

function inCharset(bytes: Buffer, charset: string): string {
  try {
    if (charset !== '' && !/^(us-)?ascii$|^utf-?8$/i.test(charset)) return new TextDecoder(charset).decode(bytes);
  } catch {
    // An unknown charset: read as if none were named.
  }
  return utf8OrLatin1(bytes.toString('latin1'));
}

/** Most mail that names no charset and is not ASCII is UTF-8; the rest must not be lost either. */
function utf8OrLatin1(latin1: string): string {
  if (!/[\u0080-\u00ff]/.test(latin1)) return latin1;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(latin1, 'latin1'));
  } catch {
    return latin1;
  }
}
