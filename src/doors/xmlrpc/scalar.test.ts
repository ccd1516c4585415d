// Every type of value with its limits: how it is read, and what is refused.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { callWith, faultOf, paramOf, plainOf } from '../../../test/support/builders/xml-call.ts';
import { WireNumber } from '../../method/wire.ts';

function typed(tag: string, text: string): string {
  return callWith(`<value><${tag}>${text}</${tag}></value>`);
}

/** Text → [raw, value]. */
const ints: [string, string, number][] = [
  ['0', '0', 0],
  ['1', '1', 1],
  ['-1', '-1', -1],
  ['+1', '+1', 1],
  ['-0', '-0', -0],
  ['0012', '0012', 12],
  ['00000000', '00000000', 0],
  [' 1 ', '1', 1],
  ['\n\t7\r\n', '7', 7],
  ['2147483647', '2147483647', 2147483647],
  ['2147483648', '2147483648', 2147483648],
  ['-2147483648', '-2147483648', -2147483648],
  ['-2147483649', '-2147483649', -2147483649],
  ['4294967296', '4294967296', 4294967296],
  ['48123456789', '48123456789', 48123456789],
  ['9007199254740993', '9007199254740993', 9007199254740992],
  ['9223372036854775807', '9223372036854775807', 2 ** 63],
  ['12345678901234567890123456', '12345678901234567890123456', 1.2345678901234568e25],
  ['<!-- x -->4<!-- y -->2', '42', 42],
  ['<![CDATA[5]]>', '5', 5],
  ['&#49;&#x32;', '12', 12],
];

const notInts = [
  '',
  ' ',
  '-',
  '+',
  '--1',
  '+-1',
  '1-',
  '1 2',
  '1,000',
  '1.0',
  '1.',
  '.1',
  '1e5',
  '1E5',
  '0x1F',
  '0b1',
  '0o7',
  '1n',
  '1_000',
  'NaN',
  'INF',
  'Infinity',
  'null',
  'true',
  'one',
  'abc',
  '１',
  '٣',
  '\u00A01',
  '1\u2003',
  '1;',
  '#1',
  '$1',
  '9'.repeat(301),
];

describe('integers keep their text', () => {
  for (const tag of ['int', 'i4', 'i8', 'ex:i8', 'ex:i1', 'ex:i2', 'ex:biginteger']) {
    for (const [text, raw, value] of ints) {
      test(`<${tag}> of ${JSON.stringify(text)}`, () => {
        assert.deepEqual(paramOf(typed(tag, text)), new WireNumber(raw, value));
      });
    }
  }
  for (const text of notInts) {
    test(`${JSON.stringify(text.slice(0, 20))} is not an integer`, () => {
      for (const tag of ['int', 'i4', 'i8']) {
        const fault = faultOf(typed(tag, text));
        assert.equal(fault.code, -32600);
        assert.equal(fault.message, `not XML-RPC: params[0]: the text of <${tag}> is not a whole number (line 1)`);
      }
    });
  }
});

const doubles: [string, number][] = [
  ['0', 0],
  ['1', 1],
  ['0.5', 0.5],
  ['-0.5', -0.5],
  ['+0.5', 0.5],
  ['.5', 0.5],
  ['5.', 5],
  ['0012.50', 12.5],
  [' 1.5 ', 1.5],
  ['1e5', 1e5],
  ['1.2345678E7', 12345678],
  ['123.000000', 123],
  ['1E-5', 1e-5],
  ['-1.5e+300', -1.5e300],
  ['1e-400', 0],
  ['179769313486231570000', 179769313486231570000],
  ['0.1000000000000000055511151231257827', 0.1],
  [`0.${'0'.repeat(323)}5`, 5e-324],
  [`${'9'.repeat(308)}`, 1e308],
];

const notDoubles = [
  '',
  ' ',
  '.',
  '-',
  '-.',
  'e5',
  '1e',
  '1e+',
  '1e5.5',
  '1.2.3',
  '1,5',
  '1e400',
  '-1e400',
  'NaN',
  'nan',
  'INF',
  '-INF',
  'Infinity',
  '-Infinity',
  '0x1p3',
  '1.5f',
  '1 .5',
  'abc',
  '٣.٥',
  '9'.repeat(310),
  '9'.repeat(401),
];

