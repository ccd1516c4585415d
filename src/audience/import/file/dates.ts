// Dates and times as files write them. Most forms have one reading; 04/07/2020 has two, and whether the day or the month comes
// first is a matter of the whole column: decided by its values that have one reading, or else by a person. Pure.
import { isDay } from '../../../base/calendar.ts';

export const dateOrders = ['day_first', 'month_first'] as const;
export type DateOrder = (typeof dateOrders)[number];

/** What the values of a column show about its order, taken one after the other. */
export class DateLook {
  #dayFirst = false;
  #monthFirst = false;
  #isOpen = false;

  add(cell: string): void {
    const text = cell.trim();
    if (!/^\d{1,2}[/-]/.test(text)) return;
    const dayFirst = timeIn(text, 'day_first');
    const monthFirst = timeIn(text, 'month_first');
    if (dayFirst !== monthFirst) {
      if (monthFirst === undefined) this.#dayFirst = true;
      else if (dayFirst === undefined) this.#monthFirst = true;
      else this.#isOpen = true;
    }
  }

  /** The order; 'unclear' when a value needs one and none or both are shown. */
  get order(): DateOrder | 'unclear' | undefined {
    if (this.#dayFirst && this.#monthFirst) return 'unclear';
    if (this.#dayFirst) return 'day_first';
    if (this.#monthFirst) return 'month_first';
    return this.#isOpen ? 'unclear' : undefined;
  }
}

/** Whether a cell of a date says that there is none. */
export const isNoDate = (text: string) =>
  /^(0{4}[-/.]0?0[-/.]0?0|0?0[-/.]0?0[-/.]0{2,4})([T ][0:.Z]*)?$/.test(text) ||
  /^([-–—.?]+|n\/?a|null|nil|none|never|unknown|undefined)$/i.test(text);

/** A day as YYYY-MM-DD. A time of day may follow. @param order for a day and a month that can be distinguished by nothing else */
export const dayIn = (text: string, order?: DateOrder | undefined): string | undefined => splitTime(text, order)?.day;

/** A time in ISO 8601; UTC when it has no zone, midnight when it has no time of day. */
export function timeIn(text: string, order?: DateOrder | undefined): string | undefined {
  const at = secondsIn(text) ?? timeOfParts(splitTime(withoutNames(text), order));
  if (!at) return undefined;
  const isInRange = at.getTime() >= 0 && at.getTime() <= Date.UTC(2200, 0);
  return isInRange ? at.toISOString() : undefined;
}

const timeOfParts = (parts: ReturnType<typeof splitTime>) =>
  parts && new Date(`${parts.day}T${parts.clock}${parts.zone}`);

/** Seconds or milliseconds since 1970, as databases export them. */
const secondsIn = (text: string): Date | undefined =>
  /^1\d{9}(\d{3})?$/.test(text) ? new Date(Number(text.padEnd(13, '0'))) : undefined;

/** JavaScript writes GMT+0100 (Central European Standard Time). */
const withoutNames = (text: string) =>
  text.length > 100 ? text : text.replace(/\s*\([^()]*\)$/, '').replace(/\b(?:GMT|UTC)(?=[+-]\d)/, '');

const clockPattern =
  /^(.*?\S)(?:T|,?\s+(?:at\s+|um\s+|kl\.?\s+)?)(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,]\d+)?)?\s*([ap]\.?m\.?)?\s*(Z|GMT|UTC|[+-]\d{2}(?::?\d{2})?)?$/i;

function splitTime(text: string, order: DateOrder | undefined) {
  // Bounds the work of the pattern; no time is that long.
  if (text.length > 100) return undefined;
  const found = clockPattern.exec(text);
  const zoned = found ? undefined : /^(\d{4}-\d{1,2}-\d{1,2})\s*(Z|GMT|UTC|[+-]\d{2}:?\d{2})$/i.exec(text);
  const day = dayOf((found?.[1] ?? zoned?.[1] ?? text).replace(/,$/, ''), order);
  if (day === undefined) return undefined;
  if (!found) return { day, clock: '00:00:00', zone: offset(zoned?.[2]) };
  const [, , hours, minutes, seconds = '00', half] = found;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (/^p/i.test(half) ? 12 : 0);
  if (half !== undefined && (Number(hours) < 1 || Number(hours) > 12)) return undefined;
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  return { day, clock: `${String(hour).padStart(2, '0')}:${minutes}:${seconds}`, zone: offset(found[6]) };
}

function offset(zone: string | undefined): string {
  if (zone === undefined || /^[A-Z]/i.test(zone)) return 'Z';
  return zone.length === 3 ? `${zone}:00` : zone.replace(/^(...)(\d\d)$/, '$1:$2');
}

function dayOf(text: string, order: DateOrder | undefined): string | undefined {
  const yearFirst = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/.exec(text) ?? /^(\d{4})()(\d{2})(\d{2})$/.exec(text);
  if (yearFirst) return iso(yearFirst[1]!, yearFirst[3]!, yearFirst[4]!);
  const east = /^(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日$/.exec(text);
  if (east) return iso(east[1]!, east[2]!, east[3]!);
  const yearLast =
    /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})$/.exec(text) ?? /^(\d{1,2})([/.])(\d{1,2})\2(\d{2})$/.exec(text);
  if (!yearLast) return namedDay(text);
  const [, first, sign, second, year] = yearLast as unknown as [string, string, string, string, string];
  const dayFirst = iso(year, second, first);
  // Dots are written between day, month and year in that order only.
  if (sign === '.') return dayFirst;
  const monthFirst = iso(year, first, second);
  if (order !== undefined) return order === 'day_first' ? dayFirst : monthFirst;
  return dayFirst === undefined || monthFirst === undefined || dayFirst === monthFirst
    ? (dayFirst ?? monthFirst)
    : undefined;
}

