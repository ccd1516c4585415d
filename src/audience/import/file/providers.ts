// Which program exported a file, by the headings that only its exports have. Names the source for people; the status of
// each contact depends on it only where a heading looks like consent and is known to be about something else. Pure.

import type { ImportStatusWord } from '../plan.ts';

type Codes = Record<string, ImportStatusWord>;

/** The headings of an export, all of which are there, in lower case. */
const exports: readonly [provider: string, ...headings: string[][]][] = [
  ['Mailchimp', ['leid', 'euid'], ['member_rating', 'optin_time']],
  ['HubSpot', ['record id', 'lifecycle stage'], ['record id', 'unsubscribed from all email']],
  ['Klaviyo', ['klaviyo id'], ['email marketing consent', 'email suppressions']],
  [
    'Brevo',
    ['contact id', 'blacklisted'],
    ['contact id', 'added_time', 'modified_time'],
    ['email_blacklisted', 'sms_blacklisted'],
  ],
  ['CleverReach', ['registriert', 'aktiviert', 'deaktiviert']],
  ['Mautic', ['ispublished', 'donotcontact']],
  ['phpList', ['uniqid', 'blacklisted', 'htmlemail']],
  ['listmonk', ['uuid', 'attributes', 'status']],
  ['Sendy', ['joined', 'status', 'name', 'email']],
  ['Kit', ['first_name', 'state', 'created_at', 'tags']],
  ['Ghost', ['subscribed_to_emails', 'complimentary_plan'], ['labels', 'tiers', 'created_at', 'email']],
  ['Substack', ['active_subscription', 'plan', 'email']],
  ['MailPoet', ['global status', 'list status', 'email']],
  ['Buttondown', ['email_address', 'type', 'unsubscription_date'], ['email_address', 'type', 'creation_date']],
  ['Constant Contact', ['email address', 'email permission status']],
  ['Mailman', ['email address', 'nomail', 'not metoo', 'nodupes']],
  ['The Newsletter Plugin', ['email', 'surname', 'gender', 'status', 'token']],
  ['AcyMailing', ['name', 'email', 'active', 'confirmed', 'creation_date']],
  ['CiviCRM', ['contact id', 'do not email', 'on hold']],
  ['Postrider', ['optintime', 'signup_time', 'status', 'email']],
];

/**
 * Columns of these programs that look like consent and say nothing about email: whether a contact pays, has confirmed by a
 * second email, or counts for the bill. Each with a column of the same export that does say who may get email.
 */
const neutral: Record<string, { needs: string; headings: string[] }[]> = {
  // One file for each status. Contacts that were imported there have no time of consent.
  Mailchimp: [{ needs: 'leid', headings: ['optin_time', 'confirm_time'] }],
  Substack: [{ needs: 'email_disabled', headings: ['active_subscription', 'digest_enabled'] }],
  phpList: [{ needs: 'blacklisted', headings: ['optedin'] }],
  Brevo: [
    { needs: 'blacklisted', headings: ['double_opt-in', 'opt_in'] },
    { needs: 'email_blacklisted', headings: ['double_opt-in', 'opt_in'] },
  ],
  Mailman: [{ needs: 'nomail', headings: ['mod', 'hide', 'ack', 'not metoo', 'nodupes', 'digest', 'plain'] }],
  HubSpot: [{ needs: 'unsubscribed from all email', headings: ['marketing contact status'] }],
};

/** What the codes of a column mean in the exports of a program, by its heading: not the words that people use. */
const codes: Record<string, Record<string, Codes>> = {
  Mailman: {
    nomail: {
      off: 'subscribed',
      '[u]': 'unsubscribed',
      '[a]': 'unsubscribed',
      '[?]': 'unsubscribed',
      '[b]': 'bounced',
    },
  },
  'The Newsletter Plugin': {
    status: { c: 'subscribed', s: 'pending', u: 'unsubscribed', b: 'bounced', p: 'unsubscribed' },
  },
  AcyMailing: {
    active: { 1: 'subscribed', 0: 'unsubscribed' },
    confirmed: { 1: 'subscribed', 0: 'pending' },
  },
  CiviCRM: { 'on hold': { no: 'subscribed', 'on hold bounce': 'bounced', 'on hold opt out': 'unsubscribed' } },
};

/** The codes of a column, if all its cells are such codes. */
export function codesOf(headings: readonly string[], heading: string, cells: readonly string[]): Codes | undefined {
  const found = codes[providerOf(headings)]?.[heading.trim().toLowerCase()];
  return found && cells.every((cell) => Object.hasOwn(found, cell.trim().toLowerCase())) ? found : undefined;
}

/** The headings, in lower case, of columns that need no decision. */
export function neutralHeadings(headings: readonly string[]): Set<string> {
  const present = new Set(headings.map((heading) => heading.trim().toLowerCase()));
  const known = neutral[providerOf(headings)] ?? [];
  return new Set(known.filter(({ needs }) => present.has(needs)).flatMap((entry) => entry.headings));
}

/** The name of the program; '' when the headings are those of no export. */
export function providerOf(headings: readonly string[]): string {
  const present = new Set(headings.map((heading) => heading.trim().toLowerCase()));
  const found = exports.find(([, ...layouts]) => layouts.some((layout) => layout.every((name) => present.has(name))));
  return found?.[0] ?? '';
}
