import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Quota } from './quota.ts';

test('a quota refuses what would exceed the total or the part of one caller, and takes nothing then', () => {
  const quota = new Quota({ total: 10, perCaller: 6 });
  assert.ok(quota.take('a', 6));
  assert.ok(!quota.take('a', 1), 'the part of one caller');
  assert.ok(!quota.take('b', 5), 'the total');
  assert.ok(quota.take('b', 4));
  assert.equal(quota.used, 10);
});

test('what is released can be taken again', () => {
  const quota = new Quota({ total: 2, perCaller: 1 });
  assert.ok(quota.take('a'));
  quota.release('a');
  assert.equal(quota.used, 0);
  assert.ok(quota.take('a'));
});

test('what a caller still holds counts against its limit', () => {
  const quota = new Quota({ total: 9, perCaller: 2 });
  assert.ok(quota.take('a', 2));
  quota.release('a');
  assert.deepEqual([quota.take('a', 2), quota.take('a'), quota.used], [false, true, 2]);
});
