// The members of a request that a mapping is made from.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memberOf } from '../../../../src/automations/received/mapping.ts';
import { membersOf, membersOfItems, readRequest, valueAt } from './members.ts';

const body = {
  id: 7,
  'a.b': 'whole',
  customer: { email: 'ada@example.com', address: { 'zip.code': '1', city: 'Rome' } },
  line_items: [
    { title: 'Tea', price: '3.50' },
    { title: 'Pot', sku: 'P1' },
  ],
  tags: [],
  note: null,
};

test('each member is listed with its path, and the path leads to it on the server too', () => {
  const found = membersOf(body);
  assert.deepEqual(
    found.map(({ path }) => path),
    [
      'id',
      'a.b',
      'customer',
      'customer.email',
      'customer.address',
      'customer.address.city',
      'line_items',
      'line_items.0',
      'line_items.0.title',
      'line_items.0.price',
      'tags',
      'note',
    ],
  );
  for (const { path, value } of found) {
    assert.deepEqual(memberOf(body, path), value, path);
    if (value !== null) assert.deepEqual(valueAt(body, path), value, path);
  }
});

test('the members of items are those that any of them has', () => {
  assert.deepEqual(
    membersOfItems(body.line_items).map(({ path, value }) => [path, value]),
    [
      ['title', 'Tea'],
      ['price', '3.50'],
      ['sku', 'P1'],
    ],
  );
  assert.deepEqual(membersOfItems(['a', 'b']), []);
  assert.deepEqual(membersOfItems({ title: 'x' }), []);
});

test('of several paths the first with a value counts', () => {
  assert.equal(valueAt(body, 'note, gone , customer.email'), 'ada@example.com');
  assert.equal(valueAt(body, 'constructor, customer.__proto__, note'), undefined);
  assert.equal(valueAt(undefined, 'id'), undefined);
  assert.equal(valueAt(body, ''), undefined);
});

test('a form is read by its names, and what is neither JSON nor a form is nothing', () => {
  assert.deepEqual(readRequest('customer%5Bemail%5D=ada%40example.com&sum=3'), {
    'customer[email]': 'ada@example.com',
    sum: '3',
  });
  assert.equal(readRequest('{"cut": "of'), undefined);
  assert.equal(readRequest(''), undefined);
});

test('a huge or deep request ends', () => {
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`m${n}`, n]));
  assert.equal(membersOf(wide).length, 400);
  let deep: unknown = 1;
  for (let n = 0; n < 5_000; n++) deep = { deep };
  assert.equal(membersOf(deep).length, 8);
});
