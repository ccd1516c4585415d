// Tests the conversion between the warm-up setting and its four fields.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noWarmUp, readWarmUp, warmUpText } from './warm-up.ts';

const today = new Date('2027-03-01T23:00:00Z');

test('a stored warm-up survives conversion to fields and back; none gives empty fields', () => {
  for (const text of ['50:1.5:20000:2026-11-21', '']) assert.equal(warmUpText(readWarmUp(text), today), text);
  assert.deepEqual(readWarmUp(''), noWarmUp);
});

test('empty fields mean the default warm-up from today', () => {
  assert.equal(warmUpText({ ...noWarmUp, first: ' 50 ' }, today), '50:1.5:20000:2027-03-01');
  assert.equal(warmUpText({ ...noWarmUp, first: '50', growth: '1,3' }, today), '50:1.3:20000:2027-03-01');
  assert.equal(warmUpText({ ...noWarmUp, growth: '2' }, today), '');
});
