// The records of a file as they are read, with the line each ends on. The reading itself is csv-parse's; broken quotes
// are taken as they stand, and a record without an end is refused before it fills the memory.

import { Readable } from 'node:stream';
import { type CsvError, parse } from 'csv-parse';
import type { Format } from './plan.ts';
import { ImportRefusal } from './source.ts';

export type FileRecord = { cells: string[]; line: number };

/** A record at most, in bytes. */
const mostRecordBytes = 256 * 1024;

/** The records of plain UTF-8 text in groups of about `size`, without the heading. */
export async function* readRecords(
  text: AsyncIterable<Buffer>,
  format: Format,
  size: number,
): AsyncGenerator<FileRecord[]> {
  const parser = parse({
    delimiter: format.delimiter,
    quote: format.quote === '' ? null : format.quote,
    escape: format.quote === '' ? null : format.quote,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    info: true,
    max_record_size: mostRecordBytes,
    from_line: format.separatorLine ? 2 : 1,
  });
  const source = Readable.from(text, { objectMode: false, highWaterMark: 64 * 1024 });
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let group: FileRecord[] = [];
  let heading = format.header;
  try {
    for await (const { info, record } of parser as AsyncIterable<{ info: { lines: number }; record: string[] }>) {
      if (heading) {
        heading = false;
        continue;
      }
      group.push({ cells: record, line: info.lines });
      if (group.length >= size) {
        yield group;
        group = [];
      }
    }
  } catch (error) {
    const { code, message } = error as CsvError;
    if (code === 'CSV_MAX_RECORD_SIZE' || code === 'CSV_QUOTE_NOT_CLOSED')
      throw new ImportRefusal(`A quotation mark is not closed: ${message}.`);
    if (typeof code === 'string' && code.startsWith('CSV_')) throw new ImportRefusal(`${message}.`);
    throw error;
  } finally {
    source.destroy();
    parser.destroy();
  }
  if (group.length > 0) yield group;
}

/** The line a record begins on. */
export function firstLine(record: FileRecord): number {
  let breaks = 0;
  for (const cell of record.cells) breaks += cell.split(/\r\n|\r|\n/).length - 1;
  return record.line - breaks;
}
