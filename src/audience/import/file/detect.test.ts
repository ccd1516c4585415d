// What is detected about a file: separator, encoding, header and the meaning of columns.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proposeColumns } from './columns.ts';
import { detectEncoding, detectPacking, detectShape, sampleBytes, usesBackslash } from './detect.ts';

const shapes: [name: string, text: string, delimiter: string, header: boolean, quote?: string][] = [
  ['commas', 'EMAIL,NAME\na@b.cd,A\nc@d.ef,C\n', ',', true],
  ['semicolons, commas within', 'Mail;Name\na@b.cd;Lee, A\nc@d.ef;Roe, C\n', ';', true],
  ['tabs', 'a@b.cd\tA\nc@d.ef\tC\n', '\t', false],
  ['pipes', 'email|name\na@b.cd|A\n', '|', true],
  ['one column', 'email\na@b.cd\nc@d.ef\n', ',', true],
  ['one column without heading', 'a@b.cd\nc@d.ef\n', ',', false],
  [
    'addresses with a wide @ or an entity, without heading',
    'ann＠x.example;Ann, A\nbob&#64;x.example;Bob\n',
    ';',
    false,
  ],
  ['delimiters within quotes', 'email;name\na@b.cd;"A,B,C,D"\nc@d.ef;"A,B"\n', ';', true],
  ['addresses decide between two delimiters', 'a@b.cd;x,y\nc@d.ef;z,w\n', ';', false],
  ['line breaks within quotes', 'email,note\r\na@b.cd,"one\r\ntwo"\r\nc@d.ef,x\r\n', ',', true],
  ["a spreadsheet's line", 'sep=|\nemail|name\na@b.cd|A;B\n', '|', true],
  ['one row, cut within quotes', 'a@b.cd;"x,y', ';', false],
  ['apostrophes as quotes', "email,name\na@b.cd,'Lee, A'\nc@d.ef,'Roe, C'\n", ',', true, "'"],
];
for (const [name, text, delimiter, header, quote = '"'] of shapes)
  test(`the shape of a file is found: ${name}`, () => {
    const found = detectShape(text);
    assert.deepEqual([found.delimiter, found.header, found.quote], [delimiter, header, quote]);
  });

const utf16 = (text: string, big: boolean) => {
  const bytes = Buffer.from(text, 'utf16le');
  return big ? bytes.swap16() : bytes;
};
const encodings: [name: string, bytes: Buffer, encoding: string][] = [
  ['plain ASCII', Buffer.from('email,name\n'), 'utf-8'],
  ['UTF-8', Buffer.from('email,prénom\n'), 'utf-8'],
  ['UTF-8 with a mark', Buffer.from('\ufeffemail\n'), 'utf-8'],
  ['UTF-8 cut within a character', Buffer.from('prénom é').subarray(0, -1), 'utf-8'],
  ['UTF-8 with bad bytes', Buffer.concat([Buffer.from('prénom,'), Buffer.from([0xff, 0xfe])]), 'utf-8'],
  ['windows-1251', Buffer.from('cff0e8e2e5f2', 'hex'), 'windows-1251'],
  ['windows-1252', Buffer.from('email,pr\u00e9nom\n', 'latin1'), 'windows-1252'],
  ['UTF-16 LE with a mark', utf16('\ufeffemail', false), 'utf-16le'],
  ['UTF-16 BE with a mark', utf16('\ufeffemail', true), 'utf-16be'],
  ['UTF-16 BE of one letter', utf16('a', true), 'utf-16be'],
  ['UTF-16 LE without', utf16('email,name\na@b.cd', false), 'utf-16le'],
  ['UTF-16 BE without', utf16('email,name\na@b.cd', true), 'utf-16be'],
];
for (const [name, bytes, encoding] of encodings)
  test(`the encoding of a file is found: ${name}`, () => assert.equal(detectEncoding(bytes).encoding, encoding));

