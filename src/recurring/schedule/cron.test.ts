// What each field of a cron expression means.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCron } from './cron.ts';

const range = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, n) => from + n * step);
const numbers = (values: Set<number> | null | undefined) => values && [...values].sort((a, b) => a - b);

test('an hour is a number, a list, a range or a step', () => {
  const hours = (field: string) => numbers(parseCron(`0 ${field} * * *`)?.hours);
  assert.deepEqual(hours('*'), range(0, 23));
  assert.deepEqual(hours('9'), [9]);
  assert.deepEqual(hours('0,23'), [0, 23]);
  assert.deepEqual(hours('9-11'), [9, 10, 11]);
  assert.deepEqual(hours('*/6'), [0, 6, 12, 18]);
  assert.deepEqual(hours('20/2'), [20, 22]);
  assert.deepEqual(hours('1-7/3,12'), [1, 4, 7, 12]);
  for (const wrong of ['24', '-1', '9-8', '*/0', 'nine', '9-', '1-99', '', '9,', '100'])
    assert.equal(hours(wrong), undefined, wrong);
});

test('a month is a number or an English name', () => {
  const months = (field: string) => numbers(parseCron(`0 9 * ${field} *`)?.months);
  assert.deepEqual(months('*'), range(1, 12));
  const names = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
  for (const [n, name] of names.entries()) assert.deepEqual(months(name), [n + 1], name);
  assert.deepEqual(months('MAR-May'), [3, 4, 5]);
  assert.deepEqual(months('12'), [12]);
  for (const wrong of ['0', '13', 'mon', 'januar']) assert.equal(months(wrong), undefined, wrong);
});

test('a weekday is a number or an English name, Sunday both 0 and 7', () => {
  const weekdays = (field: string) => numbers(parseCron(`0 9 * * ${field}`)?.weekdays);
  const names = 'mon tue wed thu fri sat sun'.split(' ');
  for (const [n, name] of names.entries()) assert.deepEqual(weekdays(name), [n + 1], name);
  assert.deepEqual(weekdays('0'), [7]);
  assert.deepEqual(weekdays('7'), [7]);
  assert.deepEqual(weekdays('1-5'), [1, 2, 3, 4, 5]);
  for (const wrong of ['8', 'jan']) assert.equal(weekdays(wrong), undefined, wrong);
});

test('a day or a weekday that is not restricted is null; one that names every day is not', () => {
  assert.equal(parseCron('0 9 * * *')?.days, null);
  assert.equal(parseCron('0 9 */1 * *')?.days, null);
  assert.deepEqual(numbers(parseCron('0 9 1-31 * *')?.days), range(1, 31));
  assert.deepEqual(numbers(parseCron('0 9 */2 * *')?.days), range(1, 31, 2));
  assert.equal(parseCron('0 9 * * *')?.weekdays, null);
  assert.deepEqual(numbers(parseCron('0 9 * * 0-7')?.weekdays), range(1, 7));
  assert.deepEqual(numbers(parseCron('0 9 * * */2')?.weekdays), [2, 4, 6, 7]);
});

test('the minute is one number', () => {
  assert.equal(parseCron(' 0  9 * * * ')?.minute, 0);
  assert.equal(parseCron('59 9 * * *')?.minute, 59);
  for (const wrong of ['60', '*', '1,2', '1-2', '', 'x', '007'])
    assert.equal(parseCron(`${wrong} 9 * * *`), null, wrong);
  assert.equal(parseCron('0 9 * * * *'), null);
});
