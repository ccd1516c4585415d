// The comparison of variants: known values of the z-test, and what it must not claim.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diceOf } from '../../../test/support/judges/dice.ts';
import { compareRates } from './significance.ts';

const rates = (...counts: [events: number, sent: number][]) =>
  counts.map(([events, sent], variant) => ({ variant, events, sent }));

test('the confidence is that of a two-proportion z-test', () => {
  // 200 of 1,000 against 250 of 1,000: z = 2.677, p = 0.0074 (two-sided).
  assert.deepEqual(compareRates(rates([200, 1_000], [250, 1_000])), { best: 1, confidence: 99.2 });
  // 30 of 500 against 45 of 500: z = 1.80, p = 0.0717.
  assert.deepEqual(compareRates(rates([45, 500], [30, 500])), { best: 0, confidence: 92.8 });
});

test('with more variants the same difference is less sure', () => {
  const two = compareRates(rates([200, 1_000], [250, 1_000])).confidence;
  const four = compareRates(rates([200, 1_000], [250, 1_000], [199, 1_000], [198, 1_000])).confidence;
  assert.ok(four < two, `${four} is below ${two}`);
});

test('a few events say nothing, and no number of them says everything', () => {
  assert.equal(compareRates(rates([3, 100], [0, 100])).confidence, 0);
  assert.equal(compareRates(rates([9_000, 10_000], [10, 10_000])).confidence, 99.9);
});

test('without events, and with equal rates, the campaign itself is the best', () => {
  assert.deepEqual(compareRates(rates([0, 50], [0, 50], [0, 50])), { best: 0, confidence: 0 });
  assert.equal(compareRates(rates([10, 100], [20, 200])).best, 0);
  assert.equal(compareRates(rates([0, 0], [0, 0])).best, 0);
});

test('the rate decides, not the number', () => {
  assert.equal(compareRates(rates([50, 1_000], [40, 500])).best, 1);
});

test('equal variants are called different about once in twenty times at most', () => {
  const dice = diceOf(7);
  const draw = () => Array.from({ length: 2_000 }, () => (dice.below(100) < 10 ? 1 : 0)).filter(Boolean).length;
  let claimed = 0;
  for (let round = 0; round < 300; round++)
    if (compareRates(rates([draw(), 2_000], [draw(), 2_000])).confidence >= 95) claimed += 1;
  assert.ok(claimed <= 27, `${claimed} of 300`);
});
