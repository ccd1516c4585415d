import assert from 'node:assert/strict';
import { test } from 'node:test';
import { percentDone, remaining } from './remaining.ts';

test('who is tried again later remains, so that done and remaining are all recipients', () => {
  const figures = { recipients: 2_744, queued: 2_533, trying: 1, later: 2 };
  assert.equal(remaining(figures), 2_536);
  assert.equal(percentDone(figures), 7);
  assert.equal(percentDone({ recipients: 0, queued: 0, trying: 0, later: 0 }), 0);
});
