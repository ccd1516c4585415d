// The emails of the program: confirmation, welcome and goodbye of a list, notices, invitations, links to set a password, tests
// of a campaign. Written by a job and sent from the ledger like single messages, so that a crash loses none and repeats none
// unmarked. A job that runs twice writes one message. The content may have a secret link: it is sealed, shown to no one, and
// deleted as soon as the recipient has a final state.
import { createHmac, randomBytes } from 'node:crypto';
import { seal } from '../accounts/installation/seal.ts';
import { type Address, parseAddress } from '../audience/address.ts';
import type { Context } from '../base/context.ts';
import type { Compiled } from '../campaigns/markup/compiled.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { feedbackId, address as headerAddress } from '../delivery/message/header.ts';
import { type Head, prepare } from '../delivery/message/render.ts';
import { sealedAs } from '../delivery/message/single-content.ts';
import { type Mailbox, singleHead } from '../delivery/message/single-head.ts';
import { keepSentPictures } from './sent-pictures.ts';
import { insertMessages, type Purpose } from './store.ts';

export type ProgramMessage = {
  purpose: Exclude<Purpose, 'message'>;
  /** Names the job, and within it the message; without one, each call queues a message. */
  job: string | undefined;
  from: Mailbox;
  to: string;
  /** From then on it is not sent: its link has expired. */
  lateAt?: Date;
  /** Of a list or about it: it has the owner of lists, and the built-in inbox shows it to everyone in the account. */
  ofList?: boolean;
  /** The membership that a list's message is about. */
  member?: { contact: number; list: number };
};

export type Texts = {
  subject: string;
  /** The subject in the log, without what only the recipient may know; the subject by default. */
  loggedSubject?: string;
  text: string;
  html?: string;
  replyTo?: string;
  headers?: Record<string, string>;
};

/** Queues a message. @param write not called when an earlier run of the job has queued it: its link is not replaced */
export async function queueMessage(
  context: Context,
  message: ProgramMessage,
  write: () => Promise<Texts> | Texts,
): Promise<void> {
  if (await isQueued(context, message)) return;
  const recipient = recipientOf(context, message);
  if (!recipient) return;
  const texts = await write();
  const messageId = messageIdOfJob(context, message);
  const mail = prepare(compiledOf(texts), { head: headOf(context, message, texts, recipient) }).render({
    email: recipient.email,
    emailType: 'html',
    values: {},
    list: 0,
    tokens: { click: '', open: '', unsubscribe: '', profile: '', view: '' },
    messageId,
    at: context.now,
    utf8: recipient.needsSmtpUtf8,
  });
  if ('refused' in mail) throw new Error(`a message (${message.purpose}) cannot be rendered: ${mail.refused}`);
  await insert(context, message, recipient, {
    whole: mail.whole,
    messageId,
    subject: texts.loggedSubject ?? texts.subject,
  });
}

/** About those who work with the account: they are sent from a test account too. */
const toPeople: ReadonlySet<Purpose> = new Set(['reset', 'invite']);

type Whole = { whole: Buffer; messageId: string; subject: string };

/** Queues a message that is complete but for its signature. */
export async function queueWhole(context: Context, message: ProgramMessage, whole: Whole): Promise<void> {
  if (await isQueued(context, message)) return;
  const recipient = recipientOf(context, message);
  if (recipient) await insert(context, message, recipient, whole);
}

/**
 * The same for every run of a job, so that a mailbox recognises the second message when a fail-over has lost the row of the
 * first one. Must be unguessable because it is not signed.
 */
function messageIdOfJob({ app, account }: Context, { job, from, to }: ProgramMessage): string {
  if (job === undefined) return messageIdFrom(from.email);
  const name = createHmac('sha256', app.secret).update(`message ${account.id} ${job} ${to}`).digest('hex').slice(0, 32);
  return messageIdFrom(from.email, name);
}

export const messageIdFrom = (fromEmail: string, name = randomBytes(16).toString('hex')): string =>
  `<${name}@${fromEmail.slice(fromEmail.lastIndexOf('@') + 1)}>`;

/** A job runs on one worker at a time; if two believe that they own it, the unique index lets one commit. */
async function isQueued({ tx, account }: Context, { job }: ProgramMessage): Promise<boolean> {
  if (job === undefined) return false;
  const row = await tx.row(sql`select from message where account_id = ${account.id} and job = ${job}`);
  return row !== undefined;
}

async function insert(context: Context, message: ProgramMessage, to: Recipient, whole: Whole): Promise<void> {
  const { app, account } = context;
  const { purpose, job, lateAt, member, ofList = member !== undefined, from } = message;
  await keepSentPictures(context.tx, account.id, [whole.whole]);
  await insertMessages(context, [
    {
      via: 'system',
      purpose,
      job,
      lateAt,
      member,
      ofList,
      test: account.isTest && !toPeople.has(purpose),
      recipients: [{ kind: 'to', email: to.email, key: to.key, domain: to.domain }],
      from,
      subject: whole.subject,
      messageId: whole.messageId,
      tags: [],
      templateId: null,
      content: seal(app, sealedAs(account.id), whole.whole.toString('latin1')),
      clickAt: [],
      openAt: [],
      links: [],
    },
  ]);
}

type Recipient = Address & { written: string };

function recipientOf({ log }: Context, { to, purpose }: ProgramMessage): Recipient | undefined {
  const address = parseAddress(to);
  const written = address.ok ? headerAddress(address.email, address.needsSmtpUtf8) : null;
  if (address.ok && written !== null) return { ...address, written };
  log.warn({ purpose }, 'an email of the program has no valid recipient and is not sent');
  return undefined;
}

function headOf(
  { account }: Context,
  { purpose, from, member, ofList = member !== undefined }: ProgramMessage,
  { subject, replyTo, headers }: Texts,
  to: Recipient,
): Head {
  return singleHead({
    from,
    to: [{ name: '', email: to.written }],
    cc: [],
    replyTo: replyTo ? [{ name: '', email: replyTo }] : [],
    subject,
    fields: { 'Auto-Submitted': 'auto-generated', ...headers },
    feedbackId: feedbackId({
      campaign: '0',
      account: formatId(account.id),
      kind: purpose,
      fromEmail: from.email,
      // A link to set a password must not show in the inbox of the account, where a viewer could open it.
      namesAccount: ofList,
    }),
  });
}

function compiledOf({ text, html }: Texts): Compiled {
  return {
    version: 1,
    html: html === undefined ? null : [html],
    plain: [text],
    subject: [],
    fromName: [],
    toName: [],
    fromEmail: '',
    replyTo: '',
    links: [],
    lists: [],
    language: 'en',
    timeZone: 'UTC',
    baseUrl: '',
    archiveUrl: '',
    campaign: '',
    account: '',
    unsubscribeMailbox: '',
    listIdHost: '',
    unknownTags: [],
    badConditions: [],
  };
}
