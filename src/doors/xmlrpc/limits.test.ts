// Depth, number and size: the exact limits, and documents that are crafted to be expensive. These give a value or a WireFault in
// linear time.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytesOf, callWith, faultOf, paramOf } from '../../../test/support/builders/xml-call.ts';
import { decodeResponse } from '../../../test/support/builders/xmlrpc-client.ts';
import { needLinear } from '../../../test/support/run/linear-time.ts';
import { MAX_DEPTH, MAX_VALUES, type Wire, WireFault, type WireStruct } from '../../method/wire.ts';
import { decodeCall } from './decode.ts';

const arrays = (depth: number) =>
  callWith(`${'<value><array><data>'.repeat(depth)}${'</data></array></value>'.repeat(depth)}`);
const structs = (depth: number) =>
  callWith(
    `${'<value><struct><member><name>a</name>'.repeat(depth)}<value/>${'</member></struct></value>'.repeat(depth)}`,
  );
const emptyValues = (count: number) =>
  callWith(`<value><array><data>${'<value/>'.repeat(count)}</data></array></value>`);

describe('depth', () => {
  test(`${MAX_DEPTH} nested arrays are read`, () => {
    let value: Wire = paramOf(arrays(MAX_DEPTH));
    for (let depth = 1; depth < MAX_DEPTH; depth++) value = (value as Wire[])[0]!;
    assert.deepEqual(value, []);
  });

  test(`${MAX_DEPTH} nested structs are read`, () => {
    let value: Wire = paramOf(structs(MAX_DEPTH));
    for (let depth = 0; depth < MAX_DEPTH; depth++) value = (value as WireStruct)['a']!;
    assert.equal(value, '');
  });

  for (const depth of [MAX_DEPTH + 1, 100, 1_000, 10_000, 100_000]) {
    test(`${depth} levels of either are refused`, () => {
      for (const document of [arrays(depth), structs(depth)]) {
        const fault = faultOf(document);
        assert.equal(fault.code, -32600);
        assert.match(fault.message, /: nested deeper than 32 \(line 1\)$/);
      }
    });
  }

  test('a million tags that are never closed are refused at the first', () => {
    assert.match(faultOf('<a>'.repeat(1_000_000)).message, /the root is <a>/);
    assert.match(faultOf('<methodCall>'.repeat(1_000_000)).message, /<methodCall> is not allowed in <methodCall>/);
  });

  test('many values on one level do not count as depth', () => {
    const item = '<value><array><data><value><struct/></value></data></array></value>';
    const value = paramOf(callWith(`<value><array><data>${item.repeat(1_000)}</data></array></value>`));
    assert.equal((value as Wire[]).length, 1_000);
  });
});

describe('number', () => {
  test(`${MAX_VALUES} values are read, including the array`, () => {
    assert.equal((paramOf(emptyValues(MAX_VALUES - 1)) as Wire[]).length, MAX_VALUES - 1);
  });

  test('one value more is refused', () => {
    const fault = faultOf(emptyValues(MAX_VALUES));
    assert.equal(fault.code, -32600);
    assert.match(fault.message, /: more than 200000 values/);
  });

  test('members, parameters and nils count like items', () => {
    const member = '<member><name>a</name><value><nil/></value></member>';
    for (const document of [
      callWith(`<value><struct>${uniqueMembers(MAX_VALUES)}</struct></value>`),
      callWith(`<value><array><data>${'<value><nil/></value>'.repeat(MAX_VALUES)}</data></array></value>`),
      `<methodCall><methodName>m</methodName><params>${'<param><value/></param>'.repeat(MAX_VALUES + 1)}</params></methodCall>`,
      callWith(
        `<value><array><data>${`<value><struct>${member}</struct></value>`.repeat(MAX_VALUES / 2)}</data></array></value>`,
      ),
    ]) {
      assert.match(faultOf(document).message, /more than 200000 values/);
    }
  });

  test('an answer may hold ten times as many values', () => {
    const answer = emptyValues(MAX_VALUES)
      .replace('<methodName>m</methodName>', '')
      .replaceAll('methodCall', 'methodResponse');
    const { value } = decodeResponse(bytesOf(answer)) as { value: Wire[] };
    assert.equal(value.length, MAX_VALUES);
  });

  test('100,000 members are read', () => {
    const value = paramOf(callWith(`<value><struct>${uniqueMembers(100_000)}</struct></value>`)) as WireStruct;
    assert.equal(Object.keys(value).length, 100_000);
  });

  test('32 attributes are accepted, 33 are not', () => {
    const attributes = (count: number) => Array.from({ length: count }, (_, i) => ` a${i}="x"`).join('');
    assert.equal(paramOf(callWith(`<value${attributes(32)}>x</value>`)), 'x');
    assert.match(faultOf(callWith(`<value${attributes(33)}>x</value>`)).message, /more than 32 attributes/);
    assert.equal(faultOf(`<methodCall${attributes(1_000_000)}/>`).code, -32600);
  });
});

function uniqueMembers(count: number): string {
  let members = '';
  for (let i = 0; i < count; i++) members += `<member><name>k${i}</name><value/></member>`;
  return members;
}

/** How long the documents are to be. */
let bytes = 0;
const times = (size: number) => Math.floor(bytes / size);
const fill = (unit: string) => unit.repeat(times(Buffer.byteLength(unit)));
const inValue = (unit: string) => callWith(`<value>${fill(unit)}</value>`);
const inArray = (unit: string) => callWith(`<value><array><data>${fill(unit)}</data></array></value>`);

