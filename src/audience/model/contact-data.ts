// The `data` of a contact event in SQL, for changes of many subscriptions in one statement. members/event.ts makes the same of
// one subscription.
import { type Sql, sql } from '../../db/connect.ts';
import type { EventSource } from '../../events/types.ts';

/** Refers to b (subscription) and c (contact). */
export const contactData = (source: EventSource): Sql => sql`
  jsonb_build_object(
    'contact', ${idText(sql`b.contact_id`)}, 'list', ${idText(sql`b.list_id`)}, 'email', c.email,
    'email_type', b.email_type, 'fields', jsonb_build_object('EMAIL', c.email) || b.fields,
    'subscribe_ip', b.signup_ip, 'subscribe_ts', ${dateText(sql`b.signup_at`)},
    'confirm_ip', b.confirm_ip, 'confirm_ts', ${dateText(sql`b.confirm_at`)},
    'optin_ip', b.optin_ip, 'optin_ts', ${dateText(sql`b.optin_at`)}, 'source', ${source}::text
  ) || case when b.status = 'unsubscribed' then jsonb_build_object('unsubscribe_ip', b.unsubscribe_ip,
    'unsubscribe_ts', ${dateText(sql`b.unsubscribe_at`)}, 'campaign', '', 'reason', b.unsubscribe_reason) else '{}' end`;

/** A public id, as src/db/ids.ts formats it. */
const idText = (id: Sql) => sql`substr('abcdf', ${id} / 268435456 + 1, 1) || lpad(to_hex(${id} % 268435456), 7, '0')`;
const dateText = (at: Sql) => sql`coalesce(to_char(${at} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'), '')`;
