// The envelope of calls and responses, and the shape of structs and arrays: well-formed XML that is not XML-RPC.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytesOf, callWith, faultOf, paramOf, plainOf, refusalOf } from '../../../test/support/builders/xml-call.ts';
import { decodeResponse } from '../../../test/support/builders/xmlrpc-client.ts';
import { isStruct, WireFault } from '../../method/wire.ts';
import { decodeCall, parseDocument } from './decode.ts';
import { Shape } from './shape.ts';

const name = '<methodName>m</methodName>';
const param = '<param><value>1</value></param>';
const member = (key: string, value = '<value>1</value>') => `<member><name>${key}</name>${value}</member>`;
const struct = (members: string) => callWith(`<value><struct>${members}</struct></value>`);
const array = (items: string) => callWith(`<value><array><data>${items}</data></array></value>`);

describe('calls', () => {
  const good: { [document: string]: [string, unknown[]] } = {
    [`<methodCall>${name}<params>${param}</params></methodCall>`]: ['m', ['1']],
    [`<methodCall>${name}<params>${param}${param}</params></methodCall>`]: ['m', ['1', '1']],
    [`<methodCall>${name}<params/></methodCall>`]: ['m', []],
    [`<methodCall>${name}<params></params></methodCall>`]: ['m', []],
    [`<methodCall>${name}</methodCall>`]: ['m', []],
    [`<methodCall><params>${param}</params>${name}</methodCall>`]: ['m', ['1']],
    [`\n<methodCall>\n ${name}\n <params>\n  ${param}\n </params>\n</methodCall>\n`]: ['m', ['1']],
    '<methodCall><methodName> system.multicall\n</methodName></methodCall>': ['system.multicall', []],
    '<methodCall><methodName><![CDATA[a.b]]></methodName></methodCall>': ['a.b', []],
    '<methodCall><methodName>A_b:c/d-9</methodName></methodCall>': ['A_b:c/d-9', []],
    '<methodCall xmlns:ex="urn:x"><methodName>m</methodName></methodCall>': ['m', []],
  };
  for (const [document, [method, params]] of Object.entries(good)) {
    test(document, () => assert.deepEqual(decodeCall(bytesOf(document)), { method, params }));
  }

  for (const method of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'ZAŻÓŁĆ', `${'x'.repeat(255)}`]) {
    test(`the method name ${method.slice(0, 20)} is valid, known or unknown`, () => {
      assert.equal(decodeCall(bytesOf(`<methodCall><methodName>${method}</methodName></methodCall>`)).method, method);
    });
  }

  test('what is not well-formed is refused with its place', () => {
    const fault = faultOf('<methodCall>\n <a b></a></methodCall>');
    assert.equal(fault.code, -32700);
    // Not the words of the parser, which are another program's.
    assert.match(fault.message, /^not well-formed XML at line 2, column \d+$/);
  });

  test('the parser refuses a DOCTYPE that was not found before', () => {
    const fault = refusalOf(() => parseDocument('<!DOCTYPE m><methodCall/>', new Shape('methodCall', 10)));
    assert.deepEqual([fault.code, fault.message], [-32600, 'not XML-RPC: a DOCTYPE is not accepted']);
  });

  test('each element may have 32 attributes', () => {
    const attributes = (count: number) => Array.from({ length: count }, (_, i) => ` a${i}=""`).join('');
    const call = (count: number) =>
      `<methodCall${attributes(count)}><methodName${attributes(count)}>m</methodName></methodCall>`;
    assert.equal(decodeCall(bytesOf(call(32))).method, 'm');
    assert.match(faultOf(call(33)).message, /an element has more than 32 attributes/);
  });

  for (const method of ['', ' ', 'a b', 'a\nb', 'a\tb', 'a\u00A0b', 'a\x7Fb', 'x'.repeat(256), 'x'.repeat(1_000_000)]) {
    test(`${JSON.stringify(method.slice(0, 20))} of ${method.length} characters is not a method name`, () => {
      const fault = faultOf(`<methodCall><methodName>${method}</methodName></methodCall>`);
      assert.equal(fault.code, -32600);
      assert.match(fault.message, /is not a method name/);
      assert.equal(fault.message.length < 200, true);
    });
  }

  /** Document → what the fault says. */
  const bad: [string, string][] = [
    ['<html><body/></html>', 'the root is <html>, not <methodCall>'],
    ['<rss/>', 'the root is <rss>'],
    ['<soap:Envelope xmlns:soap="urn:x"/>', 'the root is <soap:Envelope>'],
    ['<methodcall/>', 'the root is <methodcall>'],
    ['<MethodCall/>', 'the root is <MethodCall>'],
    ['<x:methodCall/>', 'the root is <x:methodCall>'],
    ['<methodResponse/>', 'the root is <methodResponse>'],
    ['<value>x</value>', 'the root is <value>'],
    ['<__proto__/>', 'the root is <__proto__>'],
    ['<constructor/>', 'the root is <constructor>'],
    [`<${'a'.repeat(1_000_000)}/>`, `the root is <${'a'.repeat(40)}…>`],
    ['<methodCall/>', '<methodCall> contains no <methodName>'],
    ['<methodCall></methodCall>', '<methodCall> contains no <methodName>'],
    [`<methodCall><params>${param}</params></methodCall>`, '<methodCall> contains no <methodName>'],
    ['<methodCall>m</methodCall>', 'text in <methodCall>'],
    [`<methodCall>x${name}</methodCall>`, 'text in <methodCall>'],
    [`<methodCall>${name}x</methodCall>`, 'text in <methodCall>'],
    [`<methodCall><![CDATA[x]]>${name}</methodCall>`, 'text in <methodCall>'],
    [`<methodCall>&#160;${name}</methodCall>`, 'text in <methodCall>'],
    [`<methodCall>${name}${name}</methodCall>`, '<methodName> after all that <methodCall> may contain'],
    [`<methodCall>${name}<params/><params/></methodCall>`, '<params> after all that <methodCall> may contain'],
    [`<methodCall>${name}<other/></methodCall>`, '<other> is not allowed in <methodCall>'],
    [`<methodCall>${name}<Params/></methodCall>`, '<Params> is not allowed in <methodCall>'],
    [`<methodCall>${name}${param}</methodCall>`, '<param> is not allowed in <methodCall>'],
    [`<methodCall>${name}<value/></methodCall>`, '<value> is not allowed in <methodCall>'],
    [`<methodCall>${name}<fault/></methodCall>`, '<fault> is not allowed in <methodCall>'],
    [`<methodCall>${name}<constructor/></methodCall>`, '<constructor> is not allowed in <methodCall>'],
    [`<methodCall><methodName><b>m</b></methodName></methodCall>`, '<b> is not allowed in <methodName>'],
    [`<methodCall><methodName>m<value/></methodName></methodCall>`, '<value> is not allowed in <methodName>'],
    [`<methodCall>${name}<params>x</params></methodCall>`, 'text in <params>'],
    [`<methodCall>${name}<params>${param}x</params></methodCall>`, 'text in <params>'],
    [`<methodCall>${name}<params><value/></params></methodCall>`, '<value> is not allowed in <params>'],
    [`<methodCall>${name}<params><param/></params></methodCall>`, 'params[0]: <param> contains no <value>'],
    [`<methodCall>${name}<params>${param}<param/></params></methodCall>`, 'params[1]: <param> contains no <value>'],
    [`<methodCall>${name}<params><param>1</param></params></methodCall>`, 'params[0]: text in <param>'],
    [
      `<methodCall>${name}<params><param><value/><value/></param></params></methodCall>`,
      'params[0]: <value> after all that <param> may contain',
    ],
    [
      `<methodCall>${name}<params><param><string>x</string></param></params></methodCall>`,
      'params[0]: <string> is not allowed in <param>',
    ],
    [
      `<methodCall>${name}<params><param><name>x</name></param></params></methodCall>`,
      'params[0]: <name> is not allowed in <param>',
    ],
  ];
  for (const [document, why] of bad) {
    test(`${document.slice(0, 100)} is refused`, () => {
      const fault = faultOf(document);
      assert.equal(fault.code, -32600);
      assert.equal(fault.message.startsWith(`not XML-RPC: ${why}`), true, fault.message.slice(0, 200));
    });
  }
});

