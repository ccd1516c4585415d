// The conditions of a segment in words, so that people can check what they built. English, German and French; other languages
// get English. The exact meaning is in condition-sql.ts.
import { chosenIn } from '../model/choice-names.ts';
import {
  builtInField,
  type Condition,
  campaignNamed,
  daysOf,
  type Group,
  isActivityField,
  isCampaignField,
  isGroup,
  latestOf,
  type SegmentFilter,
  timeFields,
} from '../model/segment.ts';

/** @param names of campaigns and lists by id, where one that is missing was deleted, and of fields by tag, with their types by typeKey. Without names, ids and tags are shown. */
export function filterInWords(
  match: 'all' | 'any',
  filter: SegmentFilter,
  language: string,
  names?: ReadonlyMap<string, string>,
): string {
  const words = { de: german, fr: french }[language.toLowerCase().slice(0, 2)] ?? english;
  return groupInWords(words, { match, filter }, names);
}

/** The key of the type of a field, among the names. */
export const typeKey = (tag: string): string => `type of ${tag}`;

/** The ids that a filter names as values. */
export function idsIn(filter: SegmentFilter): string[] {
  return filter.flatMap((item) => {
    if (isGroup(item)) return idsIn(item.filter);
    const named = builtInField(item.field) === 'list' ? item.value.trim() : campaignNamed(item);
    return named === undefined ? [] : [named];
  });
}

type Words = typeof english;

function groupInWords(words: Words, { match, filter }: Group, names?: ReadonlyMap<string, string>): string {
  if (filter.length === 0) return match === 'all' ? words.everyone : words.noOne;
  const parts = filter.map((item) => {
    if (!isGroup(item)) return conditionInWords(words, item, names);
    const inner = groupInWords(words, item, names);
    return item.filter.length > 1 && filter.length > 1 ? `(${inner})` : inner;
  });
  return parts.join(match === 'all' ? words.and : words.or);
}

function conditionInWords(words: Words, asked: Condition, names?: ReadonlyMap<string, string>): string {
  const { field, condition, value } = asked;
  const builtIn = builtInField(field);
  const negated = condition === 'not' || condition === 'notoneof';
  const name = () => {
    const known = names?.get(value.trim());
    return names && known === undefined ? `${quoted(value)} (${words.deleted})` : quoted(known ?? value);
  };
  if (builtIn === 'list') return words.list[negated ? 1 : 0].replace('%', name);
  if (builtIn === 'event') return eventInWords(words, asked);
  if (builtIn === 'contact_tag') return tagInWords(words, condition, value)[negated ? 1 : 0];
  if (builtIn === 'clicked_link') return `${words.link} ${words.compared[condition]} ${quoted(value)}`;
  if (isCampaignField(builtIn)) {
    const days = daysOf(value);
    if (isActivityField(builtIn) && days !== undefined)
      return words.recent[builtIn][negated ? 1 : 0].replace('%', String(days));
    const latest = latestOf(value);
    const which = latest === undefined ? name() : words.latest.replace('%', () => String(latest));
    return words.campaign[builtIn][negated ? 1 : 0].replace('%', () => which);
  }
  const subject = (builtIn && words.fields[builtIn as keyof Words['fields']]) || names?.get(field) || field;
  if (condition === 'isany') return `${subject} ${words.known}`;
  const days = daysOf(value);
  if (condition === 'next' || condition === 'anniversary')
    return `${subject} ${days ? words.ahead[condition].replace('%', String(days)) : words.today[condition]}`;
  const ordered = condition === 'greater' || condition === 'less';
  if (days !== undefined && ordered) return `${subject} ${words.days[condition].replace('%', String(days))}`;
  const isTime = timeFields.some((timeField) => timeField === builtIn) || /^\d{4}-\d{2}-\d{2}/.test(value);
  if (isTime && ordered) return `${subject} ${words.time[condition]} ${value.trim()}`;
  if (condition === 'isoneof' || condition === 'notoneof') {
    const several = value.split(';').map((item) => quoted(item.trim()));
    return `${subject} ${words.compared[condition]} ${several.join(', ')}`;
  }
  if (condition === 'hasany' || condition === 'hasall' || condition === 'hasnone')
    return `${subject} ${words.compared[condition]} ${chosenIn(value).map(quoted).join(', ')}`;
  const type = names?.get(typeKey(field));
  if (type === 'multiple_choice')
    return `${subject} ${words.compared[condition]} ${chosenIn(value).map(quoted).join(', ') || quoted('')}`;
  const said = type === 'yes_no' && (value === 'yes' || value === 'no') ? words.answers[value] : value;
  return `${subject} ${words.compared[condition]} ${quoted(said)}`;
}