test('compressed files are recognised by their first bytes', () => {
  assert.equal(detectPacking(Buffer.from([0x1f, 0x8b, 8])), 'gzip');
  assert.equal(detectPacking(Buffer.from('PK\x03\x04')), 'zip');
  assert.equal(detectPacking(Buffer.from('PKW,email')), 'none');
});

test('column headers are recognised in several languages, each meaning once', () => {
  const field = (tag: string, name: string, mergeNo: number) => ({
    ...{ tag, name, mergeNo, type: 'text' as const, required: false, shown: true },
    ...{ position: mergeNo, defaultValue: '', choices: [] },
  });
  const fields = [field('EMAIL', 'Email', 0), field('FNAME', 'First Name', 1), field('LNAME', 'Last Name', 2)];
  const targets = (...headings: string[]) => proposeColumns(headings, fields).map((column) => column.target);
  assert.deepEqual(targets('E-Mail-Adresse', 'Vorname', 'Nachname', 'Status'), ['EMAIL', 'FNAME', 'LNAME', 'STATUS']);
  assert.deepEqual(targets('Prénom', 'Nom', 'Courriel', 'Langue'), ['FNAME', 'LNAME', 'EMAIL', 'LANGUAGE']);
  assert.deepEqual(targets('MERGE1', 'メールアドレス', 'Email'), ['FNAME', '', 'EMAIL']);
});

test('a separator line is reported only when there is one', () => {
  assert.equal(detectShape('sep=|\nemail|name\na@b.cd|A\n').separatorLine, true);
  assert.equal(detectShape('email|name\na@b.cd|A\n').separatorLine, false);
});

test('UTF-8 characters at the limits of each length are valid', () => {
  for (const character of ['\x7f', '\x80', '\u07ff', '\u0800', '\uffff', '\u{10000}', '\u{10ffff}'])
    assert.equal(detectEncoding(Buffer.from(character.repeat(3))).encoding, 'utf-8', character);
});

test('a byte order mark decides the encoding, whatever follows it', () => {
  const bad = Buffer.alloc(20, 0xff);
  assert.equal(detectEncoding(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bad])).encoding, 'utf-8');
  assert.equal(detectEncoding(Buffer.concat([Buffer.from([0xff, 0xfe]), bad])).encoding, 'utf-16le');
  assert.equal(detectEncoding(Buffer.concat([Buffer.from([0xfe, 0xff]), bad])).encoding, 'utf-16be');
});

test('the first bytes of a compressed file must all match', () => {
  for (const [bytes, packing] of [
    [[0x1f, 0x8b], 'gzip'],
    [[0x1f, 0x8c], 'none'],
    [[0x50, 0x4b, 0x03], 'zip'],
    [[0x50, 0x4b, 0x05], 'zip'],
    [[0x50, 0x4b, 0x04], 'none'],
    [[0x50, 0x4c, 0x03], 'none'],
    [[0x51, 0x4b, 0x03], 'none'],
  ] as const)
    assert.equal(detectPacking(Buffer.from(bytes)), packing, String(bytes));
  assert.equal(sampleBytes, 262_144);
});

test('UTF-16 shows in zero bytes at even or at odd places, not at both', () => {
  const withZeros = (odd: number, even: number, length: number) => {
    const bytes = Buffer.alloc(length, 'a');
    for (let i = 0; i < odd; i++) bytes[2 * i + 1] = 0;
    for (let i = 0; i < even; i++) bytes[2 * i] = 0;
    return detectEncoding(bytes).encoding;
  };
  for (const [odd, even, length, encoding] of [
    [4, 0, 20, 'utf-16le'],
    [4, 1, 20, 'utf-8'],
    [4, 4, 20, 'utf-8'],
    [9, 2, 40, 'utf-16le'],
    [2, 0, 12, 'utf-8'],
    [2, 0, 11, 'utf-16le'],
    [2, 0, 13, 'utf-8'],
  ] as const) {
    assert.equal(withZeros(odd, even, length), encoding, `${odd} ${even} ${length}`);
    const swapped = encoding === 'utf-16le' ? 'utf-16be' : encoding;
    assert.equal(withZeros(even, odd, length), swapped, `${even} ${odd} ${length}`);
  }
});

