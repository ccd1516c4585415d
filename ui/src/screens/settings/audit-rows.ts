// The rows of the audit log as they are shown: what one person did to one thing by the same method within an hour is one row.
import type { ResultOf } from '../../api/types.ts';

export type Entry = ResultOf<'auditLog'>[number];
/** The latest of the entries that were joined, all of them, and the details of all. */
export type AuditRow = Entry & { entries: Entry[]; details: string[] };

/** @param entries the latest first; so are the rows */
export function joined(entries: readonly Entry[]): AuditRow[] {
  const rows = new Map<string, AuditRow>();
  for (const entry of entries) {
    const { user_id, key_id, door, method, subject, at, id, detail } = entry;
    const values = Object.values(detail);
    // Without a subject, nothing says that two entries are about the same thing. Names that were ignored are those of one call.
    const key =
      subject === ''
        ? id
        : JSON.stringify([user_id, key_id, door, method, subject, detail['ignored'], at.slice(0, 13)]);
    const row = rows.get(key);
    if (row) {
      row.entries.push(entry);
      row.details.push(...values.filter((value) => !row.details.includes(value)));
    } else {
      rows.set(key, { ...entry, entries: [entry], details: [...new Set(values)] });
    }
  }
  return [...rows.values()];
}
