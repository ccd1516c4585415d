// The daily ramp of a new sending address.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { allowanceOf, allowedOn, dayOf, lastDayOf } from './warm-up.ts';

const ramp = { first: 50, growth: 2, max: 5000 };
const startedAt = new Date('2026-03-01T09:30:00Z');

test('each day allows a multiple of the day before until the ramp is over', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 400].map((day) => allowedOn(ramp, day)),
    [50, 100, 200, 400, 800, 1600, 3200, null, null, null],
  );
});

test('a ramp only ever grows and always ends', () => {
  const ramps = fc.record({
    first: fc.integer({ min: 1, max: 1000 }),
    growth: fc.double({ min: 1.01, max: 10, noNaN: true }),
    max: fc.integer({ min: 1000, max: 10_000_000 }),
  });
  fc.assert(
    fc.property(ramps, (one) => {
      let before = 0;
      for (let day = 0; ; day++) {
        const allowed = allowedOn(one, day);
        if (allowed === null) break;
        assert.ok(allowed >= before && allowed >= 1 && day < 2000);
        before = allowed;
      }
    }),
  );
});

test('days are counted from the start of the ramp, not from midnight', () => {
  for (const [now, day] of [
    ['2026-03-01T09:30:00Z', 0],
    ['2026-03-02T09:29:59Z', 0],
    ['2026-03-02T09:30:00Z', 1],
    ['2026-03-01T09:29:59Z', -1],
    ['2026-02-01T09:30:00Z', -28],
  ] as const) {
    assert.equal(dayOf(startedAt, new Date(now)), day, now);
  }
});

test('the allowance of today comes with the start of the next day', () => {
  const now = new Date('2026-03-03T10:00:00Z');
  const nextDayAt = new Date('2026-03-04T09:30:00Z');
  assert.deepEqual(allowanceOf(ramp, startedAt, now, 150), { left: 50, nextDayAt });
  assert.deepEqual(allowanceOf(ramp, startedAt, now, 250), { left: 0, nextDayAt });
  const dayBefore = { left: 10, nextDayAt: new Date('2026-02-02T09:30:00Z') };
  assert.deepEqual(allowanceOf(ramp, startedAt, new Date('2026-02-01T10:00:00Z'), 40), dayBefore, 'as the first day');
  assert.deepEqual(allowanceOf(ramp, startedAt, new Date('2026-04-01T00:00:00Z'), 9_000_000), { left: null });
});

test('the last messages go on the day that reaches their number, or when the ramp is over', () => {
  const now = new Date('2026-02-28T10:00:00Z');
  // From the first of March on: 50, 100, 200, …, 3200 (6350 in all), then without limit.
  for (const [count, day] of [
    [50, '2026-03-01'],
    [51, '2026-03-02'],
    [150, '2026-03-02'],
    [151, '2026-03-03'],
    [6_350, '2026-03-07'],
    [9_000_000, '2026-03-08'],
  ] as const)
    assert.equal(lastDayOf(ramp, startedAt, now, count).toISOString(), `${day}T09:30:00.000Z`, `${count}`);
});

test('a ramp that would never end is refused', () => {
  assert.deepEqual(
    [5000, 4999].map((max) => allowedOn({ first: 4999, growth: 2, max }, 0)),
    [4999, null],
  );
  for (const wrong of [{ first: 0 }, { growth: 1 }, { growth: 0.5 }, { max: 10 }, { growth: Number.NaN }]) {
    assert.throws(() => allowedOn({ ...ramp, ...wrong }, 0), /ramp/);
  }
});
