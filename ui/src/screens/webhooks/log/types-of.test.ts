import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typesOf } from './types-of.ts';

test('the types of a standard body are found, also when it is cut', () => {
  const body = JSON.stringify({
    timestamp: 1,
    events: [
      { type: 'contact.subscribe', data: { id: 'a' } },
      { type: 'contact.subscribe', data: { id: 'b' } },
      { type: 'message.click', data: { id: 'c' } },
    ],
  });
  assert.deepEqual(typesOf(body), ['contact.subscribe', 'message.click']);
  assert.deepEqual(typesOf(body.slice(0, 90)), ['contact.subscribe']);
});

test('a classic body has one type', () => {
  assert.deepEqual(typesOf('{"hook":"email.change","timestamp":1,"data":[]}'), ['email.change']);
  assert.deepEqual(typesOf(''), []);
});
