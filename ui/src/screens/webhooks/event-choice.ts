// The events that a webhook gets: the purposes that most have, and patterns for whole groups. Pure.

/** Who joins, changes and leaves. */
const inSync = ['contact.subscribe', 'contact.update', 'contact.unsubscribe', 'contact.delete', 'email.change'];
const problems = ['email.bounce', 'email.complaint', 'address.suppressed', 'message.failed'];

export const purposes = ['sync', 'problems', 'everything'] as const;
export type Purpose = (typeof purposes)[number];

/** What a purpose selects, of the types that there are. "Everything" also stands for types that later versions add. */
export function typesFor(purpose: Purpose, all: readonly string[]): string[] {
  if (purpose === 'everything') return ['*'];
  return all.filter((type) => (purpose === 'sync' ? inSync : problems).includes(type));
}

/** The purpose that has exactly these events. */
export function purposeOf(events: readonly string[], all: readonly string[]): Purpose | 'choose' {
  if (events.includes('*')) return 'everything';
  const isSame = (other: readonly string[]) =>
    other.length === events.length && other.every((type) => events.includes(type));
  return purposes.find((purpose) => isSame(typesFor(purpose, all))) ?? 'choose';
}

export const patternOf = (type: string) => `${type.split('.')[0]}.*`;

/** The pattern in place of each group that is selected as a whole, which also stands for types that later versions add. */
export function withPatterns(wanted: readonly string[], all: readonly string[]): string[] {
  if (wanted.length === all.length) return ['*'];
  const isWhole = (pattern: string) => all.every((type) => patternOf(type) !== pattern || wanted.includes(type));
  return [...new Set(wanted.map((type) => (isWhole(patternOf(type)) ? patternOf(type) : type)))];
}

export const isSubscribed = (events: readonly string[], type: string) =>
  events.includes(type) || events.includes('*') || events.includes(patternOf(type));
