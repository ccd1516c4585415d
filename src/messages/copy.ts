// Sends a message of the log again: a new message with a new id, Message-ID and date, marked as a copy of the first.
// Content, links and recipients are those of the original; who may be sent to is decided again.
import type { Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { monthOf } from '../campaigns/model/month.ts';
import { needOwnSender } from '../campaigns/model/requirements.ts';
import { sql } from '../db/connect.ts';
import { dateText } from '../delivery/message/header.ts';
import { needRecipient } from './compose.ts';
import { parseMessageId } from './info.ts';
import { messageIdFrom } from './program-message.ts';
import { type Composed, type Kind, type MessageRecipient, storeMessages } from './store.ts';
import { asciiFields } from './submitted/ascii-head.ts';

type Original = {
  via: Composed['via'];
  fromEmail: string;
  fromName: string;
  subject: string;
  tags: string[];
  templateId: number | null;
  content: Buffer | null;
  clickAt: number[];
  openAt: number[];
  test: boolean;
};

type Content = { content: Buffer; clickAt: number[] };

/** The places of tokens in a content. */
const tokenLength = 32;

/** @param emails those of its recipients to send it to; all of them when empty. @throws Fault MESSAGE_UNKNOWN, ADDRESS_INVALID */
export async function sendAgain(
  context: Context,
  { id, emails }: { id: string; emails: readonly string[] },
): Promise<{ id: string; message_id: string }> {
  const { tx, account } = context;
  const keys = parseMessageId(id);
  const original =
    keys &&
    (await tx.row<Original>(sql`
      select via, from_email as "fromEmail", from_name as "fromName", subject, tags, template_id as "templateId", content,
        click_at as "clickAt", open_at as "openAt", test
      from message
      where account_id = ${account.id}
        and campaign_id = ${keys.campaign}
        and no = ${keys.no}
        and purpose not in ('notice', 'reset', 'invite')`));
  if (!original) throw fault('MESSAGE_UNKNOWN', 'message.unknown', { member: 'id', id: id.slice(0, 40) });
  if (original.via === 'system') throw fault('MESSAGE_UNKNOWN', 'message.of_program', { member: 'id' });
  if (!original.content) throw fault('MESSAGE_UNKNOWN', 'message.content_gone', { member: 'id', id: id.slice(0, 40) });
  if (original.fromEmail.toLowerCase() !== account.email.toLowerCase())
    needOwnSender(context, original.fromEmail, 'id');
  const recipients = await recipientsOf(context, keys, emails);
  const links = await linksOf(context, keys.campaign, { content: original.content, clickAt: original.clickAt });
  const messageId = messageIdFrom(original.fromEmail);
  const { content, shift } = withNewHead(original.content, messageId, context.now);
  const copy: Composed = {
    ...original,
    copyOf: id,
    recipients,
    from: { name: original.fromName, email: original.fromEmail },
    messageId,
    content,
    clickAt: original.clickAt.map((at) => at + shift),
    openAt: original.openAt.map((at) => at + shift),
    links,
  };
  const [stored] = await storeMessages(context, [copy]);
  return { id: stored!, message_id: messageId };
}

async function recipientsOf(
  { tx, account }: Context,
  { campaign, no }: { campaign: number; no: number },
  emails: readonly string[],
): Promise<MessageRecipient[]> {
  const rows = await tx.rows<{ kind: Kind; email: string; key: string }>(sql`
    select r.kind, d.email, r.email_key as key
    from message_recipient r
    join delivery d
      on d.account_id = r.account_id
      and d.campaign_id = r.campaign_id
      and d.month = ${monthOf({ account: account.id, campaign })}
      and d.seq = r.seq
    where r.account_id = ${account.id}
      and r.campaign_id = ${campaign}
      and r.no = ${no}
    order by r.seq`);
  if (emails.length === 0) return rows.map(({ kind, email }) => needRecipient(email, kind, 'id'));
  const wanted = new Map(emails.map((email, i) => [needRecipient(email, 'to', `emails.${i}`).key, i]));
  for (const [key, i] of wanted)
    if (!rows.some((row) => row.key === key))
      throw fault('ADDRESS_INVALID', 'message.not_recipient', {
        member: `emails.${i}`,
        email: emails[i]!.slice(0, 80),
      });
  return rows.filter(({ key }) => wanted.has(key)).map(({ kind, email }) => needRecipient(email, kind, 'emails'));
}

/** The links of the content, under the numbers that follow the places of the click tokens. */
async function linksOf({ tx, account }: Context, campaign: number, { content, clickAt }: Content) {
  const numbers = clickAt.map((at) => {
    const text = content.toString('latin1', at + tokenLength, at + tokenLength + 20).replaceAll('=\r\n', '');
    return Number.parseInt(/^[0-9a-z]*/.exec(text)![0], 36);
  });
  if (numbers.length === 0) return [];
  return tx.rows<Composed['links'][number]>(sql`
    select no, target
    from link
    where account_id = ${account.id}
      and campaign_id = ${campaign}
      and no = any (${numbers}::int[])`);
}

/** With another Message-ID and date; `shift` is by how much the body has moved. */
function withNewHead(content: Buffer, messageId: string, now: Date): { content: Buffer; shift: number } {
  const end = content.indexOf('\r\n\r\n');
  const fields = asciiFields(content.toString('latin1', 0, end));
  const head = fields
    .map(({ name, text }) => {
      if (name === 'message-id') return `Message-ID: ${messageId}`;
      return name === 'date' ? `Date: ${dateText(now)}` : text;
    })
    .join('\r\n');
  return { content: Buffer.concat([Buffer.from(head, 'latin1'), content.subarray(end)]), shift: head.length - end };
}
