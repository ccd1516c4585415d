// Reading the audit log: who changed what, when and from where.
import { z } from 'zod';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { id, integer, params, text, unlessEmpty } from '../../method/params.ts';

export const auditMethods = [
  method({
    name: 'auditLog',
    group: 'account',
    summary: 'Lists who changed what, the latest first.',
    description:
      'Every call that changes something is written in the transaction of its change, and so are signing in and setting a password by a link. Contents, passwords and keys are not kept.',
    params: params({
      start: integer('Page number from which the selection starts.', 0, 1_000_000, {
        fault: 'START_OUT_OF_RANGE',
      }).default(0),
      limit: integer('Results per page, at most 1000.', 1, 1_000, { fault: 'LIMIT_OUT_OF_RANGE' }).default(50),
      method: unlessEmpty(text('Only calls of this method.', 60)),
      user: unlessEmpty(id('Only what this user did; an id as users() returns it.')),
    }),
    returns: z.array(
      z.object({
        id: z.string(),
        at: z.string(),
        user_id: z.string(),
        user: z.string().meta({ description: 'The address of the person; empty for a key or the command line.' }),
        key_id: z.string(),
        key: z.string().meta({ description: 'Label and last digits of the key; empty for a person.' }),
        door: z.string().meta({ description: 'web, json, form, xmlrpc or cli.' }),
        method: z.string(),
        subject: z.string().meta({ description: 'The id or name of what was changed.' }),
        detail: z.record(z.string(), z.string()),
        ip: z.string(),
      }),
    ),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'admin',
    reads: true,
    example: { params: { limit: 10 } },
    async run({ account, tx }, given) {
      const rows = await tx.rows<Row>(sql`
        select audit_entry.id, audit_entry.at, audit_entry.user_id, app_user.email, audit_entry.key_id,
          api_key.label, api_key.hint, audit_entry.door, audit_entry.method, audit_entry.subject,
          audit_entry.detail, audit_entry.ip
        from audit_entry
        left join app_user on app_user.id = audit_entry.user_id
        left join api_key on api_key.account_id = audit_entry.account_id and api_key.id = audit_entry.key_id
        where audit_entry.account_id = ${account.id}
          and ${given.method === undefined ? sql`true` : sql`lower(audit_entry.method) = ${given.method.toLowerCase()}`}
          and ${given.user === undefined ? sql`true` : sql`audit_entry.user_id = ${parseId(given.user)}`}
        order by audit_entry.id desc
        limit ${given.limit}
        offset ${given.start * given.limit}`);
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
        detail: row.detail,
        ip: row.ip,
      }));
    },
  }),
];

type Row = {
  id: number;
  at: Date;
  user_id: number | null;
  email: string | null;
  key_id: number | null;
  label: string | null;
  hint: string | null;
  door: string;
  method: string;
  subject: string;
  detail: Record<string, string>;
  ip: string;
};
