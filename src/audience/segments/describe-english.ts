// The conditions of a segment in English words (describe.ts), and with them the shape of the words of each language. % is what the
// condition names, # a number, ~ the place of the period, {day|% days} what one day and several are called.
export type Words = typeof english;

/** That a contact did it, or not; and how none of several is said, where that is not the second with other words. */
type Did = [did: string, didNot: string, none?: string];

export const english = {
  quotes: ['“', '”'] as [string, string],
  contact: 'the contact',
  everyone: 'everyone',
  noOne: 'no one',
  deleted: 'deleted',
  and: ' and ',
  or: ' or ',
  unmet: ['this condition is not met: %', 'none of these conditions is met: %'] as [one: string, several: string],
  known: 'is known',
  answers: { yes: 'yes', no: 'no' },
  latestOne: ['the latest campaign', 'the latest campaign'] as [string, string],
  latest: ['any of the latest % campaigns', 'any of the latest % campaigns'] as [string, string],
  link: 'the address of a clicked link',
  list: ['is on the list %', 'is not on the list %'] as [string, string],
  anyTag: 'has a tag',
  noTag: 'has no tag',
  tag: ['has the tag %', 'does not have the tag %'] as [string, string],
  tags: ['has one of the tags %', 'has none of the tags %'] as [string, string],
  days: { greater: 'lies within the last {day|% days}', less: 'lies more than {a day|% days} ago' },
  today: { next: 'is today', anniversary: 'has its anniversary today' },
  ahead: {
    next: 'is today or within the next {day|% days}',
    anniversary: 'has its anniversary today or within the next {day|% days}',
  },
  time: { greater: 'is after', less: 'is before' },
  compared: {
    is: 'is',
    not: 'is not',
    isany: 'is known',
    isoneof: 'is one of',
    notoneof: 'is none of',
    contains: 'contains',
    notcontain: 'does not contain',
    starts: 'begins with',
    ends: 'ends with',
    greater: 'is greater than',
    less: 'is less than',
    next: 'is within the next',
    anniversary: 'has its anniversary within',
    hasany: 'has any of',
    hasall: 'has all of',
    hasnone: 'has none of',
  },
  campaign: {
    opened: ['opened %', 'did not open %'] as Did,
    clicked: ['clicked in %', 'did not click in %'] as Did,
    not_opened: ['got and did not open %', 'opened %'] as Did,
    was_sent: ['got %', 'did not get %'] as Did,
    failed: ['could not be sent %', 'was not among the failures of %'] as Did,
  },
  event: {
    once: ['the event % happened~', 'the event % did not happen~'] as [string, string],
    often: ['the event % happened at least # times~', 'the event % happened fewer than # times~'] as [string, string],
    days: 'within the last {day|% days}',
    where: 'where',
    value: 'the value',
  },
  recent: {
    opened: ['opened a message within the last {day|% days}', 'opened no message within the last {day|% days}'] as [
      string,
      string,
    ],
    clicked: ['clicked within the last {day|% days}', 'did not click within the last {day|% days}'] as [string, string],
  },
  fields: {
    EMAIL: 'the address',
    DOMAIN: 'the domain of the address',
    LANGUAGE: 'the language',
    TIMEZONE: 'the time zone',
    EMAIL_TYPE: 'the format',
    signup_source: 'the source of the sign-up',
    confirm_time: 'the confirmation',
    signup_time: 'the sign-up',
    changed_time: 'the last change',
  },
};
