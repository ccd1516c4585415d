// What the schemas get of a body after cleaning.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../base/faults.ts';
import { cleanInput } from './clean-input.ts';
import { UNREADABLE, WireNumber } from './wire.ts';

test('members without a value are absent, items of arrays are empty', () => {
  assert.deepEqual(cleanInput({ a: null, b: { c: undefined, d: 1 }, e: [null, 'x'] }), { b: { d: 1 }, e: ['', 'x'] });
});

test('bytes, and numbers with their text, stay unchanged', () => {
  const bytes = new Uint8Array([0, 1]);
  const number = new WireNumber('007', 7);
  const read = cleanInput({ bytes, number }) as { bytes: unknown; number: unknown };
  assert.equal(read.bytes, bytes);
  assert.equal(read.number, number);
});

test('text is well-formed', () => {
  assert.deepEqual(cleanInput({ 'n\ud800': 'v\udc00' }), { 'n\ufffd': 'v\ufffd' });
});

for (const [given, message] of [
  [{ options: { subject: 'a\0b' } }, 'options.subject contains a NUL character'],
  [{ emails: ['x', '\0'] }, 'emails.1 contains a NUL character'],
  [{ fields: { 'a\0': 'b' } }, '"fields.a\\u0000" contains a NUL character'],
] as const) {
  test(`NUL is refused: ${message.replaceAll('"', '')}`, () => {
    assert.throws(
      () => cleanInput(given),
      (error: Fault) => error.fault === 'INVALID_PARAMETER' && error.message === message,
    );
  });
}

const messageOf = (given: unknown) => {
  try {
    return JSON.stringify(cleanInput(given));
  } catch (error) {
    return `${(error as Fault).fault}: ${(error as Fault).message}`;
  }
};

test('names of the objects of JavaScript are refused at every depth', () => {
  for (const name of ['__proto__', 'constructor', 'prototype']) {
    const given = JSON.parse(`{"a":[{"${name}":1}]}`);
    assert.match(messageOf(given), new RegExp(`^INVALID_PARAMETER: .*a\\.0\\.${name}`));
  }
});

test('what could not be read as text is refused by the name of its member, which is cut', () => {
  assert.match(messageOf({ a: `x${UNREADABLE}` }), /^INVALID_PARAMETER: a /);
  assert.match(messageOf({ [`n${UNREADABLE}`]: 1 }), /^INVALID_PARAMETER: n\ufffd /);
  const long = messageOf({ ['x'.repeat(201)]: UNREADABLE });
  assert.match(long, /^INVALID_PARAMETER: x{200}[^x]/);
  assert.equal(UNREADABLE, '\ufdd0');
});
