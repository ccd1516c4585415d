// Reads bounces and complaints that Amazon SES reports through a topic of Amazon SNS to a mailbox (protocols Email and
// Email-JSON): SES replaces Message-IDs, so the notices that it returns itself cannot be matched. Returns null for any other
// text, and never throws. Does not verify the author, as bounce.ts does not.
import { cut } from '../../db/jsonb.ts';
import type { BounceClass } from '../verdict/rules.ts';
import { type BouncedRecipient, bounceClass, exactStatus, stageIn } from './class.ts';

type About = { originalMessageId: string | null; returnPaths: string[] };
export type SesNotification = About &
  (
    | { kind: 'bounce'; recipients: BouncedRecipient[] }
    | { kind: 'complaint'; feedbackType: string; recipients: string[] }
  );

const maxRecipients = 100;

/** @param text of the first readable part */
export function readSesNotification(text: string): SesNotification | null {
  const outer = jsonIn(text);
  const notification = typeof outer?.['Message'] === 'string' ? jsonIn(outer['Message']) : outer;
  const mail = objectOf(notification?.['mail']);
  const source = textOf(mail?.['source']);
  if (!notification || !mail || !source.includes('@')) return null;
  const about = { originalMessageId: messageIdOf(mail), returnPaths: [source] };
  const bounce = objectOf(notification['bounce']);
  const complaint = objectOf(notification['complaint']);
  const kind = notification['notificationType'] ?? notification['eventType'];
  if (kind === 'Bounce' && bounce) return { kind: 'bounce', recipients: bouncedIn(bounce), ...about };
  if (kind !== 'Complaint' || !complaint) return null;
  const recipients = objectsOf(complaint['complainedRecipients']).map((recipient) => textOf(recipient['emailAddress']));
  return {
    kind: 'complaint',
    feedbackType: textOf(complaint['complaintFeedbackType']).toLowerCase(),
    recipients,
    ...about,
  };
}

/** The link by which the owner of a topic confirms this mailbox, when that is what SNS asks for. */
export function confirmationLink(text: string): string | undefined {
  const link = textOf(jsonIn(text)?.['SubscribeURL']);
  return /^https:\/\/sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\/\?Action=ConfirmSubscription&[\w&=:.%-]+$/.test(link)
    ? link
    : undefined;
}

function bouncedIn(bounce: Json): BouncedRecipient[] {
  return objectsOf(bounce['bouncedRecipients'])
    .slice(0, maxRecipients)
    .map((recipient) => {
      const diagnostic = cut(
        textOf(recipient['diagnosticCode'])
          .replace(/^smtp;\s*/i, '')
          .replace(/\s+/g, ' '),
        500,
      );
      const stated = /^[245]\.\d{1,3}\.\d{1,3}$/.exec(textOf(recipient['status']))?.[0] ?? '';
      const status = exactStatus(stated, diagnostic);
      return {
        finalRecipient: textOf(recipient['emailAddress']),
        originalRecipient: '',
        action: 'failed',
        status,
        diagnostic,
        class: classOf(bounce, bounceClass(status, diagnostic, stageIn(diagnostic))),
      };
    });
}

/** The reply of the server is more exact than what SES makes of it; but a bounce that SES calls transient is never hard. */
function classOf(bounce: Json, byReply: BounceClass): BounceClass {
  const isPermanent = bounce['bounceType'] === 'Permanent';
  if (byReply === 'hard') return isPermanent ? 'hard' : 'temporary';
  if (byReply !== 'generic') return byReply;
  const subType = textOf(bounce['bounceSubType']);
  if (isPermanent) return subType === 'NoEmail' ? 'hard' : 'generic';
  if (subType === 'MailboxFull' || subType === 'MessageTooLarge') return 'soft';
  return subType === 'ContentRejected' || subType === 'AttachmentRejected' ? 'blocked' : 'temporary';
}

/** Ours: SES reports the headers as they were given to it. */
function messageIdOf(mail: Json): string | null {
  const given = objectsOf(mail['headers']).find(({ name }) => textOf(name).toLowerCase() === 'message-id');
  const id = textOf(given?.['value']) || textOf(objectOf(mail['commonHeaders'])?.['messageId']);
  return /<[^<>\s@]{1,250}@[^<>\s@]{1,250}>/.exec(id)?.[0] ?? null;
}

type Json = Record<string, unknown>;

/** The object that a text consists of, up to the footer of SNS. */
function jsonIn(text: string): Json | undefined {
  const start = text.trimStart();
  if (!start.startsWith('{')) return undefined;
  try {
    return objectOf(JSON.parse(start.split(/\n--\s*\n/, 1)[0]!));
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

const objectsOf = (value: unknown): Json[] =>
  Array.isArray(value) ? value.map(objectOf).filter((item) => item !== undefined) : [];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
