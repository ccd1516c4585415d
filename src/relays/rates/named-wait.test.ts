// How long a relay rests whose quota is used up, by the words of its reply.
import assert from 'node:assert/strict';
import test from 'node:test';
import { maxWaitMs, unnamedWaitMs, waitNamedIn } from './named-wait.ts';

const now = new Date('2026-11-26T22:15:00Z');
const minutes = 60_000;

for (const [text, wait] of [
  ['4.7.1 Hourly quota exceeded, try again in 20 minutes', 20 * minutes],
  ['Daily limit reached. Please try again in 3 hours.', 180 * minutes],
  ['DAILY LIMIT REACHED. PLEASE TRY AGAIN IN 3 HOURS.', 180 * minutes],
  ['quota exceeded; retry after 90 seconds', 1.5 * minutes],
  ['Quota exceeded. Retry-After: 1800', 30 * minutes],
  ['you have reached your limit, wait 15 min', 15 * minutes],
  ['Sending limit reached, please wait for 1 hour and 30 minutes', 90 * minutes],
  ['monthly credits exceeded, try again in an hour', 60 * minutes],
  ['Mail quota for this account exceeded. Try again tomorrow', 105 * minutes],
  ['Daily quota exceeded, quota resets at midnight', 105 * minutes],
  ['daily message quota exceeded, try again after 23:00', 45 * minutes],
  ['daily message quota exceeded, try again after 01:30 UTC', 195 * minutes],
  ['daily quota exceeded until 2:00 am', 225 * minutes],
  ['daily quota used, resets at 00:00 +0100', 45 * minutes],
  ['quota exceeded until 2026-11-26T23:45:00Z', 90 * minutes],
  ['quota exceeded until 2026-11-27 00:45 +0100', 90 * minutes],
  ['try again in 0 minutes, quota exceeded', 10_000],
  ['quota exceeded, try again in 30 days', maxWaitMs],
  ['454 Throttling failure: Daily message quota exceeded.', unnamedWaitMs],
  ['550 exceeded the max emails per hour (150/150 (100%)) allowed', unnamedWaitMs],
  ['552 you may send 200 messages a day', unnamedWaitMs],
] as const)
  test(`"${text}" is a wait of ${wait / minutes} minutes`, () => {
    assert.equal(waitNamedIn(text, now), wait);
  });

for (const [text, wait] of [
  ['retry after 45 s', 0.75 * minutes],
  ['try again in 2 days, or sooner', maxWaitMs],
  ['quota exceeded, try again in 1 day', 1_440 * minutes],
  ['quota resets at 12:00 pm', 825 * minutes],
  ['quota resets at 12:15 am', 120 * minutes],
  ['quota resets at 11:15 pm', 60 * minutes],
  ['quota resets at 24:00', 105 * minutes],
  ['quota resets at 25:00', unnamedWaitMs],
  ['quota resets at 23:60', unnamedWaitMs],
  ['quota resets at 00:00 GMT', 105 * minutes],
  ['quota exceeded until 2026-11-26 23:45 UTC', 90 * minutes],
  ['quota exceeded until 2026-13-26T23:45:00Z', unnamedWaitMs],
  ['quota exceeded until 2026-11-26T22:00:00Z', 10_000],
] as const)
  test(`"${text}" is a wait of ${wait / minutes} minutes`, () => {
    assert.equal(waitNamedIn(text, now), wait);
  });

test('the longest wait is a day and a half', () => assert.equal(maxWaitMs, 36 * 60 * minutes));
