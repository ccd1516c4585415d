// Twilio SendGrid: the signed event webhook. An event repeats the Message-ID as smtp-id, and the values of X-SMTPAPI.
// https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event
import { classOf, eventsOf, noticeOf, type Service, type ServiceNotice, textAt } from '../../parse/notice.ts';
import { sendGridProblem } from '../signatures.ts';

export const sendgrid: Service = {
  signs: true,
  read(_app, { headers, body, key }) {
    const problem = sendGridProblem({
      timestamp: textAt(headers, 'x-twilio-email-event-webhook-timestamp'),
      signature: textAt(headers, 'x-twilio-email-event-webhook-signature'),
      body,
      key,
    });
    if (problem !== null) return { ok: false, why: problem };
    const events = eventsOf(body);
    return events.ok ? { ok: true, notices: events.value.flatMap(noticesOf) } : events;
  },
};

function noticesOf(event: unknown): ServiceNotice[] {
  const reason = textAt(event, 'reason');
  const about = {
    email: textAt(event, 'email'),
    token: textAt(event, 'postrider'),
    messageId: textAt(event, 'smtp-id'),
    // It starts with the id in SendGrid's reply to the message; the server and the recipient follow.
    serviceId: textAt(event, 'sg_message_id').split('.')[0]!,
  };
  switch (textAt(event, 'event')) {
    case 'bounce': {
      const invalid = textAt(event, 'bounce_classification') === 'Invalid Address';
      const hint = textAt(event, 'type') === 'blocked' ? 'blocked' : invalid ? 'hard' : 'generic';
      return [
        noticeOf({ ...about, kind: 'bounce', class: classOf(hint, reason, textAt(event, 'status')), reply: reason }),
      ];
    }
    case 'dropped':
      return dropped(about, reason);
    case 'spamreport':
      return [noticeOf({ ...about, kind: 'complaint', class: 'abuse' })];
    case 'unsubscribe':
    case 'group_unsubscribe':
      return [noticeOf({ ...about, kind: 'unsubscribe' })];
    default:
      // A deferred message is attempted again.
      return [];
  }
}

/** SendGrid did not attempt delivery, because of an earlier bounce, complaint or unsubscribe, or an invalid address. */
function dropped(
  about: Parameters<typeof noticeOf>[0] | Omit<ServiceNotice, 'kind' | 'class' | 'code' | 'reply'>,
  reason: string,
): ServiceNotice[] {
  if (/unsubscribed/i.test(reason)) return [noticeOf({ ...about, kind: 'unsubscribe' })];
  if (/spam report/i.test(reason)) return [noticeOf({ ...about, kind: 'complaint', class: 'abuse' })];
  const isDead = /bounced address|^invalid/i.test(reason);
  return [noticeOf({ ...about, kind: 'bounce', class: isDead ? 'hard' : 'blocked', reply: reason })];
}
