// Reads what Amazon SES reports about a message: notifications of an identity and events of a configuration set, as JSON.
// They arrive as mail from a topic of SNS (bounce.ts) and over HTTPS (notices/services/ses.ts). Both read and classify them
// here, so a report has the same effect either way. Never throws. Does not verify who sent a report: its callers do.
// https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html
import { cut } from '../../db/jsonb.ts';
import { tokenField } from '../../delivery/message/notice-fields.ts';
import type { BounceClass } from '../../relays/verdict/rules.ts';
import { type BouncedRecipient, exactStatus } from './class.ts';
import { classOf, headerIn, itemsAt, textAt, valueAt } from './notice.ts';

/** What a report names its message by; '' where it does not. */
type SesMessage = {
  /** The envelope sender. */
  source: string;
  /** X-Postrider-ID, where the report has headers or tags. */
  token: string;
  /** Our Message-ID in angle brackets: SES reports the headers as it received them. */
  messageId: string;
  /** The id in the reply to the final dot. */
  serviceId: string;
};

export type SesReport = SesMessage &
  (
    | { kind: 'bounce'; recipients: BouncedRecipient[] }
    | { kind: 'complaint'; feedbackType: string; recipients: string[] }
    /** On the page of SES (list management). */
    | { kind: 'unsubscribe'; recipients: string[] }
  );

const maxRecipients = 100;

/** @returns null for anything but a bounce, a complaint or an unsubscribe */
export function readSesReport(event: unknown): SesReport | null {
  // Notifications name their type in notificationType, events in eventType.
  const type = textAt(event, 'notificationType') || textAt(event, 'eventType');
  const message = messageIn(event);
  if (type === 'Bounce' && isObject(valueAt(event, 'bounce')))
    return { kind: 'bounce', recipients: bouncedIn(event), ...message };
  if (type === 'Complaint' && isObject(valueAt(event, 'complaint'))) {
    return {
      kind: 'complaint',
      feedbackType: textAt(event, 'complaint', 'complaintFeedbackType').toLowerCase(),
      recipients: recipientsAt(event, 'complaint', 'complainedRecipients').map(emailOf),
      ...message,
    };
  }
  if (type === 'Subscription')
    return { kind: 'unsubscribe', recipients: [textAt(event, 'mail', 'destination', 0)], ...message };
  return null;
}

/** The report in a message from SNS (protocols Email and Email-JSON). @param text of the first readable part */
export function readSesMail(text: string): SesReport | null {
  const outer = jsonIn(text);
  const inner = textAt(outer, 'Message');
  const report = readSesReport(inner === '' ? outer : jsonIn(inner));
  return report?.source.includes('@') ? report : null;
}

/** The link by which the owner of a topic confirms this mailbox, when that is what SNS asks for. */
export function confirmationLink(text: string): string | undefined {
  const link = textAt(jsonIn(text), 'SubscribeURL');
  return /^https:\/\/sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\/\?Action=ConfirmSubscription&[\w&=:.%-]+$/.test(link)
    ? link
    : undefined;
}

/**
 * The class of a bounce that SES reports, also through Resend, which sends with SES. The reply of the server decides first
 * (verdict/rules.ts): reputation, rate and a full mailbox never suppress, whatever SES calls the bounce. `categories` decides
 * when the reply does not, and limits it: a bounce that SES calls transient is never hard.
 */
export function sesClass(type: string, subType: string, reply: string, status = ''): BounceClass {
  const category = categories.find(
    (category) => (category.type ?? type) === type && (category.subType ?? subType) === subType,
  );
  return classOf(category?.means ?? 'generic', reply, status);
}

/**
 * The first entry that fits decides. Permanent alone is generic: SES calls a bounce Permanent General when the server refused
 * the message without a reason, which includes refusals of the sender. Only a statement that the address does not exist is
 * hard, because hard suppresses the address. NoEmail is that statement; Suppressed repeats an earlier one.
 */
const categories: { type?: 'Permanent' | 'Transient'; subType?: string; means: BounceClass }[] = [
  { subType: 'MailboxFull', means: 'soft' },
  { subType: 'MessageTooLarge', means: 'soft' },
  { subType: 'ContentRejected', means: 'blocked' },
  { subType: 'AttachmentRejected', means: 'blocked' },
  { type: 'Permanent', subType: 'NoEmail', means: 'hard' },
  { type: 'Permanent', subType: 'Suppressed', means: 'hard' },
  { type: 'Permanent', means: 'generic' },
  { type: 'Transient', means: 'temporary' },
];

/** The reply of the server in a diagnostic code such as `smtp; 550 5.1.1 user unknown`. */
export function replyIn(diagnosticCode: string): string {
  return cut(diagnosticCode.replace(/^\s*smtp;\s*/i, '').replace(/\s+/g, ' '), 500);
}

function bouncedIn(event: unknown): BouncedRecipient[] {
  const type = textAt(event, 'bounce', 'bounceType');
  const subType = textAt(event, 'bounce', 'bounceSubType');
  return recipientsAt(event, 'bounce', 'bouncedRecipients').map((recipient) => {
    const reply = replyIn(textAt(recipient, 'diagnosticCode'));
    const stated = /^[245]\.\d{1,3}\.\d{1,3}$/.exec(textAt(recipient, 'status'))?.[0] ?? '';
    const status = exactStatus(stated, reply);
    return {
      finalRecipient: emailOf(recipient),
      originalRecipient: '',
      action: 'failed',
      status,
      diagnostic: reply || `${status} ${type} ${subType}`.trim(),
      class: sesClass(type, subType, reply, status),
    };
  });
}

function messageIn(event: unknown): SesMessage {
  const headers = itemsAt(event, 'mail', 'headers');
  const id = headerIn(headers, 'Message-ID') || textAt(event, 'mail', 'commonHeaders', 'messageId');
  return {
    source: textAt(event, 'mail', 'source'),
    token: headerIn(headers, tokenField) || textAt(event, 'mail', 'tags', 'postrider', 0),
    messageId: /<[^<>\s@]{1,250}@[^<>\s@]{1,250}>/.exec(id)?.[0] ?? '',
    serviceId: textAt(event, 'mail', 'messageId'),
  };
}

const recipientsAt = (event: unknown, ...path: string[]): unknown[] =>
  itemsAt(event, ...path)
    .filter(isObject)
    .slice(0, maxRecipients);

const emailOf = (recipient: unknown): string => textAt(recipient, 'emailAddress');

/** The object that a text consists of, up to the footer of SNS. */
function jsonIn(text: string): unknown {
  const start = text.trimStart();
  if (!start.startsWith('{')) return undefined;
  try {
    return JSON.parse(start.split(/\n--\s*\n/, 1)[0]!);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
