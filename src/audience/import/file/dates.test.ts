// Dates and times as files write them, in the order of day and month that their column has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DateLook, type DateOrder, dayIn, isNoDate, timeIn } from './dates.ts';

function orderOf(...cells: string[]): DateLook['order'] {
  const look = new DateLook();
  for (const cell of cells) look.add(cell);
  return look.order;
}

test('the values of a column with one reading decide its order', () => {
  for (const [cells, order] of [
    [['31/05/2024'], 'day_first'],
    [['05/31/2024'], 'month_first'],
    [['5-31-2024', '04/07/2020'], 'month_first'],
    [[' 04/07/2020', '31/05/2024 '], 'day_first'],
    [['04/07/2020'], 'unclear'],
    [['31/05/2024', '05/31/2024'], 'unclear'],
    [['05/05/2020'], undefined],
    [['31.05.2024'], undefined],
    [['2024-05-31'], undefined],
    [['99/99/2024'], undefined],
    [[], undefined],
  ] as const)
    assert.equal(orderOf(...cells), order, cells.join(' '));
});

test('zeros and words for nothing are no date', () => {
  for (const text of ['0000-00-00', '0000-00-00 00:00:00', '00/00/0000', '-', '—', 'N/A', 'null', 'Never'])
    assert.equal(isNoDate(text), true, text);
  for (const text of ['2024-01-01', '0', '', 'soon']) assert.equal(isNoDate(text), false, text);
});

const days: [text: string, day: string | undefined, order?: DateOrder][] = [
  ['2024-05-31', '2024-05-31'],
  ['2024/5/1', '2024-05-01'],
  ['20240531', '2024-05-31'],
  ['2024-05/31', undefined],
  ['0099-01-02', '0099-01-02'],
  ['2024年5月1日', '2024-05-01'],
  ['31.5.2024', '2024-05-31'],
  ['04.07.2020', '2020-07-04'],
  ['04.07.2020', '2020-07-04', 'month_first'],
  ['04/07/2020', undefined],
  ['04/07/2020', '2020-07-04', 'day_first'],
  ['04/07/2020', '2020-04-07', 'month_first'],
  ['31/05/2024', '2024-05-31'],
  ['05/31/2024', '2024-05-31'],
  ['05/31/2024', undefined, 'day_first'],
  ['31/05/2024', undefined, 'month_first'],
  ['05/05/2024', '2024-05-05'],
  ['32/13/2024', undefined],
  ['31.04.2024', undefined],
  ['29.02.2023', undefined],
  ['1.2.05', '2005-02-01'],
  ['1.2.99', '1999-02-01'],
  ['March 4, 2021', '2021-03-04'],
  ['Thu, 4 March 2021', '2021-03-04'],
  ['4th of March 2021', '2021-03-04'],
  ['1st Mar 2021', '2021-03-01'],
  ['2021 March 4', '2021-03-04'],
  ['4-Mar-21', '2021-03-04'],
  ['4 March 021', undefined],
  ['March 2021', undefined],
  ['4 March 2021 5', undefined],
  ['Thursday the 4 March 2021', undefined],
  ['123 March 2021', undefined],
  ['2021 March 123', undefined],
  ['30 February 2021', undefined],
  ['4 Smarch 2021', undefined],
  ['jueves, 4 de marzo de 2021', '2021-03-04'],
  ['четверг, 4 марта 2021 г.', '2021-03-04'],
  ['', undefined],
];
test('a day is read in every usual form', () => {
  for (const [text, day, order] of days) assert.equal(dayIn(text, order), day, `${text} ${order ?? ''}`);
});

test('a year of two digits is the latest that has begun', () => {
  const year = new Date().getUTCFullYear();
  assert.equal(dayIn(`1.2.${String(year).slice(2)}`), `${year}-02-01`);
  assert.equal(dayIn(`1.2.${String(year + 1).slice(2)}`), `${year - 99}-02-01`);
});

