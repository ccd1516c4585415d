// JSON and texts without what PostgreSQL refuses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cut, jsonb } from './jsonb.ts';

test('lone surrogates and NUL are replaced; text that only looks like them stays', () => {
  assert.equal(jsonb({ a: ['x\ud83d', '\udc00y', 'a\0b', '😀', 7] }), '{"a":["x\ufffd","\ufffdy","a b","😀",7]}');
  assert.equal(jsonb(['\\ud83d', '\\u0000']), String.raw`["\\ud83d","\\u0000"]`);
});

test('a cut never leaves a lone surrogate', () => {
  assert.equal(cut('ab😀', 3), 'ab\ufffd');
  assert.equal(cut('ab😀', 4), 'ab😀');
  assert.equal(cut('a\0b', 9), 'a b');
});
