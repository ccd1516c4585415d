// Takes a message that a program has composed itself (SMTP submission, messageSendRaw). Its body stays as it is, but for
// lines that are too long and letters beyond ASCII in the head, which are encoded. The head may
// not name another sender than the account may use, nor reveal who gets a blind copy. Opens and clicks are not counted.
import { randomBytes } from 'node:crypto';
import PostalMime, { addressParser } from 'postal-mime';
import type { PrepareContext } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { needAsciiAddress, needOwnSender } from '../campaigns/model/requirements.ts';
import { dateText } from '../delivery/message/header.ts';
import { needRecipient } from './compose.ts';
import { isControlHeader } from './control-headers.ts';
import { maxRecipients } from './params.ts';
import type { Composed, MessageRecipient } from './store.ts';
import { asciiFields, maxLine } from './submitted/ascii-head.ts';
import { withShortLines } from './submitted/short-lines.ts';

export type GivenRaw = { source: string | Uint8Array; recipients: string[]; tags: string[] };

/** Fields that are left out: they reveal blind copies, belong to the delivery, or are meant for this program. */
const dropped = /^(bcc|resent-bcc|return-path|sender|idempotency-key)$/i;

/** @throws Fault CONTENT_INVALID, ADDRESS_INVALID, NOT_ALLOWED, TOO_LARGE */
export async function composeRaw(context: PrepareContext, given: GivenRaw): Promise<Composed> {
  const { head, body: long } = split(asBytes(given.source));
  const { fields, body } = withShortLines({ fields: asciiFields(head), body: long });
  const mail = await PostalMime.parse(`${fields.map(({ text }) => `${text}\r\n`).join('')}\r\n`);
  const fromFields = fields.filter(({ name }) => name === 'from');
  const [{ address = '' } = {}, ...others] = addressParser((fromFields[0]?.text ?? '').replace(/^from[ \t]*:/i, ''));
  if (fromFields.length !== 1 || address === '' || others.length > 0)
    throw fault('CONTENT_INVALID', 'message.raw_from', { member: 'source' });
  const { account } = context;
  const from = { name: mail.from?.name ?? '', email: needAsciiAddress(address, 'source') };
  if (from.email.toLowerCase() !== account.email.toLowerCase()) needOwnSender(context, from.email, 'source');
  const known = fields.filter(({ name }) => name === 'message-id');
  const isKept = known.length === 1 && /^<[!-;=?A-~]{1,200}@[!-;=?A-~]{1,200}>$/.test(mail.messageId ?? '');
  const host = from.email.slice(from.email.lastIndexOf('@') + 1);
  const messageId = isKept ? mail.messageId! : `<${randomBytes(16).toString('hex')}@${host}>`;
  const isDropped = (name: string) => dropped.test(name) || isControlHeader(name);
  const kept = fields.filter(({ name }) => !isDropped(name) && (isKept || name !== 'message-id'));
  const lines = [
    ...kept.map(({ text }) => text),
    ...(isKept ? [] : [`Message-ID: ${messageId}`]),
    ...(kept.some(({ name }) => name === 'mime-version') || !kept.some(({ name }) => name.startsWith('content-'))
      ? []
      : ['MIME-Version: 1.0']),
    ...(kept.some(({ name }) => name === 'date') ? [] : [`Date: ${dateText(new Date())}`]),
  ];
  return {
    via: 'smtp',
    recipients: recipientsOf(given.recipients),
    from,
    subject: mail.subject ?? '',
    messageId,
    tags: given.tags,
    templateId: null,
    content: Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1'),
    clickAt: [],
    openAt: [],
    links: [],
  };
}

function asBytes(source: string | Uint8Array): Buffer {
  return typeof source === 'string'
    ? Buffer.from(source)
    : Buffer.from(source.buffer, source.byteOffset, source.byteLength);
}

/** With CRLF line ends only, so that no server reads a line end where another does not (SMTP smuggling). */
function split(source: Buffer): { head: string; body: string } {
  const text = source.toString('latin1').replace(/\r\n|\r|\n/g, '\r\n');
  const end = text.indexOf('\r\n\r\n');
  const head = end < 0 ? text.replace(/(\r\n)+$/, '') : text.slice(0, end);
  let body = end < 0 ? '' : text.slice(end + 4);
  if (!body.endsWith('\r\n')) body += '\r\n';
  if (body.includes('\0')) throw fault('CONTENT_INVALID', 'message.raw_lines', { member: 'source', count: maxLine });
  return { head, body };
}

/** Each address once. */
function recipientsOf(all: readonly string[]): MessageRecipient[] {
  const found = new Map<string, MessageRecipient>();
  for (const [i, text] of all.entries()) {
    const recipient = needRecipient(text, 'to', `recipients.${i}`);
    if (!found.has(recipient.key)) found.set(recipient.key, recipient);
  }
  if (found.size === 0) throw fault('ADDRESS_INVALID', 'message.no_recipient', { member: 'recipients' });
  if (found.size > maxRecipients)
    throw fault('TOO_LARGE', 'message.too_many_recipients', { member: 'recipients', count: maxRecipients });
  return [...found.values()];
}
