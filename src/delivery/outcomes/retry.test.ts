// When a deferred recipient is attempted again, and when no more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextAttemptAt } from './retry.ts';

const minuteMs = 60_000;
const now = new Date('2026-03-04T05:06:07Z');
/** Minutes until the next attempt; null when there is none. */
const wait = (attempts: number, more: { spread?: number; sinceHours?: number; isDoubtful?: boolean } = {}) => {
  const { spread = 0.5, sinceHours = 0, ...rest } = more;
  const at = nextAttemptAt({
    attempts,
    firstAt: new Date(now.getTime() - sinceHours * 60 * minuteMs),
    now,
    spread,
    ...rest,
  });
  return at && (at.getTime() - now.getTime()) / minuteMs;
};

test('the waits grow from five minutes to four hours, and differ by a tenth', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7, 50].map((attempts) => wait(attempts)),
    [5, 15, 30, 60, 120, 240, 240, 240],
  );
  assert.equal(wait(1, { spread: 0 }), 4.5);
  assert.equal(wait(1, { spread: 1 }), 5.5);
});

test('the last attempt is within 72 hours of the first, in doubt within 24 hours and four attempts', () => {
  assert.equal(wait(9, { sinceHours: 68 }), 240);
  assert.equal(wait(9, { sinceHours: 68.01 }), null);
  assert.equal(wait(9, { sinceHours: 20, isDoubtful: true }), 240);
  assert.equal(wait(9, { sinceHours: 20.01, isDoubtful: true }), null);
  assert.equal(wait(3, { sinceHours: 30, isDoubtful: true }), 30);
  assert.equal(wait(4, { sinceHours: 30, isDoubtful: true }), null);
  assert.equal(wait(4, { sinceHours: 30 }), 60);
});
