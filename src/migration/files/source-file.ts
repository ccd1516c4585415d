// A file of an export: an upload, or an entry of a zip archive in one. Read as bytes, lines or rows of CSV, with constant memory.
import { StringDecoder } from 'node:string_decoder';
import { detectEncoding, detectShape, sampleBytes, usesBackslash } from '../../audience/import/file/detect.ts';
import { firstLine, readRecords } from '../../audience/import/file/records.ts';
import { ImportRefusal } from '../../audience/import/file/refusal.ts';
import { filesIn } from '../../audience/import/file/source.ts';
import { needUpload } from '../../audience/import/file/upload.ts';
import type { Format } from '../../audience/import/plan.ts';
import { message } from '../../base/messages.ts';
import type { Queries } from '../../db/connect.ts';

export type SourceFile = {
  /** With its folders, divided by slashes. */
  path: string;
  /** The name of the upload, which may be an archive. */
  upload: string;
  bytes(): AsyncIterable<Buffer>;
};

/** Longest line of a dump: MySQL writes up to 24 MB into one. */
const maxLineLength = 64 * 1024 * 1024;

/** The files of the uploads, those in archives one by one. */
export async function* sourceFiles(
  db: Queries,
  accountId: number,
  uploads: readonly number[],
): AsyncGenerator<SourceFile> {
  for (const id of uploads) {
    const upload = await needUpload(db, accountId, id);
    for await (const { path, bytes } of filesIn(db, upload, upload.name)) yield { path, bytes, upload: upload.name };
  }
}

/** The name of a file without folders and ending. */
export const plainName = (path: string) => path.replace(/^.*\//, '').replace(/(\.[a-z]{2,5}){1,2}$/i, '');

/** The lines of a text in UTF-8, without their ends. */
export async function* linesOf(file: SourceFile): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const piece of file.bytes()) {
    const parts = (rest + decoder.write(piece)).split('\n');
    rest = parts.pop()!;
    if (rest.length > maxLineLength) throw new ImportRefusal(message('import.unreadable', { detail: 'line too long' }));
    for (const part of parts) yield part.endsWith('\r') ? part.slice(0, -1) : part;
  }
  rest += decoder.end();
  if (rest !== '') yield rest;
}

export type CsvRow = {
  line: number;
  /** The cell under the first of these headings that the file has; '' without one. Case does not count. */
  cell(...headings: string[]): string;
  cells: readonly string[];
};

export type Csv = {
  headings: string[];
  has(...headings: string[]): boolean;
  rows(): AsyncGenerator<CsvRow>;
};

/** A CSV file with headings, in any delimiter and encoding. */
export async function openCsv(file: SourceFile): Promise<Csv> {
  const sample = await headOf(file);
  const { encoding } = detectEncoding(sample);
  const text = new TextDecoder(encoding).decode(sample, { stream: true });
  const shape = detectShape(text);
  const format: Format = { packing: 'none', encoding, ...shape, header: false };
  if (usesBackslash(text, format.delimiter, format.quote)) format.backslash = true;
  const headings: string[] = [];
  for await (const group of readRecords(decoded(file, encoding), format, 1)) {
    headings.push(...(group[0]?.cells ?? []).map((heading) => heading.trim()));
    break;
  }
  const places = new Map(headings.map((heading, i) => [heading.toLowerCase(), i]));
  const placeOf = (wanted: string[]) =>
    wanted.map((heading) => places.get(heading.toLowerCase())).find((place) => place !== undefined);
  return {
    headings,
    has: (...wanted) => placeOf(wanted) !== undefined,
    async *rows() {
      for await (const group of readRecords(decoded(file, encoding), { ...format, header: true }, 200))
        for (const record of group)
          yield {
            line: firstLine(record),
            cells: record.cells,
            cell: (...wanted) => {
              const place = placeOf(wanted);
              return place === undefined ? '' : (record.cells[place] ?? '').trim();
            },
          };
    },
  };
}

async function headOf(file: SourceFile): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const piece of file.bytes()) {
    parts.push(piece);
    length += piece.length;
    if (length >= sampleBytes) break;
  }
  return Buffer.concat(parts).subarray(0, sampleBytes);
}

/** Plain UTF-8 without a byte order mark. */
async function* decoded(file: SourceFile, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding);
  for await (const piece of file.bytes()) yield Buffer.from(decoder.decode(piece, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** The whole text of a small file. */
export async function wholeText(file: SourceFile, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const piece of file.bytes()) {
    length += piece.length;
    if (length > maxBytes)
      throw new ImportRefusal(message('import.unreadable', { detail: `${file.path} is too large` }));
    parts.push(piece);
  }
  return Buffer.concat(parts).toString('utf8');
}
