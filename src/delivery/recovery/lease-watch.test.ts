// When a lease counts as ended, and by which clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holderClock, LeaseWatch, releasedUntil } from './lease-watch.ts';

const one = { no: 7, lease: 1, until: '1000.5' };

test('a lease has ended when it was not renewed for its whole duration since it was first seen', () => {
  const watch = new LeaseWatch(15_000);
  assert.deepEqual(watch.ended([one], 0), []);
  assert.deepEqual(watch.ended([one], 14_999), []);
  assert.deepEqual(watch.ended([one], 15_000), [one]);
});

test('a renewal or a new lease restarts the wait, also when its time is earlier', () => {
  for (const next of [
    { ...one, until: '1004.25' },
    { ...one, until: '-2600' },
    { ...one, lease: 2 },
  ]) {
    const watch = new LeaseWatch(15_000);
    watch.ended([one], 0);
    assert.deepEqual(watch.ended([next], 14_000), []);
    assert.deepEqual(watch.ended([next], 28_999), []);
    assert.deepEqual(watch.ended([next], 29_000), [next]);
  }
});

test('a lease that was gone in between counts as new, and a released one has ended at once', () => {
  const watch = new LeaseWatch(15_000);
  watch.ended([one], 0);
  watch.ended([], 5_000);
  assert.deepEqual(watch.ended([one], 16_000), []);
  const free = { ...one, until: releasedUntil };
  assert.deepEqual(watch.ended([free], 16_001), [free]);
});

test('the clock of a holder also runs while the machine sleeps, and does not go back with the wall clock', () => {
  let monotonic = 100;
  let wall = 1_700_000_000_000;
  const clock = holderClock(
    () => monotonic,
    () => wall,
  );
  const pass = (ms: number, slept = 0) => {
    monotonic += ms;
    wall += ms + slept;
    return clock();
  };
  assert.equal(pass(10), 110);
  assert.equal(pass(10, 60_000), 60_120);
  assert.equal(pass(10, -3_600_000), 60_130);
  assert.equal(pass(10, 400), 60_140);
  assert.equal(pass(10, 20_000), 80_550);
  assert.equal(pass(10), 80_560);
});
