// What a caller reads about a body that is not JSON, and which JSON is too large to be read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkJson, readJson } from './json-values.ts';

test('a body that is not JSON is refused without a piece of it, and without the words of the parser', () => {
  for (const body of [Buffer.from('{"password":"secret'), Buffer.from('{x}'), Buffer.from([0x22, 0xff, 0x22])])
    assert.throws(() => readJson(body), { message: 'The body is not JSON in UTF-8', code: -32700 });
});

const check = (text: string) => checkJson(Buffer.from(text));
const tooMany = { code: -32600, message: /200.?000/ };
const tooDeep = { code: -32600, message: /32/ };

test('a call has up to 200,000 values: arrays, objects and what is in them, however it is written', () => {
  // Each has 200,000 values; one more in the same form is too many.
  const most: Record<string, [before: string, item: string, between: string, after: string, items: number]> = {
    numbers: ['[', '1', ',', ']', 199_999],
    strings: ['[', '"a\\"],[\\\\"', ',', ']', 199_999],
    'empty arrays': ['[', '[]', ',', ']', 199_999],
    'empty objects with blanks': ['[ ', '{ \t\n\v\f\r}', ' ,\n', ' ]', 199_999],
    members: ['{', '"a":1', ',', '}', 199_999],
    'arrays of one': ['[1,', '[ 1]', ',', ']', 99_999],
  };
  for (const [name, [before, item, between, after, items]] of Object.entries(most)) {
    const of = (count: number) => before + Array.from({ length: count }, () => item).join(between) + after;
    assert.doesNotThrow(() => check(of(items)), name);
    assert.throws(() => check(of(items + 1)), tooMany, name);
  }
});

test('a call has up to 32 levels of arrays and objects', () => {
  const nested = (open: string, levels: number, close: string) => open.repeat(levels) + close.repeat(levels);
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
    [' [ ', ' ] '],
  ] as const) {
    assert.doesNotThrow(() => check(nested(open, 32, close)));
    assert.throws(() => check(nested(open, 33, close)), tooDeep);
  }
  assert.doesNotThrow(() => check(`[${'[{}],'.repeat(1_000)}1]`), 'what is closed does not count');
});

test('brackets and commas in strings are text, also after escaped quotation marks and backslashes', () => {
  for (const text of ['[[[', ',,,', '\\"[[', '\\\\', '\\\\\\"{{'])
    assert.doesNotThrow(() => check(`["${text.repeat(50_000)}"]`), text);
  assert.throws(() => check(`["\\\\",${'['.repeat(33)}`), tooDeep, 'a string that ends in a backslash has ended');
  assert.doesNotThrow(() => check(`"${'['.repeat(33)}`), 'a string that does not end');
});

test('JSON in UTF-8 is read', () => {
  assert.deepEqual(readJson(Buffer.from(' {"a":["ä",1,{"b":null}]} ')), { a: ['ä', 1, { b: null }] });
});
