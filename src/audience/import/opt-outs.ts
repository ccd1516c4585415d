// Reads a file once before the import, for what only the whole of it shows. Which addresses are unsubscribed or bounced in any row:
// such a row overrides all other rows of its address. Which agreed in any row: that overrides an empty cell, which is a no where others
// agreed. And which columns that are not decided say who may get email in a row that the sample did not reach. A separate pass
// before the first batch, so that batches stay independent of each other and the dry run, the run and a resumed run see the same rows.
import type { Field } from '../model/field.ts';
import { blankLooks, consentLooks, dateLooks } from './file/columns.ts';
import type { FileRecord } from './file/records.ts';
import { type Column, type ImportStatusWord, leavingTargets, type Plan } from './plan.ts';
import { overflowOf, type Row, rowReader, textOfCell } from './row.ts';
import { Seen } from './seen.ts';

/** Why another row of its address counts instead of this one: it has opted out, or it agreed where this one says nothing. */
export type OverriddenBy = (row: Row) => 'opted_out' | 'duplicate' | undefined;

/** What the whole file shows: the columns as it is read, and those of which a person must say what they mean, by their numbers. */
export type FileReading = { overriddenBy: OverriddenBy; columns: Column[]; asking: number[] };

/**
 * Reads the addresses that have opted out, and the columns to ask about. Undefined when the signal came before the end.
 * @param records all records of the file; not read when no column has a status or is open
 */
export async function readAhead(
  plan: Plan,
  fields: readonly Field[],
  records: () => AsyncIterable<FileRecord[]>,
  signal: AbortSignal,
): Promise<FileReading | undefined> {
  const stating = plan.columns.filter(({ target }) => target === 'STATUS' || leavingTargets.includes(target));
  const looks = [...consentLooks(plan)];
  const dates = [...dateLooks(plan.columns, fields)];
  const blanks = blankLooks(plan);
  if (stating.length === 0 && looks.length === 0 && dates.length === 0)
    return { overriddenBy: () => undefined, columns: plan.columns, asking: [] };
  const stated = [...stating, ...plan.columns.filter((column) => column.target === 'EMAIL')];
  const read = rowReader(stated, fields, plan.rules, new Date());
  const optedOut = { unsubscribed: new Seen(), bounced: new Seen() };
  /** Those who agreed, where an empty cell may be a no. */
  const agreed = blanks.size > 0 ? new Seen() : undefined;
  for await (const group of records()) {
    if (signal.aborted) return undefined;
    for (const record of group) {
      for (const [no, look] of looks) look.add(record.cells[no] ?? '');
      for (const [no, look] of dates) look.add(textOfCell(record.cells[no] ?? ''));
      for (const [no, look] of blanks) look.add(textOfCell(record.cells[no] ?? ''));
      if (stating.length === 0 || overflowOf(record.cells, plan.columns.length)) continue;
      const reading = read(record.cells);
      if (!reading.ok || reading.row.isBlankNo) continue;
      const status = reading.row.status || plan.rules.status;
      if (status === 'subscribed') agreed?.add(reading.row.key);
      if (status === 'unsubscribed' || status === 'bounced') optedOut[status].add(reading.row.key);
    }
  }
  const overriddenBy: OverriddenBy = (row) => {
    const status: ImportStatusWord | '' = row.status || plan.rules.status;
    if (row.isBlankNo && agreed?.has(row.key)) return 'duplicate';
    if (stating.length === 0 || status === 'unsubscribed') return undefined;
    const isOut = optedOut.unsubscribed.has(row.key) || (status !== 'bounced' && optedOut.bounced.has(row.key));
    return isOut ? 'opted_out' : undefined;
  };
  const orders = new Map(dates.map(([no, look]) => [no, look.order]));
  // The order that the sample shows stays: the preview has shown it.
  const columns = plan.columns.map((column): Column => {
    const order = column.order ?? orders.get(column.no);
    const isBlankNo = blanks.get(column.no)?.agrees;
    return { ...column, ...(order === undefined ? {} : { order }), ...(isBlankNo ? { isBlankNo } : {}) };
  });
  const asking = looks.flatMap(([no, look]) => (look.looks ? [no] : []));
  return { overriddenBy, columns, asking: [...asking, ...columns.flatMap(unclearNo)] };
}

const unclearNo = ({ no, order }: Column) => (order === 'unclear' ? [no] : []);
