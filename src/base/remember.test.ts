// A map forgets its oldest entries only.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remember } from './remember.ts';

test('beyond its size a map forgets the entry that was set longest ago, and setting one again keeps it', () => {
  const map = new Map<string, number>();
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4],
  ] as const)
    remember(map, key, value, 2);
  assert.deepEqual(
    [...map],
    [
      ['a', 3],
      ['c', 4],
    ],
  );
});
