// Workbooks (.xlsx, ECMA-376) as CSV in UTF-8: the first visible sheet, one line for each row, so that line numbers are those of
// the sheet. Parsed while it is unpacked; only the shared strings, of limited size, are in memory. Formulas count by their last
// value, dates by their format. saxes expands no entities of a document type, and the sizes of the parts are limited by
// the caller.
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { message } from '../../../../base/messages.ts';
import { ImportRefusal } from '../refusal.ts';

export type Archive = {
  names: readonly string[];
  /** The unpacked bytes of an entry, within limits. */
  read(name: string): AsyncIterable<Buffer>;
};

export type Sheet = { name: string; path: string; isHidden: boolean };

const maxStringBytes = 128 * 1024 * 1024;
/** One more than an import has, so that a wider sheet is refused by its width. */
const maxColumns = 501;
const maxRows = 1_048_576;
/** Of the format; text that comes in one piece may be a little longer. */
const maxCellLength = 32_767;
const pieceLength = 64 * 1024;

export const isWorkbook = (names: readonly string[]) => names.includes('xl/workbook.xml');

/** The sheets in the order of the workbook. @throws ImportRefusal */
export async function sheetsOf(archive: Archive): Promise<Sheet[]> {
  const paths = new Map<string, string>();
  await parsePart(archive, 'xl/_rels/workbook.xml.rels', {
    open: (name, { Id, Target }) => {
      if (name === 'Relationship' && Id && Target) paths.set(Id, partPath(Target));
    },
  });
  const sheets: Sheet[] = [];
  await parsePart(archive, 'xl/workbook.xml', {
    open: (name, attributes) => {
      const id = Object.entries(attributes).find(([key]) => /(^|:)id$/.test(key))?.[1];
      const path = id === undefined ? undefined : paths.get(id);
      // A sheet of a chart has no cells.
      if (name === 'sheet' && path && /worksheets\//.test(path) && archive.names.includes(path))
        sheets.push({
          name: attributes['name'] ?? '',
          path,
          isHidden: (attributes['state'] ?? 'visible') !== 'visible',
        });
    },
  });
  return sheets;
}

/** The sheet that is imported: the first one that people see. */
export const chosenSheet = (sheets: readonly Sheet[]) => sheets.find(({ isHidden }) => !isHidden) ?? sheets[0];

/** The rows of the chosen sheet as CSV. @throws ImportRefusal */
export async function* workbookText(archive: Archive): AsyncGenerator<Buffer> {
  const sheet = chosenSheet(await sheetsOf(archive));
  if (!sheet) throw new ImportRefusal(message('import.xlsx_damaged', { detail: 'no sheet' }));
  const isFrom1904 = await startsIn1904(archive);
  const strings = await sharedStrings(archive);
  const dates = await dateStyles(archive);
  const reader = new RowReader(strings, dates, isFrom1904);
  for await (const _ of parsing(archive, sheet.path, reader)) if (reader.text.length > pieceLength) yield reader.take();
  yield reader.take();
}

/** Turns the elements of a sheet into lines. */
class RowReader implements Handler {
  text = '';
  readonly #strings: readonly string[];
  readonly #dates: readonly boolean[];
  readonly #isFrom1904: boolean;
  #row = 0;
  #cells: string[] = [];
  #column = -1;
  #type = '';
  #style = 0;
  #value = '';
  #isText = false;
  #isPhonetic = false;

  constructor(strings: readonly string[], dates: readonly boolean[], isFrom1904: boolean) {
    this.#strings = strings;
    this.#dates = dates;
    this.#isFrom1904 = isFrom1904;
  }

  take(): Buffer {
    const piece = Buffer.from(this.text);
    this.text = '';
    return piece;
  }

  open(name: string, { r, t, s }: Record<string, string>): void {
    if (name === 'row') {
      const row = r === undefined ? this.#row + 1 : Number(r);
      if (!(row > this.#row && row <= maxRows)) throw new Error(`row ${String(r).slice(0, 20)}`);
      // Empty lines keep the numbers of the rows.
      this.text += '\n'.repeat(row - this.#row - 1);
      this.#row = row;
      this.#cells = [];
      this.#column = -1;
    } else if (name === 'c') {
      this.#column = columnOf(r) ?? this.#column + 1;
      this.#type = t ?? 'n';
      this.#style = Number(s ?? 0);
      this.#value = '';
    } else if (name === 'rPh') this.#isPhonetic = true;
    else this.#isText = name === 'v' || (name === 't' && !this.#isPhonetic);
  }

  characters(text: string): void {
    if (this.#isText && this.#value.length < maxCellLength) this.#value += text;
  }

  close(name: string): void {
    this.#isText = false;
    if (name === 'rPh') this.#isPhonetic = false;
    else if (name === 'c' && this.#column < maxColumns) {
      while (this.#cells.length < this.#column) this.#cells.push('');
      this.#cells[this.#column] = csvCell(this.#shown());
    } else if (name === 'row') this.text += `${this.#cells.join(',')}\n`;
  }

  #shown(): string {
    const value = this.#value;
    switch (this.#type) {
      case 's':
        return this.#strings[Number(value)] ?? '';
      case 'inlineStr':
      case 'str':
        return unescaped(value);
      case 'b':
        return value === '' ? '' : value === '1' ? 'TRUE' : 'FALSE';
      case 'd':
      // An error such as #N/A: as in a file of text.
      case 'e':
        return value;
      default:
        return this.#dates[this.#style] ? dateOf(value, this.#isFrom1904) : numberText(value);
    }
  }
}

async function sharedStrings(archive: Archive): Promise<string[]> {
  const strings: string[] = [];
  let bytes = 0;
  let current = '';
  let isText = false;
  let isPhonetic = false;
  await parsePart(archive, 'xl/sharedStrings.xml', {
    open: (name) => {
      if (name === 'si') current = '';
      if (name === 'rPh') isPhonetic = true;
      isText = name === 't' && !isPhonetic;
    },
    characters: (text) => {
      if (isText && current.length < maxCellLength) current += text;
    },
    close: (name) => {
      isText = false;
      if (name === 'rPh') isPhonetic = false;
      if (name !== 'si') return;
      // Each takes room besides its letters.
      bytes += current.length * 2 + 32;
      if (bytes > maxStringBytes)
        throw new ImportRefusal(message('import.unpacked_too_large', { count: maxStringBytes / 1048576 }));
      strings.push(unescaped(current.slice(0, maxCellLength)));
    },
  });
  return strings;
}

/** For each style of a cell, whether it shows a date. */
async function dateStyles(archive: Archive): Promise<boolean[]> {
  const custom = new Map<number, boolean>();
  const styles: boolean[] = [];
  let isCellFormats = false;
  await parsePart(archive, 'xl/styles.xml', {
    open: (name, { numFmtId, formatCode }) => {
      if (name === 'numFmt') custom.set(Number(numFmtId), isDateFormat(formatCode ?? ''));
      if (name === 'cellXfs') isCellFormats = true;
      const id = Number(numFmtId ?? 0);
      if (name === 'xf' && isCellFormats && styles.length < 100_000)
        styles.push(
          custom.get(id) ??
            ((id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 58 && id !== 48 && id !== 49)),
        );
    },
    close: (name) => {
      if (name === 'cellXfs') isCellFormats = false;
    },
  });
  return styles;
}

/** Whether a format has letters of a date outside of quoted text, colours and conditions. */
const isDateFormat = (code: string) =>
  /[dmyhs]/i.test(
    code
      .replace(/"[^"]*"|\\.|\[[^\]]*\]|_.|\*./g, '')
      .split(';')[0]!
      .replace(/general|red|blue/gi, ''),
  );

async function startsIn1904(archive: Archive): Promise<boolean> {
  let found = false;
  await parsePart(archive, 'xl/workbook.xml', {
    open: (name, { date1904 }) => {
      if (name === 'workbookPr' && (date1904 === '1' || date1904 === 'true')) found = true;
    },
  });
  return found;
}

/** A date of a spreadsheet: days since the end of 1899 or the beginning of 1904, with the time of day as a fraction. */
function dateOf(value: string, isFrom1904: boolean): string {
  const serial = Number(value);
  if (value === '' || !Number.isFinite(serial) || serial < 0 || serial > 2_958_466) return value;
  const seconds = Math.round(serial * 86_400);
  const time = new Date((seconds % 86_400) * 1000).toISOString().slice(11, 19);
  if (serial < 1 && !isFrom1904) return serial === 0 ? '' : time;
  // The sheet has a 29 February 1900, which was none.
  const days = Math.floor(seconds / 86_400) + (isFrom1904 ? 1_462 : seconds / 86_400 < 60 ? 1 : 0) - 25_569;
  const day = new Date(days * 86_400_000).toISOString().slice(0, 10);
  return time === '00:00:00' ? day : `${day} ${time}`;
}

/** A number as the sheet shows it: in 15 digits, and without an exponent. */
function numberText(value: string): string {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number) || Math.abs(number) >= 1e21) return value;
  const rounded = Number(number.toPrecision(15));
  return /e/i.test(String(rounded)) ? rounded.toFixed(15).replace(/\.?0+$/, '') : String(rounded);
}

/** From 0, of a reference such as AB12. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^([A-Z]{1,3})\d+$/.exec(reference ?? '')?.[1];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** Text of a cell with characters that XML cannot hold, as _x000D_. */
const unescaped = (text: string) =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

/** A row is a line, so that its number is the one of the sheet. */
function csvCell(text: string): string {
  const line = text.replace(/\s*[\r\n]+\s*/g, ' ');
  return /[",]/.test(line) ? `"${line.replaceAll('"', '""')}"` : line;
}

const partPath = (target: string) =>
  (target.startsWith('/') ? target.slice(1) : `xl/${target}`).replace(/[^/]+\/\.\.\//g, '');

type Handler = {
  open?(name: string, attributes: Record<string, string>): void;
  characters?(text: string): void;
  close?(name: string): void;
};

async function parsePart(archive: Archive, path: string, handler: Handler): Promise<void> {
  if (!archive.names.includes(path)) return;
  for await (const _ of parsing(archive, path, handler));
}

/** Parses a part piece by piece. @throws ImportRefusal */
async function* parsing(archive: Archive, path: string, handler: Handler): AsyncGenerator<void> {
  const parser = new SaxesParser({ xmlns: false });
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => handler.open?.(local(name), attributes));
  parser.on('text', (text) => handler.characters?.(text));
  parser.on('cdata', (text) => handler.characters?.(text));
  parser.on('closetag', ({ name }) => handler.close?.(local(name)));
  const decoder = new TextDecoder('utf-8');
  try {
    for await (const piece of archive.read(path)) {
      parser.write(decoder.decode(piece, { stream: true }));
      yield;
    }
    parser.write(decoder.decode());
    parser.close();
    yield;
  } catch (error) {
    if (error instanceof ImportRefusal || (error as { code?: string }).code !== undefined) throw error;
    throw new ImportRefusal(message('import.xlsx_damaged', { detail: (error as Error).message.slice(0, 200) }));
  }
}