/** "March 4, 2021", "4. März 2021", "4-Mar-21", with or without the day of the week. */
function namedDay(text: string): string | undefined {
  const words = text
    .toLowerCase()
    .normalize('NFC')
    .split(/[\s,./-]+/)
    .filter((word) => word !== '' && word !== 'de' && word !== 'of' && word !== 'г');
  const month = words.map((word) => monthNames().get(word)).find((found) => found !== undefined);
  const numbers = words.filter((word) => /^\d/.test(word)).map((word) => word.replace(/(\d)(st|nd|rd|th)$/, '$1'));
  const others = words.length - numbers.length;
  if (month === undefined || numbers.length !== 2 || others > 2) return undefined;
  const [first, second] = numbers as [string, string];
  if (/^\d{4}$/.test(first) && /^\d{1,2}$/.test(second)) return iso(first, String(month), second);
  if (/^\d{1,2}$/.test(first) && /^(\d{2}|\d{4})$/.test(second)) return iso(second, String(month), first);
  return undefined;
}

function iso(yearText: string, monthText: string, dayText: string): string | undefined {
  const [written, month, day] = [yearText, monthText, dayText].map(Number) as [number, number, number];
  // A year of two digits is the latest that has begun.
  const thisYear = new Date().getUTCFullYear() % 100;
  const year = yearText.length === 2 ? written + (written > thisYear ? 1900 : 2000) : written;
  if (!isDay(year, month, day)) return undefined;
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

const languages = 'en,de,fr,es,it,pt,da,nb,sv,fi,et,lv,lt,pl,ru,nl,cs,hu,tr,uk,el,ar'.split(',');

// Made when a date is first read: it takes 30 ms, and every program loads this file.
let namesOfMonths: ReadonlyMap<string, number> | undefined;

/** The names of the months, long and short, in the languages of the public pages. A name of two months is none. */
function monthNames(): ReadonlyMap<string, number> {
  if (namesOfMonths) return namesOfMonths;
  const names = new Map<string, number>();
  const namesOfTwo = new Set<string>();
  for (const language of languages)
    for (const length of ['long', 'short'] as const)
      for (const withDay of [true, false]) {
        const format = new Intl.DateTimeFormat(language, {
          month: length,
          timeZone: 'UTC',
          ...(withDay ? { day: 'numeric', year: 'numeric' } : {}),
        });
        for (let month = 1; month <= 12; month++) {
          const part = format.formatToParts(Date.UTC(2021, month - 1, 5)).find(({ type }) => type === 'month');
          const name = (part?.value ?? '').toLowerCase().normalize('NFC').replace(/\.$/, '');
          if (!/^\p{L}+$/u.test(name)) continue;
          if ((names.get(name) ?? month) !== month) namesOfTwo.add(name);
          names.set(name, month);
        }
      }
  for (const name of namesOfTwo) names.delete(name);
  namesOfMonths = names;
  return names;
}
