// Reads the filter of a segment from a call: conditions and nested groups, each checked against the fields of the list.
// The result compiles to SQL without further checks; an error names the place of the wrong condition.
import { z } from 'zod';
import { parseDay } from '../../base/calendar.ts';
import { Fault } from '../../base/faults.ts';
import { type Message, message } from '../../base/messages.ts';
import { parseId } from '../../db/ids.ts';
import { named } from '../../method/named.ts';
import { anything, arrayOf, asText, integer, oneOf, struct, text, unlessEmpty } from '../../method/params.ts';
import { isoDayOf } from '../../method/published.ts';
import { type Field, findField, readFieldText } from '../model/field.ts';
import {
  builtInField,
  builtInFields,
  type Condition,
  conditions,
  daysOf,
  detailConditions,
  type EventDetail,
  type Group,
  isActivityField,
  isCampaignField,
  isNumber,
  latestOf,
  matches,
  type SegmentFilter,
  timeFields,
} from '../model/segment.ts';
import { isoDate, languageOf } from '../model/special-vars.ts';

/** The parameters of methods that take the conditions of a segment. */
export const match = oneOf(
  'all: every condition must match; any: one is enough; none: not one may match.',
  matches,
  { and: 'all', or: 'any' },
  { fault: 'SEGMENT_INVALID' },
);
/** Comparisons of one condition about an event. */
const maxDetails = 5;

export const filter = arrayOf(
  'The conditions; up to 50, in groups up to four deep.',
  named(
    'SegmentCondition',
    struct(
      'A condition, or a group {match, filter}.',
      {
        field: text(`A merge tag of the list, or one of ${builtInFields.join(', ')}.`, 100).optional(),
        condition: text(`How the field is compared: ${conditions.join(', ')}.`, 40).optional(),
        value: text(
          'The value to compare with. Several values for isoneof and notoneof are separated by ; — times and dates: YYYY-MM-DD (a day in the time zone of the account), YYYY-MM-DD HH:MM or HH:MM:SS (GMT), "today" (is), or "30 days" (greater: within the last 30 days; less: longer ago; next: today or within the next 30 days; anniversary: today or within the next 30 days is an anniversary; "0 days" is today) — opened, clicked, not_opened, was_sent: the id of a campaign, or "last 5" for any of the latest five to this list; for opened and clicked also "30 days", for any message within the last 30 days — clicked_link: the address of the link — event: the name of an event that eventSend reports (is: it happened, not: it did not), with days, times and where — list: the id of another list — contact_tag: a tag of the contact (is, not, isany, isoneof, notoneof); is with an empty value: no tag at all — a yes_no: is or not, yes or no — a multiple_choice: its choices with commas between them (hasany, hasall, hasnone; is: exactly these), \\, being a comma in a name.',
          2_000,
        ).optional(),
        days: unlessEmpty(integer('event: within the last so many days; at any time by default.', 1, 99_999)),
        times: unlessEmpty(integer('event: how often at least; once by default.', 1, 1_000)),
        where: unlessEmpty(
          arrayOf(
            'event: what its value and its data must be.',
            struct('A comparison.', {
              field: text(
                'value, or data. and the path of a member, such as data.total; * for any item of an array: data.items.*.sku.',
                300,
              ),
              condition: text(`How it is compared: ${detailConditions.join(', ')}.`, 40),
              value: text('The value to compare with.', 2_000).optional(),
            }),
            maxDetails,
          ),
        ),
        match: match.optional(),
        filter: arrayOf('The conditions and groups of a group.', anything('A condition or a group.'), 50, {
          fault: 'SEGMENT_INVALID',
        }).optional(),
      },
      { fault: 'SEGMENT_INVALID', selfFault: 'SEGMENT_INVALID' },
    ),
  ),
  50,
  { fault: 'SEGMENT_INVALID' },
);

/** Limits of a filter. */
const maxConditions = 50;
const maxDepth = 4;
const maxValueLength = 2_000;

/**
 * Conditions as stored: {field, condition, value} or {match, filter}. Those of a draft of an automation may be incomplete, so that
 * a result may contain any.
 */
