// Reads the records of a CSV file, with the line each ends on. Well-formed records are read here, four times as fast as by
// csv-parse. From the first record with a misplaced quotation mark, or with a quoted cell where a backslash escapes,
// csv-parse reads the rest: it accepts broken quotes as text and refuses an endless record before it fills the memory.
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { type CsvError, parse } from 'csv-parse';
import { message } from '../../../base/messages.ts';
import type { Format } from '../plan.ts';
import { addressRecords } from './kinds/address-lines.ts';
import { ImportRefusal } from './refusal.ts';

export type FileRecord = { cells: string[]; line: number };

/** Maximum size of a record. */
const maxRecordBytes = 256 * 1024;

/** @param line the one the record begins on */
function tooLong(line: number, isQuoted: boolean): ImportRefusal {
  return new ImportRefusal(message(isQuoted ? 'import.quoted_record_too_long' : 'import.record_too_long', { line }));
}

const notClosed = (line: number) => new ImportRefusal(message('import.quote_not_closed', { line }));

/** The records of plain UTF-8 text in groups of at most `size`, without the heading. */
export async function* readRecords(
  text: AsyncIterable<Buffer>,
  format: Format,
  size: number,
): AsyncGenerator<FileRecord[]> {
  if (format.isAddresses) {
    yield* addressRecords(text, format.header, size);
    return;
  }
  let heading = format.header;
  for await (const group of allRecords(text, format, size)) {
    const records = heading ? group.slice(1) : group;
    heading = false;
    if (records.length > 0) yield records;
  }
}

/** How csv-parse reads a file of this format. */
export function csvOptions({ delimiter, quote, backslash }: Format) {
  return {
    delimiter,
    quote: quote === '' ? null : quote,
    escape: quote === '' ? null : backslash ? '\\' : quote,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
  };
}

/** The line on which a record starts. */
export function firstLine(record: FileRecord): number {
  let breaks = 0;
  for (const cell of record.cells) breaks += cell.split(/\r\n|\r|\n/).length - 1;
  return record.line - breaks;
}

async function* allRecords(text: AsyncIterable<Buffer>, format: Format, size: number): AsyncGenerator<FileRecord[]> {
  const decoder = new StringDecoder();
  const pieces = text[Symbol.asyncIterator]();
  const reader = new PlainReader(format);
  let ended = false;
  try {
    while (!ended) {
      const { value, done } = await pieces.next();
      ended = done === true;
      reader.add(ended ? decoder.end() : decoder.write(value!), ended);
      for (let group = reader.take(size); group.length > 0; group = reader.take(size)) yield group;
      if (reader.isOdd) {
        yield* oddRecords(restOf(reader.rest, pieces, decoder, ended), format, size, reader.lines);
        return;
      }
    }
  } finally {
    await pieces.return?.();
  }
}

/** Splits text into records as long as every quoted cell is quoted from its beginning to its end. */
class PlainReader {
  /** Lines passed. */
  lines = 0;
  /** The next record is not well-formed, or has a backslash that escapes: csv-parse must continue. */
  isOdd = false;
  readonly #delimiter: string;
  readonly #quote: string;
  readonly #backslash: boolean;
  #passSeparatorLine: boolean;
  #text = '';
  #at = 0;
  #isLast = false;
  /** The next line feed from #at on, -1 when there is none; looked for again when #at has passed it. */
  #feed = -2;

  constructor(format: Format) {
    this.#delimiter = format.delimiter;
    this.#quote = format.quote;
    this.#backslash = format.backslash === true;
    this.#passSeparatorLine = format.separatorLine;
  }

  get rest(): string {
    return this.#text.slice(this.#at);
  }

  add(text: string, isLast: boolean): void {
    this.#text = this.#text.slice(this.#at) + text;
    this.#at = 0;
    this.#feed = -2;
    this.#isLast = isLast;
  }

