// What each type of parameter accepts from clients of all kinds, and the message for what it does not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import { readMessage } from '../base/messages.ts';
import * as param from './params.ts';
import { WireNumber } from './wire.ts';

const number = (raw: string) => new WireNumber(raw, Number(raw));

/** The value, or the keys of the messages of a refusal. */
function read(type: z.ZodType, value: unknown): unknown {
  const result = type.safeParse(value);
  return result.success
    ? result.data
    : result.error.issues.map((issue) => readMessage(issue.message)?.key ?? issue.code);
}

const text = param.text('', 3);
const filled = param.filledText('', 3);
const line = param.line('', 3);
const filledLine = param.filledLine('', 3);
const integer = param.integer('', 2, 5);
const boolean = param.boolean('');
const oneOf = param.oneOf('', ['Day', 'week'], { days: 'Day' });
const array = param.arrayOf('', param.text('', 3), 2);
const struct = param.struct('', { a: param.text('').optional() });
const free = param.freeStruct('');
const empty = param.unlessEmpty(param.anything(''));
const bytes = param.bytesOrText('', 3);

const cases: [type: z.ZodType, value: unknown, outcome: unknown][] = [
  [text, 'abc', 'abc'],
  [text, number('012'), '012'],
  [text, 12, '12'],
  [text, '', ''],
  [text, 'abcd', ['parameter.too_long']],
  [text, true, ['parameter.not_a_string']],
  [filled, ' a ', ' a '],
  [filled, number('012'), '012'],
  [filled, ' ', ['parameter.empty']],
  [filled, 'abcd', ['parameter.too_long']],
  [filled, [], ['parameter.not_a_string']],
  [line, 'a\r\nb', 'a b'],
  [line, '\t\n\u2028', '   '],
  [line, 12, '12'],
  [line, 'a\u0007', ['parameter.control_characters']],
  [line, 'abcd', ['parameter.too_long']],
  [line, {}, ['parameter.not_a_string']],
  [filledLine, 'a', 'a'],
  [filledLine, '\n', ['parameter.empty']],
  [integer, 2, 2],
  [integer, number('5'), 5],
  [integer, ' +3.0 ', 3],
  [integer, '-3', ['parameter.too_small']],
  [integer, 1, ['parameter.too_small']],
  [integer, 6, ['parameter.too_large']],
  [integer, 2.5, ['parameter.not_whole']],
  [integer, '3x', ['parameter.not_a_number']],
  [integer, '', ['parameter.not_a_number']],
  ...['', '0', 'False', 'no', 'OFF', 0, number('0'), false].map((value): [z.ZodType, unknown, unknown] => [
    boolean,
    value,
    false,
  ]),
  ...['1', 'true', 'Yes', 'on', 1, number('1'), true].map((value): [z.ZodType, unknown, unknown] => [
    boolean,
    value,
    true,
  ]),
  [boolean, 'maybe', ['parameter.not_a_boolean']],
  [boolean, 'toString', ['parameter.not_a_boolean']],
  [boolean, number('2'), ['parameter.not_a_boolean']],
  [oneOf, ' DAY ', 'Day'],
  [oneOf, 'Days', 'Day'],
  [oneOf, 'Week', 'week'],
  [oneOf, 'constructor', ['parameter.not_one_of']],
  [oneOf, [], ['parameter.not_one_of']],
  [array, ['a', 'b'], ['a', 'b']],
  [array, 'a', ['a']],
  [array, number('012'), ['012']],
  [array, '', []],
  [array, {}, []],
  [array, { a: 1 }, ['parameter.not_an_array']],
  [array, undefined, ['parameter.not_an_array']],
  [array, ['a', 'b', 'c'], ['parameter.too_many']],
  [struct, { a: 'x' }, { a: 'x' }],
  [struct, '', {}],
  [struct, [], {}],
  [struct, [''], {}],
  [struct, ['x'], ['parameter.not_a_struct']],
  [struct, 'x', ['parameter.not_a_struct']],
  [struct, { b: 'x' }, ['unrecognized_keys']],
  [free, { a: true, b: false, c: number('01'), d: ['x'] }, { a: '1', b: '0', c: '01', d: ['x'] }],
  [free, '', {}],
  [free, 'x', ['parameter.not_a_struct']],
  [free, { ['x'.repeat(101)]: 'x' }, ['invalid_key']],
  ...['', [], {}, undefined].map((value): [z.ZodType, unknown, unknown] => [empty, value, undefined]),
  ...['a', ['a'], { a: 1 }, 0, false, null].map((value): [z.ZodType, unknown, unknown] => [empty, value, value]),
  [empty, new Uint8Array(), new Uint8Array()],
  [bytes, 'abc', 'abc'],
  [bytes, new Uint8Array(9), new Uint8Array(9)],
  [bytes, 7, ['parameter.not_bytes']],
];
test('each type reads what clients send', () => {
  for (const [type, value, outcome] of cases)
    assert.deepEqual(read(type, value), outcome, `${type.meta()?.xmlrpc} from ${JSON.stringify(value)}`);
});

test('the limits are in the messages', () => {
  const valuesOf = (type: z.ZodType, value: unknown) =>
    readMessage(type.safeParse(value).error!.issues[0]!.message)!.values;
  assert.deepEqual(valuesOf(text, 'abcd'), { count: 3 });
  assert.deepEqual([valuesOf(integer, 1), valuesOf(integer, 6)], [{ count: 2 }, { count: 5 }]);
  assert.deepEqual(valuesOf(oneOf, ''), { choices: 'Day, week' });
  assert.deepEqual(valuesOf(array, ['a', 'b', 'c']), { count: 2 });
});

test('the introspection shows the types', () => {
  const types = [text, filled, line, integer, boolean, oneOf, array, struct, free, bytes, param.id('')];
  assert.deepEqual(
    types.map((type) => type.meta()?.xmlrpc),
    ['string', 'string', 'string', 'int', 'boolean', 'string', 'array', 'struct', 'struct', 'base64', 'string'],
  );
});

test('a line outside of parameters is read by the same rules', () => {
  assert.equal(param.readLine('a\nb', 'name'), 'a b');
  assert.throws(() => param.readLine('a\u0000', 'name'), { fault: 'INVALID_PARAMETER', message: /^name / });
  assert.deepEqual(readMessage(param.problem('parameter.empty')), { key: 'parameter.empty', values: {} });
});

test('texts have at most 1,000 characters, and ids 100, unless another limit is given', () => {
  for (const type of [param.text(''), param.filledText(''), param.line(''), param.filledLine('')]) {
    assert.equal(read(type, 'x'.repeat(1_000)), 'x'.repeat(1_000));
    assert.deepEqual(read(type, 'x'.repeat(1_001)), ['parameter.too_long']);
  }
  assert.equal(read(param.id(''), 'x'.repeat(100)), 'x'.repeat(100));
  assert.deepEqual(read(param.id(''), 'x'.repeat(101)), ['parameter.too_long']);
});
