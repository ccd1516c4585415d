import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsToTwelve, proposals, readDay, showDay } from './wall-time.ts';

test('proposals are in the future in the zone, and Monday is not proposed twice', () => {
  const times = (now: string, zone: string) =>
    proposals(new Date(now), zone).map(({ name, time }) => `${name} ${time}`);
  // A Tuesday; in Auckland it is Wednesday already.
  assert.deepEqual(times('2026-06-16T12:00:00Z', 'Europe/Berlin'), [
    'today 2026-06-16T18:00',
    'tomorrow 2026-06-17T09:00',
    'monday 2026-06-22T09:00',
  ]);
  assert.deepEqual(times('2026-06-16T12:00:00Z', 'Pacific/Auckland')[0], 'today 2026-06-17T18:00');
  assert.deepEqual(times('2026-06-21T18:00:00Z', 'UTC'), ['tomorrow 2026-06-22T09:00']);
  assert.deepEqual(times('2026-06-22T18:00:00Z', 'UTC')[1], 'monday 2026-06-29T09:00');
});

test('a typed day is read in the order and the words of the language', () => {
  for (const [typed, language, day] of [
    ['2098-07-01', 'en-US', '2098-07-01'],
    ['7/1/2098', 'en-US', '2098-07-01'],
    ['1/7/2098', 'en-GB', '2098-07-01'],
    ['1.7.98', 'de-DE', '2098-07-01'],
    ['July 1, 2098', 'en-US', '2098-07-01'],
    ['1. Juli 2098', 'de-DE', '2098-07-01'],
    ['31.2.2098', 'de-DE', null],
    ['soon', 'en-GB', null],
    ['1 2098', 'en-GB', null],
  ] as const)
    assert.equal(readDay(typed, language), day, `${typed} in ${language}`);
});

test('a day that is shown is read again, in every language', () => {
  for (const language of ['en-US', 'en-GB', 'de-DE', 'de-AT'])
    for (const day of ['2098-07-01', '2026-03-31', '2026-12-09', '2026-09-24'])
      assert.equal(readDay(showDay(day, language), language), day, showDay(day, language));
});

test('the clock is that of the language', () => {
  assert.deepEqual(['en-US', 'en-GB', 'de-DE'].map(countsToTwelve), [true, false, false]);
});