  /** The next records; none when more text is needed, or when csv-parse must continue. */
  take(maxRecords: number): FileRecord[] {
    const records: FileRecord[] = [];
    while (records.length < maxRecords && !this.isOdd) {
      const from = this.#at;
      const end = this.#lineEnd(from);
      if (end === undefined) break;
      if (this.#passSeparatorLine) {
        this.#passSeparatorLine = false;
        this.#pass(end);
        continue;
      }
      if (end === from) {
        // An empty line is no record.
        this.#pass(end);
        continue;
      }
      const line = this.#text.slice(from, end);
      if (end - from > maxRecordBytes) {
        if (this.#quote === '' || !line.includes(this.#quote)) {
          // What was read before it is handed over first.
          if (records.length > 0) break;
          throw tooLong(this.lines + 1, false);
        }
        this.isOdd = true;
        break;
      }
      if (this.#quote === '' || !line.includes(this.#quote)) {
        this.#pass(end);
        records.push({ cells: line.split(this.#delimiter), line: this.lines });
        continue;
      }
      if (this.#backslash) {
        this.isOdd = true;
        break;
      }
      const cells = this.#quotedRecord();
      if (!cells) break;
      records.push({ cells, line: this.lines });
    }
    return records;
  }

  /** Where the line ends that begins at `from`; undefined when the text does not say yet, or has ended there. */
  #lineEnd(from: number): number | undefined {
    const text = this.#text;
    if (from >= text.length) return undefined;
    if (this.#feed !== -1 && this.#feed < from) this.#feed = text.indexOf('\n', from);
    const feed = this.#feed;
    const bound = feed === -1 ? Math.min(text.length, from + maxRecordBytes + 2) : feed;
    const line = text.slice(from, bound);
    const back = line.indexOf('\r');
    if (back !== -1) {
      // A line feed may follow in the next piece.
      if (from + back === text.length - 1 && !this.#isLast) return undefined;
      return from + back;
    }
    if (feed !== -1) return feed;
    if (this.#isLast && bound === text.length) return text.length;
    return text.length - from > maxRecordBytes ? from + maxRecordBytes + 1 : undefined;
  }

  #pass(end: number): void {
    this.lines++;
    const isPair = this.#text.charCodeAt(end) === 13 && this.#text.charCodeAt(end + 1) === 10;
    this.#at = end + (isPair ? 2 : 1);
  }

  /** The cells of the record at #at, which may go over several lines; undefined when it is odd or not all there. */
  #quotedRecord(): string[] | undefined {
    const text = this.#text;
    const cells: string[] = [];
    let at = this.#at;
    let breaks = 0;
    for (;;) {
      let end: number;
      if (text.startsWith(this.#quote, at)) {
        const closing = this.#closingQuote(at);
        if (closing === undefined) return undefined;
        const cell = text.slice(at + 1, closing);
        breaks += /[\r\n]/.test(cell) ? cell.split(/\r\n|\r|\n/).length - 1 : 0;
        cells.push(cell.includes(this.#quote) ? cell.replaceAll(this.#quote + this.#quote, this.#quote) : cell);
        end = closing + 1;
      } else {
        end = at;
        while (end < text.length && !this.#endsCell(end)) end++;
        cells.push(text.slice(at, end));
      }
      if (end >= text.length && !this.#isLast) return undefined;
      if (text[end] !== this.#delimiter) {
        if (text.charCodeAt(end) === 13 && end === text.length - 1 && !this.#isLast) return undefined;
        this.lines += breaks;
        this.#pass(end);
        return cells;
      }
      at = end + 1;
    }
  }

  #closingQuote(opening: number): number | undefined {
    const text = this.#text;
    for (let at = opening + 1; ; at += 2) {
      at = text.indexOf(this.#quote, at);
      if (at === -1) {
        this.isOdd = this.#isLast || text.length - opening > maxRecordBytes;
        return undefined;
      }
      if (at + 1 === text.length) return this.#isLast ? at : undefined;
      if (text[at + 1] === this.#quote) continue;
      if (this.#endsCell(at + 1) && at - opening <= maxRecordBytes) return at;
      this.isOdd = true;
      return undefined;
    }
  }

  #endsCell(at: number): boolean {
    const sign = this.#text[at];
    return sign === this.#delimiter || sign === '\n' || sign === '\r';
  }
}

async function* restOf(
  first: string,
  pieces: AsyncIterator<Buffer>,
  decoder: StringDecoder,
  ended: boolean,
): AsyncGenerator<Buffer> {
  yield Buffer.from(first);
  if (ended) return;
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next())
    yield Buffer.from(decoder.write(piece.value));
  yield Buffer.from(decoder.end());
}

type OddRecord = { info: { lines: number; empty_lines: number }; record: string[] };

async function* oddRecords(
  text: AsyncIterable<Buffer>,
  format: Format,
  size: number,
  linesBefore: number,
): AsyncGenerator<FileRecord[]> {
  let last = { lines: 0, empty_lines: 0 };
  const parser = parse({
    ...csvOptions(format),
    info: true,
    max_record_size: maxRecordBytes,
    on_record: (record: string[], { lines, empty_lines }) => {
      last = { lines, empty_lines };
      return record;
    },
  });
  const source = Readable.from(text, { objectMode: false, highWaterMark: 64 * 1024 });
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let group: FileRecord[] = [];
  try {
    for await (const { info, record } of parser as AsyncIterable<OddRecord>) {
      group.push({ cells: record, line: info.lines + linesBefore });
      if (group.length >= size) {
        yield group;
        group = [];
      }
    }
  } catch (error) {
    const { code, message: detail, empty_lines = 0 } = error as CsvError & { empty_lines?: number };
    // The record begins after the last one and the empty lines that follow it.
    const line = linesBefore + last.lines + 1 + empty_lines - last.empty_lines;
    if (code === 'CSV_MAX_RECORD_SIZE') throw tooLong(line, format.quote !== '');
    if (code === 'CSV_QUOTE_NOT_CLOSED') throw notClosed(line);
    if (typeof code === 'string' && code.startsWith('CSV_'))
      throw new ImportRefusal(message('import.record_invalid', { detail }));
    throw error;
  } finally {
    source.destroy();
    parser.destroy();
  }
  yield group;
}
