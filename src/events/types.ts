// THE list of webhook event types: when each happens, what its data holds, and an example. From it come the types that
// emit() checks, the answer of the method eventTypes, and the test events of webhookTest.
// To add one: add it here, then emit it where it happens, in the transaction of its cause.
import { z } from 'zod';
import { clickHoldMs } from './click-hold.ts';

/** What caused an event: the contact, a signed-in user (or the service on their behalf), or a program with an API key. */
export const eventSources = ['subscriber', 'admin', 'api'] as const;
export type EventSource = (typeof eventSources)[number];

/** THE list of classes of bounces; what each means is said in src/relays/verdict/judgement.ts. */
export const bounceClasses = ['hard', 'soft', 'blocked', 'temporary', 'generic'] as const;

/** A date in GMT as YYYY-MM-DD HH:MM:SS; empty when there is none. */
const date = z.string();
/** A public id, such as c0a1b2c3. */
const id = z.string();

/** A subscription as it is after the event; before it, for contact.delete. */
const contact = z.strictObject({
  contact: id,
  list: id,
  email: z.string(),
  email_type: z.enum(['html', 'text']),
  fields: z.record(z.string(), z.string()),
  subscribe_ip: z.string(),
  subscribe_ts: date,
  confirm_ip: z.string(),
  confirm_ts: date,
  optin_ip: z.string(),
  optin_ts: date,
  source: z.enum(eventSources),
});
const exampleContact: z.input<typeof contact> = {
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

/**
 * A message to one recipient of a campaign; for a single message (messageSend), `message` has its id, and campaign, list and
 * contact are empty.
 */
const message = z.strictObject({
  campaign: id,
  list: id,
  contact: id,
  email: z.string(),
  message: id.optional(),
  ts: date,
});
const exampleMessage: z.input<typeof message> = {
  campaign: 'a0b1c2d3',
  list: 'b1d2e3f4',
  contact: 'c0a1b2c3',
  email: 'jane@example.com',
  ts: '2026-01-16 10:00:00',
};

/** One reply of a relay to a message of a campaign. */
const attempt = message.omit({ message: true }).extend({ code: z.int(), reply: z.string() });

/** The end of a single message to one recipient: the SMTP code and reply, 0 and empty without one. */
const single = message.extend({ message: id, code: z.int(), reply: z.string() });
const exampleSingle: z.input<typeof single> = {
  ...exampleMessage,
  campaign: '',
  list: '',
  contact: '',
  message: 'a0b1c2d30000002a',
  code: 250,
  reply: '250 2.0.0 Ok',
};

/** What happened to a campaign as a whole. */
const campaign = z.strictObject({ campaign: id, title: z.string(), ts: date });
const exampleCampaign: z.input<typeof campaign> = {
  campaign: 'a0b1c2d3',
  title: 'January newsletter',
  ts: '2026-01-16 10:00:00',
};

/** A segment as it is after the event; before it, for segment.deleted. */
const segment = z.strictObject({ segment: id, list: id, title: z.string(), ts: date });
const exampleSegment: z.input<typeof segment> = {
  segment: 'e0f1a2b3',
  list: 'b1d2e3f4',
  title: 'Readers in Berlin',
  ts: '2026-01-15 09:30:00',
};

/** A contact whose membership of a segment changed, as it is now. */
const segmentMember = segment.extend({ contact: id, email: z.string(), fields: z.record(z.string(), z.string()) });
const exampleSegmentMember: z.input<typeof segmentMember> = {
  ...exampleSegment,
  contact: 'c0a1b2c3',
  email: 'jane@example.com',
  fields: { EMAIL: 'jane@example.com', FNAME: 'Jane', LNAME: 'Doe' },
};

const visit = { ip: z.string(), user_agent: z.string() };
const exampleVisit = { ip: '192.0.2.10', user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };

/** THE list of event types. `data` is all that a receiver gets, but for the event's id. */
export const eventTypes = {
  'contact.subscribe': event({
    when: 'A contact subscribed: immediately with single opt-in, on confirmation with double opt-in.',
    data: contact,
    example: exampleContact,
  }),
  'contact.unsubscribe': event({
    when: 'A contact unsubscribed, or was unsubscribed by a user, a bounce or a complaint.',
    data: contact.extend({
      unsubscribe_ip: z.string(),
      unsubscribe_ts: date,
      campaign: id.or(z.literal('')),
      reason: z.string(),
    }),
    example: {
      ...exampleContact,
      unsubscribe_ip: '192.0.2.10',
      unsubscribe_ts: '2026-02-01 08:00:00',
      campaign: 'a0b1c2d3',
      reason: 'Too many emails',
    },
  }),
  'contact.update': event({
    when: 'The merge fields or preferences of a subscribed contact changed.',
    data: contact,
    example: exampleContact,
  }),
  'contact.delete': event({
    when: 'A contact was deleted from a list.',
    data: contact,
    example: exampleContact,
  }),
  'email.change': event({
    when: 'The email address of a contact changed.',
    data: z.strictObject({
      contact: id,
      list: id,
      email: z.string(),
      old_email: z.string(),
      new_email: z.string(),
      source: z.enum(eventSources),
      ts: date,
    }),
    example: {
      contact: 'c0a1b2c3',
      list: 'b1d2e3f4',
      email: 'jane@example.com',
      old_email: 'jane@example.org',
      new_email: 'jane@example.com',
      source: 'subscriber',
      ts: '2026-01-20 18:45:00',
    },
  }),
  'email.accepted': event({
    when: 'The relay accepted a message of a campaign for a recipient. There is one for each message, so webhooks get them only if they name the type, email.* or *.',
    data: attempt,
    example: { ...exampleMessage, code: 250, reply: '250 2.0.0 Ok' },
  }),
  'email.deferred': event({
    when: 'A campaign email was refused temporarily and is retried at next_ts. Webhooks get it only if they name the type, email.* or *.',
    data: attempt.extend({ next_ts: date }),
    example: {
      ...exampleMessage,
      code: 451,
      reply: '451 4.7.1 Greylisted, try again later',
      next_ts: '2026-01-16 10:05:00',
    },
  }),
  'email.bounce': event({
    when: 'A message bounced or was permanently rejected. For a single message (messageSend), message has its id, and campaign, list and contact are empty, as in the events below. For a confirmation, welcome or goodbye, message has its id too, and the campaign is empty.',
    data: message.extend({
      campaign: id.or(z.literal('')),
      class: z.enum(bounceClasses),
      code: z.int(),
      reply: z.string(),
    }),
    example: { ...exampleMessage, class: 'hard', code: 550, reply: '550 5.1.1 No such user' },
  }),
  'email.complaint': event({
    when: 'A recipient reported a message as spam.',
    data: message.extend({ feedback_type: z.string() }),
    example: { ...exampleMessage, feedback_type: 'abuse' },
  }),
  'email.open': event({
    when: 'A recipient opened a campaign or a single message.',
    data: message.extend(visit),
    example: { ...exampleMessage, ...exampleVisit },
  }),
  'email.click': event({
    when: `A recipient clicked a link in a campaign or a single message. Sent after ${clickHoldMs / 1000} seconds; clicks of link scanners are left out.`,
    data: message.extend({ url: z.string(), ...visit }),
    example: { ...exampleMessage, url: 'https://www.example.com/', ...exampleVisit },
  }),
  'address.suppressed': event({
    when: 'An address, or a whole domain, was put on the suppression list of the account. kind is address or domain; campaign is that of the bounce or complaint, and empty otherwise.',
    data: z.strictObject({
      kind: z.enum(['address', 'domain']),
      value: z.string(),
      reason: z.enum(['manual', 'api', 'bounce', 'complaint', 'unsubscribe']),
      detail: z.string(),
      campaign: id.or(z.literal('')),
      ts: date,
    }),
    example: {
      kind: 'address',
      value: 'jane@example.com',
      reason: 'bounce',
      detail: '550 5.1.1 No such user',
      campaign: 'a0b1c2d3',
      ts: '2026-01-16 10:00:00',
    },
  }),
  'segment.created': event({
    when: 'A segment was saved.',
    data: segment,
    example: exampleSegment,
  }),
  'segment.updated': event({
    when: 'The name or the conditions of a segment changed.',
    data: segment,
    example: exampleSegment,
  }),
  'segment.deleted': event({
    when: 'A segment was deleted.',
    data: segment,
    example: exampleSegment,
  }),
  'segment.joined': event({
    when: 'A subscribed contact matches a segment that it did not match before. Segments are looked at once a minute, large ones less often. Webhooks get it only if they name the type, segment.* or *.',
    data: segmentMember,
    example: exampleSegmentMember,
  }),
  'segment.left': event({
    when: 'A contact no longer matches a segment, or is no longer subscribed. For a deleted contact there is contact.delete only. Webhooks get it only if they name the type, segment.* or *.',
    data: segmentMember,
    example: exampleSegmentMember,
  }),
  'message.accepted': event({
    when: 'The relay accepted a single message (messageSend) for a recipient.',
    data: single,
    example: exampleSingle,
  }),
  'message.failed': event({
    when: 'A single message was not delivered to a recipient: refused, given up or skipped. The reason is the class of the refusal, unclear, or why it was skipped, such as suppressed or cancelled.',
    data: single.extend({ reason: z.string() }),
    example: { ...exampleSingle, code: 550, reply: '550 5.1.1 No such user', reason: 'hard' },
  }),
  'automation.step': event({
    when: 'A contact reached a step of type webhook in an automation. name is the name that the step gives.',
    data: z.strictObject({
      automation: id,
      title: z.string(),
      step: z.string(),
      name: z.string(),
      contact: id,
      list: id,
      email: z.string(),
      fields: z.record(z.string(), z.string()),
      ts: date,
    }),
    example: {
      automation: 'd0e1f2a3',
      title: 'Abandoned cart',
      step: 's4',
      name: 'offer-discount',
      contact: 'c0a1b2c3',
      list: 'b1d2e3f4',
      email: 'jane@example.com',
      fields: { EMAIL: 'jane@example.com', FNAME: 'Jane', LNAME: 'Doe' },
      ts: '2026-01-16 10:00:00',
    },
  }),
  'campaign.scheduled': event({
    when: 'A campaign was scheduled or rescheduled.',
    data: campaign.extend({ schedule_time: date }),
    example: { ...exampleCampaign, schedule_time: '2026-01-17 08:00:00' },
  }),
  'campaign.unscheduled': event({
    when: 'A scheduled campaign became a draft again.',
    data: campaign,
    example: exampleCampaign,
  }),
  'campaign.started': event({
    when: 'Sending of a campaign began and its recipients are fixed; of a large one the first messages may have left seconds before. ts is the time of the beginning. For an autoresponder, it is active from now on.',
    data: campaign.extend({ recipients: z.int() }),
    example: { ...exampleCampaign, recipients: 1215 },
  }),
  'campaign.paused': event({
    when: 'A campaign was paused by a user, through the API, or because it cannot continue. The reason is in English.',
    data: campaign.extend({ reason: z.string() }),
    example: { ...exampleCampaign, reason: 'paused by Jane' },
  }),
  'campaign.resumed': event({
    when: 'A paused campaign was resumed.',
    data: campaign,
    example: exampleCampaign,
  }),
  'campaign.winner_chosen': event({
    when: 'The A/B test of a campaign ended: the recipients who waited for its result get this variant; variant 0 is the campaign itself. by is clicks, opens or person.',
    data: campaign.extend({ variant: z.int(), by: z.enum(['clicks', 'opens', 'person']) }),
    example: { ...exampleCampaign, variant: 1, by: 'clicks' },
  }),
  'campaign.sent': event({
    when: 'A campaign was sent to its last recipient.',
    data: campaign.extend({ emails_sent: z.int(), failed: z.int(), skipped: z.int() }),
    example: { ...exampleCampaign, emails_sent: 1200, failed: 3, skipped: 12, ts: '2026-01-16 10:05:00' },
  }),
};

export type EventType = keyof typeof eventTypes;
export type EventData<T extends EventType> = z.input<(typeof eventTypes)[T]['data']>;

export const eventTypeNames = Object.keys(eventTypes) as EventType[];

/** One for each attempt to deliver a message of a campaign. */
export const attemptTypes: readonly EventType[] = ['email.accepted', 'email.deferred'];
/** Found by looking at each segment regularly. */
export const memberTypes: readonly EventType[] = ['segment.joined', 'segment.left'];

/** As many as messages or contacts: a webhook that names no types does not get them. */
export const bulkTypes: readonly EventType[] = [...attemptTypes, ...memberTypes];

/** What a webhook that names no types gets. */
export const usualTypes: readonly EventType[] = eventTypeNames.filter((type) => !bulkTypes.includes(type));

/** Stands for the types that begin with it, those of later versions included; `*` for all types. */
export const eventPatterns = ['*', ...new Set(eventTypeNames.map((type) => patternOf(type)))];

/** What a webhook may be subscribed to, so that it gets events of the type. */
export const subscriptionsTo = (type: EventType): string[] => [type, patternOf(type), '*'];

function patternOf(type: EventType): string {
  return `${type.slice(0, type.indexOf('.'))}.*`;
}

/** The data of an example event of a type, as eventTypes shows it and webhookTest sends it. */
export function exampleData(type: EventType, id = 'evt_0123456789abcdef01234567') {
  return { id, ...eventTypes[type].example };
}

function event<D extends z.ZodObject>(definition: { when: string; data: D; example: z.input<D> }) {
  return definition;
}
