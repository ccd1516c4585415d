// The states of a subscription, and the kinds of messages it can get, as the table has them.
export const statuses = ['subscribed', 'pending', 'unsubscribed', 'inactive', 'bounced'] as const;
export type Status = (typeof statuses)[number];

export const emailTypes = ['html', 'text'] as const;
export type EmailType = (typeof emailTypes)[number];
