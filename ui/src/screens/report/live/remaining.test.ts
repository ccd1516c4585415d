import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remaining, shareDone } from './remaining.ts';

test('who is tried again later remains, so that done and remaining are all recipients', () => {
  const figures = { recipients: 2_744, queued: 2_533, trying: 1, later: 2, delivery_status: 'sending' as const };
  assert.equal(remaining(figures), 2_536);
  assert.equal(shareDone(figures), 0.075);
  assert.equal(shareDone({ ...figures, recipients: 0, queued: 0, trying: 0, later: 0 }), 0);
});

test('the share is rounded down, and is all only at the end', () => {
  const figures = { recipients: 2_000, queued: 0, trying: 0, later: 0, delivery_status: 'sending' as const };
  assert.equal(shareDone({ ...figures, queued: 1_601 }), 0.199);
  assert.equal(shareDone({ ...figures, queued: 1_600 }), 0.2);
  assert.equal(shareDone({ ...figures, trying: 1 }), 0.999);
  // Those about whom a person decides are not among those who remain.
  assert.equal(shareDone(figures), 0.999);
  assert.equal(shareDone({ ...figures, delivery_status: 'sent' }), 1);
});
