// Makes the message of a call: recipients, head, body with the values of the call, attachments. Everything that can be wrong
// with a call is found here, before anything is stored. Returns the octets that are sent, with places for the tokens of each
// recipient. Uses the compiler and the renderer of campaigns; storing is store.ts.

import { randomBytes } from 'node:crypto';
import { addressProblem, parseAddress } from '../audience/address.ts';
import type { PrepareContext } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { mediaTypeOf } from '../base/media-types.ts';
import { line, preview } from '../campaigns/compile/fill.ts';
import { compileInThread, plainPartInThread } from '../campaigns/compile/in-thread.ts';
import { unrolled } from '../campaigns/compile/unrolled.ts';
import { clean } from '../campaigns/draft/read-content.ts';
import type { CampaignContent, Compiled, Piece } from '../campaigns/markup/compiled.ts';
import { mapPieces } from '../campaigns/markup/conditions.ts';
import { dataType } from '../campaigns/markup/data.ts';
import { needAsciiAddress, needOwnSender } from '../campaigns/model/requirements.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { feedbackId } from '../delivery/message/header.ts';
import type { Attachment, InlineImage } from '../delivery/message/mime.ts';
import { type Envelope, prepare } from '../delivery/message/render.ts';
import { type Mailbox, singleHead } from '../delivery/message/single-head.ts';
import { bytesOf } from '../method/bytes.ts';
import { isControlHeader } from './control-headers.ts';
import type { GivenMessage } from './params.ts';
import { maxAttachmentBytes, maxRecipients, settableHeaders } from './params.ts';
import { readSendAt } from './send-at.ts';
import type { Composed, Kind, MessageRecipient } from './store.ts';
import { needFewItems, valuesOf } from './values.ts';

/** Longer words cannot be folded into lines of 998 characters (RFC 5322 2.1.1). */
const maxHeaderWord = 900;
const tokenBytes = 24;

/** @throws Fault that names the member; `path` is the path of the message in the call, with a dot at the end */
export async function compose(context: PrepareContext, given: GivenMessage, path = ''): Promise<Composed> {
  const { app } = context;
  const recipients = recipientsOf(given, path);
  const files = attachmentsOf(given, path);
  const tracked = !(given.track_opens || given.track_clicks) || !(await includesUntracked(context, recipients));
  const sendAt = readSendAt(given.send_at, `${path}send_at`);
  const { compiled: general, fill, templateId } = await compileMessage(context, given, path, { tracked, at: sendAt });
  const compiled = unrolled(general, fill);
  const { from, replyTo } = sendersOf(context, given, line(compiled, compiled.fromName, fill), path);
  const subject = line(compiled, compiled.subject, fill);
  if (subject === '') throw fault('CONTENT_INVALID', 'message.no_subject', { member: `${path}subject` });
  const numbers = await numbersOf(app.db, compiled.links.length);
  const links = compiled.links.map(({ target }, i) => ({ no: numbers[i]!, target }));
  const host = from.email.slice(from.email.lastIndexOf('@') + 1);
  const messageId = `<${randomBytes(16).toString('hex')}@${host}>`;
  const head = singleHead({
    from,
    to: mailboxes(given.to),
    cc: mailboxes(given.cc),
    replyTo,
    subject,
    fields: headersOf(given, path),
    feedbackId: feedbackId({
      campaign: 'message',
      account: formatId(context.account.id),
      kind: 'message',
      fromEmail: from.email,
    }),
  });
  const numbered: Compiled = {
    ...compiled,
    html: withNumbers(compiled.html, numbers),
    plain: withNumbers(compiled.plain, numbers),
  };
  const marks = { click: randomMark(), open: randomMark() };
  const mail = prepare(numbered, { images: files.images, attachments: files.attachments, head }).render({
    ...fill.recipient,
    tokens: { ...marks, unsubscribe: '', profile: '', view: '' },
    messageId,
    at: fill.at,
  });
  if ('refused' in mail) throw new Error(`a message cannot be rendered: ${mail.refused}`);
  return {
    via: 'api',
    recipients,
    from,
    subject,
    messageId,
    tags: given.tags,
    templateId,
    content: mail.whole,
    clickAt: offsetsOf(mail.whole, marks.click),
    openAt: offsetsOf(mail.whole, marks.open),
    links,
    sendAt,
  };
}

/** What messageRender shows: the texts as a recipient reads them. */
export async function renderTexts(context: PrepareContext, given: Pick<GivenMessage, ContentMember>) {
  const { compiled, fill } = await compileMessage(context, { ...given, to: ['recipient@example.com'] }, '');
  const { subject, html, plain } = preview(compiled, fill.recipient, fill.at);
  return { subject, html: html ?? '', plain: plain ?? '', unknown_tags: compiled.unknownTags };
}

export type ContentMember =
  | 'subject'
  | 'html'
  | 'plain'
  | 'template'
  | 'template_id'
  | 'values'
  | 'from_name'
  | 'track_opens'
  | 'track_clicks';
