// The methods about one contact across all lists of the account: details, timeline, export, pause and erasure.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { formatId } from '../../db/ids.ts';
import { formatDate, needTime } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { type Page, paging } from '../../method/paging.ts';
import { boolean, params, text } from '../../method/params.ts';
import { eventRecord } from '../events/methods.ts';
import { eventsOf } from '../events/read.ts';
import { sourceOf } from '../model/consent-log.ts';
import {
  type Contact,
  needContact,
  needOwnContact,
  readContact,
  subscriptionsOf,
  suppressionOf,
} from '../model/contact.ts';
import { emailTypes, statuses } from '../model/subscription-status.ts';
import { pause, resume } from './pause.ts';
import { timelineOf } from './timeline.ts';
import { maxTimelineEntries } from './timeline-limit.ts';
import { setTracked } from './tracking.ts';

/** Names a contact. */
export const email = text('The address, or the id of the contact.', 1_000);

const evidence = z.record(z.string(), z.string());

const subscriptionRecord = named(
  'Subscription',
  z.object({
    list_id: z.string(),
    list_name: z.string(),
    status: z.enum(statuses),
    email_type: z.enum(emailTypes),
    merges: z.record(z.string(), z.string()),
    source: z.string(),
    signup_ip: z.string(),
    signup_time: z.string(),
    optin_ip: z.string(),
    optin_time: z.string(),
    confirm_ip: z.string(),
    confirm_time: z.string(),
    unsubscribe_ip: z.string(),
    unsubscribe_time: z.string(),
    unsubscribe_reason: z.string(),
    status_time: z.string(),
    evidence: evidence.meta({
      description:
        'What the contact agreed to when this subscription began: form, shown (the text shown), consent (the text agreed to), language, and details of its source.',
    }),
  }),
);
const contactRecord = named(
  'Contact',
  z.object({
    id: z.string(),
    email: z.string(),
    language: z.string(),
    timezone: z.string(),
    create_time: z.string(),
    change_time: z.string(),
    suppressed: z
      .string()
      .meta({ description: 'Why the contact gets no mail from this account; "" when it is not suppressed.' }),
    paused_until: z.string().meta({ description: 'When the pause ends; "" when the contact is not paused.' }),
    tracked: z.boolean().meta({ description: 'Whether opens and clicks of the contact are recorded.' }),
    tags: z.array(z.string()),
    subscriptions: z.array(subscriptionRecord),
  }),
);
const timelineRecord = named(
  'ContactEvent',
  z.object({
    time: z.string(),
    what: z.string().meta({
      description:
        'signup, subscribe, confirm, update, address, pause, resume, untrack, track, unsubscribe, delete, mail, open, click, bounce, complaint, import, automation, event or suppressed.',
    }),
    list_id: z.string(),
    campaign_id: z.string(),
    detail: z.string().meta({
      description:
        'State of the message, target of the click, reason given, reply of the server, tags that changed, end of the pause, what happened in an automation (entered, completed, unsubscribed, deleted, goal, removed) and its title, or the name of an event and its value.',
    }),
    machine: z.string().meta({ description: 'Why an open or click counts as made by a machine; "" for a person.' }),
    ip: z.string(),
    source: z
      .string()
      .meta({ description: 'Who made the change: subscriber, admin, api or import; "" for other entries.' }),
    subject: z.string().meta({
      description:
        'The subject of the email that the entry is about; "" for other entries, and for callers who may not read the campaign or the message.',
    }),
    message_id: z.string().meta({
      description: 'The id of a single message, such as a confirmation, as messageGet() takes it; "" for others.',
    }),
    evidence: evidence.meta({
      description:
        'Details logged with a change: form (preferences is the preference page), shown, consent, language, reason, fields (the tags that changed), through (the list on which a field of the account was changed), joined, until, old, new.',
    }),
  }),
);