export const storedFilter = z.array(
  named(
    'StoredCondition',
    z
      .looseObject({
        field: z.string(),
        condition: z.string(),
        value: z.string(),
        days: z.int(),
        times: z.int(),
        where: z.array(z.looseObject({ field: z.string(), condition: z.string(), value: z.string() }).partial()),
        match: z.enum(matches),
        filter: z.array(z.unknown()),
      })
      .partial(),
  ),
) as unknown as z.ZodType<SegmentFilter, SegmentFilter>;

/** What is known while a filter is read. */
type Reading = { conditions: number; dayFirst: boolean };

/**
 * @param dayFirst whether dates may be written day first, as published clients do
 * @throws Fault SEGMENT_INVALID naming the condition and the reason
 */
export function readFilter(fields: readonly Field[], given: unknown, dayFirst = false): SegmentFilter {
  return readGroup(fields, given, 'filter', 1, { conditions: 0, dayFirst });
}

/**
 * Conditions that were kept as they were given, with their values as they are compared: a yes for true, an anniversary for "today".
 * What cannot be read now stays as it is.
 */
export function rereadFilter(fields: readonly Field[], filter: SegmentFilter): SegmentFilter {
  try {
    return readFilter(fields, filter);
  } catch (error) {
    if (error instanceof Fault) return filter;
    throw error;
  }
}

function readGroup(
  fields: readonly Field[],
  given: unknown,
  path: string,
  depth: number,
  reading: Reading,
): SegmentFilter {
  if (depth > maxDepth) throw wrong(message('segment.too_deep', { member: path, count: maxDepth }));
  if (!Array.isArray(given)) throw wrong(message('parameter.not_an_array', { member: path }));
  if (given.length === 0) throw wrong(message('segment.no_condition', { member: path }));
  return given.map((item: unknown, i) => {
    const place = `${path}.${i}`;
    if (typeof item !== 'object' || item === null || Array.isArray(item) || item instanceof Uint8Array)
      throw wrong(message('parameter.not_a_struct', { member: place }));
    const members = Object.fromEntries(
      Object.entries(item).filter(([name, value]) => (value !== undefined && value !== '') || name === 'value'),
    );
    return 'filter' in members
      ? readNested(fields, members, place, depth, reading)
      : readCondition(fields, members, place, reading);
  });
}

function readNested(
  fields: readonly Field[],
  members: Record<string, unknown>,
  place: string,
  depth: number,
  reading: Reading,
): Group {
  const unknown = Object.keys(members).find((name) => !['match', 'filter', 'value'].includes(name));
  if (unknown)
    throw wrong(
      message('parameter.unknown_of', { member: `${place}.${unknown.slice(0, 40)}`, choices: 'match, filter' }),
    );
  const named = textOf(members.match ?? 'all', `${place}.match`).toLowerCase();
  const match = matches.find((known) => known === named);
  if (!match) throw wrong(message('parameter.not_one_of', { member: `${place}.match`, choices: matches.join(', ') }));
  return { match, filter: readGroup(fields, members.filter, `${place}.filter`, depth + 1, reading) };
}

function readCondition(
  fields: readonly Field[],
  members: Record<string, unknown>,
  place: string,
  reading: Reading,
): Condition {
  reading.conditions += 1;
  if (reading.conditions > maxConditions)
    throw wrong(message('segment.too_many_conditions', { member: 'filter', count: maxConditions }));
  const name = textOf(members.field ?? '', `${place}.field`).trim();
  const taken = ['field', 'condition', 'value', ...(builtInField(name) === 'event' ? eventMembers : [])];
  const unknown = Object.keys(members).find((member) => !taken.includes(member));
  if (unknown)
    throw wrong(
      message('parameter.unknown_of', { member: `${place}.${unknown.slice(0, 40)}`, choices: taken.join(', ') }),
    );
  const conditionName = textOf(members.condition ?? '', `${place}.condition`)
    .trim()
    .toLowerCase();
  const builtIn = builtInField(name);
  const tag = name.toUpperCase();
  const field = findField(fields, tag);
  const isDate = builtIn ? timeFields.some((timeField) => timeField === builtIn) : field?.type === 'date';
  // As values are stored, see readFieldText.
  const given = textOf(members.value ?? '', `${place}.value`).normalize('NFC');
  const value = isDate && reading.dayFirst ? isoDays(given) : given;
  if (!builtIn && !field) {
    const tags = fields.map((listField) => listField.tag).join(', ');
    throw wrong(
      message('segment.field_unknown', {
        member: `${place}.field`,
        value: name.slice(0, 40),
        tags,
        choices: builtInFields.join(', '),
      }),
    );
  }
  const known = conditions.find((known) => known === conditionName);
  if (!known)
    throw wrong(message('parameter.not_one_of', { member: `${place}.condition`, choices: conditions.join(', ') }));
  if (!builtIn && isOfWords(field!)) return wordsCondition(field!, known, value, place);
  const condition = known;
  const read: Condition = {
    field: builtIn ?? field!.tag,
    ...(isDate && condition === 'is' && value.trim().toLowerCase() === 'today'
      ? { condition: 'next', value: '0 days' }
      : { condition, value: storedValue(builtIn ?? field!.type, condition, value) }),
  };
  const problem =
    entriesProblem(read, place) ??
    (aheadConditions.includes(read.condition) ? aheadProblem(read, isDate, place) : undefined) ??
    (builtIn ? builtInProblem(read, place) : fieldProblem(field!, read, place));
  if (problem) throw wrong(problem);
  return builtIn === 'event' ? { ...read, ...readEventMembers(members, place) } : read;
}

