// Puts together what is to be done with an uploaded file: what is found out about it, and what was said about it.
import { parse } from 'csv-parse/sync';
import { Fault } from '../../base/faults.ts';
import type { Queries } from '../../db/connect.ts';
import type { Field } from '../fields/field.ts';
import { proposeColumns, readMapping } from './file/columns.ts';
import { detectShape, knownEncoding } from './file/detect.ts';
import { ImportRefusal, readSample } from './file/source.ts';
import type { Upload } from './file/upload.ts';
import type { Format, Plan, Rules } from './plan.ts';

/** What a caller may say; what is not said is found out, or stays as it is. */
export type Said = {
  encoding?: string | undefined;
  delimiter?: string | undefined;
  quote?: string | undefined;
  header?: 'auto' | 'yes' | 'no' | undefined;
  mapping?: Record<string, string> | undefined;
} & { [K in keyof Rules]?: Rules[K] | undefined };

export type Sample = { headings: string[]; rows: string[][] };

const maxColumns = 500;
const sampleRows = 20;

/** @throws Fault IMPORT_INVALID */
export async function planOf(
  db: Queries,
  upload: Upload,
  fields: readonly Field[],
  said: Said,
  before?: Plan,
): Promise<{ plan: Plan; sample: Sample }> {
  const { format, sample } = await readFormat(db, upload, said, before?.format);
  const proposed =
    before && before.columns.length === sample.headings.length && said.header === undefined
      ? before.columns
      : proposeColumns(sample.headings, fields, sample.rows);
  const mapped = readMapping(proposed, said.mapping ?? {}, fields);
  if (!mapped.ok) throw new Fault('IMPORT_INVALID', `mapping: ${mapped.reason}`);
  const rules: Rules = {
    update: said.update ?? before?.rules.update ?? 'add_update',
    status: said.status ?? before?.rules.status ?? '',
    empty: said.empty ?? before?.rules.empty ?? 'keep',
    doubleOptin: said.doubleOptin ?? before?.rules.doubleOptin ?? false,
    resubscribe: said.resubscribe ?? before?.rules.resubscribe ?? '',
  };
  return { plan: { format, columns: mapped.columns, rules }, sample };
}

/** The first rows of a file as they are read. @throws Fault IMPORT_INVALID */
export async function readFormat(
  db: Queries,
  upload: Upload,
  said: Pick<Said, 'encoding' | 'delimiter' | 'quote' | 'header'>,
  before?: Format,
): Promise<{ format: Format; sample: Sample }> {
  const encoding = said.encoding ? knownEncoding(said.encoding) : before?.encoding;
  if (said.encoding && !encoding)
    throw new Fault('IMPORT_INVALID', `options.encoding: "${said.encoding.slice(0, 40)}" is no encoding that is known`);
  const read = await readSample(db, upload, { encoding }).catch((error: unknown) => {
    throw error instanceof ImportRefusal ? new Fault('IMPORT_INVALID', error.message) : error;
  });
  const found = { ...detectShape(read.text), ...(before ? { delimiter: before.delimiter, quote: before.quote } : {}) };
  const format: Format = {
    packing: read.packing,
    encoding: read.encoding,
    delimiter: said.delimiter ? delimiterOf(said.delimiter) : found.delimiter,
    quote: said.quote === undefined ? found.quote : said.quote === 'none' ? '' : said.quote,
    header: said.header === 'yes' ? true : said.header === 'no' ? false : (before?.header ?? found.header),
    separatorLine: found.separatorLine,
  };
  if (said.header === 'auto') format.header = found.header;
  if (format.quote.length > 1) throw new Fault('IMPORT_INVALID', 'options.quote is longer than one character');
  if (format.quote === format.delimiter) throw new Fault('IMPORT_INVALID', 'options.quote is the delimiter');
  const rows = firstRows(read.text, read.whole, format);
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width === 0)
    throw new Fault('IMPORT_INVALID', read.whole ? 'The file has no rows' : 'The first record is longer than 256 KiB');
  if (width > maxColumns) throw new Fault('IMPORT_INVALID', `The file has more than ${maxColumns} columns`);
  const first = format.header ? (rows.shift() ?? []) : [];
  const headings = Array.from({ length: width }, (_, i) => (first[i] ?? '').replaceAll('\0', '').slice(0, 200));
  return { format, sample: { headings, rows } };
}

function firstRows(text: string, whole: boolean, format: Format): string[][] {
  const rows: string[][] = [];
  try {
    parse(text, {
      bom: true,
      delimiter: format.delimiter,
      quote: format.quote === '' ? null : format.quote,
      escape: format.quote === '' ? null : format.quote,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      from_line: format.separatorLine ? 2 : 1,
      to: sampleRows + 1,
      max_record_size: 256 * 1024,
      on_record: (row: string[]) => {
        rows.push(row);
        return null;
      },
    });
    // The sample may end within a row.
    return whole || rows.length > sampleRows ? rows : rows.slice(0, -1);
  } catch (error) {
    // Or within quotation marks, whose row is looked at when its turn comes.
    if (!whole && rows.length > 0) return rows;
    throw new Fault('IMPORT_INVALID', `The file cannot be read: ${(error as Error).message.slice(0, 300)}`);
  }
}

function delimiterOf(said: string): string {
  const named: Record<string, string> = { tab: '\t', '\\t': '\t', comma: ',', semicolon: ';', pipe: '|' };
  const delimiter = named[said.toLowerCase()] ?? said;
  if (delimiter.length !== 1 || /[\r\n\0"]/.test(delimiter))
    throw new Fault(
      'IMPORT_INVALID',
      `options.delimiter: "${said.slice(0, 10)}" is not one character, nor the word tab`,
    );
  return delimiter;
}
