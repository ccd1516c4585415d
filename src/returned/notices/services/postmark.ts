// Postmark: bounces, spam complaints and changes of subscription. It replaces the Message-ID and returns the metadata
// that was sent with a message. https://postmarkapp.com/developer/webhooks/bounce-webhook
import type { BounceClass } from '../../../relays/verdict/rules.ts';
import { classOf, eventsOf, noticeOf, type Service, type ServiceNotice, textAt } from '../../parse/notice.ts';

export const postmark: Service = {
  signs: false,
  read(_app, { body }) {
    const events = eventsOf(body);
    return events.ok ? { ok: true, notices: events.value.flatMap(noticesOf) } : events;
  },
};

/** The types that mean that a message was not delivered; others are replies, or will be attempted again. */
const classes: Record<string, BounceClass> = {
  HardBounce: 'hard',
  BadEmailAddress: 'hard',
  SoftBounce: 'soft',
  DnsError: 'temporary',
  SpamNotification: 'blocked',
  VirusNotification: 'blocked',
  Blocked: 'blocked',
  DMARCPolicy: 'blocked',
  ManuallyDeactivated: 'blocked',
  Unknown: 'generic',
};

function noticesOf(event: unknown): ServiceNotice[] {
  const about = {
    email: textAt(event, 'Email') || textAt(event, 'Recipient'),
    token: textAt(event, 'Metadata', 'postrider'),
    serviceId: textAt(event, 'MessageID'),
  };
  const type = textAt(event, 'Type');
  const record = textAt(event, 'RecordType');
  if (record === 'SpamComplaint' || type === 'SpamComplaint')
    return [noticeOf({ ...about, kind: 'complaint', class: 'abuse' })];
  if (record === 'SubscriptionChange') return changed(event, about);
  if (type === 'Unsubscribe') return [noticeOf({ ...about, kind: 'unsubscribe' })];
  const hint = Object.hasOwn(classes, type) ? classes[type] : undefined;
  if (record !== 'Bounce' || hint === undefined) return [];
  const details = textAt(event, 'Details');
  return [
    noticeOf({
      ...about,
      kind: 'bounce',
      class: classOf(hint, details),
      reply: details || textAt(event, 'Description'),
    }),
  ];
}

/** An address was put on the list of those that get nothing; being taken off it changes nothing here. */
function changed(event: unknown, about: { email: string; token: string; serviceId: string }): ServiceNotice[] {
  if ((event as { SuppressSending?: unknown }).SuppressSending !== true) return [];
  const reason = textAt(event, 'SuppressionReason');
  if (reason === 'HardBounce') return [noticeOf({ ...about, kind: 'bounce', class: 'hard', reply: reason })];
  if (reason === 'SpamComplaint') return [noticeOf({ ...about, kind: 'complaint', class: 'abuse' })];
  return [noticeOf({ ...about, kind: 'unsubscribe' })];
}
