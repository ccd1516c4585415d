import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDay, showDay } from './written-day.ts';

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
