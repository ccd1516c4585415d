// Which program exported a file, by the headings that only its exports have. Names the source for people; the mapping and
// the status of each contact do not depend on it. Pure.

/** The headings of an export, all of which are there, in lower case. */
const exports: readonly [provider: string, ...headings: string[][]][] = [
  ['Mailchimp', ['leid', 'euid'], ['member_rating', 'optin_time']],
  ['HubSpot', ['record id', 'lifecycle stage'], ['record id', 'unsubscribed from all email']],
  ['Klaviyo', ['klaviyo id'], ['email marketing consent', 'email suppressions']],
  ['Brevo', ['contact id', 'blacklisted'], ['contact id', 'added_time', 'modified_time']],
  ['CleverReach', ['registriert', 'aktiviert', 'deaktiviert']],
  ['Mautic', ['ispublished', 'donotcontact']],
  ['phpList', ['uniqid', 'blacklisted', 'htmlemail']],
  ['listmonk', ['uuid', 'attributes', 'status']],
  ['Sendy', ['joined', 'status', 'name', 'email']],
  ['Kit', ['first_name', 'state', 'created_at', 'tags']],
  ['Ghost', ['subscribed_to_emails', 'complimentary_plan'], ['labels', 'tiers', 'created_at', 'email']],
  ['Substack', ['active_subscription', 'plan', 'email']],
  ['Postrider', ['optintime', 'signup_time', 'status', 'email']],
];

/** The name of the program; '' when the headings are those of no export. */
export function providerOf(headings: readonly string[]): string {
  const present = new Set(headings.map((heading) => heading.trim().toLowerCase()));
  const found = exports.find(([, ...layouts]) => layouts.some((layout) => layout.every((name) => present.has(name))));
  return found?.[0] ?? '';
}
