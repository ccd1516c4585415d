// Reads the filter of a segment from a call: conditions and nested groups, each checked against the fields of the list.
// The result compiles to SQL without further checks; an error names the place of the wrong condition.
import { parseDay } from '../../base/calendar.ts';
import { Fault } from '../../base/faults.ts';
import { parseId } from '../../db/ids.ts';
import { WireNumber } from '../../method/wire.ts';
import { isoDate, languageOf } from '../contacts/special-vars.ts';
import { type Field, findField } from '../fields/field.ts';
import {
  builtInField,
  builtInFields,
  type Condition,
  conditions,
  daysOf,
  type Group,
  isCampaignField,
  isNumber,
  latestOf,
  type SegmentFilter,
  timeFields,
} from './segment.ts';

/** Limits of a filter. */
export const maxConditions = 50;
export const maxDepth = 4;
const maxValueLength = 2_000;

/** @throws Fault SEGMENT_INVALID naming the condition and the reason */
export function readFilter(fields: readonly Field[], given: unknown): SegmentFilter {
  const count = { conditions: 0 };
  return readGroup(fields, given, 'filter', 1, count);
}

function readGroup(
  fields: readonly Field[],
  given: unknown,
  path: string,
  depth: number,
  count: { conditions: number },
): SegmentFilter {
  if (depth > maxDepth) throw wrong(path, `is nested deeper than ${maxDepth}`);
  if (!Array.isArray(given)) throw wrong(path, 'is not an array');
  if (given.length === 0) throw wrong(path, 'has no condition');
  return given.map((item: unknown, i) => {
    const place = `${path}.${i}`;
    if (typeof item !== 'object' || item === null || Array.isArray(item) || item instanceof Uint8Array)
      throw wrong(place, 'is not a struct');
    const members = Object.fromEntries(
      Object.entries(item).filter(([name, value]) => (value !== undefined && value !== '') || name === 'value'),
    );
    return 'filter' in members
      ? readNested(fields, members, place, depth, count)
      : readCondition(fields, members, place, count);
  });
}

function readNested(
  fields: readonly Field[],
  members: Record<string, unknown>,
  place: string,
  depth: number,
  count: { conditions: number },
): Group {
  const unknown = Object.keys(members).find((name) => !['match', 'filter', 'value'].includes(name));
  if (unknown) throw wrong(`${place}.${unknown.slice(0, 40)}`, 'is not known in a group, which has match and filter');
  const match = textOf(members.match ?? 'all', `${place}.match`).toLowerCase();
  if (match !== 'all' && match !== 'any') throw wrong(`${place}.match`, 'must be one of all, any');
  return { match, filter: readGroup(fields, members.filter, `${place}.filter`, depth + 1, count) };
}

function readCondition(
  fields: readonly Field[],
  members: Record<string, unknown>,
  place: string,
  count: { conditions: number },
): Condition {
  count.conditions += 1;
  if (count.conditions > maxConditions) throw wrong('filter', `has more than ${maxConditions} conditions`);
  const unknown = Object.keys(members).find((name) => !['field', 'condition', 'value'].includes(name));
  if (unknown) throw wrong(`${place}.${unknown.slice(0, 40)}`, 'is not known');
  const name = textOf(members.field ?? '', `${place}.field`).trim();
  const conditionName = textOf(members.condition ?? '', `${place}.condition`)
    .trim()
    .toLowerCase();
  const value = textOf(members.value ?? '', `${place}.value`);
  const builtIn = builtInField(name);
  const tag = name.toUpperCase();
  const field = findField(fields, tag);
  if (!builtIn && !field) {
    const tags = fields.map((listField) => listField.tag).join(', ');
    throw wrong(
      `${place}.field`,
      `"${name.slice(0, 40)}" is neither a field of the list (${tags}) nor one of ${builtInFields.join(', ')}`,
    );
  }
  const condition = conditions.find((known) => known === conditionName);
  if (!condition) throw wrong(`${place}.condition`, `must be one of ${conditions.join(', ')}`);
  const read: Condition = {
    field: builtIn ?? field!.tag,
    condition,
    value: storedValue(builtIn ?? field!.type, condition, value),
  };
  const problem = entriesProblem(read) ?? (builtIn ? builtInProblem(read) : fieldProblem(field!, read));
  if (problem) throw wrong(`${place}.${problem[0]}`, problem[1]);
  return read;
}

/** Numbers without extra zeros, days in ISO form and languages by their canonical code, as they are compared. */
function storedValue(kind: string, condition: Condition['condition'], value: string): string {
  const isOrder = condition === 'greater' || condition === 'less';
  if (!equalityConditions.includes(condition) && !(kind === 'date' && isOrder)) return value;
  const each = (text: string) => {
    if (kind === 'LANGUAGE') return languageOf(text.trim()) ?? text;
    if (kind === 'date') return isoDate(text.trim()) ?? text;
    return kind === 'number' && isNumber(text) ? String(Number(text)) : text;
  };
  return condition === 'isoneof' || condition === 'notoneof' ? value.split(';').map(each).join(';') : each(value);
}

