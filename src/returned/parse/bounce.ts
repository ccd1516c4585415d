// Classifies an incoming message: a bounce, a complaint, an automatic reply, or none of these.
// Never throws, whatever the input, and returns only addresses that the notice itself names, '' where it names none.
// Does not verify the author: anyone can write a notice, so callers act on it only when one of `returnPaths`
// carries a valid token of ours. Notices without a machine-readable part are read by text.ts.

import { cut } from '../../db/jsonb.ts';
import {
  allParts,
  attachedMessage,
  field,
  fieldsOf,
  type Part,
  readFields,
  readMail,
  textOf,
} from '../../delivery/message/mime-tree.ts';
import { type BouncedRecipient, bounceClass, exactStatus, stageIn, statusIn } from './class.ts';
import { readSesMail } from './ses.ts';
import { readNotice, wordsByAddress } from './text.ts';

/** What is known of the mail that an incoming one is about. */
interface About {
  /** Its Message-ID in angle brackets, or null. */
  originalMessageId: string | null;
  /** Addresses among which the one that bounces of that mail go to can be. */
  returnPaths: string[];
}

export type Incoming =
  /** `isFromProvider`: reported by a relay's own service, to a mailbox that is no return path. */
  | ({ kind: 'dsn'; recipients: BouncedRecipient[]; isFromProvider?: true } & About)
  | ({ kind: 'arf'; feedbackType: string; recipients: string[] } & About)
  | { kind: 'auto-reply' }
  | { kind: 'none' };

const maxRecipients = 100;

/** Reads the raw bytes of a message, with any line ends. */
export function readIncoming(raw: Uint8Array): Incoming {
  const mail = readMail(raw);
  const parts = allParts(mail);
  const complaint = complaintIn(mail, parts);
  if (complaint) return complaint;
  const statuses = parts.filter((part) => /^message\/(global-)?delivery-status$/.test(part.type));
  const recipients = statuses.flatMap(readStatus).slice(0, maxRecipients);
  if (recipients.length > 0) {
    const words = wordsByAddress(parts);
    return {
      kind: 'dsn',
      recipients: recipients.map((recipient) => judged(completed(recipient, mail), words)),
      ...about(mail, parts),
    };
  }
  // A postmaster forwards a complaint as an attachment.
  const wrapped = attachedMails(mail).map((inner) => complaintIn(inner, allParts(inner)));
  const forwarded = wrapped.find((found) => found !== undefined);
  if (forwarded) return forwarded;
  const notified = readProviderReport(parts);
  if (notified) return notified;
  const junked = readJunkReport(mail, parts);
  if (junked) return junked;
  const noticed = automaticSubject.test(field(mail, 'subject')) ? [] : readNotice(mail, parts);
  if (noticed.length > 0) return { kind: 'dsn', recipients: noticed.slice(0, maxRecipients), ...about(mail, parts) };
  return { kind: isAutomaticReply(mail) ? 'auto-reply' : 'none' };
}

function complaintIn(mail: Part, parts: Part[]): Incoming | undefined {
  const report = parts.find((part) => part.type === 'message/feedback-report');
  return report && readComplaint(mail, parts, report);
}

/** RFC 5965: a report in fields and the mail that it is about. */
function readComplaint(mail: Part, parts: Part[], report: Part): Incoming {
  const fields = readFields(textOf(report));
  const values = (name: string) =>
    fields.filter((field) => field.name === name).flatMap((field) => addressesIn(field.value));
  const found = about(mail, parts);
  return {
    kind: 'arf',
    feedbackType:
      fields
        .find((field) => field.name === 'feedback-type')
        ?.value.trim()
        .toLowerCase() ?? '',
    // RFC 5965 3.2 Original-Rcpt-To; the others are older names for the same.
    recipients: ['original-rcpt-to', 'removal-recipient', 'original-recipient', 'final-recipient'].flatMap(values),
    originalMessageId: found.originalMessageId,
    returnPaths: [...new Set([...values('original-mail-from'), ...found.returnPaths])],
  };
}

/** Amazon SES: JSON in the text. */
function readProviderReport(parts: Part[]): Incoming | null {
  const text = parts.find((part) => part.parts.length === 0 && part.type === 'text/plain');
  const report = text ? readSesMail(textOf(text)) : null;
  if (!report) return null;
  const about = { originalMessageId: report.messageId || null, returnPaths: [report.source] };
  if (report.kind === 'bounce') return { kind: 'dsn', isFromProvider: true, recipients: report.recipients, ...about };
  const feedbackType = report.kind === 'complaint' ? report.feedbackType : 'opt-out';
  return { kind: 'arf', feedbackType, recipients: report.recipients, ...about };
}