describe('values', () => {
  const unknownTypes = [
    'Int',
    'INT',
    'integer',
    'i1',
    'i16',
    'i32',
    'I4',
    'float',
    'bool',
    'str',
    'String',
    'text',
    'date',
    'datetime',
    'dateTime',
    'dateTime.iso8602',
    'binary',
    'null',
    'Nil',
    'ex:int',
    'x:nil',
    'value',
    'data',
    'member',
    'name',
    'param',
    'params',
    'methodName',
    'methodCall',
    'b',
    'object',
    '__proto__',
    'constructor',
    'toString',
    'valueOf',
  ];
  for (const tag of unknownTypes) {
    test(`<${tag}> is not a type`, () => {
      const fault = faultOf(callWith(`<value><${tag}>1</${tag}></value>`));
      assert.equal(fault.message, `not XML-RPC: params[0]: <${tag}> is not a type (line 1)`);
    });
  }

  for (const tag of [
    'string',
    'int',
    'i4',
    'i8',
    'double',
    'boolean',
    'base64',
    'dateTime.iso8601',
    'nil',
    'methodName',
  ]) {
    test(`<${tag}> may not contain <value>`, () => {
      const document =
        tag === 'methodName'
          ? `<methodCall><methodName><value/></methodName></methodCall>`
          : callWith(`<value><${tag}><value/></${tag}></value>`);
      assert.match(faultOf(document).message, new RegExp(`<value> is not allowed in <${tag}>`));
    });
  }

  const bad: [string, string, RegExp][] = [
    ['two types', '<value><int>1</int><int>2</int></value>', /<int> after all that <value> may contain/],
    ['two kinds of types', '<value><string/><nil/></value>', /<nil> after all that <value> may contain/],
    ['text before the type', '<value>x<int>1</int></value>', /text beside <int>/],
    ['text after the type', '<value><int>1</int>x</value>', /text in <value> beside its elements/],
    ['CDATA before the type', '<value><![CDATA[x]]><int>1</int></value>', /text beside <int>/],
    ['markup in an untyped string', '<value>Hello <b>you</b></value>', /<b> is not a type/],
    ['markup in a string', '<value><string>Hello <b>you</b></string></value>', /<b> is not allowed in <string>/],
    ['text in a struct', '<value><struct>x</struct></value>', /text in <struct>/],
    ['a value in a struct', '<value><struct><value/></struct></value>', /<value> is not allowed in <struct>/],
    ['text in a member', '<value><struct><member>x</member></struct></value>', /text in <member>/],
    ['an empty member', '<value><struct><member/></struct></value>', /<member> contains no <name>/],
    ['no name', '<value><struct><member><value/></member></struct></value>', /<member> contains no <name>/],
    [
      'no value',
      '<value><struct><member><name>a</name></member></struct></value>',
      /\.a: <member> contains no <value>/,
    ],
    ['two names', `<value><struct><member><name/><name/><value/></member></struct></value>`, /<name> after all that/],
    ['two values', `<value><struct>${member('a', '<value/><value/>')}</struct></value>`, /\.a: <value> after all/],
    [
      'a type in a member',
      `<value><struct>${member('a', '<int>1</int>')}</struct></value>`,
      /\.a: <int> is not allowed/,
    ],
    ['markup in a name', `<value><struct>${member('<b>a</b>')}</struct></value>`, /<b> is not allowed in <name>/],
    ['text in an array', '<value><array>x</array></value>', /text in <array>/],
    ['an empty array', '<value><array/></value>', /<array> contains no <data>/],
    ['two data', '<value><array><data/><data/></array></value>', /<data> after all that <array> may contain/],
    ['a value in an array', '<value><array><value/></array></value>', /<value> is not allowed in <array>/],
    ['text in data', '<value><array><data>x</data></array></value>', /text in <data>/],
    ['text after a value', '<value><array><data><value/>x</data></array></value>', /\[1\]|text in <data>/],
    ['a type in data', '<value><array><data><int>1</int></data></array></value>', /<int> is not allowed in <data>/],
    [
      'a member in data',
      `<value><array><data>${member('a')}</data></array></value>`,
      /<member> is not allowed in <data>/,
    ],
    ['nil with text', '<value><nil>x</nil></value>', /text in <nil> beside its elements/],
    ['nil with an element', '<value><nil><nil/></nil></value>', /<nil> is not allowed in <nil>/],
  ];
  for (const [what, value, why] of bad) {
    test(`${what} is refused`, () => {
      const fault = faultOf(callWith(value));
      assert.equal(fault.code, -32600);
      assert.match(fault.message, why);
      assert.match(fault.message, /^not XML-RPC: params\[0\]/);
    });
  }

  test('a duplicate member is refused, even with nil', () => {
    const nil = '<value><nil/></value>';
    for (const members of [
      member('a') + member('a'),
      member('a') + member('b') + member('a', '<value>2</value>'),
      member('a', nil) + member('a'),
      member('a') + member('a', nil),
      member('a', nil) + member('b', nil) + member('b', nil),
      member('') + member(''),
      member('__proto__') + member('__proto__'),
      member('a&amp;') + member('a&#38;'),
    ]) {
      assert.match(faultOf(struct(members)).message, /: a member given twice/);
    }
  });

  test('names of members may differ only in case and spaces', () => {
    const value = paramOf(struct(member('a') + member('A') + member(' a') + member('')));
    assert.deepEqual(plainOf(value), { a: '1', A: '1', ' a': '1', '': '1' });
  });

  test('the value of a member may come before its name', () => {
    assert.deepEqual(plainOf(paramOf(struct('<member><value>1</value><name>a</name></member>'))), { a: '1' });
  });

  for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '0', '-1', 'a[b]', 'ż', '<b>', '']) {
    test(`a member called ${JSON.stringify(key)} is an ordinary member`, () => {
      const written = key.replace('<', '&lt;');
      const value = paramOf(
        struct(member(written, '<value><struct><member><name>x</name><value/></member></struct></value>')),
      );
      assert.equal(isStruct(value), true);
      assert.equal(Object.getPrototypeOf(value), null);
      assert.deepEqual(Object.keys(value), [key]);
      assert.equal(({} as { x?: unknown }).x, undefined);
    });
  }

  test('empty structs and arrays', () => {
    assert.deepEqual(paramOf(callWith('<value><struct/></value>')), Object.create(null));
    assert.deepEqual(paramOf(array('')), []);
    assert.deepEqual(paramOf(callWith('<value><array>\n <data/>\n</array></value>')), []);
  });

  test('nested structs and arrays', () => {
    const inner = `<value><array><data><value><struct>${member('b')}</struct></value><value/></data></array></value>`;
    const value = paramOf(struct(member('a', inner) + member('c', '<value><i4>7</i4></value>')));
    assert.deepEqual(plainOf(value), { a: [{ b: '1' }, ''], c: 7 });
  });

  test('a fault contains the path of the wrong value', () => {
    const deep = `<value><struct>${member('k', `<value><array><data><value/><value><zzz/></value></data></array></value>`)}</struct></value>`;
    const document = `<methodCall>${name}<params>${param}<param>\n${deep}</param></params></methodCall>`;
    assert.equal(faultOf(document).message, 'not XML-RPC: params[1].k[1]: <zzz> is not a type (line 2)');
    const long = faultOf(struct(member('n'.repeat(41), '<value><zzz/></value>'))).message;
    assert.equal(long, `not XML-RPC: params[0].${'n'.repeat(40)}…: <zzz> is not a type (line 1)`);
    const full = faultOf(struct(member('n'.repeat(40), '<value><zzz/></value>'))).message;
    assert.equal(full, `not XML-RPC: params[0].${'n'.repeat(40)}: <zzz> is not a type (line 1)`);
  });

  test('the first of several errors is reported, unless the XML is malformed', () => {
    assert.match(faultOf(callWith('<value><zzz/><yyy/></value>')).message, /<zzz> is not a type/);
    assert.equal(faultOf(callWith('<value><zzz/><yyy></value>')).code, -32700);
  });
});