/** Conditions that compare whole values, one or several. */
const equalityConditions: readonly Condition['condition'][] = ['is', 'not', 'isoneof', 'notoneof'];

type Problem = [member: 'condition' | 'value', reason: string] | undefined;

const timeConditions = ['is', 'not', 'isany', 'greater', 'less'];
const yesNoConditions = ['is', 'not', 'isoneof', 'notoneof'];
const linkConditions = ['is', 'not', 'isoneof', 'notoneof', 'contains', 'notcontain', 'starts', 'ends'];

function entriesProblem({ condition, value }: Condition): Problem {
  if (condition !== 'isoneof' && condition !== 'notoneof') return undefined;
  if (value.trim() === '') return ['value', `has nothing for ${condition}, which takes values separated by ;`];
  return value.split(';').some((item) => item.trim() === '')
    ? ['value', `"${value.slice(0, 40)}" has an empty entry; values are separated by one ;`]
    : undefined;
}

function builtInProblem({ field, condition, value }: Condition): Problem {
  if (timeFields.some((timeField) => timeField === field)) {
    if (!timeConditions.includes(condition)) return ['condition', `${field} takes ${timeConditions.join(', ')}`];
    if (condition !== 'isany' && daysOf(value) === 0)
      return ['value', `"${value.slice(0, 40)}" is no time; the least is 1 day`];
    if (daysOf(value) !== undefined && (condition === 'is' || condition === 'not'))
      return ['value', `"${value.slice(0, 40)}" is compared by greater (within) or less (longer ago)`];
    if (condition === 'isany' || daysOf(value) !== undefined || isTime(value)) return undefined;
    return [
      'value',
      `"${value.slice(0, 40)}" is neither YYYY-MM-DD (with HH:MM:SS) nor a number of days such as "30 days"`,
    ];
  }
  if (field === 'clicked_link') {
    if (!linkConditions.includes(condition)) return ['condition', `clicked_link takes ${linkConditions.join(', ')}`];
    return value.trim() === '' ? ['value', 'names no link'] : undefined;
  }
  const campaign = isCampaignField(builtInField(field));
  if (!campaign && field !== 'list') return undefined;
  if (!yesNoConditions.includes(condition)) return ['condition', `${field} takes ${yesNoConditions.join(', ')}`];
  if (campaign && latestOf(value) === 0)
    return ['value', `"${value.slice(0, 40)}" is no campaign; the least is last 1`];
  if (campaign && latestOf(value) !== undefined) return undefined;
  if (parseId(value.trim()) >= 0) return undefined;
  return ['value', `"${value.slice(0, 40)}" is not an id${campaign ? ' and not of the form "last 5"' : ''}`];
}

function fieldProblem(field: Field, { condition, value }: Condition): Problem {
  // An empty value matches members without a value.
  if (equalityConditions.includes(condition) && value.trim() !== '')
    for (const item of condition === 'is' || condition === 'not' ? [value] : value.split(';')) {
      if (field.type === 'number' && !isNumber(item))
        return ['value', `"${item.trim().slice(0, 40)}" is not a number, which ${field.tag} is`];
      if (field.type === 'date' && parseDay(item.trim()) === null)
        return ['value', `"${item.trim().slice(0, 40)}" is not a day (YYYY-MM-DD), which ${field.tag} is`];
    }
  if (condition !== 'greater' && condition !== 'less') return undefined;
  if (field.type === 'number' && !isNumber(value))
    return ['value', `"${value.slice(0, 40)}" is not a number, which ${field.tag} is`];
  if (field.type === 'date' && daysOf(value) === undefined && parseDay(value.trim()) === null)
    return ['value', `"${value.slice(0, 40)}" is neither YYYY-MM-DD nor a number of days such as "30 days"`];
  return undefined;
}

/** Whether PostgreSQL reads the text as the same time. */
function isTime(value: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2}:\d{2}))?$/.exec(value.trim());
  if (!match) return false;
  const at = new Date(`${match[1]}T${match[2] ?? '00:00:00'}Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(match[1]!) && !match[1]!.startsWith('0000');
}

function textOf(value: unknown, path: string): string {
  const text = value instanceof WireNumber ? value.raw : typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') throw wrong(path, 'is not a string');
  if (text.length > maxValueLength) throw wrong(path, `is longer than ${maxValueLength} characters`);
  if (text.includes('\0')) throw wrong(path, 'holds a NUL');
  return text.toWellFormed();
}

const wrong = (path: string, reason: string) => new Fault('SEGMENT_INVALID', `${path}: ${reason}`);
