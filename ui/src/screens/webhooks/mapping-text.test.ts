// Mappings as lines of text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, dataText, pairsOf, pairsText } from './mapping-text.ts';

test('what is written as text is read as it was', () => {
  const data = [
    { name: 'total', member: 'total_price', items: [] },
    { name: 'number', member: 'name, order_number', items: [] },
    {
      name: 'items',
      member: 'line_items',
      items: [
        { name: 'name', member: 'title, name' },
        { name: 'price', member: 'price' },
      ],
    },
  ];
  assert.equal(
    dataText(data),
    'total = total_price\nnumber = name, order_number\nitems = line_items: name = title, name; price',
  );
  assert.deepEqual(dataOf(dataText(data)), data);
  const pairs = [
    { name: 'orders/create', member: 'order.created' },
    { name: 'a', member: 'a' },
  ];
  assert.deepEqual(pairsOf(pairsText(pairs)), pairs);
});

test('empty lines and halves are left out', () => {
  assert.deepEqual(pairsOf('\n = x\ny =\n  z  \n'), [{ name: 'z', member: 'z' }]);
  assert.deepEqual(dataOf('a = b:  ; c = d ;\n:'), [{ name: 'a', member: 'b', items: [{ name: 'c', member: 'd' }] }]);
});
