// How a fault names an invalid member: by path and reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { arrayOf, boolean, freeStruct, integer, oneOf, params, struct, text } from './params.ts';
import { readValue } from './read-value.ts';

const schema = params({
  cid: text('An id.'),
  kind: oneOf('A kind.', ['a', 'b']),
  flag: boolean('A flag.').optional(),
  limit: integer('A number.', 1, 9, { fault: 'LIMIT_OUT_OF_RANGE' }).default(5),
  emails: arrayOf('Addresses.', text('An address.')).optional(),
  more: struct(
    'More.',
    { x: text('X.') },
    { fault: 'CAMPAIGN_OPTION_INVALID', selfFault: 'OPTIONS_STRUCT_INVALID' },
  ).optional(),
});
const good = { cid: 'b0000000', kind: 'a' };
const faultOf = (given: unknown) => {
  try {
    readValue(schema, given);
  } catch (error) {
    const { fault, message } = error as { fault: string; message: string };
    return `${fault}: ${message}`;
  }
  return 'nothing';
};

test('a missing member is reported as required, one of a wrong type by its type', () => {
  assert.equal(faultOf({ kind: 'a' }), 'INVALID_PARAMETER: cid is required');
  assert.equal(faultOf({ cid: 'b0000000' }), 'INVALID_PARAMETER: kind is required');
  assert.equal(faultOf({ ...good, more: {} }), 'CAMPAIGN_OPTION_INVALID: more.x is required');
  assert.equal(faultOf({ ...good, cid: true }), 'INVALID_PARAMETER: cid is not a string');
  assert.equal(faultOf({ ...good, kind: 'c' }), 'INVALID_PARAMETER: kind must be one of a, b');
  assert.equal(faultOf({ ...good, kind: [] }), 'INVALID_PARAMETER: kind must be one of a, b');
  assert.equal(faultOf({ ...good, flag: 'perhaps' }), 'INVALID_PARAMETER: flag is not a boolean');
  assert.equal(faultOf({ ...good, limit: 'many' }), 'LIMIT_OUT_OF_RANGE: limit is not a number');
  assert.equal(faultOf({ ...good, emails: { a: 'b' } }), 'INVALID_PARAMETER: emails is not an array');
  assert.equal(faultOf({ ...good, more: 'x' }), 'OPTIONS_STRUCT_INVALID: more is not a struct');
});

test('an unknown member is named by its path, with the list of known ones', () => {
  assert.equal(
    faultOf({ ...good, more: { x: '', y: '' } }),
    'CAMPAIGN_OPTION_INVALID: more.y is not a known parameter; the known ones are: x',
  );
  assert.match(
    faultOf({ ...good, colour: 'red' }),
    /^INVALID_PARAMETER: colour is not a known parameter; the known ones are: cid, kind,/,
  );
});

test('valid input is read with its defaults', () => {
  assert.deepEqual(readValue(schema, { ...good, flag: '1', limit: '7', emails: 'a' }), {
    ...good,
    flag: true,
    limit: 7,
    emails: ['a'],
  });
});

test('a struct without members names the unknown one, and a long name is cut', () => {
  assert.throws(() => readValue(params({}), { x: 1 }), { message: 'x is not a known parameter' });
  assert.throws(() => readValue(params({}), { ['x'.repeat(201)]: 1 }), {
    message: `${'x'.repeat(200)} is not a known parameter`,
  });
});

test('each type has its words', () => {
  const of = (type: Parameters<typeof params>[0][string], value: unknown) => {
    try {
      readValue(params({ x: type }), { x: value });
    } catch (error) {
      return (error as { message: string }).message;
    }
    return undefined;
  };
  assert.equal(of(text('T.'), true), 'x is not a string');
  assert.equal(of(integer('N.', 1, 9), 'many'), 'x is not a number');
  assert.equal(of(integer('N.', 1, 9), 1.5), 'x is not a whole number');
  assert.equal(of(boolean('B.'), 'perhaps'), 'x is not a boolean');
  assert.equal(of(arrayOf('A.', text('T.')), { a: 1 }), 'x is not an array');
  assert.equal(of(struct('S.', { y: text('Y.') }), 'x'), 'x is not a struct');
});

test('what is no struct at all is reported without a name', () => {
  assert.match(faultOf('x'), /^INVALID_PARAMETER: .*struct/);
  assert.match(faultOf(undefined), /^INVALID_PARAMETER: .*struct/);
});

test('of many known members the first forty are listed', () => {
  const many = Object.fromEntries(Array.from({ length: 41 }, (_, n) => [`m${n}`, text('T.').optional()]));
  assert.throws(
    () => readValue(params(many), { x: 1 }),
    (error: Error) => /m39$/.test(error.message),
  );
});

test('the fault of a struct or a list is that of its members, and a wrong value for it has that of what it is in', () => {
  const fault = 'SEGMENT_INVALID';
  const given = params({
    one: struct('One.', { x: text('X.') }, { fault }).optional(),
    many: arrayOf('Many.', text('A text.'), 10, { fault }).optional(),
    leaf: integer('A number.', 1, 9, { fault }).optional(),
  });
  const of = (value: unknown) => {
    try {
      readValue(given, value);
    } catch (error) {
      return (error as { fault: string }).fault;
    }
    return undefined;
  };
  assert.deepEqual(
    [of({ one: 'x' }), of({ one: { x: true } }), of({ one: { y: '' } })],
    ['INVALID_PARAMETER', fault, fault],
  );
  assert.deepEqual([of({ many: { a: 1 } }), of({ many: [true] })], ['INVALID_PARAMETER', fault]);
  assert.equal(of({ leaf: 'many' }), fault);
});

test('a name that is too long is the problem, and not its value', () => {
  const free = params({ values: freeStruct('Values.') });
  const of = (value: unknown) => {
    try {
      readValue(free, value);
    } catch (error) {
      return (error as Error).message;
    }
    return 'nothing';
  };
  assert.equal(of({ values: { ['x'.repeat(100)]: 'a' } }), 'nothing');
  assert.match(of({ values: { ['x'.repeat(101)]: 'a' } }), /^values\.x{101} .*100 characters/);
});

test('of the shapes that a member may have, the one that fits furthest says what is wrong', () => {
  const rule = z.union([z.object({ id: z.string() }), z.object({ any: z.array(z.object({ day: z.number() })) })]);
  const of = (value: unknown) => {
    try {
      readValue(params({ rule: rule as never }), value);
    } catch (error) {
      return (error as Error).message;
    }
    return 'nothing';
  };
  assert.equal(of({ rule: { id: 'x' } }), 'nothing');
  assert.equal(of({ rule: { any: [{ day: 1 }, { day: 'x' }] } }), 'rule.any.1.day is not a number');
});
