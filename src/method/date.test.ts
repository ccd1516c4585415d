// Dates of parameters and answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../base/faults.ts';
import { formatDate, needTime } from './date.ts';

test('an answer has dates in GMT, and an empty text for none', () => {
  assert.equal(formatDate(new Date('2026-03-04T05:06:07.890Z')), '2026-03-04 05:06:07');
  assert.deepEqual([formatDate(null), formatDate(undefined)], ['', '']);
});

test('a parameter is a day or a time in GMT', () => {
  const times: Record<string, string> = {
    '2026-03-04': '2026-03-04T00:00:00.000Z',
    ' 2026-03-04 05:06:07 ': '2026-03-04T05:06:07.000Z',
    '2024-02-29T23:59:59': '2024-02-29T23:59:59.000Z',
  };
  for (const [text, time] of Object.entries(times)) assert.equal(needTime(text, 'since').toISOString(), time);
});

test('other texts and days that do not exist are refused', () => {
  for (const text of [
    '',
    'soon',
    '2026-02-30',
    '2026-03-04 05:06',
    '2026-03-04 25:00:00',
    '2026-13-01',
    'x'.repeat(41),
  ])
    assert.throws(
      () => needTime(text, 'since'),
      ({ fault, text: { key, values } }: Fault) => {
        assert.deepEqual(
          [fault, key, values],
          ['DATE_INVALID', 'parameter.not_a_time', { member: 'since', value: text.slice(0, 40) }],
        );
        return true;
      },
    );
});
