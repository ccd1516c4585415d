// Amazon SES: notifications of an identity and events of a configuration set, which SNS delivers. SES replaces the
// Message-ID, so a notice is matched by our header where headers are included, else by the id in the reply to the dot.
// https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html
import type { App } from '../../../base/context.ts';
import type { BounceClass } from '../../verdict/rules.ts';
import {
  type Arrived,
  classOf,
  headerIn,
  itemsAt,
  jsonOf,
  noticeOf,
  notJson,
  type Reading,
  type Service,
  type ServiceNotice,
  textAt,
  tokenField,
} from '../notice.ts';
import { confirmSubscription, snsProblem } from '../sns.ts';

export const ses: Service = {
  signs: false,
  field: (token) => `X-SES-MESSAGE-TAGS: postrider=${token}\r\n`,
  read,
};

async function read(app: App, { body, topic }: Arrived): Promise<Reading> {
  const message = jsonOf(body);
  if (message === undefined) return notJson;
  const problem = await snsProblem(app, message);
  if (problem !== null) return { ok: false, why: problem };
  const named = textAt(message, 'TopicArn');
  if (topic !== '' && named !== topic) return { ok: false, why: 'it comes from another topic than the first message' };
  if (textAt(message, 'Type') === 'SubscriptionConfirmation') {
    const failed = await confirmSubscription(app, message);
    return failed === null ? { ok: true, notices: [], topic: named } : { ok: false, why: failed };
  }
  if (textAt(message, 'Type') !== 'Notification')
    return { ok: true, notices: [], problem: 'the subscription was ended' };
  // A text such as "Successfully validated SNS topic for Amazon SES event publishing."
  const event = jsonOf(Buffer.from(textAt(message, 'Message')));
  return { ok: true, notices: event === undefined ? [] : noticesOf(event), topic: named };
}

/** Notifications name their type in notificationType, events in eventType. */
function noticesOf(event: unknown): ServiceNotice[] {
  const type = textAt(event, 'notificationType') || textAt(event, 'eventType');
  const headers = itemsAt(event, 'mail', 'headers');
  const about = {
    token: headerIn(headers, tokenField) || textAt(event, 'mail', 'tags', 'postrider', 0),
    messageId: headerIn(headers, 'Message-ID'),
    serviceId: textAt(event, 'mail', 'messageId'),
  };
  if (type === 'Bounce') {
    return itemsAt(event, 'bounce', 'bouncedRecipients').map((recipient) => {
      const reply = textAt(recipient, 'diagnosticCode');
      return noticeOf({
        ...about,
        kind: 'bounce',
        email: textAt(recipient, 'emailAddress'),
        class: classOf(
          hintOf(textAt(event, 'bounce', 'bounceType'), textAt(event, 'bounce', 'bounceSubType')),
          reply,
          textAt(recipient, 'status'),
        ),
        reply: reply || `${textAt(event, 'bounce', 'bounceType')} ${textAt(event, 'bounce', 'bounceSubType')}`,
      });
    });
  }
  if (type === 'Complaint') {
    return itemsAt(event, 'complaint', 'complainedRecipients').map((recipient) =>
      noticeOf({
        ...about,
        kind: 'complaint',
        email: textAt(recipient, 'emailAddress'),
        class: textAt(event, 'complaint', 'complaintFeedbackType'),
      }),
    );
  }
  // Unsubscribed on the page of SES (list management).
  if (type === 'Subscription')
    return [noticeOf({ ...about, kind: 'unsubscribe', email: textAt(event, 'mail', 'destination', 0) })];
  return [];
}

function hintOf(type: string, subType: string): BounceClass {
  if (['MailboxFull', 'MessageTooLarge'].includes(subType)) return 'soft';
  if (['ContentRejected', 'AttachmentRejected'].includes(subType)) return 'blocked';
  if (type === 'Permanent') return 'hard';
  return type === 'Transient' ? 'temporary' : 'generic';
}
