// Which addresses have opted out somewhere in a file whose rows say so: such a row outweighs all others of its address,
// wherever it stands. Found by a reading of its own before the first batch, so that batches stay independent of each other
// and the dry run, a continuation and an undo see the same rows.
import type { Field } from '../fields/field.ts';
import type { FileRecord } from './file/records.ts';
import type { ImportStatusWord, Plan } from './plan.ts';
import { type Row, rowReader } from './row.ts';
import { Seen } from './seen.ts';

/** Whether a row gives way to another one of its address, which has opted out. */
export type GivesWay = (row: Row) => boolean;

/**
 * Reads the addresses that have opted out. Undefined when the signal came before the end.
 * @param records all of the file; not asked for when no column says what a contact is
 */
export async function readOptOuts(
  plan: Plan,
  fields: readonly Field[],
  records: () => AsyncIterable<FileRecord[]>,
  signal: AbortSignal,
): Promise<GivesWay | undefined> {
  if (!plan.columns.some((column) => column.target === 'STATUS')) return () => false;
  const columns = plan.columns.filter((column) => column.target === 'STATUS' || column.target === 'EMAIL');
  const read = rowReader(columns, fields, plan.rules, new Date());
  const left = { unsubscribed: new Seen(), bounced: new Seen() };
  for await (const group of records()) {
    if (signal.aborted) return undefined;
    for (const one of group) {
      const reading = read(one.cells);
      if (!reading.ok) continue;
      const status = reading.row.status || plan.rules.status;
      if (status === 'unsubscribed' || status === 'bounced') left[status].add(reading.row.key);
    }
  }
  return (row) => {
    const status: ImportStatusWord | '' = row.status || plan.rules.status;
    if (status === 'unsubscribed') return false;
    return left.unsubscribed.has(row.key) || (status !== 'bounced' && left.bounced.has(row.key));
  };
}
