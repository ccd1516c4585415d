// The exact bytes that are written, and that they are read back as the same values.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bytesOf, plainOf } from '../../../test/support/builders/xml-call.ts';
import { decodeResponse, encodeCall } from '../../../test/support/builders/xmlrpc-client.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { asWindows1252 } from '../../method/windows-1252.ts';
import { decodeCall } from './decode.ts';
import { encodeFault, encodeResponse } from './encode.ts';

/** What stands between `<param>` and `</param>` of the answer. */
function written(value: unknown): string {
  const [head, tail] = [
    '<?xml version="1.0" encoding="UTF-8"?>\n<methodResponse><params><param>',
    '</param></params></methodResponse>\n',
  ];
  const text = encodeResponse(value);
  assert.equal(text.startsWith(head) && text.endsWith(tail), true, text);
  return text.slice(head.length, -tail.length);
}

const stringOf = (text: string) => `<value><string>${text}</string></value>`;
const intOf = (text: string) => `<value><int>${text}</int></value>`;
const doubleOf = (text: string) => `<value><double>${text}</double></value>`;

describe('values are written in types that every client knows', () => {
  const cases: [unknown, string][] = [
    ['', stringOf('')],
    ['x', stringOf('x')],
    [' \t\n ', stringOf(' \t\n ')],
    ['ż😀', stringOf('ż😀')],
    ['a & b < c > d', stringOf('a &amp; b &lt; c &gt; d')],
    [']]>', stringOf(']]&gt;')],
    ['&amp;', stringOf('&amp;amp;')],
    [`"'`, stringOf(`"'`)],
    ['a\r\nb\rc', stringOf('a&#13;\nb&#13;c')],
    ['a\0b\x01\x08\x0B\x0C\x0E\x1Fc', stringOf('abc')],
    ['a\uFFFEb\uFFFFc', stringOf('abc')],
    ['\x7F\x80\x9F\u2028\uFEFF', stringOf('\x7F\x80\x9F\u2028\uFEFF')],
    ['a\uD83Db', stringOf('ab')],
    ['a\uDE00b', stringOf('ab')],
    ['\uDE00\uD83D', stringOf('')],
    ['\uD83D\uD83D\uDE00\uDE00', stringOf('😀')],
    [null, stringOf('')],
    [undefined, stringOf('')],
    [true, '<value><boolean>1</boolean></value>'],
    [false, '<value><boolean>0</boolean></value>'],
    [0, intOf('0')],
    [-0, intOf('0')],
    [42, intOf('42')],
    [-7, intOf('-7')],
    [2147483647, intOf('2147483647')],
    [-2147483648, intOf('-2147483648')],
    [2147483648, stringOf('2147483648')],
    [-2147483649, stringOf('-2147483649')],
    [Number.MAX_SAFE_INTEGER, stringOf('9007199254740991')],
    [1e21, stringOf('1000000000000000000000')],
    [7n, intOf('7')],
    [2n ** 31n, stringOf('2147483648')],
    [-(2n ** 80n), stringOf('-1208925819614629174706176')],
    [0.5, doubleOf('0.5')],
    [-1.25, doubleOf('-1.25')],
    [5e-7, doubleOf('0.0000005')],
    [-1.5e-10, doubleOf('-0.00000000015')],
    [123456789.125, doubleOf('123456789.125')],
    [new Date(Date.UTC(2026, 0, 31, 9, 30, 5, 678)), stringOf('2026-01-31 09:30:05')],
    [new Uint8Array(0), '<value><base64></base64></value>'],
    [new Uint8Array([0, 255, 16]), '<value><base64>AP8Q</base64></value>'],
    [new Uint8Array([9, 1, 2, 3, 9]).subarray(1, 4), '<value><base64>AQID</base64></value>'],
    [Buffer.from('ABC'), '<value><base64>QUJD</base64></value>'],
    [[], '<value><array><data></data></array></value>'],
    [['a', 1], `<value><array><data>${stringOf('a')}${intOf('1')}</data></array></value>`],
    [[undefined, null], `<value><array><data>${stringOf('')}${stringOf('')}</data></array></value>`],
    [new Array(1), `<value><array><data>${stringOf('')}</data></array></value>`],
    [{}, '<value><struct></struct></value>'],
    [{ a: 'x' }, `<value><struct><member><name>a</name>${stringOf('x')}</member></struct></value>`],
    [{ a: undefined, b: null }, `<value><struct><member><name>b</name>${stringOf('')}</member></struct></value>`],
    [{ '<&>\r\0': 1 }, `<value><struct><member><name>&lt;&amp;&gt;&#13;</name>${intOf('1')}</member></struct></value>`],
    [
      JSON.parse('{"__proto__":1}'),
      `<value><struct><member><name>__proto__</name>${intOf('1')}</member></struct></value>`,
    ],
    [
      Object.assign(Object.create(null), { a: [] }),
      '<value><struct><member><name>a</name><value><array><data></data></array></value></member></struct></value>',
    ],
  ];
  for (const [value, expected] of cases) {
    test(expected.replace(/[^\x20-\x7E]/g, '?'), () => assert.equal(written(value), expected));
  }

  for (const value of [Number.NaN, Infinity, -Infinity, () => 1, Symbol('x'), [Number.NaN], { a: Infinity }]) {
    test(`${String(value)} in an answer throws`, () => {
      assert.throws(() => encodeResponse(value), TypeError);
    });
  }
});

