// What a program exports, in one form for all of them: lists with their fields, contacts on lists, suppressed addresses and
// templates. The readers of files (files/) and of APIs (api/) yield it; stage.ts takes it.

/** The state of a contact on a list. Who complained or bounced gets no email of any list. */
export const contactStates = ['subscribed', 'pending', 'unsubscribed', 'bounced', 'complained'] as const;
export type ContactState = (typeof contactStates)[number];

export type SuppressedFor = 'bounce' | 'complaint' | 'unsubscribe' | 'manual';

/** Why something was not taken, by its key in the messages `migration.not_…`. */
export type NotTaken = 'not_on_a_list' | 'not_subscribed' | 'not_archived' | 'not_an_address' | 'not_a_template';

export type SourceField = {
  /** By which values name it, such as MERGE3 or city. */
  key: string;
  name: string;
  type: 'text' | 'number' | 'date' | 'phone' | 'website';
  /** The tag it has there, if it has one. */
  tag?: string | undefined;
};

export type SourceList = {
  kind: 'list';
  /** By which contacts name it, and a second run finds its list again. */
  key: string;
  name: string;
  fields: SourceField[];
};

export type SourceContact = {
  kind: 'contact';
  list: string;
  email: string;
  state: ContactState;
  /** Values by key of the field; a field that the list does not name becomes one of type text. */
  values: Record<string, string>;
  tags?: string[];
  /** When and from where the contact agreed, as the source writes it. */
  optinAt?: string;
  optinIp?: string;
  language?: string;
  format?: 'html' | 'text';
};

export type Item =
  | SourceList
  | SourceContact
  | { kind: 'suppression'; value: string; reason: SuppressedFor }
  | { kind: 'template'; key: string; name: string; html: string }
  | { kind: 'not taken'; list: string; value: string; reason: NotTaken };

export const sources = ['mailchimp', 'listmonk', 'mailtrain', 'keila', 'brevo'] as const;
export type Source = (typeof sources)[number];

export const sourceNames: Record<Source, string> = {
  mailchimp: 'Mailchimp',
  listmonk: 'listmonk',
  mailtrain: 'Mailtrain',
  keila: 'Keila',
  brevo: 'Brevo',
};

/** Splits a name into the fields that every list has. */
export function namesOf(name: string): Record<string, string> {
  const [first = '', ...rest] = name.trim().split(/\s+/);
  return { FNAME: first, LNAME: rest.join(' ') };
}

/** A value of JSON as the text of a field; '' for none. */
export function textOfJson(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((part) => typeof part === 'string' || typeof part === 'number'))
    return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The values of an object of free attributes, and the tags among them. */
export function attributesOf(data: unknown): { values: Record<string, string>; tags: string[] } {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return { values: {}, tags: [] };
  const { tags, ...others } = data as Record<string, unknown>;
  const words = (Array.isArray(tags) ? tags : []).filter((tag): tag is string => typeof tag === 'string');
  const values = Object.fromEntries(Object.entries(others).map(([key, value]) => [key, textOfJson(value)]));
  return {
    values: tags !== undefined && !Array.isArray(tags) ? { ...values, tags: textOfJson(tags) } : values,
    tags: words,
  };
}
