// The event types with an example of their data: what eventTypes answers and webhookTest sends. Promises that an example
// has exactly the members of a real event of its type, which test/e2e/events.test.ts holds against those that are sent.
import { type EventType, eventTypes } from '../events/types.ts';

const contact = {
  contact: 'c0a1b2c3',
  list: 'b1d2e3f4',
  email: 'jane@example.com',
  email_type: 'html',
  fields: { EMAIL: 'jane@example.com', FNAME: 'Jane', LNAME: 'Doe' },
  subscribe_ip: '192.0.2.10',
  subscribe_ts: '2026-01-15 09:30:00',
  confirm_ip: '192.0.2.10',
  confirm_ts: '2026-01-15 09:31:00',
  optin_ip: '192.0.2.10',
  optin_ts: '2026-01-15 09:30:00',
  source: 'subscriber',
};
const mail = {
  campaign: 'a0b1c2d3',
  list: 'b1d2e3f4',
  contact: 'c0a1b2c3',
  email: 'jane@example.com',
  ts: '2026-01-16 10:00:00',
};
const visit = { ip: '192.0.2.10', user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };

const examples: Record<EventType, Record<string, unknown>> = {
  'contact.subscribe': contact,
  'contact.unsubscribe': {
    ...contact,
    unsubscribe_ip: '192.0.2.10',
    unsubscribe_ts: '2026-02-01 08:00:00',
    campaign: 'a0b1c2d3',
    reason: 'I get too many mails',
  },
  'contact.update': contact,
  'contact.delete': contact,
  'email.change': {
    contact: 'c0a1b2c3',
    list: 'b1d2e3f4',
    email: 'jane@example.com',
    old_email: 'jane@example.org',
    new_email: 'jane@example.com',
    source: 'subscriber',
    ts: '2026-01-20 18:45:00',
  },
  'email.bounce': { ...mail, class: 'hard', code: 550, reply: '550 5.1.1 No such user' },
  'email.complaint': { ...mail, feedback_type: 'abuse' },
  'email.open': { ...mail, ...visit },
  'email.click': { ...mail, url: 'https://www.example.com/', ...visit },
  'campaign.sent': {
    campaign: 'a0b1c2d3',
    title: 'January letter',
    emails_sent: 1200,
    failed: 3,
    skipped: 12,
    ts: '2026-01-16 10:05:00',
  },
};

/** The event types in the order of THE list. */
export function describedTypes(): { type: EventType; meaning: string; example: Record<string, unknown> }[] {
  return (Object.keys(eventTypes) as EventType[]).map((type) => ({
    type,
    meaning: eventTypes[type],
    example: { id: 'evt_0123456789abcdef01234567', ...examples[type] },
  }));
}

/** The data of a test event; says that it is one. */
export function testPayload(type: string, id: string): Record<string, unknown> {
  return { id, test: true, ...examples[type as EventType] };
}
