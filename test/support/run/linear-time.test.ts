import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needLinear } from './linear-time.ts';

/** As if work took as many milliseconds as it returns, and another program sometimes slowed it down. */
const judged = (work: (size: number) => number, slowed: readonly number[] = []) => {
  let calls = 0;
  return needLinear('work', 1_000, work, async (does) => (does() as number) * (slowed[calls++] ?? 1));
};

test('work that grows as its size passes, also when other programs slow it down', async () => {
  await judged((size) => size);
  await judged((size) => size, [20, 1, 3]);
  await judged((size) => size, [20, 1, 20, 2, 1.5]);
});

test('work passes that takes more time for its memory where it is large', () =>
  judged((size) => (size === 1_000 ? size * 2.5 : size)));

test('work that grows as the square of its size fails, unless it is short', async () => {
  await assert.rejects(
    judged((size) => (size * size) / 10_000),
    { message: 'work: 100 ms for 1000; for an eighth of it: 1.5625 ms' },
  );
  await judged((size) => (size * size) / 20_000);
});
