// Dates of the API as tables: notation (300), calendar (200), zone offsets (120), range (30), and their instants.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/run/runs.ts';
import { messages } from '../../locales/messages/index.ts';
import { formatDate } from '../../method/date.ts';
import { parseFilterDate, parseScheduleTime } from './schedule-time.ts';

const read = (text: string): string => {
  const reading = parseScheduleTime(text);
  return reading.ok ? formatDate(reading.at) : reading.reason;
};

test('a time without a zone is GMT, and a zone is the ordinary offset from it', () => {
  assert.equal(read('2026-10-01 12:00:00'), '2026-10-01 12:00:00');
  assert.equal(read('2026-10-01 12:00:00 +0100'), '2026-10-01 11:00:00');
  assert.equal(read('2026-10-01 12:00:00 -0500'), '2026-10-01 17:00:00');
  assert.equal(read('2026-01-01 00:30:00 +0100'), '2025-12-31 23:30:00');
});

const dates = ['2026-10-01', '2024-02-29', '1999-12-31'];
const times = ['12:00:00', '00:00:00', '23:59:59', '09:05:07'];
const zones = ['', 'Z', ' Z', '+0000', ' +0000', '+00:00', ' +00:00', '-0000', ' -00:00'];

test('notation: date, T or space, time, and an optional zone are read in every combination (216)', () => {
  let cases = 0;
  for (const date of dates) {
    for (const time of times) {
      for (const separator of [' ', 'T']) {
        for (const zone of zones) {
          assert.equal(read(date + separator + time + zone), `${date} ${time}`, date + separator + time + zone);
          cases++;
        }
      }
    }
  }
  assert.equal(cases, 216);
});

const whole = '2026-10-01 12:00:00 +0100';
const notTimes = [
  ...['', ' ', '0', 'now', 'tomorrow', 'null', 'NaN', 'Invalid Date', '+1 day', '1790812800', '@1790812800'],
  // White space and line ends around and inside.
  ...[' ', '\t', '\n', '\r\n', '\u0000', '\u00a0', '\u200b', '\ufeff', '\u2028', '\u3000'].flatMap((c) => [
    c + whole,
    whole + c,
    whole.replace(' ', c === ' ' ? '  ' : c),
  ]),
  // Parts missing, shortened, doubled or in another order.
  ...[
    '2026-10-01',
    '2026-10-01 ',
    '2026-10-01 12',
    '2026-10-01 12:00',
    '12:00:00',
    '2026-10 12:00:00',
    '2026 12:00:00',
  ],
  ...['26-10-01 12:00:00', '2026-1-01 12:00:00', '2026-10-1 12:00:00', '2026-10-01 1:00:00', '2026-10-01 12:0:00'],
  ...[
    '2026-10-01 12:00:0',
    '02026-10-01 12:00:00',
    '2026-010-01 12:00:00',
    '2026-10-01 012:00:00',
    '2026-10-01 12:00:000',
  ],
  ...[
    '01-10-2026 12:00:00',
    '10/01/2026 12:00:00',
    '2026/10/01 12:00:00',
    '2026.10.01 12:00:00',
    '01.10.2026 12:00:00',
  ],
  ...['20261001 12:00:00', '20261001T120000', '20261001T12:00:00', '2026-10-01 120000', '2026-10-01 12.00.00'],
  ...['2026-10-01 12-00-00', '2026-10-01_12:00:00', '2026-10-01,12:00:00', '2026-10-0112:00:00', '2026-10-01t12:00:00'],
  ...[
    '2026-10-01 12:00:00z',
    '2026-10-01 12:00:00.0',
    '2026-10-01 12:00:00.000Z',
    '2026-10-01 12:00:00,5',
    '2026-W40-4 12:00:00',
  ],
  ...[
    '2026-274 12:00:00',
    '+2026-10-01 12:00:00',
    '-2026-10-01 12:00:00',
    '+002026-10-01 12:00:00',
    '12:00:00 2026-10-01',
  ],
  ...[
    '2026-10-01 12:00:00 AM',
    '2026-10-01 12:00:00 pm',
    'Thu, 01 Oct 2026 12:00:00 GMT',
    '1 October 2026 12:00',
    '2026-Oct-01 12:00:00',
  ],
  // Digits, signs and colons of other scripts.
  ...[
    '２０２６-10-01 12:00:00',
    '٢٠٢٦-10-01 12:00:00',
    '2026-10-01 12:00:0０',
    '2026−10−01 12:00:00',
    '2026–10–01 12:00:00',
  ],
  ...[
    '2026-10-01 12：00：00',
    '2026-10-01 12∶00∶00',
    '2026-10-01 12:00:00 −0100',
    '2026-10-01 12:00:00 ＋0100',
    '2026-10-01 12:00:00 +０100',
  ],
  // Numbers in other notations.
  ...[
    '0x7ea-10-01 12:00:00',
    '2e03-10-01 12:00:00',
    '2026-10-01 1e:00:00',
    '2026- 1-01 12:00:00',
    '2026-10-01  9:00:00',
    '2026-10-01 12:-1:00',
  ],
  // Anything behind it.
  ...[
    '2026-10-01 12:00:00 +0100 +0100',
    '2026-10-01 12:00:00 +0100Z',
    '2026-10-01 12:00:00ZZ',
    '2026-10-01 12:00:00; drop table campaign',
  ],
  ...[
    "2026-10-01 12:00:00'",
    '2026-10-01 12:00:00 +0100 (CET)',
    '2026-10-01 12:00:00 2026-10-01 12:00:00',
    '"2026-10-01 12:00:00"',
  ],
];
test(`notation: anything else is refused (${notTimes.length})`, () => {
  assert.ok(notTimes.length >= 84 && new Set(notTimes).size === notTimes.length);
  for (const text of notTimes) assert.equal(read(text), 'format', JSON.stringify(text));
});