const isOfWords = ({ type }: Field) => type === 'yes_no' || type === 'multiple_choice';

const conditionsOfWords = {
  yes_no: ['is', 'not', 'isany'],
  multiple_choice: ['hasany', 'hasall', 'hasnone', 'is', 'not', 'isany'],
} as const;

/** How conditions of other fields read on a multiple choice. */
const ofChoices: Partial<Record<Condition['condition'], Condition['condition']>> = {
  ...{ isoneof: 'hasany', contains: 'hasany', notoneof: 'hasnone', notcontain: 'hasnone' },
};

/** A condition on a yes/no or a multiple choice, with its value as it is stored. */
function wordsCondition(field: Field, asked: Condition['condition'], given: string, place: string): Condition {
  const { tag } = field;
  const taken: readonly string[] = conditionsOfWords[field.type as keyof typeof conditionsOfWords];
  const condition = field.type === 'multiple_choice' ? (ofChoices[asked] ?? asked) : asked;
  if (!taken.includes(condition))
    throw wrong(message('segment.condition', { member: `${place}.condition`, field: tag, choices: taken.join(', ') }));
  if (condition === 'isany') return { field: tag, condition, value: '' };
  const member = `${place}.value`;
  const reading = readFieldText(field, given);
  if (!reading.ok) throw wrong(message('field.value_invalid', { member, problem: reading.problem }));
  if (reading.value === '' && condition !== 'is' && condition !== 'not')
    throw wrong(message('segment.nothing_chosen', { member, condition }));
  return { field: tag, condition, value: reading.value };
}

/** Dates that are written day first, or several separated by semicolons, with the year first. */
const isoDays = (value: string) =>
  value
    .split(';')
    .map((text) => isoDayOf(text) ?? text)
    .join(';');

/** Whole values without blanks around them, numbers without extra zeros, days in ISO form and languages by their canonical code, as they are compared. */
function storedValue(kind: string, condition: Condition['condition'], value: string): string {
  const isOrder = condition === 'greater' || condition === 'less';
  if (!equalityConditions.includes(condition) && !(kind === 'date' && isOrder)) return value;
  const each = (written: string) => {
    const text = written.trim();
    if (kind === 'LANGUAGE') return languageOf(text) ?? text;
    if (kind === 'date') return isoDate(text) ?? text;
    return kind === 'number' && isNumber(text) ? String(Number(text)) : text;
  };
  return condition === 'isoneof' || condition === 'notoneof' ? value.split(';').map(each).join(';') : each(value);
}

/** Conditions that compare whole values, one or several. */
const equalityConditions: readonly Condition['condition'][] = ['is', 'not', 'isoneof', 'notoneof'];

const timeConditions = ['is', 'not', 'isany', 'greater', 'less', 'next', 'anniversary'];
/** Conditions on days from today on, with a number of days. */
const aheadConditions: readonly Condition['condition'][] = ['next', 'anniversary'];
const yesNoConditions = ['is', 'not', 'isoneof', 'notoneof'];
const eventConditions = ['is', 'not'];
const tagConditions = ['is', 'not', 'isany', 'isoneof', 'notoneof'];
/** Of multiple choices only. */
const choiceConditions: readonly string[] = ['hasany', 'hasall', 'hasnone'];
const linkConditions = ['is', 'not', 'isoneof', 'notoneof', 'contains', 'notcontain', 'starts', 'ends'];

