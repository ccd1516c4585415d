// Encodings: what is declared, what the bytes are, and every way in which UTF-8 can be wrong.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytesOf, callWith, faultOf, paramOf } from '../../../test/support/builders/xml-call.ts';
import { needLinear } from '../../../test/support/run/linear-time.ts';
import { MAX_BODY_BYTES, UNREADABLE } from '../../method/wire.ts';
import { readDocument } from './text.ts';

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

function declared(encoding: string): string {
  return `<?xml version="1.0" encoding="${encoding}"?>`;
}

/** A call whose value is these very bytes. */
function callOfBytes(bytes: number[] | Uint8Array, declaration?: string): Buffer {
  const [before, after] = callWith('<value>|</value>', declaration).split('|') as [string, string];
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
}

const polish = 'Zażółć gęślą jaźń 😀';
const latin = 'Grüße, señor';

describe('UTF-8 is read, however it is declared', () => {
  for (const encoding of ['UTF-8', 'utf-8', 'Utf-8', 'UTF8', 'US-ASCII', 'us-ascii', 'ASCII']) {
    test(`declared as ${encoding}`, () => {
      assert.equal(paramOf(callWith(`<value>${polish}</value>`, declared(encoding))), polish);
    });
  }

  for (const contentType of [
    undefined,
    '',
    'text/xml',
    'application/xml',
    'text/xml; charset=utf-8',
    'text/xml;charset=UTF-8',
    'text/xml; charset="utf-8"',
    "text/xml; charset='utf-8'",
    'text/xml ; charset = utf-8 ; x=y',
    'text/xml; CHARSET=us-ascii',
    'text/xml; boundary=x; charset=utf-8',
    'text/xml; charset=',
    'text/xml; mycharset=klingon',
  ]) {
    test(`with Content-Type ${contentType}`, () => {
      assert.equal(paramOf(callWith(`<value>${polish}</value>`, ''), contentType), polish);
    });
  }

  for (const encoding of ['UTF-8', 'ISO-8859-1', 'US-ASCII', 'UTF-16', 'x-unknown']) {
    test(`with a BOM, which counts for more than a declaration of ${encoding}`, () => {
      const document = Buffer.concat([BOM, Buffer.from(callWith(`<value>${polish}</value>`, declared(encoding)))]);
      assert.equal(paramOf(document, 'text/xml; charset=iso-8859-1'), polish);
    });
  }

  test('a second BOM is text before the root', () => {
    assert.equal(faultOf(Buffer.concat([BOM, BOM, Buffer.from(callWith('<value/>', ''))])).code, -32700);
  });

  test('the edges of every sequence length are read', () => {
    const edges = '\u007F\u00A0\u07FF\u0800\uD7FF\uE000\uFFFD\u{10000}\u{10FFFF}';
    assert.equal(paramOf(callWith(`<value>${edges}</value>`)), edges);
  });
});

