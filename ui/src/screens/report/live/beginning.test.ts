import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginningOf, isYoung } from './beginning.ts';

const sending = {
  delivery_status: 'sending',
  status_reason: '',
  recipients: 1_000,
  recipients_complete: true,
  waits_for: '',
  rate: 0,
  queued: 900,
  trying: 100,
  later: 0,
} as const;

test('the first seconds say what is going on, until there is a rate for all recipients', () => {
  const launching = { ...sending, delivery_status: 'launching' } as const;
  assert.equal(beginningOf(launching, 7), 'undo');
  assert.equal(beginningOf(launching, 0), 'launching');
  assert.equal(beginningOf(sending, 0), 'first');
  assert.equal(beginningOf({ ...sending, rate: 12, recipients_complete: false }, 0), 'recording');
  assert.equal(beginningOf({ ...sending, rate: 12 }, 0), undefined);
});

test('nothing is said about a beginning where something else is: a reason, a wait, a pause, an end', () => {
  for (const other of [
    { status_reason: 'No relay accepts connections.' },
    { waits_for: 'window' },
    { delivery_status: 'paused' },
    { queued: 0, trying: 0 },
    // Nothing leaves for a moment, in the middle.
    { queued: 400 },
  ] as const)
    assert.equal(beginningOf({ ...sending, ...other }, 0), undefined, JSON.stringify(other));
});

test('an estimate is rough for ten seconds after the beginning, and after a time in which nothing was sent', () => {
  const now = 1_000_000;
  const steady = [
    { rate: 20, at: now - 5_000 },
    { rate: 21, at: now },
  ];
  assert.equal(isYoung(steady, now - 9_000, now), true);
  assert.equal(isYoung(steady, now - 10_000, now), false);
  assert.equal(isYoung([{ rate: 0, at: now - 6_000 }, ...steady], now - 60_000, now), true);
  assert.equal(isYoung([{ rate: 0, at: now - 12_000 }, ...steady], now - 60_000, now), false);
  // By a clock that is behind that of the server.
  assert.equal(isYoung(steady, now + 3_600_000, now), false);
});
