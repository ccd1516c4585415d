// Members of values: how their paths are read, what is found, and what counts as a value.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  eventTag,
  itemsOf,
  itemTag,
  readDataPath,
  readMember,
  readPath,
  testedOf,
  textOfData,
  valueAt,
} from './data.ts';

test('a path is names between dots, without the blanks around them', () => {
  assert.deepEqual(readPath('a. b c .1'), ['a', 'b c', '1']);
  assert.deepEqual(readPath(' '), []);
  for (const text of ['a.', '.a', 'a..b', ' . ']) assert.equal(readPath(text), null, text);
  assert.deepEqual(readDataPath(' event : a.b '), { of: 'EVENT', path: ['a', 'b'] });
  assert.deepEqual(readDataPath('ITEMS'), { of: 'ITEMS', path: [] });
  for (const text of ['', ':a', '1:a', 'A:b..c', 'A b']) assert.equal(readDataPath(text), null, text);
  assert.deepEqual(readMember('a.b:x:y'), { path: ['a', 'b'], fallback: 'x:y' });
  assert.deepEqual(readMember(null), { path: [], fallback: '' });
  assert.equal(readMember('a..b:x'), null);
});

test('only members that were sent are found, and items by their number', () => {
  const value = { a: { b: 1, toString: 'own' }, list: ['x', { c: 2 }] };
  assert.equal(valueAt(value, []), value);
  assert.equal(valueAt(value, ['a', 'b']), 1);
  assert.equal(valueAt(value, ['a', 'toString']), 'own');
  assert.equal(valueAt(value, ['list', '1', 'c']), 2);
  for (const path of [
    'toString',
    '__proto__',
    'constructor',
    'list.length',
    'list.01',
    'list.-1',
    'list.2',
    'a.b.c',
    'x.y',
  ])
    assert.equal(valueAt(value, path.split('.')), undefined, path);
  for (const from of [undefined, null, 'text', 1, true]) assert.equal(valueAt(from, ['length']), undefined);
});

test('objects and lists are no text, and are set when there is something in them', () => {
  assert.deepEqual(['a', 0, false, null, undefined, {}, [1]].map(textOfData), ['a', '0', 'false', '', '', '', '']);
  assert.deepEqual(['a', 0, true, { a: null }, [null]].map(testedOf), ['a', '0', 'true', 'true', 'true']);
  assert.deepEqual(['', false, null, undefined, {}, []].map(testedOf), ['', '', '', '', '', '']);
});

test('only a list has items, at most 50', () => {
  assert.deepEqual(itemsOf([1, null]), [1, null]);
  assert.equal(itemsOf(Array(51).fill(1)).length, 50);
  for (const value of [undefined, null, 'ab', { 0: 1, length: 1 }]) assert.deepEqual(itemsOf(value), []);
});

test('the tags for data are those that stored contents have', () => {
  assert.deepEqual([itemTag, eventTag], ['ITEM', 'EVENT']);
});
