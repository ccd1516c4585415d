// The text of a daily ramp: what it means, and what is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRamp } from './warm-up-ramp.ts';

test('a ramp has a first day, a growth, an end and a date', () => {
  const startedAt = new Date('2026-11-21T00:00:00Z');
  assert.deepEqual(parseRamp('50:1.5:20000:2026-11-21'), { first: 50, growth: 1.5, max: 20000, startedAt });
  assert.deepEqual(parseRamp('1:1.001:1:2026-11-21'), { first: 1, growth: 1.001, max: 1, startedAt });
});

const wrong = (text: string, member?: string) => {
  const ramp = parseRamp(text, member);
  return 'wrong' in ramp && [ramp.wrong.key, ramp.wrong.values];
};

test('a ramp that does not grow or has another form is refused', () => {
  for (const text of [
    '',
    '50',
    '0:1.5:20:2026-11-21',
    '50:1:60:2026-11-21',
    '50:2:49:2026-11-21',
    '50:2:60:21.11.2026',
  ])
    assert.deepEqual(wrong(text), ['account.ramp_format', { member: 'warm_up' }], text);
  assert.deepEqual(wrong('', 'relay'), ['account.ramp_format', { member: 'relay' }]);
});

test('a ramp begins on a day that exists', () => {
  for (const date of ['2026-02-30', '2026-13-01'])
    assert.deepEqual(wrong(`50:2:60:${date}`, 'relay'), ['account.ramp_date', { member: 'relay', date }]);
});
