// Addresses as they are copied from an email program: several on a line, between commas, semicolons, tabs or blanks, with names or
// without. Finds every address, its name beside it; what is neither becomes a record of its own, so that it is reported
// and not lost. Such text differs from a table by its lines: each has only addresses and their names. Pure.
import { StringDecoder } from 'node:string_decoder';
import { message } from '../../../../base/messages.ts';
import { readUntidyMailbox } from '../../../address.ts';
import { saysLeft } from '../consent.ts';
import { ImportRefusal } from '../refusal.ts';

/** The headings of the two columns that a record has. */
export const addressHeadings = ['Email', 'Name'];

/** `isLoose`: words without an address. `isSpread`: the name has a comma without quotation marks. */
type Found = { address: string; name: string; isLoose: boolean; isSpread: boolean };

type AddressRecord = { cells: string[]; line: number };

export type AddressShape = { isAddresses: boolean; heading: string };

/** Whether a text is such lines and not a table, and the heading in its first line, '' when it has none. */
export function addressShape(text: string, whole: boolean): AddressShape {
  const all = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  const lines = (whole || all.length < 2 ? all : all.slice(0, -1)).filter((line) => line.trim() !== '');
  const none = { isAddresses: false, heading: '' };
  const first = lines[0];
  if (first === undefined) return none;
  const header = !first.includes('@');
  // A heading of several columns is one of a table.
  if (header && (scan(first).length > 1 || /[,;\t|]\s*\S/.test(first))) return none;
  const found = lines.slice(header ? 1 : 0).map((line) => ({ line, parts: scan(line) }));
  const withAddress = found.filter(({ parts }) => parts.some(isAddress));
  const isList = withAddress.every(({ line, parts }) => isLine(line, parts)) && withAddress.length * 2 > found.length;
  const needsIt = withAddress.some(({ parts }) => parts.length > 1 || parts.some(({ name }) => name !== ''));
  return isList && needsIt ? { isAddresses: true, heading: header ? first.trim().slice(0, 200) : '' } : none;
}

/** Whether there is nothing but addresses, their names, and addresses with a slip of the pen. */
function isLine(line: string, parts: Found[]): boolean {
  const isSeveral = parts.length > 1 || line.includes(';');
  return parts.every((part) =>
    part.isLoose ? part.address.includes('@') || isLabel(part.address) : !part.isSpread || isSeveral,
  );
}

const isAddress = ({ address, isLoose }: Found) => !isLoose && readUntidyMailbox(address).ok;

/** The first addresses of a sample as rows; the last line is left out when it may be cut. */
export function addressRows(text: string, whole: boolean, header: boolean, maxRows: number): string[][] {
  const all = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  const lines = whole || all.length < 2 ? all : all.slice(0, -1);
  const rows: string[][] = [];
  let isHeading = header;
  for (const line of lines) {
    if (rows.length >= maxRows) break;
    const found = scan(line);
    if (found.length === 0) continue;
    if (!isHeading) rows.push(...found.map(cellsOf));
    isHeading = false;
  }
  return rows.slice(0, maxRows);
}

/** The addresses of a text as records, in groups of at least `size` but for the last. */
export async function* addressRecords(
  text: AsyncIterable<Buffer>,
  header: boolean,
  size: number,
): AsyncGenerator<AddressRecord[]> {
  let line = 1;
  let isHeading = header;
  let group: AddressRecord[] = [];
  for await (const { part, endsLine } of partsOf(text)) {
    const found = scan(part);
    if (!isHeading) for (const each of found) group.push({ cells: cellsOf(each), line });
    if (found.length > 0) isHeading = false;
    if (endsLine) line++;
    while (group.length >= size) {
      yield group.slice(0, size);
      group = group.slice(size);
    }
  }
  if (group.length > 0) yield group;
}

const cellsOf = ({ address, name }: Found) => [address, name];

/** A line longer than this is read in parts. */
const maxPart = 64 * 1024;
const maxRest = 256 * 1024;

/** The lines of a text; of a long one, parts that end between two addresses. */
async function* partsOf(text: AsyncIterable<Buffer>): AsyncGenerator<{ part: string; endsLine: boolean }> {
  const decoder = new StringDecoder();
  let rest = '';
  for await (const piece of text) {
    rest += decoder.write(piece);
    const lines = rest.split(/\r\n|\n|\r(?=[^\n])/);
    rest = lines.pop()!;
    for (const line of lines) yield* linePartsOf(line);
    if (rest.length > maxPart) {
      const cut = lastCut(rest);
      if (cut > 0) {
        yield* shortPartsOf(rest.slice(0, cut));
        rest = rest.slice(cut);
      }
    }
    if (rest.length > maxRest) throw new ImportRefusal(message('import.address_too_long'));
  }
  rest += decoder.end();
  yield* linePartsOf(rest.replace(/\r$/, ''));
}