type Content = Pick<GivenMessage, ContentMember | 'to'>;
type Filling = { recipient: Omit<Envelope, 'tokens' | 'messageId' | 'at' | 'utf8'>; at: Date };

async function compileMessage(
  context: PrepareContext,
  given: Content,
  path: string,
  { tracked = true, at = new Date() }: { tracked?: boolean; at?: Date | undefined } = {},
) {
  const { app, account } = context;
  const { values, data } = valuesOf(given.values, path);
  const { subject, html, plain, templateId } = await textsOf(context, given, path);
  const content: CampaignContent = {
    ...(html === '' ? {} : { html }),
    plain,
    subject,
    fromName: given.from_name || account.company || account.name,
    fromEmail: account.email,
    replyTo: account.email,
    toName: '',
    fields: [
      ...Object.keys(values).map((tag) => ({ tag, type: 'text', default: '' })),
      ...Object.keys(data).map((tag) => ({ tag, type: dataType, default: '' })),
    ],
    // Tags about a list show the account.
    lists: [
      {
        id: 0,
        publicId: '',
        name: account.company || account.name,
        company: account.company || account.name,
        address: account.postalAddress,
        url: account.website,
      },
    ],
    language: account.language,
    timeZone: account.timeZone,
    tracking: {
      opens: given.track_opens && tracked,
      htmlClicks: given.track_clicks && tracked,
      textClicks: false,
    },
    linkTexts: { unsubscribe: '', profile: '', view: '' },
    baseUrl: app.baseUrl,
    archiveUrl: '',
    campaign: '',
    account: formatId(account.id),
  };
  const compiled = await compileInThread(content);
  const email = parseMailboxText(given.to[0] ?? '').email;
  const fill: Filling = { recipient: { email, emailType: 'html', values, data, list: 0 }, at };
  needFewItems(compiled, fill, path);
  return {
    compiled: { ...compiled, html: withoutPersonal(compiled.html), plain: withoutPersonal(compiled.plain) },
    fill,
    templateId,
  };
}

/** Whether a recipient is a contact that does not want its opens and clicks recorded: all get the same message. */
async function includesUntracked({ app, account }: PrepareContext, recipients: MessageRecipient[]): Promise<boolean> {
  const found = await app.db.row(sql`
    select
    from contact
    where account_id = ${account.id}
      and email_key = any (${recipients.map(({ key }) => key)}::text[])
      and untracked
    limit 1`);
  return found !== undefined;
}

/** The subject, the HTML, and the plain text; made from the HTML where the call has none. */
async function textsOf({ app, account }: PrepareContext, given: Content, path: string) {
  const named = (['template', 'template_id', 'html'] as const).filter((name) => given[name] !== '');
  if (named.length > 1) throw fault('CONTENT_INVALID', 'message.two_contents', { member: `${path}${named.at(-1)}` });
  const alias = given.template.trim().toLowerCase();
  const template =
    given.template_id === '' && given.template === ''
      ? undefined
      : await app.db.row<{ id: number; source: string; subject: string }>(sql`
          select id, source, subject
          from template
          where account_id = ${account.id}
            and ${given.template_id === '' ? sql`alias = ${alias}` : sql`id = ${parseId(given.template_id)}`}`);
  if (given.template !== '' && !template)
    throw fault('TEMPLATE_UNKNOWN', 'message.template_unknown', { member: `${path}template`, alias });
  if (given.template_id !== '' && !template)
    throw fault('TEMPLATE_UNKNOWN', 'content.template_unknown', {
      member: `${path}template_id`,
      id: given.template_id.slice(0, 40),
    });
  const html = clean(template?.source ?? given.html, `${path}html`);
  const plain = clean(given.plain, `${path}plain`);
  if (html.trim() === '' && plain.trim() === '')
    throw fault('CONTENT_INVALID', 'message.no_content', { member: `${path}html` });
  return {
    subject: given.subject.trim() === '' ? (template?.subject ?? '') : given.subject,
    html: html.trim() === '' ? '' : html,
    plain: plain.trim() === '' ? await plainPartInThread(html) : plain,
    templateId: template?.id ?? null,
  };
}

/** There is nothing to unsubscribe from, and no page in the archive. */
function withoutPersonal(pieces: Piece[] | null): Piece[] | null {
  return (
    pieces && mapPieces(pieces, (piece) => (typeof piece !== 'string' && piece.slot === 'personal' ? null : piece))
  );
}

/** The links under numbers that are unique among the messages of a day. */
function withNumbers(pieces: Piece[] | null, numbers: readonly number[]): Piece[] | null {
  return (
    pieces &&
    mapPieces(pieces, (piece) =>
      typeof piece !== 'string' && piece.slot === 'link' ? { ...piece, link: numbers[piece.link]! } : piece,
    )
  );
}

async function numbersOf(db: PrepareContext['app']['db'], count: number): Promise<number[]> {
  if (count === 0) return [];
  const rows = await db.rows<{ no: number }>(
    sql`select nextval('message_seq')::int as no from generate_series(1, ${count}::int)`,
  );
  return rows.map(({ no }) => no);
}