describe('faults', () => {
  for (const [code, expected] of [
    [300, 300],
    [-32601, -32601],
    [-50, -50],
    [0, -32603],
    [-0, -32603],
    [-98, -32603],
    [-99, -32603],
    [1.5, -32603],
    [Number.NaN, -32603],
    [2 ** 31, -32603],
  ] as const) {
    test(`code ${code} is sent as the integer ${expected}`, () => {
      const text = encodeFault(code, 'no <such> thing');
      assert.equal(text.includes(`<name>faultCode</name><value><int>${expected}</int></value>`), true, text);
      const answer = decodeResponse(bytesOf(text));
      assert.deepEqual(answer, { fault: { code: expected, message: 'no <such> thing' } });
    });
  }

  test('a fault, byte by byte', () => {
    assert.equal(
      encodeFault(104, 'API key wrong'),
      '<?xml version="1.0" encoding="UTF-8"?>\n<methodResponse><fault><value><struct>' +
        '<member><name>faultCode</name><value><int>104</int></value></member>' +
        '<member><name>faultString</name><value><string>API key wrong</string></value></member>' +
        '</struct></value></fault></methodResponse>\n',
    );
  });
});

describe('calls', () => {
  test('a call, byte by byte', () => {
    assert.equal(
      encodeCall('a<b', ['x', 1]),
      '<?xml version="1.0" encoding="UTF-8"?>\n<methodCall><methodName>a&lt;b</methodName><params>' +
        '<param><value><string>x</string></value></param><param><value><int>1</int></value></param>' +
        '</params></methodCall>\n',
    );
    assert.deepEqual(decodeCall(bytesOf(encodeCall('ping', []))), { method: 'ping', params: [] });
  });
});

/** What is read after writing: no nil, no large ints, and only the characters of XML. */
function asSent(value: unknown): unknown {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' && Number.isInteger(value))
    return (value | 0) === value ? value | 0 : String(BigInt(value));
  if (typeof value === 'string') return carried(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(asSent);
  if (typeof value === 'object') {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(members.map(([name, member]) => [carried(name), asSent(member)]));
  }
  return value;
}

/** The text without the code points that XML cannot carry; control characters of ISO-8859-1 are read as punctuation. */
function carried(text: string): string {
  const allowed = (code: number) =>
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    code > 0xffff;
  return asWindows1252(
    Array.from(text)
      .filter((char) => allowed(char.codePointAt(0)!))
      .join(''),
  );
}

const anyString = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((codes) => String.fromCharCode(...codes)),
  fc.constantFrom(']]>', '<![CDATA[', '&amp;', '&#13;', '\r\n', '<value>', '__proto__', ' ', '\0'),
);
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    anyString,
    fc.boolean(),
    fc.integer(),
    fc.double({ noDefaultInfinity: true, noNaN: true }),
    fc.maxSafeInteger(),
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom(null, undefined),
    fc.array(tie('value'), { maxLength: 5 }),
    // Names that differ only in what XML cannot carry would become one.
    fc.dictionary(anyString.map(carried), tie('value'), { maxKeys: 5, noNullPrototype: false }),
  ),
})).value;

describe('what is written is read again', () => {
  test('as the answer that was given', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const answer = decodeResponse(bytesOf(encodeResponse(value)));
        assert.equal('value' in answer, true);
        assert.deepEqual(plainOf((answer as { value: never }).value), asSent(value));
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('as the call that was made, in UTF-8 with and without BOM', () => {
    fc.assert(
      fc.property(fc.array(anyValue, { maxLength: 4 }), fc.boolean(), (params, withBom) => {
        const text = encodeCall('m', params);
        const call = decodeCall(bytesOf(withBom ? `\uFEFF${text}` : text), 'text/xml; charset=utf-8');
        assert.deepEqual(call.params.map(plainOf), params.map(asSent));
      }),
      { numRuns: runs(500) },
    );
  });

  test('control characters of ISO-8859-1 as the punctuation that they are in windows-1252', () => {
    for (const text of ['\x80 it\x92s \x9f', '\x81']) {
      const call = decodeCall(bytesOf(encodeCall('m', [{ [text]: text }])));
      assert.deepEqual(call.params.map(plainOf), [asSent({ [text]: text })]);
    }
  });

  test('without one byte that XML forbids', () => {
    fc.assert(
      fc.property(anyString, (text) => {
        const xml = encodeResponse({ [text]: text });
        assert.equal(xml.isWellFormed(), true);
        assert.doesNotMatch(xml, /[\0-\x08\x0B-\x1F\uFFFE\uFFFF]/);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
