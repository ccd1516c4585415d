import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsToTwelve, proposals } from './wall-time.ts';

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

test('the clock is that of the language', () => {
  assert.deepEqual(['en-US', 'en-GB', 'de-DE'].map(countsToTwelve), [true, false, false]);
});
