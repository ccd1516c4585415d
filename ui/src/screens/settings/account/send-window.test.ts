// Tests the conversion between the send window and its fields.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSendWindow, sendWindowText } from './send-window.ts';

test('a stored window survives conversion to fields and back; none has no days', () => {
  for (const text of ['12345 08:00-20:00', '67 00:00-24:00', ''])
    assert.equal(sendWindowText(readSendWindow(text)), text);
  assert.deepEqual(readSendWindow(''), { windowDays: [], windowFrom: '08:00', windowUntil: '20:00' });
});

test('days are kept in order, whatever the order in which they were ticked', () => {
  assert.equal(sendWindowText({ windowDays: ['5', '1'], windowFrom: '09:00', windowUntil: '17:30' }), '15 09:00-17:30');
});