describe('ISO-8859-1 is read when it is declared', () => {
  for (const encoding of ['ISO-8859-1', 'iso-8859-1', 'ISO8859-1', 'iso_8859-1', 'latin1', 'windows-1252']) {
    test(`as ${encoding} in the XML declaration`, () => {
      const document = Buffer.from(callWith(`<value>${latin}</value>`, declared(encoding)), 'latin1');
      assert.equal(paramOf(document), latin);
    });
    test(`as ${encoding} in the Content-Type`, () => {
      const document = Buffer.from(callWith(`<value>${latin}</value>`, ''), 'latin1');
      assert.equal(paramOf(document, `text/xml; charset=${encoding}`), latin);
    });
  }

  test('every byte from A0 to FF is its own code point', () => {
    const bytes = Array.from({ length: 96 }, (_, i) => 0xa0 + i);
    const expected = String.fromCharCode(...bytes);
    assert.equal(paramOf(callOfBytes(bytes, declared('ISO-8859-1'))), expected);
  });

  test('bytes from 80 to 9F are read as windows-1252', () => {
    const bytes = [0x80, 0x84, 0x85, 0x91, 0x92, 0x93, 0x94, 0x96, 0x97, 0x99, 0x9f];
    assert.equal(paramOf(callOfBytes(bytes, declared('ISO-8859-1'))), '€„…‘’“”–—™Ÿ');
  });

  test('but bytes that can only be meant as UTF-8 are UTF-8, as PHP sends them with the escaping "markup"', () => {
    for (const text of ['ż', 'ü', 'Österreich', 'a – b', '日本 😀', polish])
      assert.equal(paramOf(callWith(`<value>${text}</value>`, declared('ISO-8859-1'))), text);
    const withWord = [...Buffer.from('Jürgen'), 0x92, 0x73];
    assert.equal(paramOf(callOfBytes(withWord, declared('ISO-8859-1'))), 'Jürgen’s');
  });

  test('letters before punctuation of Windows stay letters, though their bytes are a sequence of UTF-8', () => {
    for (const bytes of ['CAF\xc9\x94', '\x93CAF\xc9\x94', 'caf\xe9\x85\x94', 'f\xfcr 5 \x80'])
      assert.equal(
        paramOf(callOfBytes(Buffer.from(bytes, 'latin1'), declared('ISO-8859-1'))),
        bytes.replace(/[\x80-\x9f]/g, (char) => ({ '\x93': '“', '\x94': '”', '\x85': '…' })[char] ?? '€'),
      );
  });

  test('when header and declaration contradict each other, the bytes decide', () => {
    for (const [inHeader, inXml] of [
      ['iso-8859-1', 'utf-8'],
      ['utf-8', 'iso-8859-1'],
    ] as const) {
      const contentType = `text/xml; charset=${inHeader}`;
      assert.equal(paramOf(callWith(`<value>${polish}</value>`, declared(inXml)), contentType), polish);
      const document = Buffer.from(callWith(`<value>${latin}</value>`, declared(inXml)), 'latin1');
      assert.equal(paramOf(document, contentType), latin);
      const withWord = callOfBytes([...Buffer.from('Jürgen'), 0x92, 0x73], declared(inXml));
      assert.equal(paramOf(withWord, contentType), 'Jürgen’s');
    }
  });
});

describe('other encodings are refused by name', () => {
  for (const encoding of [
    'UTF-7',
    'UTF-16',
    'UTF-16LE',
    'ISO-2022-JP',
    'ISO-2022-KR',
    'UTF-32',
    'EBCDIC-CP-US',
    'x-user-defined',
    'constructor',
  ]) {
    test(`${encoding} in the XML declaration`, () => {
      const fault = faultOf(callWith('<value/>', declared(encoding)));
      assert.equal(fault.code, -32700);
      assert.equal(fault.message.includes(JSON.stringify(encoding)), true, fault.message);
    });
    test(`${encoding} in the Content-Type`, () => {
      const fault = faultOf(callWith('<value/>'), `text/xml; charset=${encoding}`);
      assert.equal(fault.code, -32700);
      assert.match(fault.message, /Content-Type/);
    });
  }

  test('an empty name', () => {
    assert.equal(faultOf(callWith('<value/>', declared(''))).code, -32700);
  });

  const document = callWith('<value>x</value>', '');
  const wide: [string, Buffer][] = [
    ['UTF-16LE with BOM', Buffer.from(`\uFEFF${document}`, 'utf16le')],
    ['UTF-16BE with BOM', Buffer.from(`\uFEFF${document}`, 'utf16le').swap16()],
    ['UTF-16LE without BOM', Buffer.from(document, 'utf16le')],
    ['UTF-16BE without BOM', Buffer.from(document, 'utf16le').swap16()],
    ['UTF-32LE with BOM', utf32(`\uFEFF${document}`).swap32()],
    ['UTF-32BE with BOM', utf32(`\uFEFF${document}`)],
    ['UTF-32LE without BOM', utf32(document).swap32()],
    ['UTF-32BE without BOM', utf32(document)],
  ];
  for (const [name, bytes] of wide) {
    test(name, () => {
      const fault = faultOf(bytes);
      assert.equal(fault.code, -32700);
      assert.match(fault.message, /UTF-16 or UTF-32/);
    });
  }

  function utf32(text: string): Buffer {
    const bytes = Buffer.alloc(text.length * 4);
    for (let i = 0; i < text.length; i++) bytes.writeUInt32BE(text.charCodeAt(i), i * 4);
    return bytes;
  }
});

