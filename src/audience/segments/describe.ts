// The conditions of a segment in words, so that people can check what they built: in the languages of the web application, and in
// English for others. The exact meaning is in condition-sql.ts.
import { chosenIn } from '../model/choice-names.ts';
import {
  builtInField,
  type CampaignField,
  type Condition,
  campaignNamed,
  daysOf,
  type Group,
  isActivityField,
  isCampaignField,
  isGroup,
  latestOf,
  type Match,
  type SegmentFilter,
  timeFields,
} from '../model/segment.ts';
import { dutch } from './describe-dutch.ts';
import { english, type Words } from './describe-english.ts';
import { french } from './describe-french.ts';
import { german } from './describe-german.ts';
import { italian } from './describe-italian.ts';
import { polish } from './describe-polish.ts';
import { portuguese } from './describe-portuguese.ts';
import { spanish } from './describe-spanish.ts';

/** @param names of campaigns and lists by id, where one that is missing was deleted, and of fields by tag, with their types by typeKey. Without names, ids and tags are shown. */
export function filterInWords(
  match: Match,
  filter: SegmentFilter,
  language: string,
  names?: ReadonlyMap<string, string>,
): string {
  const words = byLanguage[language.toLowerCase().slice(0, 2)] ?? english;
  return groupInWords(words, { match, filter }, names);
}

const byLanguage: Readonly<Record<string, Words>> = {
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  pl: polish,
  pt: portuguese,
  nl: dutch,
};

/** As filterInWords, as a sentence of its own: it begins with a capital letter. */
export function filterAsSentence(...given: Parameters<typeof filterInWords>): string {
  const text = filterInWords(...given);
  return text.charAt(0).toLocaleUpperCase(given[2]) + text.slice(1);
}

/** The key of the type of a field, among the names. */
const typeKey = (tag: string): string => `type of ${tag}`;

/** What filterInWords takes as names of fields: the labels of their tags, and their types. */
export const fieldNames = (fields: readonly { tag: string; name: string; type: string }[]) =>
  fields.flatMap(({ tag, name, type }): [string, string][] => [
    [tag, name],
    [typeKey(tag), type],
  ]);

/** The ids that a filter names as values. */
export function idsIn(filter: SegmentFilter): string[] {
  return filter.flatMap((item) => {
    if (isGroup(item)) return idsIn(item.filter);
    const named = builtInField(item.field) === 'list' ? item.value.trim() : campaignNamed(item);
    return named === undefined ? [] : [named];
  });
}

function groupInWords(words: Words, { match, filter }: Group, names?: ReadonlyMap<string, string>): string {
  if (filter.length === 0) return match === 'any' ? words.noOne : words.everyone;
  let isAboutContact = false;
  const parts = filter.map((item) => {
    const follows = isAboutContact;
    isAboutContact = !isGroup(item) && hasContactAsSubject(item);
    // Two conditions about what the contact did share their subject.
    if (!isGroup(item))
      return `${isAboutContact && !follows ? `${words.contact} ` : ''}${conditionInWords(words, item, names)}`;
    const inner = groupInWords(words, item, names);
    const isWhole = item.filter.length < 2 && item.match !== 'none';
    return isWhole || filter.length < 2 ? inner : `(${inner})`;
  });
  if (match === 'none') return words.unmet[parts.length === 1 ? 0 : 1].replace('%', () => parts.join(words.or));
  return parts.join(match === 'all' ? words.and : words.or);
}

function hasContactAsSubject({ field }: Condition): boolean {
  const builtIn = builtInField(field);
  return builtIn === 'list' || builtIn === 'contact_tag' || isCampaignField(builtIn);
}

