// PHP's serialize format: the letter of it, that it is read again, and that the real PHP reads the same value.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { phpUnserialize } from '../../../test/support/builders/php-unserialize.ts';
import { askPhp } from '../../../test/support/judges/php.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { phpSerialize } from './php.ts';

describe('values are written as serialize() does', () => {
  const cases: [unknown, string][] = [
    ['', 's:0:"";'],
    ['abc', 's:3:"abc";'],
    ['ż', 's:2:"ż";'],
    ['😀', 's:4:"😀";'],
    ['a"b;c', 's:5:"a"b;c";'],
    ['a\0b', 's:3:"a\0b";'],
    [true, 'b:1;'],
    [false, 'b:0;'],
    [0, 'i:0;'],
    [-7, 'i:-7;'],
    [2 ** 31, 'i:2147483648;'],
    [Number.MAX_SAFE_INTEGER, 'i:9007199254740991;'],
    [7n, 's:1:"7";'],
    [0.5, 'd:0.5;'],
    [-0, 'd:-0;'],
    [5e-7, 'd:5e-7;'],
    [1e21, 'd:1e+21;'],
    [Infinity, 'd:INF;'],
    [-Infinity, 'd:-INF;'],
    [Number.NaN, 'd:NAN;'],
    [null, 's:0:"";'],
    [undefined, 's:0:"";'],
    [[], 'a:0:{}'],
    [{}, 'a:0:{}'],
    [['a', 1], 'a:2:{i:0;s:1:"a";i:1;i:1;}'],
    [[undefined], 'a:1:{i:0;s:0:"";}'],
    [{ a: 'x', b: [true] }, 'a:2:{s:1:"a";s:1:"x";s:1:"b";a:1:{i:0;b:1;}}'],
    [{ a: undefined, b: null }, 'a:1:{s:1:"b";s:0:"";}'],
    [{ ż: 1 }, 'a:1:{s:2:"ż";i:1;}'],
    [JSON.parse('{"__proto__":1}'), 'a:1:{s:9:"__proto__";i:1;}'],
    [new Uint8Array([0, 255, 16]), 's:4:"AP8Q";'],
    [{ error: 'API key wrong', code: 104 }, 'a:2:{s:5:"error";s:13:"API key wrong";s:4:"code";i:104;}'],
  ];
  for (const [value, expected] of cases) {
    test(JSON.stringify(expected), () => assert.equal(phpSerialize(value), expected));
  }

  test('a lone surrogate has the length that it has on the wire', () => {
    const bytes = Buffer.from(phpSerialize('a\uD800b'));
    assert.equal(bytes.toString('latin1'), 's:5:"a\xEF\xBF\xBDb";');
  });

  test('functions and symbols throw', () => {
    assert.throws(() => phpSerialize(() => 1), TypeError);
    assert.throws(() => phpSerialize([Symbol('x')]), TypeError);
  });
});

describe('unserialize is strict', () => {
  const good: [string, unknown][] = [
    ['N;', null],
    ['b:1;', true],
    ['i:-5;', -5],
    ['d:1.0E+25;', 1e25],
    ['d:.5;', 0.5],
    ['d:-INF;', -Infinity],
    ['s:2:"ż";', 'ż'],
    ['a:2:{i:0;i:1;i:1;i:2;}', [1, 2]],
    ['a:1:{i:5;i:1;}', Object.assign(Object.create(null), { 5: 1 })],
    ['a:2:{i:1;i:1;i:0;i:2;}', Object.assign(Object.create(null), { 0: 2, 1: 1 })],
    ['a:1:{s:1:"0";i:1;}', Object.assign(Object.create(null), { 0: 1 })],
  ];
  for (const [text, value] of good) {
    test(text, () => assert.deepEqual(phpUnserialize(text), value));
  }

  for (const text of [
    '',
    'N',
    'n;',
    'b:2;',
    'b:;',
    'b:1',
    'i:;',
    'i:1.5;',
    'i:0x1;',
    'i:1',
    'i:9007199254740993;',
    'd:;',
    'd:x;',
    'd:1,5;',
    's:1:"ż";',
    's:3:"ż";',
    's:-1:"";',
    's:1:x;',
    's:1:"x"',
    's:99:"x";',
    's:1e1:"xxxxxxxxxx";',
    'a:1:{}',
    'a:-1:{}',
    'a:0:{',
    'a:1:{i:0;i:1;',
    'a:1:{b:1;i:1;}',
    'a:1:{a:0:{}i:1;}',
    'a:2:{i:0;i:1;i:0;i:2;}',
    'a:1:{i:0;i:1;i:1;i:2;}',
    'O:8:"stdClass":0:{}',
    'C:1:"x":0:{}',
    'r:1;',
    'R:1;',
    'E:3:"A:B";',
    'i:1;i:2;',
    'i:1; ',
  ]) {
    test(`${text} is refused`, () => assert.throws(() => phpUnserialize(text), SyntaxError));
  }
});

const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
    fc.boolean(),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.stringMatching(/^[A-Za-z_ż"; ][A-Za-z0-9_ż"; ]{0,6}$/u), tie('value'), {
      minKeys: 1,
      maxKeys: 5,
      noNullPrototype: true,
    }),
  ),
})).value;

describe('what is written is read again', () => {
  test('by our own reader', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        // Through JSON, because that forgets the prototypes and the sign of zero.
        assert.equal(JSON.stringify(phpUnserialize(phpSerialize(value))), JSON.stringify(value));
        assert.equal(JSON.stringify(phpUnserialize(Buffer.from(phpSerialize(value)))), JSON.stringify(value));
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('by PHP itself', (t) => {
    const values = fc.sample(anyValue, { numRuns: 1_000, seed: 3 });
    const readByPhp = askPhp(
      `$out = array_map(function ($s) {
        $v = unserialize(base64_decode($s), ["allowed_classes" => false]);
        return [gettype($v), $v];
      }, $in);`,
      values.map((value) => Buffer.from(phpSerialize(value)).toString('base64')),
    );
    if (readByPhp === undefined) return t.skip('PHP is not installed');
    (readByPhp as [string, unknown][]).forEach(([type, value], i) => {
      const given = values[i];
      assert.equal(type, typeInPhp(given), phpSerialize(given));
      assert.deepEqual(value, JSON.parse(JSON.stringify(given)), phpSerialize(given));
    });
  });
});

function typeInPhp(value: unknown): string {
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0) ? 'integer' : 'double';
  if (typeof value === 'object') return 'array';
  return typeof value;
}
