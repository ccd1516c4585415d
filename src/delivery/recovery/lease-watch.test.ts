// When a lease counts as ended, and by which clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holderClock, LeaseWatch, releasedUntil } from './lease-watch.ts';

const one = { no: 7, lease: 1, until: '1000.5' };

/** A watch for which the time between two reads counts in full. */
const patientWatch = () => new LeaseWatch(15_000, Number.POSITIVE_INFINITY);

test('a lease has ended when it was not renewed for its whole duration since it was first seen', () => {
  const watch = patientWatch();
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
    const watch = patientWatch();
    watch.ended([one], 0);
    assert.deepEqual(watch.ended([next], 14_000), []);
    assert.deepEqual(watch.ended([next], 28_999), []);
    assert.deepEqual(watch.ended([next], 29_000), [next]);
  }
});

test('a lease that was gone in between counts as new, and a released one has ended at once', () => {
  const watch = patientWatch();
  watch.ended([one], 0);
  watch.ended([], 5_000);
  assert.deepEqual(watch.ended([one], 16_000), []);
  const free = { ...one, until: releasedUntil };
  assert.deepEqual(watch.ended([free], 16_001), [free]);
});

test('time in which the leases could not be read does not end a lease that could not be renewed either', () => {
  const watch = new LeaseWatch(15_000);
  const read = (fromSecond: number, toSecond: number) => {
    for (let second = fromSecond; second <= toSecond; second++)
      assert.deepEqual(watch.ended([one], second * 1_000), [], `at ${second} s`);
  };
  read(0, 4);
  // The database is unavailable for 20 s, of which at most 3 count.
  read(24, 31);
  assert.deepEqual(watch.ended([one], 32_000), [one]);
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

test('a gap between two reads counts as at most three seconds', () => {
  for (const [leaseMs, ended] of [
    [6_000, 1],
    [6_001, 0],
  ] as const) {
    const watch = new LeaseWatch(leaseMs);
    for (const second of [0, 10]) watch.ended([one], second * 1_000);
    assert.equal(watch.ended([one], 20_000).length, ended, String(leaseMs));
  }
});

test('a released lease has the time that PostgreSQL writes for no time at all', () => {
  assert.equal(releasedUntil, '-Infinity');
});

test('the clock of a holder counts a gain of more than a second as sleep, once', () => {
  const monotonic = 100;
  const times = (...gains: number[]) => {
    let wall = 1_700_000_000_000;
    const clock = holderClock(
      () => monotonic,
      () => wall,
    );
    return gains.map((gained) => {
      wall += gained;
      return clock();
    });
  };
  assert.deepEqual(times(60_000), [60_100], 'asleep before the first reading');
  assert.deepEqual(times(1_000, 1), [100, 1_101], 'exactly a second may come from an adjustment');
  assert.deepEqual(times(1_001, 0, 0), [1_101, 1_101, 1_101], 'counted once');
  assert.deepEqual(times(0.5, 999.75), [100, 1_100.25], 'small gains add up');
  assert.deepEqual(times(-500, 1_001), [100, 1_101], 'a step back is forgotten');
});
