// Token buckets with a simulated clock.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { bucketOf, isFull, overdraw, spend, waitMs } from './bucket.ts';

test('a bucket allows its burst at once and then one per interval', () => {
  const bucket = bucketOf(10, 0, 3);
  const startedAt: number[] = [];
  for (let now = 0; now <= 500; now += 10) {
    while (waitMs(bucket, now) === 0) {
      startedAt.push(now);
      spend(bucket);
    }
  }
  assert.deepEqual(startedAt, [0, 0, 0, 100, 200, 300, 400, 500]);
});

test('the wait a bucket returns is enough, and no less is', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 900, noNaN: true }), fc.integer({ min: 1, max: 40 }), (rate, taken) => {
      const bucket = bucketOf(rate, 0, 1);
      let now = 0;
      for (let i = 0; i < taken; i++) {
        const ms = waitMs(bucket, now);
        // It is rounded up to whole milliseconds, after which a billionth of a token may be missing.
        if (ms > 1) assert.ok(waitMs(bucket, now + ms - 1.001) > 0, 'a shorter wait would have done');
        now += ms;
        assert.equal(waitMs(bucket, now), 0);
        spend(bucket);
      }
      // The burst of one is free; every further token took its time.
      assert.ok(now >= ((taken - 1) * 1000) / rate - 1e-6);
    }),
  );
});

test('never more than rate times time plus burst gets through, whatever the timing', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1000 }),
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 100 }),
      (rate, burst, steps) => {
        const bucket = bucketOf(rate, 0, burst);
        let now = 0;
        let through = 0;
        for (const step of steps) {
          now += step;
          while (waitMs(bucket, now) === 0) {
            spend(bucket);
            through++;
          }
        }
        assert.ok(through <= burst + (now * rate) / 1000 + 1e-6, `${through} in ${now} ms`);
      },
    ),
  );
});

test('a clock that goes back gives no tokens and takes none', () => {
  const bucket = bucketOf(1, 10_000, 1);
  spend(bucket);
  assert.equal(waitMs(bucket, 5_000), 1000);
  assert.equal(waitMs(bucket, 10_000), 1000);
  assert.equal(waitMs(bucket, 11_000), 0);
  assert.equal(isFull(bucket, 11_000), true);
});

test('a rate that allows nothing is rejected', () => {
  for (const rate of [0, -1, Number.NaN]) assert.throws(() => bucketOf(rate, 0), /invalid rate/);
});

test('without a given burst it is a tenth of a second, and at least one', () => {
  for (const [rate, burst] of [
    [100, 10],
    [11, 1.1],
    [5, 1],
  ] as const) {
    const bucket = bucketOf(rate, 0);
    assert.deepEqual([bucket.burst, bucket.tokens], [burst, burst]);
  }
});

test('a token counts as available when only a rounding error is missing', () => {
  const wait = (tokens: number) => waitMs({ perSecond: 1000, burst: 1, tokens, at: 0 }, 0);
  assert.deepEqual([wait(1), wait(1 - 1e-10), wait(1 - 1e-9)], [0, 0, 1]);
});

test('what must not wait takes a token that may not be there, and the debt is that of a second at most', () => {
  const bucket = bucketOf(4, 0);
  const tokens = bucket.tokens;
  overdraw(bucket, 0);
  assert.equal(bucket.tokens, tokens - 1);
  for (let n = 0; n < 20; n++) overdraw(bucket, 0);
  assert.equal(bucket.tokens, -4);
  assert.equal(waitMs(bucket, 0), 1_250);
  overdraw(bucket, 500);
  assert.equal(bucket.tokens, -3, 'two have come back, one is taken');
});