test('a byte order mark that is not complete is none', () => {
  for (const text of ['\xef\xbba', '\xefa\xbf', 'a\xbb\xbf', '\xffa', 'a\xfe', '\xfea', 'a\xff'])
    assert.match(detectEncoding(Buffer.from(text, 'latin1')).encoding, /^(windows|mac|koi|ibm|shift|euc|gb|big)/, text);
});

test('UTF-8 may have two bad bytes for each character of several bytes', () => {
  for (const character of ['\u0080', '\u07ff', '\u0800', '\uffff', '\u{10000}', '\u{10ffff}']) {
    const withBad = (count: number) => Buffer.concat([Buffer.alloc(count, 0xff), Buffer.from(character)]);
    assert.equal(detectEncoding(withBad(2)).encoding, 'utf-8', character);
    assert.notEqual(detectEncoding(withBad(3)).encoding, 'utf-8', character);
  }
  // What is no first byte, or stands without one, is bad.
  for (const bad of [0x80, 0xc1, 0xf5, 0xff]) assert.notEqual(detectEncoding(Buffer.from([bad])).encoding, 'utf-8');
  for (const cut of [[0xc2], [0xe0, 0xa0], [0xf4, 0x80, 0x80]])
    assert.equal(detectEncoding(Buffer.from(cut)).encoding, 'utf-8');
});

test('the separator with the most consistent rows wins, and addresses count as much as consistency', () => {
  for (const [text, delimiter] of [
    ['a@b.cd;x,y\nc@d.ef;x;y,z\ne@f.gh;x;y;z,w\n', ';'],
    ['a;b,c\na;b,c\na;b,c,d\na;b;c;d;e,f,g\n', ';'],
    ['a;b;c,d\ne;f;g,h\n', ';'],
    ['a,b\n', ','],
    ['', ','],
  ])
    assert.equal(detectShape(text!).delimiter, delimiter, text);
});

test('a text of one cell has a heading unless it is an address', () => {
  assert.equal(detectShape('a@b.cd').header, false);
  assert.equal(detectShape('email').header, true);
  assert.equal(detectShape('').header, true);
});

test('cells are split at quotation marks, doubled ones included', () => {
  assert.equal(detectShape('"a@b.cd";"x ""y, z"";w"\n').header, false);
  assert.deepEqual(detectShape('\ufeffsep=^\r\na^b\n'), {
    ...{ delimiter: '^', quote: '"', header: true, separatorLine: true },
  });
});

test('backslashes before quotation marks are recognized only where no other reading fits', () => {
  for (const [text, expected] of [
    ['"a@b.cd","A \\"x\\" B"\n"c@d.ef","C"\n', true],
    ['"a@b.cd","\\"x\\""\n', true],
    ['"a@b.cd","x\\\\","\\"y\\", z"\n', true],
    ['"a@b.cd","A \\"x', true],
    ['"a@b.cd","C:\\"\n"c@d.ef","D"\n', false],
    ['"a@b.cd","A ""x"" B\\"\n', false],
    ['"a@b.cd","A ""x"" \\"B\\""\n', false],
    ['a@b.cd,5\\" pipe\n', false],
    ['"a@b.cd","A "x" B"\n', false],
    ['"a@b.cd","A"\n', false],
  ] as const)
    assert.equal(usesBackslash(text, ',', '"'), expected, text);
  assert.equal(usesBackslash('"a","\\"x\\""', ',', ''), false);
});

test('delimiters in cells with backslashes do not count', () => {
  const text = '"a@b.cd";"A \\", b, \\" c"\n"c@d.ef";"\\", d, \\""\n';
  assert.equal(detectShape(text).delimiter, ';');
});
