// Which plural form of a text its values choose.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formOf } from './forms.ts';

const lists = { one: 'lista', few: 'listy', many: 'list', other: 'listy (ułamek)' };

test('the number decides by the categories of the language', () => {
  assert.deepEqual(
    [0, 1, 2, 5, 12, 22, 25, 101, 1.5].map((count) => formOf(lists, 'pl', { count })),
    ['list', 'lista', 'listy', 'list', 'list', 'listy', 'list', 'list', 'listy (ułamek)'],
  );
  assert.equal(formOf(lists, 'en', { count: 2 }), 'listy (ułamek)');
});

test('count decides among several numbers, and the only one otherwise', () => {
  assert.equal(formOf(lists, 'pl', { limit: 1, count: 5 }), 'list');
  assert.equal(formOf(lists, 'pl', { name: 'Ada', lists: 3 }), 'listy');
});

test('without a number it is the general form, as for a category that the text lacks', () => {
  assert.equal(formOf(lists, 'pl', { count: '3' }), 'listy (ułamek)');
  assert.equal(formOf({ one: 'list', other: 'lists' }, 'pl', { count: 3 }), 'lists');
  assert.equal(formOf('lista', 'pl', { count: 3 }), 'lista');
});