describe('doubles keep their text, whole numbers their digits', () => {
  for (const [text, value] of doubles) {
    const raw = Number.isSafeInteger(value) ? String(value) : text.trim();
    test(`<double> of ${JSON.stringify(text)}`, () => {
      assert.deepEqual(paramOf(typed('double', text)), new WireNumber(raw, value));
      assert.deepEqual(paramOf(typed('ex:float', text)), new WireNumber(raw, value));
      assert.deepEqual(paramOf(typed('ex:bigdecimal', text)), new WireNumber(raw, value));
    });
  }
  for (const text of notDoubles) {
    test(`${JSON.stringify(text.slice(0, 20))} is not a double`, () => {
      assert.match(faultOf(typed('double', text)).message, /params\[0\]: the text of <double> is not a finite/);
    });
  }
});

describe('booleans', () => {
  for (const [text, value] of [
    ['1', true],
    ['0', false],
    ['true', true],
    ['false', false],
    [' 1\n', true],
  ] as const) {
    test(`${JSON.stringify(text)} is ${value}`, () => assert.equal(paramOf(typed('boolean', text)), value));
  }
  for (const text of ['', ' ', '2', '-1', '01', '00', '1.0', 'TRUE', 'True', 'yes', 'on', 't', 'null', '１']) {
    test(`${JSON.stringify(text)} is none`, () => {
      assert.match(faultOf(typed('boolean', text)).message, /the text of <boolean> is not 0 or 1/);
    });
  }
});

describe('base64', () => {
  const every = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  const good: [string, Uint8Array][] = [
    ['', Buffer.alloc(0)],
    [' \n', Buffer.alloc(0)],
    ['QQ==', Buffer.from('A')],
    ['QUI=', Buffer.from('AB')],
    ['QUJD', Buffer.from('ABC')],
    ['Q U\nJ\tD', Buffer.from('ABC')],
    ['QQ=\n=', Buffer.from('A')],
    ['\r\nQQ==\r\n', Buffer.from('A')],
    ['+/+/', Buffer.from([0xfb, 0xff, 0xbf])],
    ['AAAA', Buffer.from([0, 0, 0])],
    [every.toString('base64'), every],
    [every.toString('base64').replace(/.{76}/g, '$&\r\n'), every],
  ];
  for (const [text, bytes] of good) {
    test(`${JSON.stringify(text.slice(0, 30))} gives ${bytes.length} bytes`, () => {
      const value = paramOf(typed('base64', text));
      assert.equal(value instanceof Uint8Array, true);
      assert.deepEqual(Buffer.from(value as Uint8Array), bytes);
    });
  }
  for (const text of [
    'Q',
    'QQ',
    'QQ=',
    'QUI',
    'QQ===',
    '=',
    '==',
    '====',
    'Q===',
    'QQ==QQ==',
    '=QQ=',
    'Q=Q=',
    '-_-_',
    'QUJ-',
    'QU*=',
    'Q*==',
    'QU.D',
    'QUJD!',
    'żółć',
    'data:text/plain;base64,QUJD',
    '%51UJD',
    'QUJD\u00A0',
    'QUJD,QUJD',
  ]) {
    test(`${JSON.stringify(text)} is none`, () => {
      assert.match(faultOf(typed('base64', text)).message, /the text of <base64> is not padded base64/);
    });
  }
});