function entriesProblem({ condition, value }: Condition, place: string): Message | undefined {
  const member = `${place}.value`;
  if (condition !== 'isoneof' && condition !== 'notoneof') return undefined;
  if (value.trim() === '') return message('segment.no_entries', { member, condition });
  return value.split(';').some((item) => item.trim() === '')
    ? message('segment.empty_entry', { member, value: value.slice(0, 40) })
    : undefined;
}

function aheadProblem({ field, condition, value }: Condition, isDate: boolean, place: string): Message | undefined {
  if (!isDate) return message('segment.not_of_dates', { member: `${place}.condition`, field, condition });
  const days = daysOf(value);
  if (days === undefined || (condition === 'anniversary' && days > 365))
    return message('segment.days_ahead', { member: `${place}.value`, value: value.slice(0, 40) });
  return undefined;
}

function builtInProblem({ field, condition, value }: Condition, place: string): Message | undefined {
  if (choiceConditions.includes(condition)) return notOfChoices(field, condition, place);
  const member = `${place}.value`;
  const shown = value.slice(0, 40);
  const takesOnly = (choices: readonly string[]) =>
    message('segment.condition', { member: `${place}.condition`, field, choices: choices.join(', ') });
  if (timeFields.some((timeField) => timeField === field)) {
    if (!timeConditions.includes(condition)) return takesOnly(timeConditions);
    if (aheadConditions.includes(condition)) return undefined;
    if (condition !== 'isany' && daysOf(value) === 0) return message('segment.zero_days', { member, value: shown });
    if (daysOf(value) !== undefined && (condition === 'is' || condition === 'not'))
      return message('segment.days_compared', { member, value: shown });
    if (condition === 'isany' || daysOf(value) !== undefined || isTime(value)) return undefined;
    return message('segment.not_a_time', { member, value: shown });
  }
  if (field === 'clicked_link') {
    if (!linkConditions.includes(condition)) return takesOnly(linkConditions);
    return value.trim() === '' ? message('segment.no_link', { member }) : undefined;
  }
  if (field === 'contact_tag') {
    if (!tagConditions.includes(condition)) return takesOnly(tagConditions);
    return undefined;
  }
  if (field === 'event') {
    if (!eventConditions.includes(condition)) return takesOnly(eventConditions);
    return value.trim() === '' ? message('segment.no_event', { member }) : undefined;
  }
  const campaign = isCampaignField(builtInField(field));
  if (!campaign && field !== 'list') return undefined;
  if (!yesNoConditions.includes(condition)) return takesOnly(yesNoConditions);
  if (campaign && latestOf(value) === 0) return message('segment.last_zero', { member, value: shown });
  if (campaign && latestOf(value) !== undefined) return undefined;
  const builtIn = builtInField(field);
  if (isActivityField(builtIn) && daysOf(value) === 0) return message('segment.zero_days', { member, value: shown });
  if (isActivityField(builtIn) && daysOf(value) !== undefined) return undefined;
  if (parseId(value.trim()) >= 0) return undefined;
  if (isActivityField(builtIn)) return message('segment.not_a_campaign_or_days', { member, value: shown });
  return message(campaign ? 'segment.not_a_campaign' : 'segment.not_an_id', { member, value: shown });
}

function fieldProblem(field: Field, { condition, value }: Condition, place: string): Message | undefined {
  const member = `${place}.value`;
  const { tag } = field;
  if (choiceConditions.includes(condition)) return notOfChoices(tag, condition, place);
  // An empty value matches members without a value.
  if (equalityConditions.includes(condition) && value.trim() !== '')
    for (const item of condition === 'is' || condition === 'not' ? [value] : value.split(';')) {
      if (field.type === 'number' && !isNumber(item))
        return message('segment.not_a_number', { member, value: item.trim().slice(0, 40), tag });
      if (field.type === 'date' && parseDay(item.trim()) === null)
        return message('segment.not_a_day', { member, value: item.trim().slice(0, 40), tag });
    }
  if (condition !== 'greater' && condition !== 'less') return undefined;
  if (field.type === 'number' && !isNumber(value))
    return message('segment.not_a_number', { member, value: value.slice(0, 40), tag });
  if (field.type === 'date' && daysOf(value) === undefined && parseDay(value.trim()) === null)
    return message('segment.not_a_date', { member, value: value.slice(0, 40) });
  return undefined;
}

