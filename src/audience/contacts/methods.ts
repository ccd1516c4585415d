// The methods about one person of the account, over all lists: what is known, what happened, all of it as one structure,
// and erasing it.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { formatId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { params, text, truth } from '../../method/params.ts';
import { needTime, paging } from '../lists/methods.ts';
import { sourceOf } from './consent.ts';
import { type Contact, needContact, subscriptionsOf, suppressionOf, timelineOf } from './contact.ts';
import { eraseContact } from './erase.ts';
import { pause, resume } from './pause.ts';

const email = text('The address, or the id of the contact.', 1_000);

const evidence = z.record(z.string(), z.string());

const subscriptionRecord = z.object({
  list_id: z.string(),
  list_name: z.string(),
  status: z.string(),
  email_type: z.string(),
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
      'What was agreed to when this subscription began: form, shown (the text shown), consent (the text agreed to), language, and more of its source.',
  }),
});
const contactRecord = z.object({
  id: z.string(),
  email: z.string(),
  language: z.string(),
  timezone: z.string(),
  create_time: z.string(),
  change_time: z.string(),
  suppressed: z.string().meta({ description: 'Why the contact gets no mail at all; "" when it gets some.' }),
  paused_until: z.string().meta({ description: 'Until when the contact wants no mail; "" when it wants some.' }),
  subscriptions: z.array(subscriptionRecord),
});
const timelineRecord = z.object({
  time: z.string(),
  what: z.string().meta({
    description:
      'signup, subscribe, confirm, update, address, pause, resume, unsubscribe, delete, mail, open, click, bounce, complaint, import or suppressed.',
  }),
  list_id: z.string(),
  campaign_id: z.string(),
  detail: z.string().meta({
    description:
      'State of the mail, target of the click, reason given, reply of the server, tags that changed, end of the pause.',
  }),
  machine: z.string().meta({ description: 'Why an opening or click is held to be a machine; "" for a person.' }),
  ip: z.string(),
  source: z.string().meta({ description: 'Who changed it: subscriber, admin, api or import; "" where nobody did.' }),
  evidence: evidence.meta({
    description:
      'What was kept with a change: form (preferences is the preference page), shown, consent, language, reason, fields (the tags that changed), until, old, new.',
  }),
});

/** Entries of a timeline in one answer at most; an export holds as many. */
const maxEntries = 15_000;

export const contactMethods = [
  method({
    name: 'contactInfo',
    group: 'members',
    summary: 'Returns what is known of one person of the account, with all subscriptions.',
    params: params({ email }),
    returns: contactRecord,
    faults: ['ADDRESS_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { email: '{{email}}' } },
    run: async (context, given) => recordOf(context, await needContact(context, given.email)),
  }),
  method({
    name: 'contactTimeline',
    group: 'members',
    summary:
      'Returns all that happened to one person, oldest first: sign-ups, mails, openings, clicks, bounces and more.',
    params: params({ email, ...paging(100, maxEntries) }),
    returns: z.array(timelineRecord),
    faults: ['ADDRESS_UNKNOWN', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    reads: true,
    example: { params: { email: '{{email}}' } },
    run: async (context, { email: named, ...page }) => timelineOf(context, await needContact(context, named), page),
  }),
  method({
    name: 'contactExport',
    group: 'members',
    summary: 'Returns all data of one person as one structure, to be handed to that person.',
    params: params({ email }),
    returns: z.object({ contact: contactRecord, timeline: z.array(timelineRecord), exported_time: z.string() }),
    faults: ['ADDRESS_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { email: '{{email}}' } },
    async run(context, given) {
      const contact = await needContact(context, given.email);
      return {
        contact: await recordOf(context, contact),
        timeline: await timelineOf(context, contact, { start: 0, limit: maxEntries }),
        exported_time: formatDate(context.now),
      };
    },
  }),
  method({
    name: 'contactPause',
    group: 'members',
    summary: 'Pauses one person until a time, as the preference page does: no campaign of any list goes to it.',
    description:
      'The pause ends by itself; one that is there already is replaced. Whoever is paused is left out whenever something is sent.',
    params: params({
      email,
      until: text('When it ends, as YYYY-MM-DD HH:MM:SS in GMT.', 30),
    }),
    returns: z.boolean(),
    faults: ['ADDRESS_UNKNOWN', 'DATE_INVALID'],
    scope: 'write',
    example: { params: { email: '{{email}}', until: '2099-01-01 00:00:00' } },
    async run(context, given) {
      const until = needTime(given.until, 'until');
      if (until <= context.now) throw new Fault('DATE_INVALID', 'until lies in the past');
      const contact = await needContact(context, given.email);
      await pause(context, until, { contactId: contact.id, source: sourceOf(context.caller) });
      return true;
    },
  }),
  method({
    name: 'contactResume',
    group: 'members',
    summary: 'Ends the pause of one person; without one nothing changes.',
    params: params({ email }),
    returns: z.boolean(),
    faults: ['ADDRESS_UNKNOWN'],
    scope: 'write',
    example: { params: { email: '{{email}}' } },
    async run(context, given) {
      const contact = await needContact(context, given.email);
      await resume(context, { contactId: contact.id, source: sourceOf(context.caller) });
      return true;
    },
  }),
  method({
    name: 'contactErase',
    group: 'members',
    summary: 'Erases one person everywhere: address, values, openings, clicks, copies of mails. This cannot be undone.',
    description:
      'Numbers of reports stay, and the bare evidence of consent under a hash. Files of imports that are over are deleted whole. With keep_suppressed (the default) the address gets no mail any more, known by its hash only. No event is sent, since it would name the person.',
    params: params({
      email,
      keep_suppressed: truth('Whether the address stays suppressed, as a hash.').default(true),
    }),
    returns: z.boolean(),
    faults: ['ADDRESS_UNKNOWN'],
    scope: 'write',
    example: { params: { email: '{{email}}' } },
    async run(context, given) {
      await eraseContact(context, await needContact(context, given.email), given.keep_suppressed);
      return true;
    },
  }),
];

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
    subscriptions: await subscriptionsOf(context, contact.id),
  };
}
