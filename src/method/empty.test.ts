// An empty string means "not given" where it cannot be a value.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, boolean, freeStruct, integer, oneOf, params, struct, text } from './params.ts';
import { readValue } from './read-value.ts';
import { WireNumber } from './wire.ts';

const schema = params({
  count: integer('A number.', 1, 9),
  limit: integer('A number.', 1, 9, { fault: 'LIMIT_OUT_OF_RANGE' }).default(5),
  kind: oneOf('A word.', ['a', 'b']).optional(),
  since: text('A date.').meta({ neverEmpty: true }).optional(),
  title: text('A text.').optional(),
  flag: boolean('A flag.').optional(),
  more: struct('More.', {
    kind: oneOf('A word.', ['a', 'b']).default('b'),
    title: text('A text.').optional(),
  }).optional(),
  items: arrayOf('Items.', struct('An item.', { kind: oneOf('A word.', ['a', 'b']).optional() })).optional(),
  vars: freeStruct('Values.').optional(),
});

test('an empty optional number, word or date is not given, at any depth', () => {
  assert.deepEqual(readValue(schema, { count: '1', limit: '', kind: '', since: '' }), { count: 1, limit: 5 });
  assert.deepEqual(readValue(schema, { count: 1, more: { kind: '' }, items: [{ kind: '' }, { kind: 'a' }] }), {
    count: 1,
    limit: 5,
    more: { kind: 'b' },
    items: [{}, { kind: 'a' }],
  });
});

test('an empty text is a text, an empty boolean is false', () => {
  const given = { count: new WireNumber('7', 7), title: '', flag: '', more: { title: '' }, vars: { kind: '' } };
  assert.deepEqual(readValue(schema, given), {
    count: 7,
    limit: 5,
    title: '',
    flag: false,
    more: { kind: 'b', title: '' },
    vars: { kind: '' },
  });
});

test('a boolean may be spelled in words', () => {
  for (const [text, flag] of Object.entries({
    '1': true,
    yes: true,
    on: true,
    TRUE: true,
    '0': false,
    no: false,
    off: false,
  }))
    assert.equal(readValue(schema, { count: 1, flag: text }).flag, flag, text);
});

test('an empty required number is still a fault, and so is a space', () => {
  assert.throws(() => readValue(schema, { count: '' }), /count is not a number/);
  assert.throws(() => readValue(schema, { count: 1, limit: ' ' }), /limit is not a number/);
});

test('a struct may arrive as an array of an empty string', () => {
  assert.deepEqual(readValue(schema, { count: 1, more: [''], vars: [''] }), {
    count: 1,
    limit: 5,
    more: { kind: 'b' },
    vars: {},
  });
  assert.throws(() => readValue(schema, { count: 1, more: ['x'] }), /more is not a struct/);
});

test('an empty member counts as missing also where it is the only one', () => {
  const kind = oneOf('A word.', ['a', 'b']).optional();
  assert.deepEqual(readValue(params({ kind }), { kind: '' }), {});
  assert.deepEqual(readValue(params({ more: struct('More.', { kind }) }), { more: { kind: '' } }), { more: {} });
  assert.deepEqual(
    readValue(params({ items: arrayOf('Items.', struct('One.', { kind })) }), { items: [{ kind: '' }] }),
    {
      items: [{}],
    },
  );
});