describe('limits', () => {
  const reads = (document: string, maxValues: number) => {
    try {
      parseDocument(document, new Shape('methodCall', maxValues));
      return 'read';
    } catch (error) {
      return (error as WireFault).message;
    }
  };

  test('values count, and elements around them do not', () => {
    const call = struct(member('a') + member('b', '<value><array><data><value/></data></array></value>'));
    assert.equal(reads(call, 4), 'read');
    assert.equal(reads(call, 3), 'not XML-RPC: params[0].b: more than 3 values (line 1)');
  });

  test('structs and arrays count as depth until they end, other elements do not', () => {
    const strings = '<value><string>x</string></value>'.repeat(40);
    const nested: { [kind: string]: [begin: string, end: string] } = {
      arrays: [`<value><array><data>${strings}`, '</data></array></value>'],
      structs: [
        '<value><struct><member><name>a</name><value/></member><member><name>b</name>',
        '</member></struct></value>',
      ],
      'closed structs and arrays': [
        `<value><array><data>${'<value><struct/></value><value><array><data/></array></value>'.repeat(40)}`,
        '</data></array></value>',
      ],
    };
    for (const [kind, [begin, end]] of Object.entries(nested)) {
      const call = (depth: number) => callWith(`${begin.repeat(depth)}<value/>${end.repeat(depth)}`);
      assert.equal(reads(call(31), 100_000), 'read', kind);
      assert.match(reads(call(33), 100_000), /: nested deeper than 32 /, kind);
    }
  });

  test('10,000 events may follow the first error, which is reported then', () => {
    const shape = new Shape('methodCall', 1);
    shape.open('html', 7);
    for (let event = 0; event < 10_000; event++)
      [() => shape.open('a', 8), () => shape.text('x', 8), () => shape.close(8)][event % 3]!();
    const expected = 'not XML-RPC: the root is <html>, not <methodCall> (line 7)';
    assert.equal(refusalOf(() => shape.root()).message, expected);
    assert.equal(refusalOf(() => shape.text('x', 8)).message, expected);
  });
});

