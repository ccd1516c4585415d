// The body of a message that a program has composed, with lines that every mail server takes. Only the parts that have longer ones
// are encoded: text as quoted-printable, everything else as Base64. A signed part stays as it is, so it is refused.
import { isUtf8 } from 'node:buffer';
import { fault } from '../../base/faults.ts';
import { asciiFields, type Field, hasLongLine, maxLine } from './ascii-head.ts';

const maxDepth = 20;

type Entity = { fields: Field[]; body: string };

/** Bytes as Latin-1, line ends as CRLF. @throws Fault CONTENT_INVALID */
export function withShortLines({ fields, body }: Entity, depth = 0): Entity {
  if (!hasLongLine(body)) return { fields, body };
  const type = valueIn(fields, 'content-type');
  const [, kind = 'text/plain'] = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)/.exec(type.toLowerCase()) ?? [];
  if (depth > maxDepth || /^multipart\/(signed|encrypted)$/.test(kind)) throw tooLong();
  if (kind.startsWith('multipart/')) return { fields, body: partsOf(body, boundaryIn(type), depth) };
  if (/^message\/(rfc822|global)$/.test(kind) && isPlain(valueIn(fields, 'content-transfer-encoding')))
    return { fields, body: textOf(withShortLines(readEntity(body), depth + 1)) };
  return encoded({ fields, body }, kind);
}

/** Each part on its own; long lines before the first and after the last one are for no one. */
function partsOf(body: string, boundary: string, depth: number): string {
  const delimiter = new RegExp(`(?:^|\\r\\n)--${boundary.replace(/[^\w]/g, '\\$&')}(--)?[ \\t]*(?=\\r\\n|$)`, 'g');
  const found = [...body.matchAll(delimiter)];
  if (boundary === '' || found.length === 0) throw tooLong();
  const aside = (text: string) => (hasLongLine(text) ? '' : text);
  const pieces = [aside(body.slice(0, found[0]!.index))];
  for (const [n, match] of found.entries()) {
    const text = body.slice(match.index + match[0].length, found[n + 1]?.index);
    const isEnd = match[1] !== undefined;
    pieces.push(match[0]);
    if (isEnd || !hasLongLine(text)) pieces.push(isEnd ? aside(text) || '\r\n' : text);
    else pieces.push(`\r\n${textOf(withShortLines(readEntity(text.replace(/^\r\n/, '')), depth + 1))}`);
    if (isEnd) break;
  }
  return pieces.join('');
}

function readEntity(text: string): Entity {
  if (text.startsWith('\r\n')) return { fields: [], body: text.slice(2) };
  const end = text.indexOf('\r\n\r\n');
  const head = end < 0 ? text : text.slice(0, end);
  return { fields: asciiFields(head), body: end < 0 ? '' : text.slice(end + 4) };
}

const textOf = ({ fields, body }: Entity): string => `${fields.map(({ text }) => `${text}\r\n`).join('')}\r\n${body}`;

function encoded({ fields, body }: Entity, kind: string): Entity {
  const encoding = valueIn(fields, 'content-transfer-encoding').trim().toLowerCase();
  if (encoding === 'base64') return { fields, body: inLines(body.replace(/[^A-Za-z0-9+/=]/g, '')) };
  if (!isPlain(encoding) && encoding !== 'quoted-printable') throw tooLong();
  const isText = kind.startsWith('text/');
  const bytes = encoding === 'quoted-printable' ? decoded(body) : body;
  const kept = fields.filter(({ name }) => name !== 'content-transfer-encoding');
  const added = [`Content-Transfer-Encoding: ${isText ? 'quoted-printable' : 'base64'}`];
  if (valueIn(fields, 'content-type') === '') added.unshift(`Content-Type: text/plain; charset=${charsetOf(bytes)}`);
  return {
    fields: [...kept, ...added.map((text) => ({ name: text.split(':', 1)[0]!.toLowerCase(), text }))],
    body: isText ? quoted(bytes) : inLines(Buffer.from(bytes, 'latin1').toString('base64')),
  };
}

const isPlain = (encoding: string): boolean => /^\s*(7bit|8bit|binary)?\s*$/i.test(encoding);

function charsetOf(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes)) return 'us-ascii';
  return isUtf8(Buffer.from(bytes, 'latin1')) ? 'utf-8' : 'windows-1252';
}

const inLines = (base64: string): string => `${base64.replace(/.{76}(?=.)/g, '$&\r\n')}\r\n`;

function decoded(body: string): string {
  return body
    .replace(/[ \t]+(?=\r\n|$)/g, '')
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** RFC 2045 6.7, of bytes: a charset of one byte or UTF-8 alike. */
function quoted(bytes: string): string {
  return bytes.split('\r\n').map(quotedLine).join('\r\n');
}

function quotedLine(line: string): string {
  const hex = (char: string) => `=${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  const escaped = line.replace(/[^\t -<>-~]/g, hex).replace(/[ \t]$/, hex);
  const lines: string[] = [];
  // A soft line break is the 76th character, and never within an escaped byte.
  for (let at = 0; at < escaped.length; ) {
    let end = escaped.length - at <= 76 ? escaped.length : at + 75;
    if (end < escaped.length) end -= escaped[end - 1] === '=' ? 1 : escaped[end - 2] === '=' ? 2 : 0;
    lines.push(escaped.slice(at, end));
    at = end;
  }
  return lines.join('=\r\n');
}

function valueIn(fields: readonly Field[], wanted: string): string {
  const text = fields.find(({ name }) => name === wanted)?.text ?? '';
  return text
    .slice(text.indexOf(':') + 1)
    .replace(/\r\n(?=[ \t])/g, '')
    .trim();
}

function boundaryIn(type: string): string {
  const [, quotedText, bare] = /;\s*boundary\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(type) ?? [];
  return (quotedText?.replace(/\\(.)/g, '$1') ?? bare ?? '').trimEnd();
}

const tooLong = () => fault('CONTENT_INVALID', 'message.raw_lines', { member: 'source', count: maxLine });
