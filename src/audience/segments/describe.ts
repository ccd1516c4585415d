// The conditions of a segment in words, so that people can check what they built: in the languages of the web application, and in
// English for others. The exact meaning is in condition-sql.ts.
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
  match: 'all' | 'any',
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
    const which =
      latest === undefined ? name() : latest === 1 ? words.latestOne : words.latest.replace('%', () => String(latest));
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
