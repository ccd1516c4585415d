// Values as read from the wire: numbers with their text, structs without a prototype, foreign text in faults.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isPlainStruct,
  isStruct,
  MAX_BODY_BYTES,
  MAX_DEPTH,
  MAX_VALUES,
  newStruct,
  quoted,
  WireFault,
  WireNumber,
} from './wire.ts';

test('a number becomes JSON without losing digits', () => {
  const numbers = [
    new WireNumber('0012', 12),
    new WireNumber('1.50', 1.5),
    new WireNumber('9007199254740993', 2 ** 53),
  ];
  assert.equal(JSON.stringify(numbers), '[12,1.5,"9007199254740993"]');
});

test('a struct is an object that is no array, number or bytes', () => {
  assert.equal(isStruct(newStruct()), true);
  assert.equal(Object.getPrototypeOf(newStruct()), null);
  for (const value of [undefined, '', 1, true, [], new WireNumber('1', 1), new Uint8Array()])
    assert.equal(isStruct(value), false);
});

test('foreign text in a fault is quoted, escaped and cut at 40 characters', () => {
  assert.equal(quoted('a"\n'), '"a\\"\\n"');
  assert.equal(quoted('x'.repeat(40)), `"${'x'.repeat(40)}"`);
  assert.equal(quoted('x'.repeat(41)), `"${'x'.repeat(40)}…"`);
  assert.deepEqual({ ...new WireFault(-32600, 'no call') }, { name: 'WireFault', code: -32600 });
});

test('a body may have 32 MiB', () => {
  assert.equal(MAX_BODY_BYTES, 33_554_432);
});

test('a call has limits that the documentation names', () => {
  assert.deepEqual([MAX_DEPTH, MAX_VALUES], [32, 200_000]);
});

test('a plain struct is an object of no class, whatever its origin', () => {
  class Thing {}
  for (const value of [{}, { a: 1 }, newStruct()]) assert.equal(isPlainStruct(value), true);
  for (const value of [null, undefined, '', 0, [], new Thing(), new Date(0), new Uint8Array(), new WireNumber('1', 1)])
    assert.equal(isPlainStruct(value), false);
});