/** Name → bytes that are not UTF-8. */
const invalid: [string, number[]][] = [
  ['overlong /, two bytes', [0xc0, 0xaf]],
  ['overlong /, three bytes', [0xe0, 0x80, 0xaf]],
  ['overlong /, four bytes', [0xf0, 0x80, 0x80, 0xaf]],
  ['overlong NUL', [0xc0, 0x80]],
  ['overlong <', [0xc0, 0xbc]],
  ['the last overlong of two bytes', [0xc1, 0xbf]],
  ['the last overlong of three bytes', [0xe0, 0x9f, 0xbf]],
  ['the last overlong of four bytes', [0xf0, 0x8f, 0xbf, 0xbf]],
  ['the first high surrogate', [0xed, 0xa0, 0x80]],
  ['the last low surrogate', [0xed, 0xbf, 0xbf]],
  ['a surrogate pair (CESU-8)', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]],
  ['beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
  ['five bytes', [0xf8, 0x88, 0x80, 0x80, 0x80]],
  ['six bytes', [0xfc, 0x84, 0x80, 0x80, 0x80, 0x80]],
  ['two bytes cut off', [0xc3]],
  ['three bytes cut off after one', [0xe2]],
  ['three bytes cut off after two', [0xe2, 0x82]],
  ['four bytes cut off after one', [0xf0]],
  ['four bytes cut off after two', [0xf0, 0x9f]],
  ['four bytes cut off after three', [0xf0, 0x9f, 0x98]],
  ['a continuation too many', [0xc3, 0xb3, 0xb3]],
  ['Latin-1', [...Buffer.from('ü', 'latin1')]],
  ['a UTF-16 BOM', [0xfe, 0xff]],
];

/** What Word writes, in all of Windows' encodings of one byte. */
const punctuation = [0x80, 0x85, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97];

describe('punctuation of Windows in a text of UTF-8 is that punctuation', () => {
  for (const declaration of ['', declared('utf-8'), declared('us-ascii')])
    test(`as bytes and as control characters, ${declaration || 'undeclared'}`, () => {
      assert.equal(paramOf(callOfBytes(punctuation, declaration)), '€…‘’“”•–—');
      assert.equal(paramOf(callOfBytes([0xc3, 0xa4, 0x92, 0xe6, 0x97, 0xa5], declaration)), 'ä’日');
      assert.equal(paramOf(callWith('<value>it\x92s \x80</value>', declaration || undefined)), 'it’s €');
    });
  test('in CDATA', () => {
    assert.equal(paramOf(callWith('<value><![CDATA[it\x92s]]></value>')), 'it’s');
  });
  test('but not among letters of another encoding', () => {
    for (const bytes of [Buffer.from('it\x92s f\xfcr', 'latin1'), [0x93, 0xfa], [0x82, 0xb1], [0x92, 0xcf, 0xf0]])
      assert.match(faultOf(callOfBytes([...bytes])).message, /invalid UTF-8/);
  });
});

test('bytes of UTF-8 of which some are references are UTF-8, and may have punctuation beside them', () => {
  const mixed = (text: string) =>
    Buffer.from(text)
      .toString('latin1')
      .replace(/[\xa0-\xff]/g, (char) => `&#${char.charCodeAt(0)};`);
  const sent = (text: string) => paramOf(Buffer.from(callWith(`<value>${text}</value>`), 'latin1'));
  for (const text of ['Grüße', '日本', '😀', 'a – “b”', 'É']) assert.equal(sent(mixed(text)), text);
  assert.equal(sent('it\x92s &#252;'), 'it’s ü');
  assert.match(faultOf(Buffer.from(callWith('<value>&#195;\x9f \xfc</value>'), 'latin1')).message, /invalid UTF-8/);
});

describe('bytes as references are UTF-8, with punctuation of Windows or without', () => {
  const references = (latin1: string) => latin1.replace(/[\x80-\xff]/g, (char) => `&#${char.charCodeAt(0)};`);
  const sent = (latin1: string) => paramOf(callWith(`<value>${references(latin1)}</value>`, declared('iso-8859-1')));
  const octets = (text: string) => Buffer.from(text).toString('latin1');
  test('in a name and in a whole HTML', () => {
    assert.equal(sent(`${octets('Jürgen')}\x92s`), 'Jürgen’s');
    assert.equal(sent(octets('&lt;p&gt;Grüße – 日本&lt;/p&gt;') + ' it\x92s \x85'), '<p>Grüße – 日本</p> it’s …');
  });
  test('but letters of ISO-8859-1 with punctuation are those', () => {
    assert.equal(sent('f\xfcr it\x92s'), 'für it’s');
    assert.equal(sent('\x93CAF\xc9\x94'), '“CAFÉ”');
  });
  test('where only some bytes are references', () => {
    const mixed = octets('Jürgen').replace(/[\xa0-\xff]/g, (char) => `&#${char.charCodeAt(0)};`);
    assert.equal(paramOf(Buffer.from(callWith(`<value>${mixed}\x92s</value>`), 'latin1')), 'Jürgen’s');
  });
  test('many of them are read in linear time', async () => {
    for (const [text, declaration] of [
      ['\x92', ''],
      ['\x92', declared('iso-8859-1')],
      ['&#146;', declared('iso-8859-1')],
      ['&#195;\x92', ''],
    ] as const)
      await needLinear(`${text} ${declaration}`, 256 * 1024, (size) => {
        const value = `<value>${text.repeat(size / text.length)}</value>`;
        readDocument(Buffer.from(callWith(value, declaration || undefined), 'latin1'));
      });
  });
});