test('notation: every single character changed, dropped or doubled gives a refusal or another time, never the same', () => {
  for (let i = 0; i < whole.length; i++) {
    const original = read(whole);
    for (const other of ['x', '', whole[i]! + whole[i]!]) {
      const text = whole.slice(0, i) + other + whole.slice(i + 1);
      // The space before the zone may be left out.
      if (text === '2026-10-01 12:00:00+0100') continue;
      assert.notEqual(read(text), original, JSON.stringify(text));
    }
  }
});

test('calendar: each month of ten years has its days and no more, none rolled over (over 200)', () => {
  let cases = 0;
  for (const year of [1970, 1972, 1999, 2000, 2023, 2024, 2026, 2100, 2400, 9998]) {
    for (let month = 0; month <= 13; month++) {
      const mm = String(month).padStart(2, '0');
      // The platform as the judge: the last day of a month is the day before the first of the next one.
      const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
      for (const day of [0, 1, 28, 29, 30, 31, 32, 99]) {
        const text = `${year}-${mm}-${String(day).padStart(2, '0')} 10:20:30`;
        const expected = month < 1 || month > 12 ? 'month' : day < 1 || day > last ? 'day' : text;
        assert.equal(read(text), expected, text);
        cases++;
      }
    }
  }
  assert.equal(cases, 1120);
});

const calendarByHand: [string, string][] = [
  ['1900-02-29 00:00:00', 'day'],
  ['2000-02-29 00:00:00', '2000-02-29 00:00:00'],
  ['2100-02-29 00:00:00', 'day'],
  ['2025-02-30 00:00:00', 'day'],
  ['2026-04-31 00:00:00', 'day'],
  ['2026-13-01 00:00:00', 'month'],
  ['2026-00-01 00:00:00', 'month'],
  ['2026-99-99 99:99:99', 'month'],
  ['2026-10-01 24:00:00', 'hour'],
  ['2026-10-01 24:00:01', 'hour'],
  ['2026-10-01 25:00:00', 'hour'],
  ['2026-10-01 99:00:00', 'hour'],
  ['2026-10-01 23:60:00', 'minute'],
  ['2026-10-01 23:99:00', 'minute'],
  ['2016-12-31 23:59:60', 'second'],
  ['2026-10-01 23:59:60', 'second'],
  ['2026-10-01 23:59:61', 'second'],
  ['2026-10-01 23:59:99', 'second'],
];
test('F43: calendar: 24:00:00, leap seconds and impossible days are refused by their part', () => {
  for (const [text, expected] of calendarByHand) assert.equal(read(text), expected, text);
});

