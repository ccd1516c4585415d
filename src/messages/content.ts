// What a single message contained, as a person reads it: links lead to their targets, nothing is counted.
import PostalMime from 'postal-mime';
import type { Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { paths } from '../campaigns/markup/compiled.ts';
import { sql } from '../db/connect.ts';
import { parseMessageId } from './info.ts';

/** @throws Fault MESSAGE_UNKNOWN, also when the content was deleted */
export async function readContent(context: Context, id: string) {
  const { tx, account, app } = context;
  const keys = parseMessageId(id);
  const row =
    keys &&
    (await tx.row<{ content: Buffer }>(sql`
      select content
      from message
      where account_id = ${account.id}
        and campaign_id = ${keys.campaign}
        and no = ${keys.no}
        and content is not null
        -- The program's own may have a secret link.
        and via <> 'system'`));
  if (!row) throw fault('MESSAGE_UNKNOWN', 'message.content_gone', { member: 'id', id: id.slice(0, 40) });
  const mail = await PostalMime.parse(row.content);
  const html = await withTargets(context, keys.campaign, mail.html ?? '', app.baseUrl);
  return {
    headers: mail.headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    html,
    plain: mail.text ?? '',
    attachments: mail.attachments.map(({ filename, mimeType, content, contentId }) => ({
      name: filename ?? '',
      content_type: mimeType,
      size: typeof content === 'string' ? content.length : content.byteLength,
      cid: contentId?.replace(/^<|>$/g, '') ?? '',
    })),
  };
}

/** The HTML without the pixel, and with the targets of its links. */
async function withTargets({ tx, account }: Context, campaign: number, html: string, baseUrl: string): Promise<string> {
  const base = baseUrl.replace(/[^\w]/g, '\\$&');
  const shown = html.replace(new RegExp(`<img src="${base}${paths.open}[\\w-]{32}"[^>]*>`, 'g'), '');
  const click = new RegExp(`${base}${paths.click}[\\w-]{32}([0-9a-z]+)`, 'g');
  const numbers = [...shown.matchAll(click)].map((match) => Number.parseInt(match[1]!, 36));
  if (numbers.length === 0) return shown;
  const rows = await tx.rows<{ no: number; target: string }>(sql`
    select no, target
    from link
    where account_id = ${account.id}
      and campaign_id = ${campaign}
      and no = any (${numbers}::int[])`);
  const targetOf = new Map(rows.map(({ no, target }) => [no, target]));
  return shown.replace(click, (url, number: string) =>
    (targetOf.get(Number.parseInt(number, 36)) ?? url).replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  );
}
