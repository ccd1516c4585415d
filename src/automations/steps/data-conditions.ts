// Conditions on the data of an event: path, comparison, value. Triggers, goals and steps that wait for an event have them. Pure.
//
// A path leads through the members of the data (order.total) and its lists: a number is the place of an item, and without one any
// item counts. `value` is the value of the event if its data has no such member.
import { z } from 'zod';
import { type Message, message } from '../../base/messages.ts';
import { named } from '../../method/named.ts';
import { arrayOf, line, oneOf, struct } from '../../method/params.ts';

export const comparisons = ['is', 'is_not', 'contains', 'greater', 'less', 'exists'] as const;

/** All of them must hold. */
export const dataRecord = z.array(
  named('AutomationDataCondition', z.object({ path: z.string(), condition: z.enum(comparisons), value: z.string() })),
);
export type DataConditions = z.output<typeof dataRecord>;

const maxConditions = 10;

/** @param what has them, for the description */
export const dataSetting = arrayOf(
  'event, wait_for: what the data of the event must be, all of it; any data when left out.',
  named(
    'AutomationDataConditionSettings',
    struct(
      'A condition on the data of an event.',
      {
        path: line('The member, such as order.total or items.sku; of a list, any item counts.', 200),
        condition: oneOf(
          'is, is_not, contains, greater, less or exists. Texts are compared without regard to case, numbers and dates by their size.',
          comparisons,
        ),
        value: line('What it is compared with; not for exists.', 500).optional(),
      },
      { fault: 'AUTOMATION_INVALID' },
    ),
  ),
  maxConditions,
).optional();

type Given = { path: string; condition: (typeof comparisons)[number]; value?: string | undefined };

/** As they are stored: the member `data`, which is left out without conditions. */
export const readData = (given: readonly Given[] | undefined): { data?: DataConditions } =>
  given === undefined || given.length === 0
    ? {}
    : {
        data: given.map(({ path, condition, value = '' }) => ({
          path: path.trim().replace(/^data\./, ''),
          condition,
          value: condition === 'exists' ? '' : value.trim(),
        })),
      };

/** Why the conditions cannot be checked. */
export function problemOfData(conditions: DataConditions = []): Message | undefined {
  const without = conditions.find(({ path }) => path === '');
  if (without) return message('automation.data_path_missing');
  const unset = conditions.find(({ condition, value }) => condition !== 'exists' && value === '');
  return unset && message('automation.data_value_missing', { path: unset.path });
}

type Happened = { value: number | null; data: Record<string, unknown> };

/** Whether all conditions hold for an event. */
export function matchesData(conditions: DataConditions | undefined, { value, data }: Happened): boolean {
  const root = { value, ...data };
  return (conditions ?? []).every((one) => {
    const found = valuesAt(root, one.path.split('.'));
    return one.condition === 'is_not'
      ? !found.some((item) => compare({ ...one, condition: 'is' }, item))
      : found.some((item) => compare(one, item));
  });
}

/** What is at the path; several where it leads through a list. */
function valuesAt(from: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(from)) {
    const [first, ...rest] = path;
    if (first !== undefined && /^\d+$/.test(first)) return valuesAt(from[Number(first)], rest);
    return from.flatMap((item) => valuesAt(item, path));
  }
  const [name, ...rest] = path;
  if (name === undefined) return from === undefined || from === null ? [] : [from];
  if (typeof from !== 'object' || from === null || !Object.hasOwn(from, name)) return [];
  return valuesAt((from as Record<string, unknown>)[name], rest);
}

function compare({ condition, value }: DataConditions[number], found: unknown): boolean {
  if (condition === 'exists') return found !== '';
  // A struct is no value.
  if (typeof found === 'object') return false;
  const own = String(found).trim();
  const [a, b] = [sizeOf(own), sizeOf(value)];
  switch (condition) {
    case 'contains':
      return own.toLowerCase().includes(value.toLowerCase());
    case 'greater':
      return a !== undefined && b !== undefined && a > b;
    case 'less':
      return a !== undefined && b !== undefined && a < b;
    default:
      return own.toLowerCase() === value.toLowerCase() || (a !== undefined && a === b);
  }
}

/** A number, or the time of a date; undefined for any other text. */
function sizeOf(text: string): number | undefined {
  if (/^[-+]?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
