// Tests when a send window opens next.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { opensAtWall } from './send-window.ts';

test('it opens the same day, the next one or after the weekend; while it is open there is no wait', () => {
  const office = '12345 08:00-20:00';
  // 2026-11-27 is a Friday.
  assert.equal(opensAtWall(office, '2026-11-27T07:59'), '2026-11-27T08:00');
  assert.equal(opensAtWall(office, '2026-11-27T08:00'), undefined);
  assert.equal(opensAtWall(office, '2026-11-27T20:00'), '2026-11-30T08:00');
  assert.equal(opensAtWall('5 08:00-20:00', '2026-11-27T20:00'), '2026-12-04T08:00');
  assert.equal(opensAtWall('7 00:00-24:00', '2026-11-29T23:59'), undefined);
  assert.equal(opensAtWall('', '2026-11-27T20:00'), undefined);
});