const randomMark = () => randomBytes(tokenBytes).toString('base64url');

function offsetsOf(content: Buffer, mark: string): number[] {
  const offsets: number[] = [];
  for (let at = content.indexOf(mark); at >= 0; at = content.indexOf(mark, at + mark.length)) offsets.push(at);
  return offsets;
}

/** Each address once, in the role it is named in first. */
function recipientsOf(given: GivenMessage, path: string): MessageRecipient[] {
  const found = new Map<string, MessageRecipient>();
  for (const kind of ['to', 'cc', 'bcc'] as const)
    for (const [i, text] of given[kind].entries()) {
      const recipient = needRecipient(text, kind, `${path}${kind}.${i}`);
      if (!found.has(recipient.key)) found.set(recipient.key, recipient);
    }
  if (given.to.length === 0) throw fault('ADDRESS_INVALID', 'message.no_recipient', { member: `${path}to` });
  if (found.size > maxRecipients)
    throw fault('TOO_LARGE', 'message.too_many_recipients', { member: `${path}to`, count: maxRecipients });
  return [...found.values()];
}

/** @throws Fault ADDRESS_INVALID */
export function needRecipient(text: string, kind: Kind, member: string): MessageRecipient {
  const address = parseAddress(parseMailboxText(text).email);
  if (!address.ok)
    throw fault('ADDRESS_INVALID', 'address.invalid', {
      member,
      value: text.slice(0, 80),
      problem: addressProblem(address.reason),
    });
  if (address.needsSmtpUtf8)
    throw fault('ADDRESS_INVALID', 'message.address_not_ascii', { member, email: address.email.slice(0, 80) });
  const { email, key, domain } = address;
  return { kind, email, key, domain };
}

/** `Name <address>`, `"Name" <address>` or an address. */
function parseMailboxText(text: string): Mailbox {
  const [, name = '', email] = /^\s*("(?:[^"\\]|\\.)*"|[^<>"]*?)\s*<([^<>]*)>\s*$/.exec(text) ?? [];
  if (email === undefined) return { name: '', email: text.trim() };
  return { name: name.startsWith('"') ? name.slice(1, -1).replace(/\\(.)/g, '$1') : name, email };
}

/** Checked before; with the address in its usual form. */
function mailboxes(texts: readonly string[]): Mailbox[] {
  return texts.map((text) => {
    const { name, email } = parseMailboxText(text);
    const address = parseAddress(email);
    return { name, email: address.ok ? address.email : email };
  });
}

function sendersOf(context: PrepareContext, given: GivenMessage, fromName: string, path: string) {
  const { account } = context;
  if (given.from_email !== account.email) needOwnSender(context, given.from_email, `${path}from_email`);
  const from = {
    name: fromName,
    email: needAsciiAddress(given.from_email || account.email, `${path}from_email`),
  };
  const replyTo = given.reply_to.map((text, i) => {
    const { name, email } = parseMailboxText(text);
    return { name, email: needAsciiAddress(email, `${path}reply_to.${i}`) };
  });
  return { from, replyTo };
}

function headersOf(given: GivenMessage, path: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(given.headers)) {
    const member = `${path}headers.${name.slice(0, 80)}`;
    const allowed = settableHeaders.find((header) => header.toLowerCase() === name.toLowerCase());
    if (!allowed && !/^X-[A-Za-z0-9-]{1,60}$/i.test(name))
      throw fault('INVALID_PARAMETER', 'message.header_not_allowed', { member, choices: settableHeaders.join(', ') });
    if (isControlHeader(name)) throw fault('INVALID_PARAMETER', 'message.header_of_service', { member });
    const isLine = typeof value === 'string' && !/[\p{Cc}\u2028\u2029]/u.test(value);
    if (!isLine || value.length > 2_000 || value.split(' ').some((word) => word.length > maxHeaderWord))
      throw fault('INVALID_PARAMETER', 'message.header_value', { member });
    if (value.trim() !== '') fields[allowed ?? name] = value;
  }
  return fields;
}

/** Files with a cid are pictures that the HTML shows. */
function attachmentsOf(given: GivenMessage, path: string): { attachments: Attachment[]; images: InlineImage[] } {
  const attachments: Attachment[] = [];
  const images: InlineImage[] = [];
  let size = 0;
  for (const [i, file] of given.attachments.entries()) {
    const bytes = bytesOf(file.content, `${path}attachments.${i}.content`);
    size += bytes.length;
    const contentType = file.content_type || mediaTypeOf(file.name, bytes);
    if (file.cid === '') attachments.push({ name: file.name, contentType, bytes });
    else images.push({ cid: file.cid, contentType, bytes });
  }
  if (size > maxAttachmentBytes)
    throw fault('TOO_LARGE', 'message.attachments_too_large', {
      member: `${path}attachments`,
      size,
      count: maxAttachmentBytes,
    });
  return { attachments, images };
}
