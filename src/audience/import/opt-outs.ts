// Finds the addresses that are unsubscribed or bounced anywhere in a file with a column about it: such a row overrides all
// other rows of its address. A separate pass before the first batch, so that batches stay independent of each other and
// the dry run, the run and a resumed run see the same rows.
import type { Field } from '../fields/field.ts';
import type { FileRecord } from './file/records.ts';
import { type ImportStatusWord, leavingTargets, type Plan } from './plan.ts';
import { type Row, rowReader } from './row.ts';
import { Seen } from './seen.ts';

/** Whether a row is overridden by another row of its address that has opted out. */
export type Overridden = (row: Row) => boolean;

/**
 * Reads the addresses that have opted out. Undefined when the signal came before the end.
 * @param records all records of the file; not read when no column has a status
 */
export async function readOptOuts(
  plan: Plan,
  fields: readonly Field[],
  records: () => AsyncIterable<FileRecord[]>,
  signal: AbortSignal,
): Promise<Overridden | undefined> {
  const stating = plan.columns.filter(({ target }) => target === 'STATUS' || leavingTargets.includes(target));
  if (stating.length === 0) return () => false;
  const columns = [...stating, ...plan.columns.filter((column) => column.target === 'EMAIL')];
  const read = rowReader(columns, fields, plan.rules, new Date());
  const optedOut = { unsubscribed: new Seen(), bounced: new Seen() };
  for await (const group of records()) {
    if (signal.aborted) return undefined;
    for (const record of group) {
      const reading = read(record.cells);
      if (!reading.ok) continue;
      const status = reading.row.status || plan.rules.status;
      if (status === 'unsubscribed' || status === 'bounced') optedOut[status].add(reading.row.key);
    }
  }
  return (row) => {
    const status: ImportStatusWord | '' = row.status || plan.rules.status;
    if (status === 'unsubscribed') return false;
    return optedOut.unsubscribed.has(row.key) || (status !== 'bounced' && optedOut.bounced.has(row.key));
  };
}
