// The conditions of a segment in plain words, for people who check what they have built. English and German; other
// languages read English. Leaves the exact meaning to segment.ts.
import {
  builtInField,
  type Condition,
  campaignFacts,
  daysOf,
  type Group,
  isGroup,
  latestOf,
  type SegmentFilter,
  timeFacts,
} from './segment.ts';

/** @param names titles of campaigns and names of lists by id; what has none of them is deleted. Without, ids stand for themselves */
export function readingOf(
  match: 'all' | 'any',
  filter: SegmentFilter,
  language: string,
  names?: ReadonlyMap<string, string>,
): string {
  const words = language.toLowerCase().startsWith('de') ? german : english;
  return joined(words, { match, filter }, names);
}

/** The ids that a filter names as values. */
export function idsIn(filter: SegmentFilter): string[] {
  return filter.flatMap((one) => {
    if (isGroup(one)) return idsIn(one.filter);
    const fact = builtInField(one.field);
    const named = fact === 'list' || campaignFacts.some((campaign) => campaign === fact);
    return named && latestOf(one.value) === undefined ? [one.value.trim()] : [];
  });
}

type Words = typeof english;

function joined(words: Words, { match, filter }: Group, names?: ReadonlyMap<string, string>): string {
  if (filter.length === 0) return match === 'all' ? words.everybody : words.nobody;
  const parts = filter.map((one) => {
    if (!isGroup(one)) return sentence(words, one, names);
    const inner = joined(words, one, names);
    return one.filter.length > 1 && filter.length > 1 ? `(${inner})` : inner;
  });
  return parts.join(match === 'all' ? words.and : words.or);
}

function sentence(words: Words, { field, condition, value }: Condition, names?: ReadonlyMap<string, string>): string {
  const fact = builtInField(field);
  const negated = condition === 'not' || condition === 'notoneof';
  const called = () => {
    const name = names?.get(value.trim());
    return names && name === undefined ? `${quoted(value)} (${words.gone})` : quoted(name ?? value);
  };
  if (fact === 'list') return words.list[negated ? 1 : 0].replace('%', called);
  if (fact === 'clicked_link') return `${words.link} ${words.compared[condition]} ${quoted(value)}`;
  if (fact && campaignFacts.some((one) => one === fact)) {
    const latest = latestOf(value);
    const which = latest === undefined ? called() : words.latest.replace('%', () => String(latest));
    return words.campaign[fact as (typeof campaignFacts)[number]][negated ? 1 : 0].replace('%', () => which);
  }
  const subject = (fact && words.facts[fact as keyof Words['facts']]) || field;
  if (condition === 'isany') return `${subject} ${words.known}`;
  const days = daysOf(value);
  const ordered = condition === 'greater' || condition === 'less';
  if (days !== undefined && ordered) return `${subject} ${words.days[condition].replace('%', String(days))}`;
  const isTime = timeFacts.some((one) => one === fact) || /^\d{4}-\d{2}-\d{2}/.test(value);
  if (isTime && ordered) return `${subject} ${words.time[condition]} ${value.trim()}`;
  if (condition === 'isoneof' || condition === 'notoneof') {
    const several = value.split(';').map((one) => quoted(one.trim()));
    return `${subject} ${words.compared[condition]} ${several.join(', ')}`;
  }
  return `${subject} ${words.compared[condition]} ${quoted(value)}`;
}

const quoted = (text: string) => `“${text.trim()}”`;

const english = {
  everybody: 'everybody',
  nobody: 'nobody',
  gone: 'deleted',
  and: ' and ',
  or: ' or ',
  known: 'is known',
  latest: 'any of the latest % campaigns',
  link: 'the address of a clicked link',
  list: ['is on the list %', 'is not on the list %'] as [string, string],
  days: { greater: 'lies within the last % days', less: 'lies more than % days ago' },
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
  },
  campaign: {
    opened: ['opened %', 'did not open %'] as [string, string],
    clicked: ['clicked in %', 'did not click in %'] as [string, string],
    not_opened: ['got and did not open %', 'opened %'] as [string, string],
    was_sent: ['got %', 'did not get %'] as [string, string],
  },
  facts: {
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

const german: Words = {
  everybody: 'alle',
  nobody: 'niemand',
  gone: 'gelöscht',
  and: ' und ',
  or: ' oder ',
  known: 'ist bekannt',
  latest: 'eine der letzten % Kampagnen',
  link: 'die Adresse eines angeklickten Links',
  list: ['steht auf der Liste %', 'steht nicht auf der Liste %'],
  days: { greater: 'liegt in den letzten % Tagen', less: 'liegt mehr als % Tage zurück' },
  time: { greater: 'liegt nach', less: 'liegt vor' },
  compared: {
    is: 'ist',
    not: 'ist nicht',
    isany: 'ist bekannt',
    isoneof: 'ist eines von',
    notoneof: 'ist keines von',
    contains: 'enthält',
    notcontain: 'enthält nicht',
    starts: 'beginnt mit',
    ends: 'endet mit',
    greater: 'ist größer als',
    less: 'ist kleiner als',
  },
  campaign: {
    opened: ['hat % geöffnet', 'hat % nicht geöffnet'],
    clicked: ['hat in % geklickt', 'hat in % nicht geklickt'],
    not_opened: ['hat % bekommen und nicht geöffnet', 'hat % geöffnet'],
    was_sent: ['hat % bekommen', 'hat % nicht bekommen'],
  },
  facts: {
    EMAIL: 'die Adresse',
    DOMAIN: 'die Domain der Adresse',
    LANGUAGE: 'die Sprache',
    TIMEZONE: 'die Zeitzone',
    EMAIL_TYPE: 'das Format',
    signup_source: 'die Herkunft der Anmeldung',
    confirm_time: 'die Bestätigung',
    signup_time: 'die Anmeldung',
    changed_time: 'die letzte Änderung',
  },
};