describe('answers', () => {
  const answer = (inner: string) => bytesOf(`<?xml version="1.0"?><methodResponse>${inner}</methodResponse>`);
  const fault = (members: string) => answer(`<fault><value><struct>${members}</struct></value></fault>`);
  const code = member('faultCode', '<value><int>-50</int></value>');
  const text = member('faultString', '<value><string>slow down</string></value>');

  test('a value', () => {
    assert.deepEqual(decodeResponse(answer(`<params>${param}</params>`)), { value: '1' });
    assert.deepEqual(decodeResponse(answer('<params><param><value><nil/></value></param></params>')), { value: '' });
  });

  test('a fault', () => {
    const expected = { fault: { code: -50, message: 'slow down' } };
    assert.deepEqual(decodeResponse(fault(code + text)), expected);
    assert.deepEqual(decodeResponse(fault(text + code + member('more'))), expected);
  });

  test('the fault of an answer holds one value and no text', () => {
    const why = (inner: string) => refusalOf(() => decodeResponse(answer(inner))).message;
    assert.equal(why('<fault/>'), 'not XML-RPC: fault: <fault> contains no <value> (line 1)');
    assert.equal(why('<fault>x</fault>'), 'not XML-RPC: fault: text in <fault> beside its elements (line 1)');
    assert.equal(
      why('<fault><value/><value/></fault>'),
      'not XML-RPC: fault: <value> after all that <fault> may contain (line 1)',
    );
    assert.equal(why('x<fault/>'), 'not XML-RPC: text in <methodResponse> beside its elements (line 1)');
    assert.equal(why('<params/><fault/>'), 'not XML-RPC: <fault> after all that <methodResponse> may contain (line 1)');
  });

  for (const [what, document] of [
    ['a call', bytesOf(callWith('<value/>'))],
    ['nothing', answer('')],
    ['no params', answer('<params/>')],
    ['two params', answer(`<params>${param}${param}</params>`)],
    ['params and a fault', answer(`<params>${param}</params><fault><value/></fault>`)],
    ['an empty fault', answer('<fault/>')],
    ['a fault that is text', answer('<fault><value>x</value></fault>')],
    ['a fault that is nil', answer('<fault><value><nil/></value></fault>')],
    ['a fault without code', fault(text)],
    ['a fault without text', fault(code)],
    ['a fault with a code of text', fault(member('faultCode') + text)],
    ['a fault with a text of int', fault(code + member('faultString', '<value><int>1</int></value>'))],
    ['a method name', answer('<methodName>m</methodName>')],
  ] as [string, Uint8Array][]) {
    test(`${what} is not an answer`, () => {
      const refusal = refusalOf(() => decodeResponse(document));
      assert.equal(refusal instanceof WireFault, true);
      assert.equal(refusal.code, -32600);
    });
  }
});

test('documents are read by the rules of XML 1.0, whatever version they declare', () => {
  for (const version of ['1.0', '1.1'])
    assert.equal(faultOf(callWith('<value>&#1;</value>', `<?xml version="${version}"?>`)).code, -32700, version);
});