/** Outlook.com's complaints: the message itself, attached, with an extra field that names its recipient. */
function readJunkReport(mail: Part, parts: Part[]): Incoming | null {
  const recipients = returnedMails(parts).flatMap((returned) => fieldsOf(returned, 'x-hmxmroriginalrecipient'));
  if (recipients.length === 0) return null;
  return { kind: 'arf', feedbackType: 'abuse', recipients: recipients.flatMap(addressesIn), ...about(mail, parts) };
}

type StatedRecipient = Omit<BouncedRecipient, 'class'>;

/** RFC 3464 2.1: a group of fields for the message, then one for each recipient. Empty lines are not relied upon. */
function readStatus(part: Part): StatedRecipient[] {
  const groups: Map<string, string>[] = [];
  for (const block of textOf(part).split(/\n[ \t]*\n/)) {
    let group = new Map<string, string>();
    for (const { name, value } of readFields(block)) {
      // A recipient's fields form a new block, or follow those of the message.
      const begins = name === 'final-recipient' || name === 'original-recipient';
      if (group.has(name) || (begins && group.size > 0 && !isRecipient(group))) {
        groups.push(group);
        group = new Map();
      }
      group.set(name, value);
    }
    groups.push(group);
  }
  return groups.filter(isRecipient).map((group) => {
    const diagnostic = cut(typedValue(group.get('diagnostic-code') ?? ''), 500);
    const action = /^\s*(failed|delayed|delivered|relayed|expanded)/i
      .exec(group.get('action') ?? '')?.[1]
      ?.toLowerCase();
    const status = /([245])\.\d{1,3}\.\d{1,3}/.exec(group.get('status') ?? '')?.[0] ?? '';
    return {
      finalRecipient: recipientAddress(group.get('final-recipient') ?? group.get('x-actual-recipient') ?? ''),
      originalRecipient: recipientAddress(group.get('original-recipient') ?? ''),
      action: (action as BouncedRecipient['action'] | undefined) ?? actionOf(status || statusIn(diagnostic)),
      status,
      diagnostic,
    };
  });
}

function isRecipient(group: Map<string, string>): boolean {
  return ['final-recipient', 'original-recipient', 'action', 'status', 'diagnostic-code'].some((name) =>
    group.has(name),
  );
}

function actionOf(status: string): BouncedRecipient['action'] {
  return status.startsWith('2') ? 'delivered' : 'failed';
}

/** With the class. What the status part leaves open, the text for people may say: the reply, or the command refused. */
function judged(recipient: StatedRecipient, wordsOf: Map<string, string>): BouncedRecipient {
  const { action } = recipient;
  const words = wordsOf.get(recipient.finalRecipient.toLowerCase()) ?? '';
  const silent = recipient.diagnostic === '' && /^([45]\.0\.0)?$/.test(recipient.status);
  const diagnostic = silent ? cut(words.replace(/\s+/g, ' ').trim(), 500) : recipient.diagnostic;
  const status = exactStatus(recipient.status, diagnostic);
  const stage = stageIn(`${diagnostic}\n${words}`);
  const found =
    action === 'failed' ? bounceClass(status, diagnostic, stage) : action === 'delayed' ? 'temporary' : null;
  return { ...recipient, status, diagnostic, class: found };
}

/** What a careless status part leaves out and the head of the notice has. */
function completed(recipient: StatedRecipient, mail: Part): StatedRecipient {
  if (recipient.finalRecipient !== '') return recipient;
  const failed = fieldsOf(mail, 'x-failed-recipients').flatMap(addressesIn);
  return { ...recipient, finalRecipient: recipient.originalRecipient || (failed.length === 1 ? failed[0]! : '') };
}

/** `rfc822; user@example.com`, with the encodings of RFC 3461 4 and RFC 6533 3 undone. */
function recipientAddress(value: string): string {
  const bare = typedValue(value)
    .replace(/\\x\{([0-9A-Fa-f]{1,6})\}/g, (all, hex: string) => {
      const code = Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : all;
    })
    .trim();
  // In xtext, which encodes + and = themselves; some servers hand it on undecoded.
  return (addressesIn(bare)[0] ?? '').replace(/\+(2B|3D)/g, (_, hex: string) => (hex === '2B' ? '+' : '='));
}

/** Without the type before the semicolon. */
function typedValue(value: string): string {
  return value.replace(/^\s*[A-Za-z0-9-]{1,20}\s*;\s*/, '').trim();
}