function conditionInWords(words: Words, asked: Condition, names?: ReadonlyMap<string, string>): string {
  const { field, condition, value } = asked;
  const builtIn = builtInField(field);
  const negated = condition === 'not' || condition === 'notoneof';
  const quoted = quotedIn(words);
  if (builtIn === 'list') return words.list[negated ? 1 : 0].replace('%', () => named(words, value, names));
  if (builtIn === 'event') return eventInWords(words, asked);
  if (builtIn === 'contact_tag') return tagInWords(words, condition, value)[negated ? 1 : 0];
  if (builtIn === 'clicked_link') return `${words.link} ${words.compared[condition]} ${quoted(value)}`;
  if (isCampaignField(builtIn)) return didInWords(words, builtIn, { value, negated }, names);
  const subject = (builtIn && words.fields[builtIn as keyof Words['fields']]) || names?.get(field) || field;
  if (condition === 'isany') return `${subject} ${words.known}`;
  const days = daysOf(value);
  if (condition === 'next' || condition === 'anniversary')
    return `${subject} ${days ? inDays(words.ahead[condition], days) : words.today[condition]}`;
  const ordered = condition === 'greater' || condition === 'less';
  if (days !== undefined && ordered) return `${subject} ${inDays(words.days[condition], days)}`;
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

/** What the contact did in campaigns. */
function didInWords(
  words: Words,
  field: CampaignField,
  { value, negated }: { value: string; negated: boolean },
  names?: ReadonlyMap<string, string>,
): string {
  const days = daysOf(value);
  if (isActivityField(field) && days !== undefined) return inDays(words.recent[field][negated ? 1 : 0], days);
  const [did, didNot, none = didNot] = words.campaign[field];
  // Who has not "got and not opened" a campaign has opened it: no negation in words.
  const denies = negated && field !== 'not_opened';
  const latest = latestOf(value);
  if (latest !== undefined && latest > 1) {
    const which = words.latest[denies ? 1 : 0].replace('%', String(latest));
    return (denies ? none : negated ? didNot : did).replace('%', () => which);
  }
  const which = latest === 1 ? words.latestOne[denies ? 1 : 0] : named(words, value, names);
  return (negated ? didNot : did).replace('%', () => which);
}

function eventInWords(words: Words, { condition, value, days, times = 1, where = [] }: Condition): string {
  const { event } = words;
  const [did, didNot] = times === 1 ? event.once : event.often;
  const happened = (condition === 'not' ? didNot : did)
    .replace('#', String(times))
    .replace('~', days === undefined ? '' : ` ${inDays(event.days, days)}`)
    .replace('%', () => quotedIn(words)(value));
  const details = where.map((detail) => {
    const subject = detail.field === 'value' ? event.value : detail.field;
    return conditionInWords(words, { ...detail, field: subject });
  });
  return details.length === 0 ? happened : `${happened} ${event.where} ${details.join(words.and)}`;
}

function tagInWords(words: Words, condition: Condition['condition'], value: string): [string, string] {
  if (condition === 'isany') return [words.anyTag, words.anyTag];
  if (value.trim() === '') return [words.noTag, words.anyTag];
  const several = condition === 'isoneof' || condition === 'notoneof';
  const quoted = quotedIn(words);
  const tags = (several ? value.split(';') : [value]).map((tag) => quoted(tag)).join(', ');
  const [has, lacks] = several ? words.tags : words.tag;
  return [has.replace('%', () => tags), lacks.replace('%', () => tags)];
}

/** The name of a campaign or list. */
function named(words: Words, value: string, names?: ReadonlyMap<string, string>): string {
  const quoted = quotedIn(words);
  const known = names?.get(value.trim());
  return names && known === undefined ? `${quoted(value)} (${words.deleted})` : quoted(known ?? value);
}

/** A text with a number of days: of `{day|% days}` the first for one. */
const inDays = (text: string, days: number): string =>
  text
    .replace(/\{([^|}]*)\|([^}]*)\}/, (_all, one: string, other: string) => (days === 1 ? one : other))
    .replace('%', String(days));

const quotedIn =
  ({ quotes: [open, close] }: Words) =>
  (text: string) =>
    `${open}${text.trim()}${close}`;