export const contactMethods = [
  method({
    name: 'contactGet',
    group: 'contacts',
    summary: 'Returns the details of one contact of the account, with all its subscriptions.',
    params: params({ email }),
    returns: contactRecord,
    faults: ['ADDRESS_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { email: '{{email}}' } },
    run: contactGet,
  }),
  method({
    name: 'contactTimeline',
    group: 'contacts',
    summary:
      'Returns everything that happened to one contact, oldest first: sign-ups, messages, opens, clicks, bounces and more.',
    params: params({ email, ...paging(100, maxTimelineEntries) }),
    returns: z.array(timelineRecord),
    faults: ['ADDRESS_UNKNOWN', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { email: '{{email}}' } },
    run: contactTimeline,
  }),
  method({
    name: 'contactExport',
    group: 'contacts',
    summary: 'Returns all data of one contact as one structure, to hand to that person.',
    params: params({ email }),
    returns: z.object({
      contact: contactRecord,
      timeline: z.array(timelineRecord),
      events: z
        .array(eventRecord)
        .meta({ description: 'The newest 15,000 events that were reported, with their data.' }),
      exported_time: z.string(),
    }),
    faults: ['ADDRESS_UNKNOWN'],
    scope: 'read',
    permission: 'contacts:export',
    narrowed: true,
    reads: true,
    example: { params: { email: '{{email}}' } },
    run: exportContact,
  }),
  method({
    name: 'contactPause',
    group: 'contacts',
    summary: 'Pauses one contact until a time, as the preference page does: it gets no campaign of any list.',
    description:
      'The pause ends automatically. A new pause replaces an existing one. A paused contact is skipped whenever something is sent.',
    params: params({
      email,
      until: text('When the pause ends, as YYYY-MM-DD HH:MM:SS in GMT.', 30),
    }),
    returns: z.boolean(),
    faults: ['ADDRESS_UNKNOWN', 'DATE_INVALID'],
    scope: 'write',
    narrowed: true,
    example: { params: { email: '{{email}}', until: '2099-01-01 00:00:00' } },
    run: pauseContact,
  }),
  method({
    name: 'contactResume',
    group: 'contacts',
    summary: 'Ends the pause of one contact; changes nothing when it is not paused.',
    params: params({ email }),
    returns: z.boolean(),
    faults: ['ADDRESS_UNKNOWN'],
    scope: 'write',
    narrowed: true,
    example: { params: { email: '{{email}}' } },
    run: resumeContact,
  }),
  method({
    name: 'contactTrackingUpdate',
    group: 'contacts',
    summary: 'Sets whether the opens and clicks of one contact are recorded, as the preference page does.',
    description:
      'Messages to a contact that is not tracked have no pixel, and their links are the addresses themselves, with the values of the contact. Opens and clicks of messages it got before are no longer recorded; those that were stay. A single message with several recipients is not tracked if one of them is not.',
    params: params({
      email,
      tracked: boolean('Whether opens and clicks are recorded.'),
    }),
    returns: z.boolean(),
    faults: ['ADDRESS_UNKNOWN'],
    scope: 'write',
    narrowed: true,
    example: { params: { email: '{{email}}', tracked: false } },
    run: setContactTracked,
  }),
];

type Named = { email: string };

async function contactGet(context: Context, { email: named }: Named): Promise<z.input<typeof contactRecord>> {
  return recordOf(context, await readContact(context, named));
}

async function contactTimeline(context: Context, { email: named, ...page }: Named & Page) {
  return timelineOf(context, await readContact(context, named), page);
}

async function exportContact(context: Context, { email: named }: Named) {
  const contact = await readContact(context, named);
  return {
    contact: await recordOf(context, contact),
    timeline: await timelineOf(context, contact, { start: 0, limit: maxTimelineEntries }),
    events: await eventsOf(context, contact.id, { start: 0, limit: maxTimelineEntries }),
    exported_time: formatDate(context.now),
  };
}

async function pauseContact(context: Context, { email: named, until }: Named & { until: string }) {
  const untilTime = needTime(until, 'until');
  if (untilTime <= context.now) throw fault('DATE_INVALID', 'contact.until_past', { member: 'until' });
  const contact = await needContact(context, named);
  await needOwnContact(context, contact.id, 'email');
  await pause(context, untilTime, { contactId: contact.id, source: sourceOf(context.caller) });
  return true;
}

async function resumeContact(context: Context, { email: named }: Named) {
  const contact = await needContact(context, named);
  await needOwnContact(context, contact.id, 'email');
  await resume(context, { contactId: contact.id, source: sourceOf(context.caller) });
  return true;
}

async function setContactTracked(context: Context, { email: named, tracked }: Named & { tracked: boolean }) {
  const contact = await needContact(context, named);
  await needOwnContact(context, contact.id, 'email');
  await setTracked(context, tracked, { contactId: contact.id, source: sourceOf(context.caller) });
  return true;
}

async function recordOf(context: Context, contact: Contact): Promise<z.input<typeof contactRecord>> {
  return {
    id: formatId(contact.id),
    email: contact.email,
    language: contact.language,
    timezone: contact.timeZone,
    create_time: formatDate(contact.createdAt),
    change_time: formatDate(contact.changedAt),
    suppressed: await suppressionOf(context, contact),
    paused_until: formatDate(contact.pausedUntil),
    tracked: contact.tracked,
    tags: contact.tags,
    subscriptions: await subscriptionsOf(context, contact.id),
  };
}
