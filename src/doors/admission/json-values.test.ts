// What a caller reads about a body that is not JSON.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJson } from './json-values.ts';

test('a body that is not JSON is refused without a piece of it, and without the words of the parser', () => {
  for (const body of [Buffer.from('{"password":"secret'), Buffer.from('{x}'), Buffer.from([0x22, 0xff, 0x22])])
    assert.throws(() => readJson(body), { message: 'The body is not JSON in UTF-8', code: -32700 });
});