describe('a text that declares US-ASCII', () => {
  const sent = (text: string) => paramOf(callWith(`<value>${text}</value>`, declared('us-ascii')));
  const octets = (text: string) => Buffer.from(text).toString('latin1');
  test('is UTF-8 if each character is a byte of UTF-8', () => {
    for (const text of ['ä', '日本', '😀 emoji', 'O’Hara &amp; ü'])
      assert.equal(sent(octets(text)), text.replace('&amp;', '&'));
  });
  test('is what it is otherwise', () => {
    for (const text of ['ä', 'Grüße', '日本', 'Ã¤ 日', '😀', '<![CDATA[Ã¤]]>'])
      assert.equal(sent(text), text.replace(/<!\[CDATA\[|\]\]>/g, ''));
  });
});

describe('invalid UTF-8 is refused with its position', () => {
  for (const [name, bytes] of invalid) {
    for (const declaration of ['', declared('utf-8'), declared('us-ascii')]) {
      test(`${name}, ${declaration === '' ? 'undeclared' : declaration.slice(20, -2)}`, () => {
        const document = callOfBytes(bytes, declaration);
        const fault = faultOf(document);
        assert.equal(fault.code, -32700);
        const at = document.indexOf('<value>') + '<value>'.length + (name === 'a continuation too many' ? 2 : 0);
        assert.equal(fault.message, `not well-formed XML: invalid UTF-8 at byte ${at}`);
      });
    }
  }

  test('each byte that can begin no sequence', () => {
    for (let byte = 0x80; byte <= 0xff; byte++) {
      if ((byte >= 0xc2 && byte <= 0xf4) || punctuation.includes(byte)) continue;
      assert.match(faultOf(callOfBytes([byte])).message, /invalid UTF-8/, byte.toString(16));
    }
  });

  test('each lead byte that is not followed by a continuation', () => {
    for (let byte = 0xc2; byte <= 0xf4; byte++) {
      assert.match(faultOf(callOfBytes([byte, 0x41])).message, /invalid UTF-8/, byte.toString(16));
    }
  });

  test('in a name, in a comment, in the declaration, and after the root', () => {
    for (const document of [
      Buffer.from(callWith('<value><struct><member><name>\xFF</name><value/></member></struct></value>'), 'latin1'),
      Buffer.from(callWith('<!--\xFF--><value/>'), 'latin1'),
      Buffer.from(callWith('<value/>', '<?xml version="1.0\xFF"?>'), 'latin1'),
      Buffer.concat([Buffer.from(callWith('<value/>')), Buffer.from([0x0a, 0xff])]),
    ]) {
      assert.match(faultOf(document).message, /invalid UTF-8/);
    }
  });

  test('a body that contains U+FFFD itself is valid', () => {
    assert.equal(paramOf(callWith('<value>\uFFFD\uFFFD</value>')), '\uFFFD\uFFFD');
    const document = callOfBytes([0xef, 0xbf, 0xbd, 0xef, 0xbf, 0xbd, 0xff]);
    assert.equal(faultOf(document).message.endsWith(`byte ${document.indexOf(0xff)}`), true);
  });
});

describe('characters that XML does not allow', () => {
  for (let code = 0; code < 0x20; code++) {
    if ([0x09, 0x0a, 0x0d].includes(code)) continue;
    test(`the control character ${code} is not well-formed anywhere`, () => {
      const char = String.fromCharCode(code);
      for (const document of [
        callWith(`<value>${char}</value>`),
        callWith(`<value><![CDATA[${char}]]></value>`),
        callWith(`<value a="${char}"/>`),
        callWith(`<!--${char}--><value/>`),
        `${callWith('<value/>')}${char}`,
      ]) {
        assert.equal(faultOf(document).code, -32700);
      }
      assert.equal(faultOf(Buffer.from(callWith(`<value>${char}</value>`, declared('latin1')))).code, -32700);
    });
  }

  test('U+FFFE and U+FFFF', () => {
    assert.equal(faultOf(callWith('<value>\uFFFE</value>')).code, -32700);
    assert.equal(faultOf(callWith('<value>\uFFFF</value>')).code, -32700);
  });
});

