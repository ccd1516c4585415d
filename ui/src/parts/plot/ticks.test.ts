// Tests the values at the axis of a plot.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ticksUpTo, topOf } from './ticks.ts';

test('an axis goes in round steps from 0 to above the highest value', () => {
  const cases: [number, number[]][] = [
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [10, [0, 2, 4, 6, 8, 10]],
    [456, [0, 100, 200, 300, 400, 500]],
    [2_600, [0, 1_000, 2_000, 3_000]],
    [9_001, [0, 2_000, 4_000, 6_000, 8_000, 10_000]],
    [21_000, [0, 5_000, 10_000, 15_000, 20_000, 25_000]],
  ];
  for (const [top, ticks] of cases) assert.deepEqual(ticksUpTo(top), ticks, `up to ${top}`);
});

test('the highest value of stacked bars is their sum', () => {
  const plot = {
    rows: [
      { x: 'a', in: 3, out: 4 },
      { x: 'b', in: 5, out: 0 },
    ],
    series: [
      { name: 'in', label: 'In' },
      { name: 'out', label: 'Out' },
    ],
  };
  assert.equal(topOf(plot), 5);
  assert.equal(topOf({ ...plot, stacked: true }), 7);
  assert.equal(topOf({ ...plot, rows: [] }), 0);
});
