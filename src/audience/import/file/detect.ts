// Detects the format of a file from its first bytes: compression, encoding, delimiter, quoting, headings. Pure; the
// caller of an import can override each result.
import { readUntidyMailbox } from '../../address.ts';
import type { Format } from '../plan.ts';
import { type EncodingGuess, guessEncoding } from './encoding.ts';

/** How much of a file is examined, in bytes. */
export const sampleBytes = 256 * 1024;

const delimiters = [',', ';', '\t', '|'] as const;

export function detectPacking(bytes: Uint8Array): Format['packing'] {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  if (bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 0x03 || bytes[2] === 0x05)) return 'zip';
  return 'none';
}

/**
 * The encoding of unpacked bytes: byte order mark, UTF-16 by its zero bytes, UTF-8 when it is sound or nearly (its bad
 * bytes are reported row by row), else the likeliest of the others.
 */
export function detectEncoding(bytes: Uint8Array): EncodingGuess {
  const unicode = unicodeOf(bytes);
  return unicode ? { encoding: unicode, sure: true } : guessEncoding(bytes);
}

function unicodeOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  let even = 0;
  let odd = 0;
  const looked = Math.min(bytes.length, 4096);
  for (let i = 0; i < looked; i++) if (bytes[i] === 0) i % 2 === 0 ? even++ : odd++;
  if (odd > looked / 6 && even < odd / 4) return 'utf-16le';
  if (even > looked / 6 && odd < even / 4) return 'utf-16be';
  return isUtf8(bytes) ? 'utf-8' : undefined;
}

/** The label of an encoding that can be read, or undefined. */
export function knownEncoding(label: string): string | undefined {
  const name = label.trim().toLowerCase();
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}

/**
 * Delimiter and quoting of a text, and whether its first row is a heading.
 * @param isConverted it is CSV with commas, which we have written
 */
export function detectShape(
  text: string,
  isConverted = false,
): Pick<Format, 'delimiter' | 'quote' | 'header' | 'separatorLine'> {
  const separator = /^\ufeff?sep=(.)\r?\n/i.exec(text)?.[1];
  const body = separator === undefined ? text : text.slice(text.indexOf('\n') + 1);
  // A delimiter that does not occur makes one column, which scores lowest.
  const candidates =
    separator !== undefined || isConverted
      ? [separator ?? ',']
      : delimiters.filter((sign) => sign === ',' || body.includes(sign));
  let best = { delimiter: separator ?? ',', quote: '"', score: -1, first: [] as string[] };
  for (const quote of isConverted ? ['"'] : ['"', "'"]) {
    for (const delimiter of candidates) {
      if (quote === "'" && !enclosesCell(body, delimiter)) continue;
      const { rows } = splitSample(body, delimiter, quote, usesBackslash(body, delimiter, quote));
      const score = scoreOf(rows) - (quote === "'" ? 0.5 : 0);
      if (score > best.score) best = { delimiter, quote, score, first: rows[0] ?? [] };
    }
  }
  return {
    delimiter: best.delimiter,
    quote: best.quote,
    header: !best.first.some(isAddress),
    separatorLine: separator !== undefined,
  };
}

/** Whether apostrophes enclose a cell somewhere: only then they count as quotation marks. */
function enclosesCell(text: string, delimiter: string): boolean {
  const sign = escapeClass(delimiter);
  return new RegExp(`(^|[\\n${sign}])'[^'\\n]*'([\\r\\n${sign}]|$)`).test(text);
}

/** Whether quotation marks in quoted cells follow a backslash: only so each quoted cell ends where a cell can end. */
export function usesBackslash(text: string, delimiter: string, quote: string): boolean {
  if (quote === '' || !text.includes(`\\${quote}`)) return false;
  const misplaced = (backslash: boolean) => splitSample(text, delimiter, quote, backslash).misplaced;
  return misplaced(true) === 0 && misplaced(false) > 0;
}

/** Consistent rows with more than one column, the more the better; one column of everything scores lowest. */
function scoreOf(rows: string[][]): number {
  if (rows.length === 0) return -1;
  const widths = new Map<number, number>();
  for (const row of rows) widths.set(row.length, (widths.get(row.length) ?? 0) + 1);
  const [width, times] = [...widths].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0]!;
  if (width < 2) return 0;
  // A cell that is an address indicates the right delimiter.
  const addresses = rows.filter((row) => row.some(isAddress)).length;
  return 1 + (times / rows.length) * 10 + (addresses / rows.length) * 10 + Math.min(width, 50) / 50;
}

/**
 * The first rows of a sample; the last one, which may be cut, is left out unless it is the only one. `misplaced` counts
 * closing quotation marks that are not followed by the end of a cell.
 */
function splitSample(text: string, delimiter: string, quote: string, backslash: boolean) {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  let misplaced = 0;
  /** Where the part of the cell begins that is not in `cell` yet. */
  let from = 0;
  for (let i = 0; i < text.length && rows.length < 100; i++) {
    const sign = text[i]!;
    if (quoted) {
      if (backslash && sign === '\\') {
        cell += text.slice(from, i);
        from = ++i;
      } else if (sign === quote && !backslash && text[i + 1] === quote) {
        cell += text.slice(from, i);
        from = ++i;
      } else if (sign === quote) {
        cell += text.slice(from, i);
        from = i + 1;
        quoted = false;
        if (i + 1 < text.length && ![delimiter, '\n', '\r'].includes(text[i + 1]!)) misplaced++;
      }
    } else if (sign === quote && cell === '' && from === i) {
      quoted = true;
      from = i + 1;
    } else if (sign === delimiter) {
      row.push(cell + text.slice(from, i));
      cell = '';
      from = i + 1;
    } else if (sign === '\n' || sign === '\r') {
      cell += text.slice(from, i);
      from = i + 1;
      if (row.length > 0 || cell !== '') rows.push([...row, cell]);
      row = [];
      cell = '';
    }
  }
  cell += text.slice(from);
  if ((row.length > 0 || cell !== '') && rows.length < 100 && (rows.length === 0 || !quoted)) rows.push([...row, cell]);
  return { rows, misplaced };
}

/** Text of one byte a character hardly ever looks like characters of several bytes; UTF-8 with a few bad bytes does. */
function isUtf8(bytes: Uint8Array): boolean {
  let several = 0;
  let bad = 0;
  for (let i = 0; i < bytes.length; ) {
    const first = bytes[i]!;
    const length = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : 4;
    // The sample may end within a character.
    if (first >= 0xc2 && first < 0xf5 && i + length > bytes.length) break;
    let read = 1;
    if (first >= 0xc2 && first < 0xf5) while (read < length && (bytes[i + read]! & 0xc0) === 0x80) read++;
    if (first >= 0x80) read === length && length > 1 ? several++ : bad++;
    i += read;
  }
  return bad <= several * 2;
}

const escapeClass = (sign: string) => (/[\\\]^-]/.test(sign) ? `\\${sign}` : sign);

const isAddress = (cell: string) => readUntidyMailbox(cell).ok;
