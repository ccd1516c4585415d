// Reading the audit log: who changed what, when and from where.
import { type Context, doors } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import type { Change } from './changes.ts';
import { subjectNames } from './names.ts';

/** `api`: a key that was refused, whichever door it came to. */
export const recordedDoors = [...doors, 'api'] as const;

type Selection = {
  start: number;
  limit: number;
  method?: string | undefined;
  methods?: readonly string[] | undefined;
  user?: string | undefined;
};

/** A page of the entries, newest first. */
export async function listEntries({ account, tx }: Context, given: Selection) {
  const rows = await tx.rows<Row>(sql`
    select audit_entry.id, audit_entry.at, audit_entry.user_id, app_user.email, audit_entry.key_id,
      api_key.label, api_key.hint, audit_entry.door, audit_entry.method, audit_entry.subject,
      audit_entry.detail, audit_entry.changes, audit_entry.ip
    from audit_entry
    left join app_user on app_user.id = audit_entry.user_id
    left join api_key on api_key.account_id = audit_entry.account_id and api_key.id = audit_entry.key_id
    where audit_entry.account_id = ${account.id}
      and ${given.method === undefined ? sql`true` : sql`lower(audit_entry.method) = ${given.method.toLowerCase()}`}
      and ${given.methods === undefined ? sql`true` : sql`lower(audit_entry.method) = any (${given.methods.map((name) => name.toLowerCase())}::text[])`}
      and ${given.user === undefined ? sql`true` : sql`audit_entry.user_id = ${parseId(given.user)}`}
    order by audit_entry.id desc
    limit ${given.limit}
    offset ${given.start * given.limit}`);
  const names = await subjectNames(tx, account.id, rows);
  return rows.map((row) => ({
    id: String(row.id),
    at: formatDate(row.at),
    user_id: row.user_id === null ? '' : formatId(row.user_id),
    user: row.email ?? '',
    key_id: row.key_id === null ? '' : formatId(row.key_id),
    key: row.key_id === null ? '' : `${row.label ?? ''} …${row.hint ?? ''}`.trim(),
    door: row.door,
    method: row.method,
    subject: row.subject,
    subject_name: names.get(row.subject)?.name ?? '',
    subject_deleted: names.get(row.subject)?.deleted ?? false,
    detail: row.detail,
    changes: row.changes ?? [],
    ip: row.ip,
  }));
}

type Row = {
  id: number;
  at: Date;
  user_id: number | null;
  email: string | null;
  key_id: number | null;
  label: string | null;
  hint: string | null;
  door: (typeof recordedDoors)[number];
  method: string;
  subject: string;
  detail: Record<string, string>;
  changes: Change[] | null;
  ip: string;
};
