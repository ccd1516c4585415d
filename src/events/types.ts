// Every webhook event type: its name and when it happens. The payload's members stand in emit.ts, by type.

/** Who caused an event: the contact, a person signed in (or the program on their behalf), or a program by API key. */
export type EventSource = 'subscriber' | 'admin' | 'api';

/** THE list of event types. */
export const eventTypes = {
  'contact.subscribe':
    'A contact has really subscribed: at once with single opt-in, after the confirmation with double.',
  'contact.unsubscribe': 'A contact has unsubscribed, or was unsubscribed.',
  'contact.update': 'Merge fields or preferences of a subscribed contact have changed.',
  'contact.delete': 'A contact was deleted from a list.',
  'email.change': 'A contact has got a new e-mail address.',
  'email.bounce': 'A mail to a contact bounced, or was refused for good.',
  'email.complaint': 'A recipient reported a mail as unwanted.',
  'email.open': 'A recipient opened a campaign.',
  'email.click': 'A recipient followed a link of a campaign.',
  'campaign.sent': 'A campaign has gone out to its last recipient.',
} as const satisfies Record<string, string>;

export type EventType = keyof typeof eventTypes;
