// Tests the months of a list's growth.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growthMonths } from './growth-months.ts';

const change = (month: string, existing: number, optins: number, unsubscribes = 0) => ({
  month,
  existing,
  optins,
  unsubscribes,
});

test('months without changes are there, up to now, with the members that there were', () => {
  assert.deepEqual(
    growthMonths([change('2026-11', 0, 5), change('2027-02', 5, 3, 1)], '2027-03').map(
      ({ month, joined, left, members }) => [month, joined, left, members],
    ),
    [
      ['2026-11', 5, 0, 5],
      ['2026-12', 0, 0, 5],
      ['2027-01', 0, 0, 5],
      ['2027-02', 3, 1, 7],
      ['2027-03', 0, 0, 7],
    ],
  );
});

test('a month that has begun in the zone of the account is kept, and no changes are no months', () => {
  assert.deepEqual(
    growthMonths([change('2027-03', 2, 1)], '2027-02').map(({ month, members }) => [month, members]),
    [['2027-03', 3]],
  );
  assert.deepEqual(growthMonths([], '2027-03'), []);
});