test('F43: offsets: -1200 to +1400 in quarters of an hour are valid in both notations, beyond is not (over 120)', () => {
  const noon = Date.UTC(2026, 9, 1, 12);
  let cases = 0;
  for (let minutes = -26 * 60; minutes <= 26 * 60; minutes += 15) {
    const sign = minutes < 0 ? '-' : '+';
    const hh = String(Math.floor(Math.abs(minutes) / 60)).padStart(2, '0');
    const mm = String(Math.abs(minutes) % 60).padStart(2, '0');
    for (const zone of [`${sign}${hh}${mm}`, ` ${sign}${hh}:${mm}`]) {
      const reading = parseScheduleTime(`2026-10-01 12:00:00${zone}`);
      const valid = minutes >= -12 * 60 && minutes <= 14 * 60;
      assert.equal(reading.ok, valid, zone);
      if (reading.ok) assert.equal(reading.at.getTime(), noon - minutes * 60_000, zone);
      else assert.equal(reading.reason, 'offset', zone);
      cases++;
    }
  }
  assert.equal(cases, 418);
});

const offsetsByHand: [string, string][] = [
  ['+0530', '2026-10-01 06:30:00'],
  ['+0545', '2026-10-01 06:15:00'],
  ['+0845', '2026-10-01 03:15:00'],
  ['-0930', '2026-10-01 21:30:00'],
  ['-0330', '2026-10-01 15:30:00'],
  ['+1245', '2026-09-30 23:15:00'],
  ['+1400', '2026-09-30 22:00:00'],
  ['-1200', '2026-10-02 00:00:00'],
  ['+0001', '2026-10-01 11:59:00'],
  ['+0060', 'offset'],
  ['-0060', 'offset'],
  ['+0099', 'offset'],
  ['+1401', 'offset'],
  ['-1201', 'offset'],
  ['+1500', 'offset'],
  ['-1300', 'offset'],
  ['+2400', 'offset'],
  ['+2500', 'offset'],
  ['+9999', 'offset'],
  ['GMT', 'format'],
  ['UTC', 'format'],
  ['CET', 'format'],
  ['EST', 'format'],
  ['Europe/Berlin', 'format'],
  ['[Europe/Berlin]', 'format'],
  ['GMT+0100', 'format'],
  ['+01', 'format'],
  ['+1', 'format'],
  ['+100', 'format'],
  ['+01:0', 'format'],
  ['+1:00', 'format'],
  ['+001:00', 'format'],
  ['+01000', 'format'],
  ['+01.00', 'format'],
  ['+01 00', 'format'],
  ['+ 0100', 'format'],
  ['0100', 'format'],
  ['++0100', 'format'],
  ['+-0100', 'format'],
  ['+01:00:00', 'format'],
  ['+010000', 'format'],
  ['±0100', 'format'],
];
test('offsets: examples, with invalid names and notations', () => {
  for (const [zone, expected] of offsetsByHand) assert.equal(read(`2026-10-01 12:00:00 ${zone}`), expected, zone);
});

