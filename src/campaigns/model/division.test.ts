// The division of recipients among the variants of a test, by arithmetic alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isWithin,
  maxVariants,
  rangeOf,
  rangesWithin,
  readRanges,
  testRanges,
  testSizeOf,
  variantName,
  variantOf,
} from './division.ts';

test('every recipient has exactly one place: a variant of the test group, or the winner', () => {
  for (const recipients of [2, 3, 5, 7, 20, 101, 1_000, 100_000])
    for (const variants of [2, 3, 4, 5])
      for (const share of [1, 20, 33, 99, 100]) {
        if (recipients < variants) continue;
        const testSize = testSizeOf(recipients, share, variants);
        const division = { variants, testSize };
        const counts = Array.from({ length: variants }, () => 0);
        let held = 0;
        for (let seq = 1; seq <= recipients; seq++) {
          const variant = variantOf(seq, division, null);
          if (variant === undefined) held += 1;
          else counts[variant]! += 1;
        }
        assert.equal(held, recipients - testSize);
        assert.ok(Math.min(...counts) >= 1, `${recipients} ${variants} ${share}: ${counts}`);
        assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, `${recipients} ${variants} ${share}: ${counts}`);
        assert.equal(variantOf(recipients, division, 1), held > 0 ? 1 : variants - 1);
      }
});

test('the ranges of the variants are what the function says, seq by seq', () => {
  const division = { variants: 3, testSize: 100 };
  for (let variant = 0; variant < 3; variant++) {
    const [from, to] = rangeOf(variant, division);
    for (let seq = from; seq <= to; seq++) assert.equal(variantOf(seq, division, null), variant);
  }
});

test('chunks cover the test group once, keep to one variant, and alternate', () => {
  const division = { variants: 3, testSize: 1_001 };
  const ranges = testRanges(division, 40);
  const all = ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, n) => from + n));
  assert.deepEqual(
    all.sort((a, b) => a - b),
    Array.from({ length: 1_001 }, (_, n) => n + 1),
  );
  const variants = ranges.map(([from, to]) => {
    assert.equal(variantOf(from, division, null), variantOf(to, division, null));
    return variantOf(from, division, null);
  });
  assert.deepEqual(variants.slice(0, 7), [0, 1, 2, 0, 1, 2, 0]);
});

test('the rest is cut without gaps, and not at all if there is none', () => {
  assert.deepEqual(rangesWithin(11, 30, 8), [
    [11, 18],
    [19, 26],
    [27, 30],
  ]);
  assert.deepEqual(rangesWithin(11, 10, 8), []);
});

test('ranges are read as PostgreSQL writes them, with and without an end', () => {
  assert.deepEqual(readRanges('{[1,11),[21,)}'), [
    [1, 11],
    [21, Number.POSITIVE_INFINITY],
  ]);
  assert.deepEqual(readRanges('{}'), []);
});

test('variants are called A to E, and a test group is a share of the recipients', () => {
  assert.deepEqual(
    Array.from({ length: maxVariants + 1 }, (_, variant) => variantName(variant)),
    ['A', 'B', 'C', 'D', 'E', ''],
  );
  assert.equal(testSizeOf(200, 15, 2), 30);
  assert.equal(testSizeOf(10, 1, 3), 3);
  assert.equal(testSizeOf(2, 1, 3), 2);
});

test('the first recipient of each range gets the next variant, and the last one of the range keeps it', () => {
  const division = { variants: 2, testSize: 10 };
  assert.deepEqual(
    [1, 5, 6, 10, 11].map((seq) => variantOf(seq, division, 1)),
    [0, 0, 1, 1, 1],
  );
  assert.equal(variantOf(11, division, 0), 0);
  assert.equal(variantOf(11, division, null), undefined);
});

test('ranges cover every number, also a single one', () => {
  assert.deepEqual(rangesWithin(5, 5, 10), [[5, 5]]);
  assert.deepEqual(rangesWithin(1, 5, 2), [
    [1, 2],
    [3, 4],
    [5, 5],
  ]);
});

test('a number is within a range from its first one up to, and without, the one behind it', () => {
  const ranges = [
    [2, 4],
    [7, 8],
    [9, Number.POSITIVE_INFINITY],
  ] as const;
  const within = [1, 2, 3, 4, 6, 7, 8, 9, 1_000].filter((seq) => isWithin(ranges, seq));
  assert.deepEqual(within, [2, 3, 7, 9, 1_000]);
  assert.equal(isWithin([], 1), false);
});
