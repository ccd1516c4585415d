// Messages as trees of parts: sound ones, careless ones, and the limits.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { allParts, attachedMessage, field, fieldsOf, readFields, readMail, textOf } from './mime-tree.ts';

const mail = (...lines: string[]) => readMail(Buffer.from(lines.join('\n'), 'latin1'));
const shape = (part: ReturnType<typeof readMail>): unknown =>
  part.parts.length > 0 ? [part.type, ...part.parts.map(shape)] : `${part.type}: ${textOf(part)}`;
const mixed = 'Content-Type: multipart/mixed; boundary=x';

describe('header fields', () => {
  test('names are in lower case, folded values on one line, encoded words decoded', () => {
    const part = mail(
      '',
      '',
      'SUBJECT : =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
      'To: a@b.example,',
      '\tc@d.example',
      'to: e',
      '',
      'body',
    );
    assert.equal(field(part, 'subject'), 'Grüße');
    assert.deepEqual(fieldsOf(part, 'to'), ['a@b.example, c@d.example', 'e']);
    assert.equal(field(part, 'cc'), '');
    assert.equal(part.body, 'body');
  });

  test('any line end is read', () => {
    for (const end of ['\n', '\r\n', '\r', '\r\r\n'])
      assert.deepEqual(mail(`A: 1${end}B: 2${end}${end}x${end}y`).body, 'x\ny', JSON.stringify(end));
  });

  test('the line of a mailbox file before the fields is passed over, any other begins the body', () => {
    assert.equal(mail('From ada Mon', '>From eve', 'A: 1', '', 'body').body, 'body');
    assert.equal(mail('A: 1', 'From here on', 'B: 2').body, 'From here on\nB: 2');
    assert.equal(mail('A: 1', 'text').body, 'text');
    assert.deepEqual(mail(' indented', 'A: 1').fields, []);
  });

  test('bytes that are no UTF-8 are read as Latin-1', () => {
    assert.equal(field(mail('A: gr\xfc\xdfe'), 'a'), 'grüße');
    assert.equal(field(mail('A: gr\xc3\xbc\xc3\x9fe'), 'a'), 'grüße');
  });

  test('at most 500 fields of at most 16 KiB are read', () => {
    assert.equal(readFields('A: 1\n'.repeat(501)).length, 500);
    const [first, second] = readFields(`A: ${'x'.repeat(20_000)}\nB: 2`);
    assert.deepEqual([first!.value.length, second!.value], [16 * 1024 - 3, '2']);
    const folded = readFields(`A: 1${'\n '.padEnd(10_000, 'x').repeat(3)}`)[0]!.value;
    assert.equal(folded.length, 1 + 2 * 9_999);
  });
});

describe('content types', () => {
  const types: [value: string, type: string, params: Record<string, string>][] = [
    ['', 'text/plain', {}],
    ['nonsense', 'text/plain', {}],
    ['Text/HTML; Charset = utf-8 ; x', 'text/html', { charset: 'utf-8' }],
    ['a/b; boundary="x; \\"y\\""; boundary=z', 'a/b', { boundary: 'x; "y"' }],
    ['a/b; name*0="long "; name*1*=name', 'a/b', { name: 'long name' }],
  ];
  for (const [value, type, params] of types)
    test(JSON.stringify(value), () => {
      const part = mail(`Content-Type: ${value}`);
      assert.deepEqual([part.type, Object.fromEntries(part.params)], [type, params]);
    });
});

