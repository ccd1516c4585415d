// Builds the plan of an import from what is detected in the uploaded file and from what the caller set.
import { type CsvError, parse } from 'csv-parse/sync';
import { Fault, fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import type { Queries } from '../../db/connect.ts';
import type { Field } from '../model/field.ts';
import { proposeColumns, readMapping, withQuestions } from './file/columns.ts';
import { saysLeft } from './file/consent.ts';
import { detectShape, knownEncoding, usesBackslash } from './file/detect.ts';
import { addressHeadings, addressRows, addressShape } from './file/kinds/address-lines.ts';
import { csvOptions } from './file/records.ts';
import { ImportRefusal } from './file/refusal.ts';
import { isConverted, readSample } from './file/source.ts';
import type { Upload } from './file/upload.ts';
import type { Format, Plan, Rules } from './plan.ts';

/** What a caller can set; the rest is detected, or stays as it is. */
export type PlanInput = {
  encoding?: string | undefined;
  delimiter?: string | undefined;
  quote?: string | undefined;
  header?: 'auto' | 'yes' | 'no' | undefined;
  mapping?: Record<string, string> | undefined;
  /** Where the call has the mapping, for faults. */
  mappingPath?: string | undefined;
} & { [K in keyof Rules]?: Rules[K] | undefined };

/** A file, and the names that it has had. */
type NamedUpload = Upload & { name?: string };

export type Sample = { headings: string[]; rows: string[][] };

const maxColumns = 500;
/** Rows that are looked at before anything runs, for the meaning of columns and for values that do not fit. */
const sampleRows = 200;

/** @throws Fault IMPORT_INVALID */
export async function buildPlan(
  db: Queries,
  upload: NamedUpload,
  fields: readonly Field[],
  input: PlanInput,
  before?: Plan,
): Promise<{ plan: Plan; sample: Sample }> {
  const { format, sample } = await readFormat(db, upload, input, before?.format);
  const proposed =
    before && before.columns.length === sample.headings.length && input.header === undefined
      ? before.columns
      : proposeColumns(sample.headings, fields, sample.rows);
  const mapped = readMapping(proposed, input.mapping ?? {}, fields, input.mappingPath);
  if (!mapped.ok) throw new Fault('IMPORT_INVALID', mapped.problem);
  const rules: Rules = {
    update: input.update ?? before?.rules.update ?? 'add_update',
    status: input.status ?? before?.rules.status ?? '',
    empty: input.empty ?? before?.rules.empty ?? 'keep',
    doubleOptin: input.doubleOptin ?? before?.rules.doubleOptin ?? false,
    resubscribe: input.resubscribe ?? before?.rules.resubscribe ?? '',
  };
  return {
    plan: { format, columns: withQuestions({ format, columns: mapped.columns, rules }, fields, sample.rows), rules },
    sample,
  };
}

/** The format of a file and its first rows. @throws Fault IMPORT_INVALID */
export async function readFormat(
  db: Queries,
  upload: NamedUpload,
  input: Pick<PlanInput, 'encoding' | 'delimiter' | 'quote' | 'header'>,
  before?: Format,
): Promise<{ format: Format; sample: Sample }> {
  const encoding = input.encoding ? knownEncoding(input.encoding) : before?.encoding;
  if (input.encoding && !encoding)
    throw fault('IMPORT_INVALID', 'import.encoding', {
      member: 'options.encoding',
      value: input.encoding.slice(0, 40),
    });
  const read = await readSample(db, upload, { encoding, refuses: true }).catch((error: unknown) => {
    throw error instanceof ImportRefusal ? new Fault('IMPORT_INVALID', error.reason) : error;
  });
  const converted = isConverted(read.packing);
  const found = {
    ...detectShape(read.text, converted),
    ...(before ? { delimiter: before.delimiter, quote: before.quote } : {}),
  };
  const format: Format = {
    packing: read.packing,
    encoding: read.encoding,
    ...(!read.sure || (before?.encodingUnsure && !input.encoding) ? { encodingUnsure: true } : {}),
    delimiter: input.delimiter ? delimiterOf(input.delimiter) : found.delimiter,
    quote: input.quote === undefined ? found.quote : input.quote === 'none' ? '' : input.quote,
    header: input.header === 'yes' ? true : input.header === 'no' ? false : (before?.header ?? found.header),
    separatorLine: found.separatorLine,
    ...(read.otherSheets.length > 0 ? { otherSheets: read.otherSheets.slice(0, 100) } : {}),
  };
  const names = [upload.name ?? '', read.sheet, ...read.otherSheets].filter(saysLeft);
  if (names.length > 0) format.names = names.slice(0, 20);
  if (converted) Object.assign(format, { delimiter: ',', quote: '"', separatorLine: false });
  if (input.header === 'auto') format.header = found.header;
  if (format.quote.length > 1) throw fault('IMPORT_INVALID', 'import.quote_too_long', { member: 'options.quote' });
  if (format.quote === format.delimiter)
    throw fault('IMPORT_INVALID', 'import.quote_is_delimiter', { member: 'options.quote' });
  const isTable = [input.delimiter, input.quote, input.header].some((value) => value !== undefined && value !== 'auto');
  const lines = converted ? { isAddresses: false, heading: '' } : addressShape(read.text, read.whole);
  if (lines.isAddresses && !isTable && (!before || before.isAddresses)) {
    const [email, name] = addressHeadings;
    const headings = [lines.heading || email!, name!];
    const sample = { headings, rows: addressRows(read.text, read.whole, lines.heading !== '', sampleRows) };
    return { format: { ...format, isAddresses: true, header: lines.heading !== '', separatorLine: false }, sample };
  }
  if (usesBackslash(read.text, format.delimiter, format.quote)) format.backslash = true;
  const rows = firstRows(read.text, read.whole, format);
  const width = widthOf(rows, format.header);
  if (width === 0)
    throw new Fault('IMPORT_INVALID', read.whole ? message('import.no_rows') : message('import.first_record_too_long'));
  if (width > maxColumns) throw fault('IMPORT_INVALID', 'import.too_many_columns', { count: maxColumns });
  const first = format.header ? (rows.shift() ?? []) : [];
  const headings = Array.from({ length: width }, (_, i) => (first[i] ?? '').replaceAll('\0', '').slice(0, 200));
  return { format, sample: { headings, rows } };
}

/** How many columns there are: what is beside the headings is one only if more than half of the rows have it. */
function widthOf(rows: readonly string[][], header: boolean): number {
  const widest = Math.max(0, ...rows.map((row) => row.length));
  const [headings = [], ...others] = rows;
  if (!header || headings.length === 0) return widest;
  const isFilled = (no: number) => others.filter((row) => (row[no] ?? '').trim() !== '').length * 2 > others.length;
  let width = widest;
  while (width > headings.length && !isFilled(width - 1)) width--;
  return width;
}

function firstRows(text: string, whole: boolean, format: Format): string[][] {
  const rows: string[][] = [];
  try {
    parse(text, {
      bom: true,
      ...csvOptions(format),
      from_line: format.separatorLine ? 2 : 1,
      to: sampleRows + 1,
      max_record_size: 256 * 1024,
      on_record: (row: string[]) => {
        rows.push(row);
        return null;
      },
    });
    // The sample may end within a row. It does not where it ends with a line break; empty lines are no rows.
    return whole || rows.length > sampleRows || /[\r\n]$/.test(text) ? rows : rows.slice(0, -1);
  } catch (error) {
    // Or within quotation marks; the import reads that row itself.
    if (!whole && rows.length > 0) return rows;
    if ((error as CsvError).code === 'CSV_QUOTE_NOT_CLOSED')
      throw fault('IMPORT_INVALID', 'import.quote_open', { row: rows.length + (format.separatorLine ? 2 : 1) });
    throw fault('IMPORT_INVALID', 'import.unreadable', { detail: (error as Error).message.slice(0, 300) });
  }
}

function delimiterOf(input: string): string {
  const named: Record<string, string> = { tab: '\t', '\\t': '\t', comma: ',', semicolon: ';', pipe: '|' };
  const delimiter = named[input.toLowerCase()] ?? input;
  if (delimiter.length !== 1 || /[\r\n\0"]/.test(delimiter))
    throw fault('IMPORT_INVALID', 'import.delimiter', { member: 'options.delimiter', value: input.slice(0, 10) });
  return delimiter;
}