function about(mail: Part, parts: Part[]): About {
  const own = ['delivered-to', 'x-original-to', 'envelope-to', 'to'].flatMap((name) => fieldsOf(mail, name));
  const returned = returnedMails(parts);
  const paths = returned.flatMap((original) => fieldsOf(original, 'return-path'));
  return {
    originalMessageId:
      returned.map((original) => idIn(field(original, 'message-id'))).find((id) => id !== null) ??
      idIn(quotedMessageId(parts)) ??
      idIn(field(mail, 'in-reply-to')) ??
      idIn(field(mail, 'references')),
    returnPaths: [...new Set([...own, ...paths].flatMap(addressesIn))].slice(0, maxRecipients),
  };
}

/** The attached messages, or their headers. */
function returnedMails(parts: Part[]): Part[] {
  return parts.filter(isMessage).map(attachedMessage);
}

/** By its type, or as a file: some programs attach a message as one of no particular type. */
function isMessage(part: Part): boolean {
  if (/^message\/(rfc822|global)$|^(text|message)\/(rfc822|global)-headers$/.test(part.type)) return true;
  if (part.parts.length > 0 || /^(multipart|image|message)\//.test(part.type)) return false;
  const name = part.params.get('name') ?? field(part, 'content-disposition');
  if (/\.(eml|email|msg822)\b/i.test(name)) return true;
  return part.type === 'application/octet-stream' && looksLikeHead(textOf(part));
}

/** Fields that every message has, in the lines before the first empty one. */
function looksLikeHead(text: string): boolean {
  const head = text
    .slice(0, 64 * 1024)
    .trimStart()
    .split(/\n[ \t]*\n/, 1)[0]!;
  return (
    /^[!-9;-~]+[ \t]*:/.test(head) && /^from[ \t]*:/im.test(head) && /^(message-id|date|received)[ \t]*:/im.test(head)
  );
}

const maxAttachedDepth = 4;
const maxAttached = 50;

/** The messages attached to one, and to those. */
export function attachedMails(mail: Part): Part[] {
  const found: Part[] = [];
  let level = [mail];
  for (let depth = 0; depth < maxAttachedDepth && found.length < maxAttached; depth++) {
    level = level.flatMap((one) => returnedMails(allParts(one))).slice(0, maxAttached - found.length);
    found.push(...level);
  }
  return found;
}

/** From the original's head, quoted in the text of a notice. */
function quotedMessageId(parts: Part[]): string {
  for (const part of parts) {
    if (part.parts.length > 0) continue;
    const id = /^[ \t>|]*(?:original-)?message-id:[ \t>|]*(?:\n[ \t>|]*)?(<[^<>\s]{1,500}>)/im.exec(textOf(part))?.[1];
    if (id) return id;
  }
  return '';
}

function idIn(text: string): string | null {
  return /<[^<>\s@]{1,250}@[^<>\s@]{1,250}>/.exec(text)?.[0] ?? null;
}

function addressesIn(text: string): string[] {
  return text.match(/[^\s<>()[\]:;,"'\\]{1,128}@[^\s<>()[\]:;,"'\\]{1,253}/g) ?? [];
}

/** RFC 3834 5, and what programs did before it. */
function isAutomaticReply(mail: Part): boolean {
  const submitted = field(mail, 'auto-submitted').toLowerCase();
  if (submitted !== '' && !submitted.startsWith('no')) return true;
  if (['x-autoreply', 'x-autorespond', 'x-auto-reply', 'x-autoreply-from'].some((name) => field(mail, name) !== '')) {
    return true;
  }
  if (/auto.?reply/i.test(field(mail, 'precedence') + field(mail, 'x-precedence'))) return true;
  return automaticSubject.test(field(mail, 'subject'));
}

const automaticSubject = new RegExp(
  [
    'out of (the )?office|automatic reply|auto(matic)?[- ]?(reply|response|responder)|vacation|away from|on (leave|holiday)',
    'abwesen|automatische antwort|nicht im b[üu]ro|im urlaub|absence|absent|r[ée]ponse automatique|hors du bureau|en cong[ée]',
    'respuesta autom[áa]tica|fuera de (la )?oficina|ausente|risposta automatica|fuori (sede|ufficio)|assente',
    'automatisch antwoord|afwezig|resposta autom[áa]tica|ausência|automatyczna odpowied|nieobecn|автоответ|отсутств',
    '自動(応答|返信)|不在|自动(回复|答复)|休假|부재중|자동 ?응답|automaattinen|autosvar|frånvaro|fravær',
  ].join('|'),
  'i',
);