const ranges: [string, string][] = [
  ['1970-01-01 00:00:00', '1970-01-01 00:00:00'],
  ['1970-01-01 00:00:01', '1970-01-01 00:00:01'],
  ['1970-01-01 00:00:00 +0001', 'range'],
  ['1970-01-01 00:00:00 +1400', 'range'],
  ['1970-01-01 14:00:00 +1400', '1970-01-01 00:00:00'],
  ['1970-01-01 00:00:00 -1200', '1970-01-01 12:00:00'],
  ['1969-12-31 23:59:59', 'range'],
  ['1969-12-31 12:00:00 -1200', '1970-01-01 00:00:00'],
  ['1969-07-20 20:17:40', 'range'],
  ['1900-01-01 00:00:00', 'range'],
  ['1582-10-10 00:00:00', 'range'],
  ['1000-01-01 00:00:00', 'range'],
  ['0001-01-01 00:00:00', 'range'],
  ['0000-01-01 00:00:00', 'range'],
  ['0000-00-00 00:00:00', 'month'],
  ['0070-01-01 00:00:00', 'range'],
  ['0099-12-31 00:00:00', 'range'],
  ['2038-01-19 03:14:07', '2038-01-19 03:14:07'],
  ['2038-01-19 03:14:08', '2038-01-19 03:14:08'],
  ['2106-02-07 06:28:16', '2106-02-07 06:28:16'],
  ['3000-01-01 00:00:00', '3000-01-01 00:00:00'],
  ['9999-12-31 23:59:59', '9999-12-31 23:59:59'],
  ['9999-12-31 23:59:59 +1400', '9999-12-31 09:59:59'],
  ['9999-12-31 23:59:59 -0001', 'range'],
  ['9999-12-31 12:00:00 -1200', 'range'],
  ['9999-12-31 11:59:59 -1200', '9999-12-31 23:59:59'],
  ['10000-01-01 00:00:00', 'format'],
  ['99999-01-01 00:00:00', 'format'],
  ['+010000-01-01 00:00:00', 'format'],
  ['-000001-01-01 00:00:00', 'format'],
];
test('range: from the first second of 1970 to the last of 9999, both in GMT (30)', () => {
  assert.equal(ranges.length, 30);
  for (const [text, expected] of ranges) assert.equal(read(text), expected, text);
});

test('any instant written with any offset is read as itself', () => {
  const instant = fc.integer({ min: 86_400, max: 253_402_300_799 - 86_400 });
  fc.assert(
    fc.property(
      instant,
      fc.integer({ min: -720, max: 840 }),
      fc.constantFrom(' ', 'T'),
      (seconds, offset, separator) => {
        const wall = new Date((seconds + offset * 60) * 1000).toISOString();
        const sign = offset < 0 ? '-' : '+';
        const hh = String(Math.floor(Math.abs(offset) / 60)).padStart(2, '0');
        const mm = String(Math.abs(offset) % 60).padStart(2, '0');
        const reading = parseScheduleTime(`${wall.slice(0, 10)}${separator}${wall.slice(11, 19)} ${sign}${hh}${mm}`);
        assert.ok(reading.ok);
        assert.equal(reading.at.getTime(), seconds * 1000);
        const again = parseScheduleTime(formatDate(reading.at));
        assert.ok(again.ok);
        assert.equal(again.at.getTime(), seconds * 1000);
      },
    ),
    { numRuns: runs(5000) },
  );
});

test('no text makes the parser throw or return an invalid date', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9T Z:+-]{0,30}$/)), (text) => {
      const reading = parseScheduleTime(text);
      assert.ok(reading.ok ? Number.isInteger(reading.at.getTime()) : `campaign.date_${reading.reason}` in messages);
    }),
    { numRuns: runs(5000) },
  );
});

test('a filter date may leave out the time, which is midnight GMT', () => {
  const filter = (text: string) => {
    const reading = parseFilterDate(text);
    return reading.ok ? formatDate(reading.at) : reading.reason;
  };
  assert.equal(filter('2026-10-01'), '2026-10-01 00:00:00');
  assert.equal(filter('2026-10-01 12:00:00 +0100'), '2026-10-01 11:00:00');
  assert.equal(filter('2025-02-29'), 'day');
  assert.equal(filter('2026-13-01'), 'month');
  assert.equal(filter('1969-12-31'), 'range');
  assert.equal(filter('2026-10-01 +0100'), 'format');
  assert.equal(filter('2026-10-01Z'), 'format');
  assert.equal(filter('2026-10-01\n'), 'format');
  assert.equal(filter('2026-10'), 'format');
});
