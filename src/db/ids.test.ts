// Public ids as text and as stored.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatId, maxId, parseId } from './ids.ts';

test('an id has 8 hexadecimal digits that no client takes for a number, and can be parsed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5 * 16 ** 7 - 1 }), (id) => {
      const text = formatId(id);
      assert.match(text, /^[abcdf][0-9a-f]{7}$/);
      assert.equal(parseId(text), id);
    }),
  );
});

test('the first and the last id', () => {
  assert.deepEqual([0, 16 ** 7 - 1, 5 * 16 ** 7 - 1].map(formatId), ['a0000000', 'afffffff', 'ffffffff']);
  assert.equal(maxId, parseId('ffffffff'));
});

test('any other text is parsed as an id that no row has', () => {
  for (const text of ['', 'e0000000', 'A0000000', 'a000000', 'a00000000', '12345678', ' a0000000']) {
    assert.equal(parseId(text), -1, JSON.stringify(text));
  }
});
