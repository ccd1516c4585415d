// JSON in parts: together they are the text, and keys, texts, numbers and words are of different kinds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonParts } from './json-parts.ts';

test('keys, texts, numbers and words are parts of their own, and nothing is lost', () => {
  const value = { name: 'A "quoted": 1 true', amount: -1.5e3, on: true, none: null, list: ['x', 2] };
  const json = JSON.stringify(value, null, 2);
  const parts = jsonParts(json);
  assert.equal(parts.map(({ words }) => words).join(''), json);
  const of = (kind: string) => parts.filter((part) => part.kind === kind).map(({ words }) => words);
  assert.deepEqual(of('key'), ['"name"', '"amount"', '"on"', '"none"', '"list"']);
  assert.deepEqual(of('text'), [JSON.stringify(value.name), '"x"']);
  assert.deepEqual(of('number'), ['-1500', '2']);
  assert.deepEqual(of('word'), ['true', 'null']);
});

test('a very long text is one part', () => {
  const json = JSON.stringify(Array.from({ length: 60_000 }, () => 1));
  assert.deepEqual(jsonParts(json), [{ kind: undefined, words: json }]);
});
