// The header fields by which services and bounced messages name a recipient: X-Postrider-ID, and for each connected service
// the field whose value it returns. Messages of accounts without a notice source or a bounce mailbox have none of them. The
// token is that of the return path, which the recipient of the message sees anyway.
import { type Queries, sql } from '../../db/connect.ts';

/** The field that services and servers return with the headers of a message. */
export const tokenField = 'X-Postrider-ID';

/** THE list of services whose notices are understood, with the field that each returns; '' where the token field or the Message-ID does it. */
export const serviceFields = {
  ses: (token) => `X-SES-MESSAGE-TAGS: postrider=${token}\r\n`,
  sendgrid: (token) => `X-SMTPAPI: {"unique_args":{"postrider":"${token}"}}\r\n`,
  postmark: (token) => `X-PM-Metadata-postrider: ${token}\r\n`,
  mailgun: (token) => `X-Mailgun-Variables: {"postrider":"${token}"}\r\n`,
  brevo: (token) => `X-Mailin-custom: ${token}\r\n`,
  mailjet: (token) => `X-MJ-CustomID: ${token}\r\n`,
  resend: () => '',
  sparkpost: (token) => `X-MSYS-API: {"metadata":{"postrider":"${token}"}}\r\n`,
  generic: () => '',
} satisfies Record<string, NoticeFields>;

export type ServiceName = keyof typeof serviceFields;
export const serviceNames = Object.keys(serviceFields) as ServiceName[];

/** The complete lines for a token; '' where the account has no source. */
export type NoticeFields = (token: string) => string;

export async function noticeFieldsOf(db: Queries, accountId: number): Promise<NoticeFields> {
  const rows = await db.rows<{ service: ServiceName | null }>(sql`
    select service from notice_source where account_id = ${accountId}
    union
    select null from bounce_mailbox where account_id = ${accountId}
    order by service`);
  if (rows.length === 0) return () => '';
  const fields = rows.flatMap(({ service }) => (service === null ? [] : [serviceFields[service]]));
  return (token) => `${tokenField}: ${token}\r\n${fields.map((field) => field(token)).join('')}`;
}