test('months are read in the languages of the public pages, long and short', () => {
  for (const text of [
    ...['4 March 2021', '4. März 2021', '4 mars 2021', '4 de marzo de 2021', '4 marzo 2021', '4 de março de 2021'],
    ...['4. marts 2021', '4. mars 2021', '4. maaliskuuta 2021', '4. märts 2021', '2021. gada 4. marts', '4 marca 2021'],
    ...[
      '4 maart 2021',
      '4. března 2021',
      '2021. március 4.',
      '4 Mart 2021',
      '4 березня 2021',
      '4 Μαρτίου 2021',
      '4 مارس 2021',
    ],
    ...['4 marzec 2021', '2021 kovo 4', '4 марта 2021', '4 март 2021', '4 mar 2021', '4. maalis 2021'],
  ])
    assert.equal(dayIn(text), '2021-03-04', text);
  for (const [text, day] of [
    ['1 décembre 2021', '2021-12-01'],
    ['1 enero 2021', '2021-01-01'],
    ['1 gennaio 2021', '2021-01-01'],
    ['1 fevereiro 2021', '2021-02-01'],
    ['1. Dezember 2021', '2021-12-01'],
    ['1 desember 2021', '2021-12-01'],
    ['1. maj 2021', '2021-05-01'],
    ['1 augusti 2021', '2021-08-01'],
    ['1. tammikuuta 2021', '2021-01-01'],
    ['1. jaanuar 2021', '2021-01-01'],
    ['1. janvāris 2021', '2021-01-01'],
    ['1 stycznia 2021', '2021-01-01'],
    ['1 sty 2021', '2021-01-01'],
    ['1 января 2021', '2021-01-01'],
    ['2021 sausio 1', '2021-01-01'],
    ['1 dic 2021', '2021-12-01'],
  ] as const)
    assert.equal(dayIn(text), day, text);
});

const times: [text: string, time: string | undefined][] = [
  ['2024-05-31', '2024-05-31T00:00:00.000Z'],
  ['2024-05-31T10:20:30Z', '2024-05-31T10:20:30.000Z'],
  ['2024-05-31 10:20', '2024-05-31T10:20:00.000Z'],
  ['2024-05-31 9:05:07.123456', '2024-05-31T09:05:07.000Z'],
  ['2024-05-31 10:20 +02', '2024-05-31T08:20:00.000Z'],
  ['2024-05-31 10:20:00+0230', '2024-05-31T07:50:00.000Z'],
  ['2024-05-31 10:20:00-02:30', '2024-05-31T12:50:00.000Z'],
  ['2024-05-31 10:20 UTC', '2024-05-31T10:20:00.000Z'],
  ['2024-05-31 gmt', '2024-05-31T00:00:00.000Z'],
  ['2024-05-31+0200', '2024-05-30T22:00:00.000Z'],
  ['2024-05-31 12:00 am', '2024-05-31T00:00:00.000Z'],
  ['2024-05-31 12:30 p.m.', '2024-05-31T12:30:00.000Z'],
  ['May 31, 2024 at 1:05 PM', '2024-05-31T13:05:00.000Z'],
  ['2024-05-31 11:59 pm', '2024-05-31T23:59:00.000Z'],
  ['2024-05-31 1:00 am', '2024-05-31T01:00:00.000Z'],
  ['2024-05-31 0:10 am', undefined],
  ['2024-05-31 13:10 pm', undefined],
  ['31.05.2024 um 23:59:59', '2024-05-31T23:59:59.000Z'],
  ['2024-05-31 24:00', undefined],
  ['2024-05-31 10:60', undefined],
  ['2024-05-31 10:59:60', undefined],
  ['Fri May 31 2024 10:20:30 GMT+0100 (Central European Standard Time)', '2024-05-31T09:20:30.000Z'],
  ['1717143630', '2024-05-31T08:20:30.000Z'],
  ['1717143630123', '2024-05-31T08:20:30.123Z'],
  ['17171436301', undefined],
  ['1970-01-01', '1970-01-01T00:00:00.000Z'],
  ['1969-12-31 23:59:59', undefined],
  ['2200-01-01', '2200-01-01T00:00:00.000Z'],
  ['2200-01-01 00:00:01', undefined],
  ['yesterday', undefined],
];
test('a time is read in UTC, midnight without a time of day', () => {
  for (const [text, time] of times) assert.equal(timeIn(text), time, text);
  assert.equal(timeIn('04/07/2020 10:20', 'day_first'), '2020-07-04T10:20:00.000Z');
  assert.equal(timeIn('04/07/2020 10:20'), undefined);
});

test('a text of more than 100 characters is no time', () => {
  assert.equal(dayIn(`${' '.repeat(90)}2024-05-31`), undefined);
  assert.equal(timeIn(`2024-05-31 10:20:00.${'1'.repeat(80)}`), '2024-05-31T10:20:00.000Z');
  assert.equal(timeIn(`2024-05-31 10:20:00.${'1'.repeat(81)}`), undefined);
  const named = (letters: number) => `Fri May 31 2024 10:20:30 GMT+0000 (${'C'.repeat(letters)})`;
  assert.equal(timeIn(named(64)), '2024-05-31T10:20:30.000Z');
  assert.equal(timeIn(named(65)), undefined);
});
