// Reading the built-in inbox: a page of messages, or one with its parts.
import PostalMime, { type Email } from 'postal-mime';
import type { Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { sql } from '../db/connect.ts';
import { formatDate } from '../method/date.ts';

type Selection = { id?: string | undefined; contains: string; start: number; limit: number };

/** Messages, newest first; with `id`, one with its source and parts. */
export async function listMessages({ tx, account }: Context, { id, contains, start, limit }: Selection) {
  if (id !== undefined && !/^\d{1,18}$/.test(id)) throw fault('INVALID_PARAMETER', 'inbox.not_an_id', { member: 'id' });
  const rows = await tx.rows<Row>(sql`
    select id, received_at, mail_from, rcpt_to, subject, from_header, to_header, size,
      ${id === undefined ? sql`null::bytea` : sql`source`} as source
    from inbox_message
    where account_id = ${account.id}
      and ${id === undefined ? sql`true` : sql`id = ${id}::bigint`}
      and ${
        contains === ''
          ? sql`true`
          : sql`strpos(lower(concat_ws(' ', subject, from_header, to_header, rcpt_to::text)), lower(${contains})) > 0`
      }
    order by id desc
    limit ${limit}
    offset ${start * limit}`);
  if (id !== undefined && rows.length === 0) throw fault('INVALID_PARAMETER', 'inbox.unknown', { member: 'id' });
  return Promise.all(rows.map(recordOf));
}

type Row = {
  id: number;
  received_at: Date;
  mail_from: string;
  rcpt_to: string[];
  subject: string;
  from_header: string;
  to_header: string;
  size: number;
  source: Buffer | null;
};

/** The HTML with the pictures of the message embedded as data URLs (RFC 2392), so that it can be shown alone. */
function withPictures({ html = '', attachments }: Email): string {
  const pictures = new Map<string, string>();
  for (const { contentId, mimeType, content } of attachments) {
    // A picture that could hold a script is left out.
    if (!contentId || !/^image\/(png|jpeg|gif|webp)$/.test(mimeType) || typeof content === 'string') continue;
    const id = contentId.replace(/^<|>$/g, '');
    pictures.set(id, `data:${mimeType};base64,${Buffer.from(content as ArrayBuffer).toString('base64')}`);
  }
  return html.replace(/\bcid:([^"'\s)>]+)/g, (whole, id: string) => pictures.get(id) ?? whole);
}

async function recordOf(row: Row) {
  const parsed = row.source ? await PostalMime.parse(row.source) : undefined;
  return {
    id: String(row.id),
    received: formatDate(row.received_at),
    mail_from: row.mail_from,
    rcpt_to: row.rcpt_to,
    subject: row.subject,
    from: row.from_header,
    to: row.to_header,
    size: row.size,
    source: row.source?.toString('utf8') ?? '',
    html: parsed ? withPictures(parsed) : '',
    text: parsed?.text ?? '',
  };
}
