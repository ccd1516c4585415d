// The counts of an import.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addCounts, countMeaning, noCounts } from './plan.ts';

test('counts are added, missing ones count as zero', () => {
  const counts = addCounts({ rows: 3, added: 1 }, { rows: 4, left: 2 });
  assert.deepEqual(counts, { ...noCounts(), rows: 7, added: 1, left: 2 });
});

test('every count begins at zero and has a meaning', () => {
  assert.equal(Object.values(noCounts()).join(''), '0'.repeat(10));
  for (const meaning of Object.values(countMeaning)) assert.match(meaning, /^[A-Z].*\.$/);
});