function eventInWords(words: Words, { condition, value, days, times = 1, where = [] }: Condition): string {
  const { event } = words;
  const [did, didNot] = times === 1 ? event.once : event.often;
  const happened = (condition === 'not' ? didNot : did).replace('#', String(times)).replace('%', () => quoted(value));
  const details = where.map((detail) => {
    const subject = detail.field === 'value' ? event.value : detail.field;
    return conditionInWords(words, { ...detail, field: subject });
  });
  return [
    happened,
    days === undefined ? '' : event.days.replace('%', String(days)),
    details.length === 0 ? '' : `${event.where} ${details.join(words.and)}`,
  ]
    .filter(Boolean)
    .join(' ');
}

function tagInWords(words: Words, condition: Condition['condition'], value: string): [string, string] {
  if (condition === 'isany') return [words.anyTag, words.anyTag];
  if (value.trim() === '') return [words.noTag, words.anyTag];
  const several = condition === 'isoneof' || condition === 'notoneof';
  const tags = (several ? value.split(';') : [value]).map((tag) => quoted(tag)).join(', ');
  const [has, lacks] = several ? words.tags : words.tag;
  return [has.replace('%', () => tags), lacks.replace('%', () => tags)];
}

const quoted = (text: string) => `“${text.trim()}”`;

