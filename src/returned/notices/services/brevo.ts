// Brevo: the webhook for transactional messages, one event a request. It keeps the Message-ID and returns X-Mailin-custom.
// https://developers.brevo.com/docs/transactional-webhooks
import type { BounceClass } from '../../../relays/verdict/rules.ts';
import { classOf, eventsOf, noticeOf, type Service, type ServiceNotice, textAt } from '../../parse/notice.ts';

export const brevo: Service = {
  signs: false,
  read(_app, { body }) {
    const events = eventsOf(body);
    return events.ok ? { ok: true, notices: events.value.flatMap(noticesOf) } : events;
  },
};

/** Spelled with an underscore in requests and as one word in the settings. A deferred message is attempted again. */
const classes: Record<string, BounceClass> = {
  hardbounce: 'hard',
  invalidemail: 'hard',
  invalid: 'hard',
  softbounce: 'soft',
  blocked: 'blocked',
  error: 'generic',
};

function noticesOf(event: unknown): ServiceNotice[] {
  const about = {
    email: textAt(event, 'email'),
    token: textAt(event, 'X-Mailin-custom'),
    messageId: textAt(event, 'message-id'),
    serviceId: textAt(event, 'message-id').replace(/[<>]/g, ''),
  };
  const name = textAt(event, 'event').replaceAll('_', '').toLowerCase();
  if (name === 'spam' || name === 'complaint') return [noticeOf({ ...about, kind: 'complaint', class: 'abuse' })];
  if (name === 'unsubscribed' || name === 'unsubscribe') return [noticeOf({ ...about, kind: 'unsubscribe' })];
  const hint = Object.hasOwn(classes, name) ? classes[name] : undefined;
  if (hint === undefined) return [];
  const reason = textAt(event, 'reason');
  return [
    noticeOf({ ...about, kind: 'bounce', class: classOf(hint, reason), reply: reason || textAt(event, 'event') }),
  ];
}