/** Name → a body of about so many bytes. */
const expensive: { [name: string]: () => string } = {
  'numeric references, decimal': () => inValue('&#9;'),
  'numeric references, hexadecimal': () => inValue('&#x41;'),
  'numeric references beyond the BMP': () => inValue('&#x1F600;'),
  'numeric references, as many as fit': () => fill('&#9;'),
  entities: () => inValue('&lt;'),
  'one entity that never ends': () => inValue('&').replace(/&+/, `&${'a'.repeat(bytes)}`),
  'one reference of a million digits': () => callWith(`<value>&#${'1'.repeat(bytes)};</value>`),
  'one reference of a million zeros': () => callWith(`<value>&#${'0'.repeat(bytes)}65;</value>`),
  'one reference of a million hex digits': () => callWith(`<value>&#x${'f'.repeat(bytes)};</value>`),
  attributes: () => `<methodCall ${Array.from({ length: times(10) }, (_, i) => `a${i}=""`).join(' ')}/>`,
  'attributes without values': () => `<methodCall ${fill('a ')}/>`,
  'one attribute of references': () => `<methodCall a="${fill('&#9;')}"/>`,
  'one attribute that never ends': () => `<methodCall a="${fill('x')}`,
  'an attribute on each value': () => inArray('<value a=""/>'),
  'empty values': () => inArray('<value/>'),
  nils: () => inArray('<value><nil/></value>'),
  integers: () => inArray('<value><int>1</int></value>'),
  'empty structs': () => inArray('<value><struct/></value>'),
  'empty arrays': () => inArray('<value><array><data/></array></value>'),
  'members with numbers for names': () =>
    callWith(
      `<value><struct>${Array.from({ length: times(47) }, (_, i) => `<member><name>${i * 65_536}</name><value/></member>`).join('')}</struct></value>`,
    ),
  'members that are nil': () =>
    callWith(
      `<value><struct>${Array.from({ length: times(66) }, (_, i) => `<member><name>${i}</name><value><nil/></value></member>`).join('')}</struct></value>`,
    ),
  parameters: () =>
    `<methodCall><methodName>m</methodName><params>${fill('<param><value/></param>')}</params></methodCall>`,
  'processing instructions': () => fill('<?a?>'),
  'processing instructions in a value': () => inValue('<?a?>'),
  'question marks in an instruction': () => callWith(`<?a ${fill('?')}?><value/>`),
  comments: () => fill('<!---->'),
  'comments in a value': () => inValue('a<!---->'),
  'dashes in a comment': () => callWith(`<!--${fill('-a')}--><value/>`),
  'comments that never end': () => fill('<!--'),
  'CDATA sections': () => inValue('<![CDATA[]]>'),
  'brackets in CDATA': () => callWith(`<value><![CDATA[${fill(']')}]]></value>`),
  'brackets in text': () => inValue(']'),
  'a DOCTYPE after a comment': () => `<!--${fill('x')}--><!DOCTYPE x [`,
  'a tag name': () => `<${fill('a')}/>`,
  'a tag name beyond ASCII': () => `<${fill('é')}/>`,
  'a tag name in a value': () => callWith(`<value><${fill('a')}/></value>`),
  'an end tag': () => `<methodCall></${fill('a')}>`,
  'white space before the root': () => `${fill(' ')}<a/>`,
  'white space between elements': () => `<methodCall>${fill('\n')}</methodCall>`,
  'white space in a tag': () => `<methodCall${fill(' ')}/>`,
  'carriage returns': () => inValue('\r'),
  'line ends': () => inValue('\r\n'),
  'a method name': () => `<methodCall><methodName>${fill('a')}</methodName></methodCall>`,
  'a method name of spaces': () => `<methodCall><methodName>${fill(' ')}</methodName></methodCall>`,
  'a member name': () => callWith(`<value><struct><member><name>${fill('a')}</name></member></struct></value>`),
  'an integer': () => callWith(`<value><int>${fill('9')}</int></value>`),
  'an integer of spaces': () => callWith(`<value><int>1${fill(' ')}x</int></value>`),
  'a double': () => callWith(`<value><double>${fill('9')}</double></value>`),
  'a double with an exponent': () => callWith(`<value><double>1e${fill('9')}</double></value>`),
  'a boolean of spaces': () => callWith(`<value><boolean>1${fill(' ')}x</boolean></value>`),
  'a date of spaces': () => callWith(`<value><dateTime.iso8601>${fill(' ')}x</dateTime.iso8601></value>`),
  base64: () => callWith(`<value><base64>${fill('QUJD')}</base64></value>`),
  'base64 with a space after each digit': () => callWith(`<value><base64>${fill('A\n')}</base64></value>`),
  'base64 of equals signs': () => callWith(`<value><base64>${fill('=')}</base64></value>`),
  'a declaration that never ends': () => `<?xml ${fill('a')}`,
  'a declaration of spaces': () => `<?xml ${fill(' ')}`,
  'opening brackets': () => fill('<'),
  'U+FFFD and one invalid byte': () => `${fill('\uFFFD')}`,
  'wrong elements': () => callWith(`<value>${fill('<a/>')}</value>`),
};

describe('documents made to be expensive are read in linear time', () => {
  for (const [name, document] of Object.entries(expensive)) {
    test(name, () =>
      needLinear(name, 256 * 1024, (size) => {
        bytes = size;
        const text = document();
        const body = name.endsWith('invalid byte') ? Buffer.concat([Buffer.from(text), Buffer.of(0xff)]) : text;
        try {
          decodeCall(bytesOf(body));
        } catch (error) {
          assert.equal(error instanceof WireFault, true, String(error));
          assert.equal((error as WireFault).message.length < 2_000, true);
        }
      }),
    );
  }
});
