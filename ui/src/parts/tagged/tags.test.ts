import assert from 'node:assert/strict';
import { test } from 'node:test';
import { piecesOf } from './tags.ts';

test('members of events and of items are named, and are not taken for what an empty value becomes', () => {
  const table: [text: string, key: string, instead: string][] = [
    ['*|EVENT:cart.cart_url|*', 'EVENT:CART_URL', ''],
    ['*|EVENT:total:nothing|*', 'EVENT:TOTAL', 'nothing'],
    ['*|ITEM:name|*', 'ITEM:NAME', ''],
    ['*|ITEM|*', 'ITEM:', ''],
    // As the table of links has them.
    ['*|EVENT:items[].url|*', 'ITEM:URL', ''],
    ['*|EACH:EVENT:order.lines|*', 'EACH:LINES', ''],
    ['*|END:EACH|*', 'END:EACH', ''],
    ['*|FNAME:reader|*', 'FNAME', 'reader'],
  ];
  for (const [text, key, instead] of table) assert.deepEqual(piecesOf(text), [{ kind: 'value', key, instead }], text);
});