const notOfChoices = (field: string, condition: string, place: string) =>
  message('segment.not_of_choices', { member: `${place}.condition`, field, condition });

const eventMembers = ['days', 'times', 'where'];

function readEventMembers(
  members: Record<string, unknown>,
  place: string,
): Pick<Condition, 'days' | 'times' | 'where'> {
  const days = numberOf(members.days, `${place}.days`, 99_999);
  const times = numberOf(members.times, `${place}.times`, 1_000);
  const where = members.where === undefined ? [] : readDetails(members.where, `${place}.where`);
  return {
    ...(days === undefined ? {} : { days }),
    ...(times === undefined || times === 1 ? {} : { times }),
    ...(where.length === 0 ? {} : { where }),
  };
}

function numberOf(given: unknown, member: string, max: number): number | undefined {
  if (given === undefined) return undefined;
  const text = textOf(given, member).trim();
  const value = Number(text);
  if (!/^\d+$/.test(text)) throw wrong(message('parameter.not_whole', { member }));
  if (value < 1) throw wrong(message('parameter.too_small', { member, count: 1 }));
  if (value > max) throw wrong(message('parameter.too_large', { member, count: max }));
  return value;
}

function readDetails(given: unknown, place: string): EventDetail[] {
  if (!Array.isArray(given)) throw wrong(message('parameter.not_an_array', { member: place }));
  if (given.length > maxDetails) throw wrong(message('parameter.too_many', { member: place, count: maxDetails }));
  return given.map((item: unknown, i): EventDetail => {
    const at = `${place}.${i}`;
    if (typeof item !== 'object' || item === null || Array.isArray(item) || item instanceof Uint8Array)
      throw wrong(message('parameter.not_a_struct', { member: at }));
    const members = item as Record<string, unknown>;
    const unknown = Object.keys(members).find((name) => !['field', 'condition', 'value'].includes(name));
    if (unknown)
      throw wrong(
        message('parameter.unknown_of', {
          member: `${at}.${unknown.slice(0, 40)}`,
          choices: 'field, condition, value',
        }),
      );
    const field = textOf(members.field ?? '', `${at}.field`).trim();
    if (field !== 'value' && !/^data(\.[^.]{1,100}){1,8}$/.test(field))
      throw wrong(message('segment.no_detail', { member: `${at}.field`, value: field.slice(0, 40) }));
    const name = textOf(members.condition ?? '', `${at}.condition`)
      .trim()
      .toLowerCase();
    const condition = detailConditions.find((known) => known === name);
    if (!condition)
      throw wrong(message('parameter.not_one_of', { member: `${at}.condition`, choices: detailConditions.join(', ') }));
    const value = textOf(members.value ?? '', `${at}.value`).normalize('NFC');
    const read = { field, condition, value };
    const problem = entriesProblem(read, at) ?? detailProblem(read, at);
    if (problem) throw wrong(problem);
    return read;
  });
}

function detailProblem({ field, condition, value }: EventDetail, place: string): Message | undefined {
  const member = `${place}.value`;
  if ((condition === 'greater' || condition === 'less') && value.trim() === '')
    return message('parameter.empty', { member });
  if (field !== 'value' || condition === 'isany' || isNumber(value)) return undefined;
  return message('parameter.not_a_number', { member });
}

/** Whether PostgreSQL reads the text as the same time. */
function isTime(value: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2})(:\d{2})?)?$/.exec(value.trim());
  if (!match) return false;
  const at = new Date(`${match[1]}T${match[2] ?? '00:00'}${match[3] ?? ':00'}Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(match[1]!) && !match[1]!.startsWith('0000');
}

function textOf(value: unknown, path: string): string {
  const text = asText(value);
  if (typeof text !== 'string') throw wrong(message('parameter.not_a_string', { member: path }));
  if (text.length > maxValueLength) throw wrong(message('parameter.too_long', { member: path, count: maxValueLength }));
  if (text.includes('\0')) throw wrong(message('parameter.nul', { member: path }));
  return text.toWellFormed();
}

const wrong = (problem: Message) => new Fault('SEGMENT_INVALID', problem);