const english = {
  everyone: 'everyone',
  noOne: 'no one',
  deleted: 'deleted',
  and: ' and ',
  or: ' or ',
  known: 'is known',
  answers: { yes: 'yes', no: 'no' },
  latest: 'any of the latest % campaigns',
  link: 'the address of a clicked link',
  list: ['is on the list %', 'is not on the list %'] as [string, string],
  anyTag: 'has a tag',
  noTag: 'has no tag',
  tag: ['has the tag %', 'does not have the tag %'] as [string, string],
  tags: ['has one of the tags %', 'has none of the tags %'] as [string, string],
  days: { greater: 'lies within the last % days', less: 'lies more than % days ago' },
  today: { next: 'is today', anniversary: 'has its anniversary today' },
  ahead: {
    next: 'is today or within the next % days',
    anniversary: 'has its anniversary today or within the next % days',
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
    opened: ['opened %', 'did not open %'] as [string, string],
    clicked: ['clicked in %', 'did not click in %'] as [string, string],
    not_opened: ['got and did not open %', 'opened %'] as [string, string],
    was_sent: ['got %', 'did not get %'] as [string, string],
    failed: ['could not be sent %', 'was not among the failures of %'] as [string, string],
  },
  event: {
    once: ['the event % happened', 'the event % did not happen'] as [string, string],
    often: ['the event % happened at least # times', 'the event % happened fewer than # times'] as [string, string],
    days: 'within the last % days',
    where: 'with',
    value: 'a value that',
  },
  recent: {
    opened: ['opened a message within the last % days', 'opened no message within the last % days'] as [string, string],
    clicked: ['clicked within the last % days', 'did not click within the last % days'] as [string, string],
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

const german: Words = {
  everyone: 'alle',
  noOne: 'niemand',
  deleted: 'gelöscht',
  and: ' und ',
  or: ' oder ',
  known: 'ist bekannt',
  answers: { yes: 'ja', no: 'nein' },
  latest: 'eine der letzten % Kampagnen',
  link: 'die Adresse eines angeklickten Links',
  list: ['steht auf der Liste %', 'steht nicht auf der Liste %'],
  anyTag: 'hat ein Tag',
  noTag: 'hat kein Tag',
  tag: ['hat das Tag %', 'hat das Tag % nicht'],
  tags: ['hat eines der Tags %', 'hat keines der Tags %'],
  days: { greater: 'liegt in den letzten % Tagen', less: 'liegt mehr als % Tage zurück' },
  today: { next: 'ist heute', anniversary: 'jährt sich heute' },
  ahead: {
    next: 'ist heute oder in den nächsten % Tagen',
    anniversary: 'jährt sich heute oder in den nächsten % Tagen',
  },
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
    next: 'ist in den nächsten',
    anniversary: 'jährt sich in',
    hasany: 'hat eines von',
    hasall: 'hat alle von',
    hasnone: 'hat keines von',
  },
  campaign: {
    opened: ['hat % geöffnet', 'hat % nicht geöffnet'],
    clicked: ['hat in % geklickt', 'hat in % nicht geklickt'],
    not_opened: ['hat % bekommen und nicht geöffnet', 'hat % geöffnet'],
    was_sent: ['hat % bekommen', 'hat % nicht bekommen'],
    failed: ['konnte % nicht zugestellt bekommen', 'war nicht unter den Fehlschlägen von %'],
  },
  event: {
    once: ['das Ereignis % ist eingetreten', 'das Ereignis % ist nicht eingetreten'],
    often: ['das Ereignis % ist mindestens #-mal eingetreten', 'das Ereignis % ist weniger als #-mal eingetreten'],
    days: 'in den letzten % Tagen',
    where: 'mit:',
    value: 'Wert',
  },
  recent: {
    opened: [
      'hat in den letzten % Tagen eine Nachricht geöffnet',
      'hat in den letzten % Tagen keine Nachricht geöffnet',
    ],
    clicked: ['hat in den letzten % Tagen geklickt', 'hat in den letzten % Tagen nicht geklickt'],
  },
  fields: {
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

const french: Words = {
  everyone: 'tous',
  noOne: 'personne',
  deleted: 'supprimé',
  and: ' et ',
  or: ' ou ',
  known: 'est connu',
  answers: { yes: 'oui', no: 'non' },
  latest: 'l’une des % dernières campagnes',
  link: 'l’adresse d’un lien cliqué',
  list: ['est sur la liste %', 'n’est pas sur la liste %'],
  anyTag: 'a un tag',
  noTag: 'n’a pas de tag',
  tag: ['a le tag %', 'n’a pas le tag %'],
  tags: ['a l’un des tags %', 'n’a aucun des tags %'],
  days: { greater: 'date des % derniers jours', less: 'date d’il y a plus de % jours' },
  today: { next: 'est aujourd’hui', anniversary: 'a son anniversaire aujourd’hui' },
  ahead: {
    next: 'est aujourd’hui ou dans les % prochains jours',
    anniversary: 'a son anniversaire aujourd’hui ou dans les % prochains jours',
  },
  time: { greater: 'est après', less: 'est avant' },
  compared: {
    is: 'est',
    not: 'n’est pas',
    isany: 'est connu',
    isoneof: 'est l’un de',
    notoneof: 'n’est aucun de',
    contains: 'contient',
    notcontain: 'ne contient pas',
    starts: 'commence par',
    ends: 'se termine par',
    greater: 'est supérieur à',
    less: 'est inférieur à',
    next: 'est dans les prochains',
    anniversary: 'a son anniversaire dans',
    hasany: 'a l’un de',
    hasall: 'a tous',
    hasnone: 'n’a aucun de',
  },
  campaign: {
    opened: ['a ouvert %', 'n’a pas ouvert %'],
    clicked: ['a cliqué dans %', 'n’a pas cliqué dans %'],
    not_opened: ['a reçu et n’a pas ouvert %', 'a ouvert %'],
    was_sent: ['a reçu %', 'n’a pas reçu %'],
    failed: ['n’a pas pu recevoir %', 'n’était pas parmi les échecs de %'],
  },
  event: {
    once: ['l’événement % est survenu', 'l’événement % n’est pas survenu'],
    often: ['l’événement % est survenu au moins # fois', 'l’événement % est survenu moins de # fois'],
    days: 'dans les % derniers jours',
    where: 'avec',
    value: 'une valeur qui',
  },
  recent: {
    opened: ['a ouvert un message dans les % derniers jours', 'n’a ouvert aucun message dans les % derniers jours'],
    clicked: ['a cliqué dans les % derniers jours', 'n’a pas cliqué dans les % derniers jours'],
  },
  fields: {
    EMAIL: 'l’adresse',
    DOMAIN: 'le domaine de l’adresse',
    LANGUAGE: 'la langue',
    TIMEZONE: 'le fuseau horaire',
    EMAIL_TYPE: 'le format',
    signup_source: 'l’origine de l’inscription',
    confirm_time: 'la confirmation',
    signup_time: 'l’inscription',
    changed_time: 'la dernière modification',
  },
};
