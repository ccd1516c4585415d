// SparkPost (Bird): batches of message events and unsubscribe events. It returns the metadata of X-MSYS-API as rcpt_meta.
// https://developers.sparkpost.com/api/webhooks/
import type { BounceClass } from '../../../relays/verdict/rules.ts';
import { classOf, eventsOf, noticeOf, type Service, type ServiceNotice, textAt, valueAt } from '../../parse/notice.ts';

export const sparkpost: Service = {
  signs: false,
  read(_app, { body }) {
    const events = eventsOf(body);
    return events.ok ? { ok: true, notices: events.value.flatMap(noticesOf) } : events;
  },
};

/** https://support.sparkpost.com/docs/deliverability/bounce-classification-codes */
const classes: Record<string, BounceClass> = {
  10: 'hard',
  30: 'hard',
  20: 'soft',
  22: 'soft',
  23: 'soft',
  21: 'temporary',
  24: 'temporary',
  70: 'temporary',
  25: 'blocked',
  50: 'blocked',
  51: 'blocked',
  52: 'blocked',
  53: 'blocked',
  54: 'blocked',
};
/** Replies of machines and confirmations, which SparkPost counts as bounces. */
const noBounce = new Set(['60', '80', '100']);

function noticesOf(item: unknown): ServiceNotice[] {
  const event = valueAt(item, 'msys', 'message_event') ?? valueAt(item, 'msys', 'unsubscribe_event');
  const about = {
    email: textAt(event, 'raw_rcpt_to') || textAt(event, 'rcpt_to'),
    token: textAt(event, 'rcpt_meta', 'postrider'),
    serviceId: textAt(event, 'message_id'),
  };
  switch (textAt(event, 'type')) {
    case 'bounce':
    case 'out_of_band':
    case 'policy_rejection': {
      const code = textAt(event, 'bounce_class');
      if (noBounce.has(code)) return [];
      if (code === '90') return [noticeOf({ ...about, kind: 'unsubscribe' })];
      const reply = textAt(event, 'raw_reason') || textAt(event, 'reason');
      const hint = Object.hasOwn(classes, code) ? classes[code]! : 'generic';
      return [noticeOf({ ...about, kind: 'bounce', class: classOf(hint, reply), reply })];
    }
    case 'spam_complaint':
      return [noticeOf({ ...about, kind: 'complaint', class: textAt(event, 'fbtype') || 'abuse' })];
    case 'list_unsubscribe':
    case 'link_unsubscribe':
      return [noticeOf({ ...about, kind: 'unsubscribe' })];
    default:
      return [];
  }
}
