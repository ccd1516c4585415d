// The schedule of later attempts.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { nextAttemptAt } from '../outcomes/retry.ts';

const giveUpAfterMs = 72 * 3_600_000;
const firstAt = new Date('2026-03-01T10:00:00Z');
const even = 0.5;

test('the waits are 5, 15, 30 minutes, 1, 2, 4 hours and then 4 hours each', () => {
  const minutes = [1, 2, 3, 4, 5, 6, 7, 12].map((attempts) => {
    const at = nextAttemptAt({ attempts, firstAt, now: firstAt, spread: even });
    return (at!.getTime() - firstAt.getTime()) / 60_000;
  });
  assert.deepEqual(minutes, [5, 15, 30, 60, 120, 240, 240, 240]);
});

test('a recipient whose server never accepts the message is failed within 72 hours, not before 67', () => {
  let now = firstAt;
  let attempts = 1;
  for (;;) {
    const next = nextAttemptAt({ attempts, firstAt, now, spread: even });
    if (next === null) break;
    assert.ok(next > now);
    now = next;
    attempts++;
  }
  const hours = (now.getTime() - firstAt.getTime()) / 3_600_000;
  assert.ok(hours > 67 && hours <= 72, `${hours} hours`);
  assert.equal(attempts, 23);
});

test('in doubt a recipient is failed within 24 hours, not before 19, and not before its fourth attempt', () => {
  let now = firstAt;
  let attempts = 1;
  for (;;) {
    const next = nextAttemptAt({ attempts, firstAt, now, spread: even, isDoubtful: true });
    if (next === null) break;
    now = next;
    attempts++;
  }
  const hours = (now.getTime() - firstAt.getTime()) / 3_600_000;
  assert.ok(hours > 19 && hours <= 24, `${hours} hours`);
  const late = new Date(firstAt.getTime() + 48 * 3_600_000);
  assert.ok(nextAttemptAt({ attempts: 3, firstAt, now: late, spread: even, isDoubtful: true }));
  assert.equal(nextAttemptAt({ attempts: 4, firstAt, now: late, spread: even, isDoubtful: true }), null);
});

test('an attempt exactly 72 hours after the first is made, a later one is not', () => {
  const at = (sinceMs: number) =>
    nextAttemptAt({ attempts: 1, firstAt, now: new Date(firstAt.getTime() + giveUpAfterMs - sinceMs), spread: even });
  assert.equal(at(300_000)!.getTime() - firstAt.getTime(), giveUpAfterMs);
  assert.equal(at(299_999), null);
});

test('chance moves a wait by a tenth either way and never beyond the end', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 0, max: 80 * 3_600_000 }),
      fc.double({ min: 0, max: 0.999999, noNaN: true }),
      (attempts, sinceMs, chance) => {
        const now = new Date(firstAt.getTime() + sinceMs);
        const middle = nextAttemptAt({ attempts, firstAt: now, now, spread: even })!.getTime() - now.getTime();
        const next = nextAttemptAt({ attempts, firstAt, now, spread: chance });
        if (next === null) return sinceMs + middle * 1.1 > giveUpAfterMs;
        const waitMs = next.getTime() - now.getTime();
        return (
          waitMs >= middle * 0.9 - 1 &&
          waitMs <= middle * 1.1 + 1 &&
          next.getTime() - firstAt.getTime() <= giveUpAfterMs
        );
      },
    ),
  );
});