describe('the size of a body', () => {
  test('a body one byte over the limit is refused unread', () => {
    const fault = faultOf(Buffer.alloc(MAX_BODY_BYTES + 1, 0xff));
    assert.equal(fault.code, -32600);
    assert.match(fault.message, /longer than 33554432 bytes/);
  });

  test('a body of exactly the limit is read', () => {
    const frame = callWith('<value><string></string></value>');
    const document = Buffer.from(
      callWith(`<value><string>${'x'.repeat(MAX_BODY_BYTES - frame.length)}</string></value>`),
    );
    assert.equal(document.length, MAX_BODY_BYTES);
    assert.equal((paramOf(document) as string).length, MAX_BODY_BYTES - frame.length);
  });

  test('bodies of zero, one and two bytes are not well-formed', () => {
    for (const document of ['', 'x', '<', '<a', '\0', '\0\0', '\uFEFF']) assert.equal(faultOf(document).code, -32700);
  });

  test('a view into a larger buffer is read as the view', () => {
    const large = bytesOf(`xx${callWith('<value>ż</value>')}yy`);
    assert.equal(paramOf(large.subarray(2, large.length - 2)), 'ż');
    assert.equal(readDocument(new Uint8Array(bytesOf('<ż/>'))), '<ż/>');
  });
});

describe('two references that are the halves of a surrogate pair are one character', () => {
  for (const references of ['&#55357;&#56832;', '&#xD83D;&#xDE00;', '&#xd83d;&#xde00;', '&#xD83D;&#56832;'])
    test(references, () => assert.equal(paramOf(callWith(`<value>a ${references} b</value>`)), 'a 😀 b'));

  test('several pairs, and references beside them', () => {
    assert.equal(paramOf(callWith('<value>&#12354;&#55357;&#56832;&#55357;&#56833;&#65;</value>')), 'あ😀😁A');
  });

  test('the first and the last pair', () => {
    assert.equal(paramOf(callWith('<value>&#55296;&#56320;&#56319;&#57343;</value>')), '\u{10000}\u{10FFFF}');
  });

  test('in CDATA they are plain text', () => {
    const document = callWith('<value>&#55357;&#56832;<![CDATA[&#55357;&#56832;]]>&#55357;&#56832;</value>');
    assert.equal(paramOf(document), '😀&#55357;&#56832;😀');
  });

  test('a half, or two halves in the wrong order, are not well-formed', () => {
    for (const references of [
      '&#55357;',
      '&#56832;',
      '&#56832;&#55357;',
      '&#55357; &#56832;',
      '&#55357;&#55357;&#56832;',
    ])
      assert.equal(faultOf(callWith(`<value>${references}</value>`)).code, -32700, references);
  });

  test('a CDATA section without an end is not well-formed', () => {
    assert.equal(faultOf(callWith('<value>&#55357;&#56832;<![CDATA[&#55357;&#56832;</value>')).code, -32700);
  });
});

test('a fault names where an unknown encoding is declared', () => {
  const why = (xml: string, contentType?: string) => faultOf(callWith('<value/>', declared(xml)), contentType).message;
  const fault = (where: string) => `not well-formed XML: the ${where} names the encoding "utf-7"; send UTF-8`;
  assert.equal(why('utf-7'), fault('XML declaration'));
  assert.equal(why('utf-8', 'text/xml; charset=utf-7'), fault('Content-Type'));
});

test('each character that XML forbids is marked, as it is or as a reference, where marks are wanted', () => {
  const read = (value: string) => readDocument(bytesOf(`<v>${value}</v>`), '', true).replaceAll(UNREADABLE, '?');
  assert.equal(read('a\u0001b\u0002c'), '<v>a?b?c</v>');
  assert.equal(read('&#1;&#x2;&#x110000;&#1114111;&#65;'), '<v>???&#1114111;&#65;</v>');
  assert.equal(read('<![CDATA[&#1;>]]>&#1;'), '<v><![CDATA[&#1;>]]>?</v>');
});
