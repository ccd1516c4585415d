// Which names the tags of contacts may have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTag, maxTagLength, tagKey } from './contact-tag.ts';

test('a tag is kept in lower case, composed, with single blanks', () => {
  assert.equal(tagKey('  Big \t\n Spender '), 'big spender');
  assert.equal(tagKey('CAFE\u0301'), 'café');
});

test('a tag has 1 to 50 characters without separators and control characters', () => {
  for (const tag of ['a', 'big spender', 'café', 'a'.repeat(maxTagLength)]) assert.equal(isTag(tag), true, tag);
  for (const tag of ['', 'a;b', 'a,b', 'a\u0000b', 'a'.repeat(51)]) assert.equal(isTag(tag), false, tag);
});
