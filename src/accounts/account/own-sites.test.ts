import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSites } from './own-sites.ts';

test('sites are host names or addresses, between blanks or commas', () => {
  assert.deepEqual(readSites(''), []);
  assert.deepEqual(readSites('Example.com, https://www.shop.example/path?x\n*.b\u00fccher.example; example.com'), [
    'example.com',
    'shop.example',
    'xn--bcher-kva.example',
  ]);
  for (const wrong of ['example', 'a b.example', 'javascript:alert(1)', '%', 'a_b.example', '<script>.example'])
    assert.equal(readSites(wrong), undefined, wrong);
});
