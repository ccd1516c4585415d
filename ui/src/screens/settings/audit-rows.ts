// The rows of the audit log as they are shown: what one person did to one thing by the same method within an hour is one row.
import type { ResultOf } from '../../api/types.ts';

export type Entry = ResultOf<'auditLog'>[number];
export type Change = Entry['changes'][number];
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

/** What entries changed together, each value as it was before the first of them and as it was after the last. @param entries the latest first */
export function netChanges(entries: readonly Entry[]): Change[] {
  const changes = new Map<string, Change>();
  for (const { changes: of } of entries)
    for (const change of of) {
      const { after, after_length } = changes.get(change.name) ?? change;
      changes.set(change.name, { ...change, after, after_length });
    }
  // Changed and changed back. Of a long value, only its beginning can be compared.
  const isBack = ({ before, after, before_length, after_length }: Change) =>
    before === after && before.length === before_length && before_length === after_length;
  return [...changes.values()].filter((change) => !isBack(change));
}