describe('dates become the form of schedule times', () => {
  const good: [string, string][] = [
    ['20260131T09:30:00', '2026-01-31 09:30:00'],
    ['2026-01-31T09:30:00', '2026-01-31 09:30:00'],
    ['20260131T093000', '2026-01-31 09:30:00'],
    ['2026-01-31 09:30:00', '2026-01-31 09:30:00'],
    ['20260131t09:30:00', '2026-01-31 09:30:00'],
    [' 20260131T09:30:00 ', '2026-01-31 09:30:00'],
    ['20260131T09:30:00Z', '2026-01-31 09:30:00 +0000'],
    ['2026-01-31T09:30:00z', '2026-01-31 09:30:00 +0000'],
    ['20260131T09:30:00+0100', '2026-01-31 09:30:00 +0100'],
    ['20260131T09:30:00-05:30', '2026-01-31 09:30:00 -0530'],
    ['20260131T09:30:00+01', '2026-01-31 09:30:00 +0100'],
    ['2026-01-31T09:30:00 +0100', '2026-01-31 09:30:00 +0100'],
    ['2026-01-31T09:30:00.000Z', '2026-01-31 09:30:00 +0000'],
    ['2026-01-31T09:30:00,5', '2026-01-31 09:30:00'],
    ['20260131T093000.123456+0100', '2026-01-31 09:30:00 +0100'],
    // Ranges are for the parameter to judge, which answers with its own fault.
    ['20260230T24:61:61', '2026-02-30 24:61:61'],
    ['00000000T00:00:00', '0000-00-00 00:00:00'],
    // MySQL's date without a value, after PHP.
    ['-00011130T00:00:00', '-0001-11-30 00:00:00'],
    ['-0001-11-30T00:00:00+00:00', '-0001-11-30 00:00:00 +0000'],
  ];
  for (const [text, value] of good) {
    test(JSON.stringify(text), () => {
      for (const tag of ['dateTime.iso8601', 'ex:dateTime']) assert.equal(paramOf(typed(tag, text)), value);
    });
  }
  for (const text of [
    '',
    ' ',
    '20260131',
    '2026-01-31',
    'T09:30:00',
    '09:30:00',
    '2026-0131T09:30:00',
    '202601-31T09:30:00',
    '26-01-31T09:30:00',
    '2026-1-31T09:30:00',
    '2026/01/31T09:30:00',
    '31.01.2026 09:30',
    '20260131T09:30',
    '20260131T9:30:00',
    '20260131T09:30:00+1',
    '20260131T09:30:00+010',
    '20260131T09:30:00GMT',
    '20260131T09:30:00 CET',
    '20260131T09:30:00\u22120100',
    '20260131T09:30:00.',
    '20260131T09:30:00.1234567890',
    '20260131T09:30:00ZZ',
    '20260131T09:30:00Z+01',
    '20260131 T 09:30:00',
    '1769851800',
    'now',
    'tomorrow',
    '٢٠٢٦0131T09:30:00',
    '+020260131T09:30:00',
    '-20260131T09:30:00',
    '2026-W05-6T09:30:00',
    '2026-031T09:30:00',
    '20260131T09:30:00\0',
  ]) {
    test(`${JSON.stringify(text)} is none`, () => {
      const fault = faultOf(typed('dateTime.iso8601', text));
      if (!text.includes('\0')) assert.match(fault.message, /the text of <dateTime.iso8601> is not a date and time/);
    });
  }
});

describe('nil is "not given"', () => {
  for (const nil of ['<nil/>', '<nil></nil>', '<ex:nil/>', '<nil> </nil>', '<ex:nil xmlns:ex="urn:x"/>']) {
    test(`${nil} as a member means that the member is absent`, () => {
      const members = `<member><name>a</name><value>${nil}</value></member><member><name>b</name><value>1</value></member>`;
      assert.deepEqual(plainOf(paramOf(callWith(`<value><struct>${members}</struct></value>`))), { b: '1' });
    });
    test(`${nil} as an item or parameter is an empty string`, () => {
      const item = `<value>${nil}</value>`;
      assert.deepEqual(paramOf(callWith(`<value><array><data>${item}${item}</data></array></value>`)), ['', '']);
      assert.equal(paramOf(callWith(item)), '');
    });
  }
  test('<nil> with text is refused', () => {
    assert.match(faultOf(callWith('<value><nil>x</nil></value>')).message, /text in <nil>/);
  });
});

describe('a fault about a scalar', () => {
  test('names the path and not the text, which may be a key', () => {
    const value = `<value><struct><member><name>options</name><value><array><data><value>x</value>
      <value><struct><member><name>apikey</name><value><int>3f2acafe</int></value></member></struct></value>
      </data></array></value></member></struct></value>`;
    assert.equal(
      faultOf(callWith(value)).message,
      'not XML-RPC: params[0].options[1].apikey: the text of <int> is not a whole number (line 2)',
    );
  });
});
