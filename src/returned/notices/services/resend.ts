// Resend: webhooks signed by Svix. An event names the message by the id that Resend gave it, and may return its headers.
// Resend sends with Amazon SES and passes its types of bounces on, so they are classified as those of SES.
// https://resend.com/docs/dashboard/webhooks/event-types
import { tokenField } from '../../../delivery/message/notice-fields.ts';
import {
  headerIn,
  itemsAt,
  noticeOf,
  objectOf,
  type Service,
  type ServiceNotice,
  textAt,
  valueAt,
} from '../../parse/notice.ts';
import { replyIn, sesClass } from '../../parse/ses.ts';
import { svixProblem } from '../signatures.ts';

export const resend: Service = {
  signs: true,
  read(_app, { headers, body, key }) {
    const problem = svixProblem(
      {
        id: textAt(headers, 'svix-id') || textAt(headers, 'webhook-id'),
        timestamp: textAt(headers, 'svix-timestamp') || textAt(headers, 'webhook-timestamp'),
        signatures: textAt(headers, 'svix-signature') || textAt(headers, 'webhook-signature'),
        body,
        key,
      },
      new Date(),
    );
    if (problem !== null) return { ok: false, why: problem };
    const event = objectOf(body);
    return event.ok ? { ok: true, notices: noticesOf(event.value) } : event;
  },
};

function noticesOf(event: unknown): ServiceNotice[] {
  const data = valueAt(event, 'data');
  const headers = itemsAt(data, 'headers');
  const to = valueAt(data, 'to');
  const about = {
    email: typeof to === 'string' ? to : textAt(to, 0),
    token: headerIn(headers, tokenField),
    messageId: textAt(data, 'message_id') || headerIn(headers, 'Message-ID'),
    serviceId: textAt(data, 'email_id'),
  };
  switch (textAt(event, 'type')) {
    case 'email.bounced': {
      const type = textAt(data, 'bounce', 'type');
      const words = textAt(data, 'bounce', 'message');
      const reply = replyIn(textAt(data, 'bounce', 'diagnosticCode', 0)) || serverWords(words);
      const found = sesClass(type === 'Temporary' ? 'Transient' : type, textAt(data, 'bounce', 'subType'), reply);
      return [noticeOf({ ...about, kind: 'bounce', class: found, reply: reply || words })];
    }
    case 'email.suppressed':
      // On the list of those that bounced or complained before.
      return [noticeOf({ ...about, kind: 'bounce', class: 'hard', reply: textAt(data, 'suppressed', 'message') })];
    case 'email.complained':
      return [noticeOf({ ...about, kind: 'complaint', class: 'abuse' })];
    default:
      return [];
  }
}

/** Only a reply that a server wrote is read: in other cases the text is an explanation by Resend of what may have happened. */
function serverWords(text: string): string {
  return /(?<![\d.])[45]\d\d[ -]/.test(text) ? text : '';
}
