// The set of addresses of a file: finds every key again, through many growths and after collisions of places.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Seen } from './seen.ts';

test('each address is new once, however many there are', () => {
  const seen = new Seen();
  assert.equal(seen.has('reader0@example.com'), false);
  for (let i = 0; i < 200_000; i++) assert.equal(seen.add(`reader${i}@example.com`), true);
  assert.equal(seen.size, 200_000);
  for (let i = 0; i < 200_000; i++) if (!seen.has(`reader${i}@example.com`)) assert.fail(`reader${i} is lost`);
  for (let i = 0; i < 200_000; i += 97) {
    assert.equal(seen.add(`reader${i}@example.com`), false);
    assert.equal(seen.has(`reader${i}@example.org`), false);
  }
  assert.equal(seen.size, 200_000);
});

test('keys that differ in a letter, its place or the length are different', () => {
  const seen = new Seen();
  for (const key of ['', 'a', 'b', 'ab', 'ba', 'aa', 'aab', 'aba']) assert.equal(seen.add(key), true, key);
  assert.equal(seen.size, 8);
});
