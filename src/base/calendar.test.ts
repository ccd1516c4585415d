// The calendar against an independent one: the arithmetic of Date in UTC, over every day of many years.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../test/support/run/runs.ts';
import {
  dayNumber,
  dayOfNumber,
  daysInMonth,
  formatDay,
  isDay,
  isLeapYear,
  parseDay,
  plusDays,
  plusMonths,
} from './calendar.ts';

const utc = (year: number, month: number, day: number): Date => {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date;
};

test('every day from 1890 to 2110 has the same number as in Date, and converts back', () => {
  for (let number = utc(1890, 1, 1).getTime() / 86_400_000; number < utc(2111, 1, 1).getTime() / 86_400_000; number++) {
    const date = new Date(number * 86_400_000);
    const day = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
    assert.deepEqual(dayOfNumber(number), day);
    assert.equal(dayNumber(day), number);
  }
});

test('any day of the years 1 to 9999 converts to its number and back', () => {
  const last = utc(9999, 12, 31).getTime() / 86_400_000;
  const first = utc(1, 1, 1).getTime() / 86_400_000;
  fc.assert(
    fc.property(fc.integer({ min: first, max: last }), (number) => {
      const day = dayOfNumber(number);
      assert.ok(isDay(day.year, day.month, day.day));
      assert.equal(dayNumber(day), number);
      assert.equal(utc(day.year, day.month, day.day).getTime(), number * 86_400_000);
    }),
    { numRuns: runs(2000) },
  );
});

test('leap years follow the rule of 4, 100 and 400', () => {
  const leap = [4, 1600, 1996, 2000, 2004, 2024, 2028, 2400, 9996];
  const common = [1, 100, 1700, 1800, 1900, 2001, 2023, 2025, 2026, 2100, 2200, 2300, 9999];
  for (const year of leap) assert.equal(isLeapYear(year) && daysInMonth(year, 2), 29, String(year));
  for (const year of common) assert.equal(!isLeapYear(year) && daysInMonth(year, 2), 28, String(year));
});

test('a day exists exactly when Date does not roll it over', () => {
  for (const year of [1, 1900, 1999, 2000, 2023, 2024, 2100, 9999]) {
    for (let month = -1; month <= 14; month++) {
      for (let day = -1; day <= 33; day++) {
        const date = utc(year, month, day);
        const same = date.getUTCFullYear() === year && date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
        assert.equal(isDay(year, month, day), same, `${year}-${month}-${day}`);
      }
    }
  }
  assert.equal(isDay(0, 1, 1), false);
  assert.equal(isDay(10_000, 1, 1), false);
});

const monthSteps: [string, number, string][] = [
  ['2026-01-31', 1, '2026-02-28'],
  ['2024-01-31', 1, '2024-02-29'],
  ['2024-01-30', 1, '2024-02-29'],
  ['2024-01-29', 1, '2024-02-29'],
  ['2026-01-29', 1, '2026-02-28'],
  ['2026-03-31', 1, '2026-04-30'],
  ['2026-05-31', -1, '2026-04-30'],
  ['2026-03-31', -1, '2026-02-28'],
  ['2024-03-31', -1, '2024-02-29'],
  ['2024-02-29', 12, '2025-02-28'],
  ['2024-02-29', 48, '2028-02-29'],
  ['2024-02-29', -12, '2023-02-28'],
  ['2096-02-29', 48, '2100-02-28'],
  ['2026-12-31', 2, '2027-02-28'],
  ['2026-12-15', 1, '2027-01-15'],
  ['2026-01-15', -1, '2025-12-15'],
  ['2026-01-15', -13, '2024-12-15'],
  ['2026-06-15', 0, '2026-06-15'],
  ['1999-12-31', 1, '2000-01-31'],
];
test('adding months ends on the last day of a month that is too short', () => {
  for (const [from, months, to] of monthSteps) {
    assert.equal(formatDay(plusMonths(parseDay(from)!, months)), to, `${from} ${months}`);
  }
});

test('adding days crosses months, years and leap days', () => {
  assert.equal(formatDay(plusDays(parseDay('2024-02-28')!, 1)), '2024-02-29');
  assert.equal(formatDay(plusDays(parseDay('2025-02-28')!, 1)), '2025-03-01');
  assert.equal(formatDay(plusDays(parseDay('2025-12-31')!, 1)), '2026-01-01');
  assert.equal(formatDay(plusDays(parseDay('2026-01-01')!, -1)), '2025-12-31');
  assert.equal(formatDay(plusDays(parseDay('2026-01-01')!, 365)), '2027-01-01');
});

const dayValues: [string, string | null][] = [
  ['2026-03-04', '2026-03-04'],
  ['03/04/2026', '2026-03-04'],
  ['3/4/2026', '2026-03-04'],
  ['04.03.2026', '2026-03-04'],
  ['4.3.2026', '2026-03-04'],
  [' 2026-03-04 ', '2026-03-04'],
  ['\t04.03.2026\n', '2026-03-04'],
  ['2024-02-29', '2024-02-29'],
  ['02/29/2024', '2024-02-29'],
  ['29.02.2024', '2024-02-29'],
  ['2025-02-29', null],
  ['02/29/2025', null],
  ['29.02.2100', null],
  ['29.02.2000', '2000-02-29'],
  ['31.12.1899', '1899-12-31'],
  ['0001-01-01', '0001-01-01'],
  ['0000-01-01', null],
  ['9999-12-31', '9999-12-31'],
  ['10000-01-01', null],
  ['2026-13-01', null],
  ['2026-00-10', null],
  ['2026-01-00', null],
  ['2026-01-32', null],
  ['13/01/2026', null],
  ['01.13.2026', null],
  ['31.04.2026', null],
  ['04/31/2026', null],
  ['2026-3-4', null],
  ['26-03-04', null],
  ['03/04/26', null],
  ['04.03.26', null],
  ['2026/03/04', null],
  ['2026.03.04', null],
  ['20260304', null],
  ['04-03-2026', null],
  ['2026-03-04T00:00:00', null],
  ['2026-03-04 10:00', null],
  ['٢٠٢٦-٠٣-٠٤', null],
  ['2026−03−04', null],
  ['2026-03-04x', null],
  ['x2026-03-04', null],
  ['2026-03-04\u0000', null],
  ['-2026-03-04', null],
  ['+2026-03-04', null],
  ['2026-03', null],
  ['2026', null],
  ['', null],
  ['   ', null],
  ['tomorrow', null],
  ['4 March 2026', null],
  ['1/1/1', null],
  ['003/04/2026', null],
  ['4..3.2026', null],
  ['4.3.2026.', null],
  ['1e3-01-01', null],
];
test('values of date fields are read in three notations and refused in every other', () => {
  for (const [text, expected] of dayValues) {
    const day = parseDay(text);
    assert.equal(day && formatDay(day), expected, JSON.stringify(text));
  }
});