function* linePartsOf(line: string): Generator<{ part: string; endsLine: boolean }> {
  yield* shortPartsOf(line);
  yield { part: '', endsLine: true };
}

function* shortPartsOf(text: string): Generator<{ part: string; endsLine: boolean }> {
  let rest = text;
  while (rest.length > maxPart) {
    const cut = lastCut(rest.slice(0, maxPart));
    if (cut <= 0) break;
    yield { part: rest.slice(0, cut), endsLine: false };
    rest = rest.slice(cut);
  }
  yield { part: rest, endsLine: false };
}

/** Where the last address that is complete ends; 0 when there is none. */
function lastCut(text: string): number {
  const bracket = Math.max(
    text.lastIndexOf('>,'),
    text.lastIndexOf('>;'),
    text.lastIndexOf('>\t'),
    text.lastIndexOf('> '),
  );
  const bare = [...text.slice(-4_096).matchAll(/@[^\s,;<>"]+[\s,;]/g)].at(-1);
  const end = bare ? Math.max(0, text.length - 4_096) + bare.index + bare[0].length : 0;
  return Math.max(bracket + 1, end);
}

/** The addresses of a line in their order, and the words that belong to none. */
function scan(line: string): Found[] {
  const found: Found[] = [];
  let before: string[] = [];
  const loose = () => {
    const words = before.join(', ');
    before = [];
    if (words !== '') found.push({ address: words, name: '', isLoose: true, isSpread: false });
  };
  const label = /^\s*([\p{L}][\p{L} -]{0,30}:)(?=\s)/u.exec(line)?.[1] ?? '';
  // "To:" says nothing about the addresses after it.
  if (isLabel(label)) found.push({ address: label, name: '', isLoose: true, isSpread: false });
  const rest = isLabel(label) ? line.slice(line.indexOf(':') + 1) : line.replace(/^\s*[\p{L}-]{1,12}:\s+/u, '');
  for (const { text, sign } of segments(rest.replace(/[＠﹫]/g, '@'))) {
    const named = /^(.*?)\s*(?:<\s*(?:mailto:)?([^<>]*)>|\[mailto:([^\]]*)\])$/is.exec(text);
    const address = named ? (named[2] ?? named[3] ?? '').trim() : text;
    const words = address.split(/\s+/);
    if (named) {
      const name = nameOf([...before, named[1]!].filter((part) => part !== '').join(', '), address);
      found.push({ address, name, isLoose: false, isSpread: before.length > 0 });
      before = [];
    } else if (text !== '' && words.every((word) => word.includes('@'))) {
      loose();
      for (const word of words) found.push({ address: word, name: '', isLoose: false, isSpread: false });
    } else if (text !== '') before.push(text);
    if (sign !== ',') loose();
  }
  loose();
  return found;
}

/** Whether words before addresses say that these have left. They are a row of their own, which is reported and asked about. */
const isLabel = (text: string) => text.endsWith(':') && saysLeft(text);

/** A name without its quotation marks; '' when it only repeats the address. */
function nameOf(text: string, address: string): string {
  const plain = text
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .replace(/\\(["\\])/g, '$1')
    .trim();
  return plain.toLowerCase() === address.toLowerCase() ? '' : plain;
}

/** The parts between separators outside of quotation marks and brackets, each with the separator that ends it. */
function segments(line: string): { text: string; sign: string }[] {
  const isQuoted = (line.replace(/\\./g, '').match(/"/g)?.length ?? 0) % 2 === 0;
  const parts: { text: string; sign: string }[] = [];
  let from = 0;
  let inQuotes = false;
  let inBrackets = false;
  const end = (at: number, sign: string) => parts.push({ text: line.slice(from, at).trim(), sign });
  for (let i = 0; i < line.length; i++) {
    const sign = line[i]!;
    if (isQuoted && sign === '"' && !inBrackets) inQuotes = !inQuotes;
    else if (inQuotes) i += sign === '\\' ? 1 : 0;
    else if (sign === '<') inBrackets = true;
    else if (sign === '>') {
      inBrackets = false;
      end(i + 1, '>');
      from = i + 1;
    } else if (!inBrackets && separators.has(sign)) {
      end(i, separators.get(sign)!);
      from = i + 1;
    }
  }
  end(line.length, '');
  return parts.filter(({ text, sign }) => text !== '' || sign === ';');
}

/** What separates addresses; after a comma, what came before it may still be the first part of a name. */
const separators = new Map([
  [',', ','],
  ['，', ','],
  [';', ';'],
  ['；', ';'],
  ['、', ';'],
  ['\t', ';'],
]);
