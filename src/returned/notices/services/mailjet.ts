// Mailjet: the event API, single events or groups. It returns the CustomID of a message.
// https://dev.mailjet.com/email/guides/webhooks/
import type { BounceClass } from '../../../relays/verdict/rules.ts';
import { classOf, eventsOf, noticeOf, type Service, type ServiceNotice, textAt, valueAt } from '../../parse/notice.ts';

export const mailjet: Service = {
  signs: false,
  read(_app, { body }) {
    const events = eventsOf(body);
    return events.ok ? { ok: true, notices: events.value.flatMap(noticesOf) } : events;
  },
};

const isDead = /^(user unknown|invalid domain|no mail host)$/i;
const isFull = /^quota exceeded$/i;
const isPolicy =
  /^(blacklisted|spam reporter|relay\/access denied|content blocked|policy issue|sender blocked|typofix|preblocked|duplicate in campaign)$/i;

function noticesOf(event: unknown): ServiceNotice[] {
  const about = {
    email: textAt(event, 'email'),
    token: textAt(event, 'CustomID'),
    serviceId: textAt(event, 'Message_GUID') || textAt(event, 'MessageID'),
  };
  const error = textAt(event, 'error');
  const comment = textAt(event, 'comment');
  const reply = comment || error || textAt(event, 'error_related_to');
  switch (textAt(event, 'event')) {
    case 'bounce':
      return [noticeOf({ ...about, kind: 'bounce', class: classOf(hintOf(event, error), comment), reply })];
    case 'blocked':
      // Not attempted: by Mailjet for an address that bounced or complained before, or by the content.
      return [noticeOf({ ...about, kind: 'bounce', class: isDead.test(error) ? 'hard' : 'blocked', reply })];
    case 'spam':
      return [noticeOf({ ...about, kind: 'complaint', class: 'abuse' })];
    case 'unsub':
      return [noticeOf({ ...about, kind: 'unsubscribe' })];
    default:
      return [];
  }
}

function hintOf(event: unknown, error: string): BounceClass {
  if (isFull.test(error)) return 'soft';
  if (isPolicy.test(error)) return 'blocked';
  if (valueAt(event, 'hard_bounce') === true) return 'hard';
  return isDead.test(error) ? 'generic' : 'temporary';
}
