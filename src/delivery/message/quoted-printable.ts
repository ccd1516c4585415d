// Quoted-printable text (RFC 2045 6.7) in parts that can be joined: static text encoded once, values between soft line
// breaks. Guarantees lines of at most 76 characters, no white space at a line's end, CRLF only, and that no line begins
// with "." or "From ", so a message needs no dot-stuffing and survives mailbox files.

/** Encoded text and the column it ends in. */
export type Encoded = { text: string; column: number };

/** A soft line break: gone after decoding. */
export const softBreak = '=\r\n';

// Of the 76 characters of a line the last is kept for the "=" of a soft break.
const lineLimit = 75;

/** Encodes text that goes on at `column`; line ends of any kind become CRLF. */
export function encodeText(source: string, column = 0): Encoded {
  const lines: string[] = [];
  let at = column;
  let from = 0;
  for (;;) {
    const end = nextLineEnd(source, from);
    const last = end < 0;
    const line = encodeLine(last ? source.slice(from) : source.slice(from, end), at, !last);
    lines.push(line.text);
    if (last) return { text: lines.join('\r\n'), column: line.column };
    from = source[end] === '\r' && source[end + 1] === '\n' ? end + 2 : end + 1;
    at = 0;
  }
}

/**
 * Encodes a value that begins a line and is followed by a soft break. Short plain values, which most are, cost one
 * test; 10 of them in a message must stay within a few microseconds.
 */
export function encodeValue(value: string): string {
  return encodeShort(value) ?? encodeText(value).text;
}

/** As encodeValue, for a value that fits into one line when it is encoded; null for others. */
export function encodeShort(value: string): string | null {
  if (value.length > lineLimit || /^(?:\.|From )|[\x00-\x1f\x7f]/.test(value)) return null;
  if (!/[^ -<>-~]/.test(value)) return value;
  // A replacement by a function would take four times as long.
  let encoded = '';
  let from = 0;
  for (let at = 0; at < value.length; at++) {
    if (isPlain(value.charCodeAt(at))) continue;
    const point = value.codePointAt(at)!;
    encoded += value.slice(from, at) + hexUnits(point);
    if (point > 0xffff) at++;
    from = at + 1;
  }
  encoded += value.slice(from);
  return encoded.length <= lineLimit ? encoded : null;
}

/** A piece that must stay in one line, such as a token: with a soft break before it where it does not fit. */
export function roomFor(length: number, column: number): Encoded {
  return column + length > lineLimit ? { text: softBreak, column: length } : { text: '', column: column + length };
}

function nextLineEnd(source: string, from: number): number {
  lineEnd.lastIndex = from;
  return lineEnd.test(source) ? lineEnd.lastIndex - 1 : -1;
}
const lineEnd = /[\r\n]/g;

/** One line without its end; `hardEnd` when a line break follows, where white space would be lost. */
function encodeLine(line: string, column: number, hardEnd: boolean): Encoded {
  const text: string[] = [];
  let at = column;
  let from = 0;
  while (from < line.length) {
    // A run of characters that stand for themselves goes in whole, as far as the line has room.
    if (at > 0 || !startsLineBadly(line, from)) {
      const run = plainRun(line, from, Math.min(line.length, from + lineLimit - at));
      if (run > from) {
        text.push(line.slice(from, run));
        at += run - from;
        from = run;
        continue;
      }
    }
    const point = line.codePointAt(from)!;
    const width = point > 0xffff ? 2 : 1;
    const plain = isPlain(point) && !(at === 0 && startsLineBadly(line, from));
    const unit = plain ? line[from]! : hexUnits(point);
    if (at + unit.length > lineLimit) {
      text.push(softBreak);
      at = 0;
      continue;
    }
    text.push(unit);
    at += unit.length;
    from += width;
  }
  if (hardEnd && text.length > 0) {
    const last = text[text.length - 1]!;
    const white = last[last.length - 1];
    if (white === ' ' || white === '\t') {
      const code = white === ' ' ? '=20' : '=09';
      text[text.length - 1] = last.slice(0, -1);
      // The code is two longer than what it stands for.
      if (at + 2 > lineLimit) text.push(softBreak);
      text.push(code);
    }
  }
  return { text: text.join(''), column: at };
}

function startsLineBadly(line: string, at: number): boolean {
  return line[at] === '.' || line.startsWith('From ', at);
}

function plainRun(line: string, from: number, to: number): number {
  let at = from;
  while (at < to && isPlain(line.charCodeAt(at))) at++;
  return at;
}

function isPlain(code: number): boolean {
  return (code >= 0x20 && code <= 0x7e && code !== 0x3d) || code === 0x09;
}

/** The bytes of a character in UTF-8, each as "=XX". */
function hexUnits(point: number): string {
  if (point < 0x80) return `=${hex[point]}`;
  if (point < 0x800) return `=${hex[0xc0 | (point >> 6)]}${trailing(point)}`;
  // Half of a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD as everywhere.
  if (point >= 0xd800 && point <= 0xdfff) return '=EF=BF=BD';
  if (point < 0x10000) return `=${hex[0xe0 | (point >> 12)]}${trailing(point >> 6)}${trailing(point)}`;
  return `=${hex[0xf0 | (point >> 18)]}${trailing(point >> 12)}${trailing(point >> 6)}${trailing(point)}`;
}

const trailing = (bits: number) => `=${hex[0x80 | (bits & 0x3f)]}`;
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).toUpperCase().padStart(2, '0'));