describe('multiparts', () => {
  test('parts are between their boundaries, nested ones too', () => {
    const tree = mail(
      ...[mixed, '', 'preamble', '--x', '', 'one', '--x ', 'Content-Type: multipart/alternative; boundary="x-1"', ''],
      ...[
        '--x-1',
        '',
        'two',
        '--x-1',
        'Content-Type: text/html',
        '',
        'three',
        '--x-1--',
        '--x--',
        'epilogue',
        '--x',
        '',
        'no',
      ],
    );
    assert.deepEqual(shape(tree), [
      'multipart/mixed',
      'text/plain: one',
      ['multipart/alternative', 'text/plain: two', 'text/html: three'],
    ]);
    assert.deepEqual(
      allParts(tree).map((part) => part.type.slice(-5)),
      ['mixed', 'plain', 'ative', 'plain', '/html'],
    );
  });

  test('a missing or wrong boundary is replaced by the first line that looks like one', () => {
    for (const type of ['multipart/mixed', 'multipart/mixed; boundary=other'])
      assert.deepEqual(
        shape(mail(`Content-Type: ${type}`, '', '--y z', '--y', 'Content-Type: text/html', '', 'one', '--y--')),
        ['multipart/mixed', 'text/html: one'],
      );
    assert.equal(shape(mail('Content-Type: multipart/mixed', '', '--y', 'one')), 'multipart/mixed: --y\none');
  });

  test('a multipart that was cut off keeps its last part', () => {
    assert.deepEqual(shape(mail(mixed, '', '--x', '', 'one', 'two')), ['multipart/mixed', 'text/plain: one\ntwo']);
  });

  test('at most 10 levels and 100 parts are read', () => {
    const levels = mail(
      ...Array.from({ length: 12 }, (_, i) => [`Content-Type: multipart/mixed; boundary=b${i}`, '', `--b${i}`]).flat(),
    );
    assert.equal(allParts(levels).length, 11);
    assert.equal(allParts(mail(mixed, '', ...Array.from({ length: 200 }, () => '--x\n\none'))).length, 100);
  });

  test('at most the first MiB is read', () => {
    const max = 1024 * 1024;
    assert.equal(mail('A: 1', '', 'x'.repeat(max)).body.length, max - 6);
  });
});

describe('the text of a part', () => {
  const texts: [what: string, head: string, body: string, text: string][] = [
    ['Base64 with a disclaimer behind it', 'Content-Transfer-Encoding: BASE64', 'Z3LD\nvMOf\n \nVirus free', 'grüß'],
    ['Base64 with padding in the middle', 'Content-Transfer-Encoding: base64', 'YQ==YmM=', 'abc'],
    ['quoted-printable', 'Content-Transfer-Encoding: quoted-printable', 'gr=C3=bc=\n=C3=9F= \ne=', 'grüße='],
    ['a charset', 'Content-Type: text/plain; charset=koi8-r', '\xf0', 'П'],
    ['an unknown charset', 'Content-Type: text/plain; charset=none', '\xfc', 'ü'],
    ['ASCII that is UTF-8', 'Content-Type: text/plain; charset=us-ascii', '\xc3\xbc', 'ü'],
    ['carriage returns', 'A: 1', 'a\r\nb', 'a\nb'],
  ];
  for (const [what, head, body, text] of texts) test(what, () => assert.equal(textOf(mail(head, '', body)), text));

  test('an attached message is opened on request', () => {
    const part = mail(
      'Content-Type: message/rfc822',
      'Content-Transfer-Encoding: base64',
      '',
      btoa('\r\nTo: ada\r\n\r\nhi'),
    );
    assert.deepEqual([part.parts, field(attachedMessage(part), 'to'), attachedMessage(part).body], [[], 'ada', 'hi']);
  });
});

test('a transfer encoding of text is undone', () => {
  for (const [encoding, body] of [
    ['quoted-printable', 'Gr=FC=\n=DFe=3D'],
    ['Quoted-Printable ', 'Gr=fc=DFe=3d'],
    ['base64', 'R3L832U9'],
    ['8bit', 'Gr\xfc\xdfe='],
  ])
    assert.equal(
      textOf(mail('Content-Type: text/plain; charset=latin1', `Content-Transfer-Encoding: ${encoding}`, '', body!)),
      'Grüße=',
      encoding,
    );
});

test('a part begins on the line after its boundary', () => {
  assert.deepEqual(shape(mail(mixed, '', '--x', '', 'a', '--x', '', 'b', '--x--', 'after')), [
    'multipart/mixed',
    'text/plain: a',
    'text/plain: b',
  ]);
  assert.deepEqual(shape(mail(mixed, '', '--x', 'Content-Type: text/html', '', 'a')), [
    'multipart/mixed',
    'text/html: a',
  ]);
});
