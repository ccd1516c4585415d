// The header fields by which services and bounced messages name a recipient: X-Postrider-ID, and for each connected service
// the field whose value it returns. Messages of accounts without a notice source or a bounce mailbox have none of them. The
// token is that of the return path, which the recipient of the message sees anyway.
import { type Queries, sql } from '../../db/connect.ts';
import { tokenField } from './notice.ts';
import { type ServiceName, services } from './services/index.ts';

/** The complete lines for a token; '' where the account has no source. */
export type NoticeFields = (token: string) => string;

export async function noticeFieldsOf(db: Queries, accountId: number): Promise<NoticeFields> {
  const rows = await db.rows<{ service: ServiceName | null }>(sql`
    select service from notice_source where account_id = ${accountId}
    union
    select null from bounce_mailbox where account_id = ${accountId}
    order by service`);
  if (rows.length === 0) return () => '';
  const fields = rows.flatMap(({ service }) => (service === null ? [] : [services[service].field]));
  return (token) => `${tokenField}: ${token}\r\n${fields.map((field) => field(token)).join('')}`;
}
