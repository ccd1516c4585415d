// What is detected about a file: separator, encoding, header and the meaning of columns.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proposeColumns } from './columns.ts';
import { detectEncoding, detectPacking, detectShape } from './detect.ts';

const shapes: [name: string, text: string, delimiter: string, header: boolean, quote?: string][] = [
  ['commas', 'EMAIL,NAME\na@b.cd,A\nc@d.ef,C\n', ',', true],
  ['semicolons, commas within', 'Mail;Name\na@b.cd;Lee, A\nc@d.ef;Roe, C\n', ';', true],
  ['tabs', 'a@b.cd\tA\nc@d.ef\tC\n', '\t', false],
  ['pipes', 'email|name\na@b.cd|A\n', '|', true],
  ['one column', 'email\na@b.cd\nc@d.ef\n', ',', true],
  ['one column without heading', 'a@b.cd\nc@d.ef\n', ',', false],
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
/** Small files of contacts as programs save them, in Base64. */
const foreign: [language: string, encoding: string, base64: string][] = [
  [
    'Russian',
    'windows-1251',
    'ZW1haWwsyOz/LMPu8O7kCml2YW5AeC5leGFtcGxlLMji4O0gz+Xy8O7iLMzu8eri4ApvbGdhQHguZXhhbXBsZSzO6/zj4CDR7Ojw7e7i4CzR4O3q8i3P5fLl8OHz8OMKc2VyZ2V5QHguZXhhbXBsZSzR5fDj5ekgyvPn7eX27uIsze7i7vHo4ejw8eoK',
  ],
  [
    'Russian',
    'koi8-r',
    'ZW1haWws6c3RLOfP0s/ECml2YW5AeC5leGFtcGxlLOnXwc4g8MXU0s/XLO3P08vXwQpvbGdhQHguZXhhbXBsZSzvzNjHwSDzzcnSzs/XwSzzwc7L1C3wxdTF0sLV0scKc2VyZ2V5QHguZXhhbXBsZSzzxdLHxcog69XazsXDz9cs7s/Xz9PJwsnS08sK',
  ],
  [
    'Russian',
    'ibm866',
    'ZW1haWwsiKzvLIOu4K6kCml2YW5AeC5leGFtcGxlLIiioK0gj6Xi4K6iLIyu4aqioApvbGdhQHguZXhhbXBsZSyOq+yjoCCRrKjgra6ioCyRoK2q4i2PpeKl4KHj4KMKc2VyZ2V5QHguZXhhbXBsZSyRpeCjpakgiuOnraXmrqIsja6iruGooajg4aoK',
  ],
  [
    'Greek',
    'windows-1253',
    'ZW1haWwsvO3v7OEKbmlrb3NAeC5leGFtcGxlLM3f6u/yINDh8OHk/PDv9evv8gptYXJpYUB4LmV4YW1wbGUszOHx3+Egw+X58ePf7/UKZWxlbmlAeC5leGFtcGxlLMXr3e3nIMTn7Of08d/v9Qo=',
  ],
  [
    'Polish',
    'windows-1250',
    'ZW1haWwsSW1p6ixNaWFzdG8KbHVrYXN6QHguZXhhbXBsZSyjdWthc3ogV2mcbmlld3NraSyj82SfCmFnYXRhQHguZXhhbXBsZSxBZ2F0YSBLYW1p8XNrYSxXcm9js2F3CnpvZmlhQHguZXhhbXBsZSxab2ZpYSBEuWJyb3dza2EsR2Rh8XNrCg==',
  ],
  [
    'German and French',
    'windows-1252',
    'ZW1haWwsTmFtZSxPcnQKanVlcmdlbkB4LmV4YW1wbGUsSvxyZ2VuIE38bGxlcixL9mxuCnNvZXJlbkB4LmV4YW1wbGUsU/ZyZW4gR3L232UsRPxzc2VsZG9yZgpmcmFuY29pc2VAeC5leGFtcGxlLEZyYW7nb2lzZSBMZWbodnJlLEJlc2Fu529uCg==',
  ],
  [
    'German and French',
    'macintosh',
    'ZW1haWwsTmFtZSxPcnQKanVlcmdlbkB4LmV4YW1wbGUsSp9yZ2VuIE2fbGxlcixLmmxuCnNvZXJlbkB4LmV4YW1wbGUsU5pyZW4gR3Kap2UsRJ9zc2VsZG9yZgpmcmFuY29pc2VAeC5leGFtcGxlLEZyYW6Nb2lzZSBMZWaPdnJlLEJlc2FujW9uCg==',
  ],
  [
    'Japanese',
    'shift_jis',
    'ZW1haWwsjoGWvCyTc45zCnRhcm9AeC5leGFtcGxlLI5Sk2ORvphZLJOMi56TcwpoYW5ha29AeC5leGFtcGxlLI2yk6GJ1I5xLJHljeOOcwprZW5AeC5leGFtcGxlLJfpltiCr4LxLIKogqiCs4KpgtaC5oKkgrGCuwp5dWlAeC5leGFtcGxlLIK9gqmCzYK1g4aDQyyDiINSg26DfQo=',
  ],
  [
    'Japanese',
    'euc-jp',
    'ZW1haWwsu+HMvizF1LvUCnRhcm9AeC5leGFtcGxlLLuzxcTCwM+6LMXstf7F1ApoYW5ha29AeC5leGFtcGxlLLq0xqOy1rvSLMLnuuW71AprZW5AeC5leGFtcGxlLM7rzNqksaTzLKSqpKqktaSrpNik6KSmpLOkvQp5dWlAeC5leGFtcGxlLKS/pKukz6S3pealpCyl6KWzpc+l3go=',
  ],
  [
    'Chinese',
    'gb18030',
    'ZW1haWws0NXD+yyzx8rQCndhbmdAeC5leGFtcGxlLM310KHD9yyxsb6pytCzr9H0x/gKbGlAeC5leGFtcGxlLMDuwPa7qizJz7qjytDG1rar0MLH+Ap6aGFuZ0B4LmV4YW1wbGUs1cXOsMe/LLnj1t3K0MzsutPH+Ao=',
  ],
  [
    'Chinese in Taiwan',
    'big5',
    'ZW1haWwsqW2mVyyrsKWrCndhbmdAeC5leGFtcGxlLKT9pHCp+iy7T6VfpaurSLhxsM8KbGlAeC5leGFtcGxlLKf1xFK12CywqravpaulqsDnsM8KY2hhbmdAeC5leGFtcGxlLLFpsLaxaiy3c6bLv6Smy6VfpasK',
  ],
  [
    'Korean',
    'euc-kr',
    'ZW1haWwswMy4pyy1tb3DCmtpbUB4LmV4YW1wbGUssei5zrz2LLytv+/Gr7qwvcMKbGVlQHguZXhhbXBsZSzAzL+1yPEsus676rGkv6q9wwpwYXJrQHguZXhhbXBsZSy52sH2yMYstOuxuLGkv6q9wwo=',
  ],
];
for (const [language, encoding, base64] of foreign)
  test(`the encoding of a file is guessed from its letters: ${language}, ${encoding}`, () => {
    const found = detectEncoding(Buffer.from(base64, 'base64'));
    assert.equal(found.encoding, encoding);
  });

test('a guess from a few letters is unsure, one from many is not', () => {
  assert.equal(detectEncoding(Buffer.from('email,pr\u00e9nom\n', 'latin1')).sure, false);
  for (const [language, encoding, base64] of foreign)
    if (['windows-1251', 'shift_jis', 'koi8-r'].includes(encoding))
      assert.equal(detectEncoding(Buffer.from(base64, 'base64')).sure, true, language);
});

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
