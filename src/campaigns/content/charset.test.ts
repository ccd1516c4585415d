import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declaredAsUtf8, decodePage } from './charset.ts';

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));
const utf8 = (text: string) => Buffer.from(text, 'utf8');
const utf16 = (text: string) => Buffer.from(text, 'utf16le');

test('the encoding comes from the byte order mark, else the header, the declaration, valid UTF-8, or windows-1252', () => {
  const cases: [name: string, bytes: Buffer, header: string | undefined, text: string, charset: string][] = [
    [
      'mark beats all',
      Buffer.concat([utf8('\ufeff'), utf8('<meta charset=koi8-r>ä')]),
      'koi8-r',
      '<meta charset=koi8-r>ä',
      'utf-8',
    ],
    ['mark, little end', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16('<p>ä')]), undefined, '<p>ä', 'utf-16le'],
    [
      'mark, big end',
      Buffer.concat([Buffer.from([0xfe, 0xff]), utf16('<p>ä').swap16()]),
      undefined,
      '<p>ä',
      'utf-16be',
    ],
    ['header', bytes('<meta charset=utf-8>\xe4'), 'ISO-8859-1', '<meta charset=utf-8>ä', 'windows-1252'],
    ['header in quotes', bytes('\xe4'), '"latin1"', 'ä', 'windows-1252'],
    [
      'unknown header',
      bytes('<meta charset="iso-8859-2">\xb1'),
      'nonsense',
      '<meta charset="iso-8859-2">ą',
      'iso-8859-2',
    ],
    ['meta', bytes('<META CHARSET = koi8-r>\xd0'), undefined, '<META CHARSET = koi8-r>п', 'koi8-r'],
    [
      'meta http-equiv',
      bytes('<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">\x82\xa0'),
      undefined,
      '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">あ',
      'shift_jis',
    ],
    [
      'meta in a comment',
      bytes('<!-- <meta charset=koi8-r> -->\xe4'),
      undefined,
      '<!-- <meta charset=koi8-r> -->ä',
      'windows-1252',
    ],
    [
      'XML declaration',
      bytes('<?xml version="1.0" encoding="big5"?>\xa4\xa4'),
      undefined,
      '<?xml version="1.0" encoding="big5"?>中',
      'big5',
    ],
    ['a readable meta is not UTF-16', utf8('<meta charset=utf-16>ä'), undefined, '<meta charset=utf-16>ä', 'utf-8'],
    ['nothing, sound UTF-8', utf8('<p>ä中'), undefined, '<p>ä中', 'utf-8'],
    ['nothing, not UTF-8', bytes('<p>\x80\xe4'), undefined, '<p>€ä', 'windows-1252'],
    ['gb18030', bytes('<meta charset=gb2312>\xd6\xd0'), undefined, '<meta charset=gb2312>中', 'gbk'],
    ['euc-kr', bytes('<meta charset=euc-kr>\xc7\xd1'), undefined, '<meta charset=euc-kr>한', 'euc-kr'],
    ['x-user-defined', bytes('\x80'), 'X-User-Defined', '€', 'windows-1252'],
    ['half a mark', bytes('\xef\xbb'), undefined, 'ï»', 'windows-1252'],
    ['windows-1256', bytes('\xc7'), 'windows-1256', 'ا', 'windows-1256'],
  ];
  for (const [name, page, header, text, charset] of cases) {
    assert.deepEqual(decodePage(page, header), { text, charset, replaced: false }, name);
  }
});

test('bytes that mean nothing are replaced, and the result reports it', () => {
  const page = bytes('<meta charset=utf-8>a\xffb');
  assert.deepEqual(decodePage(page), { text: '<meta charset=utf-8>a\ufffdb', charset: 'utf-8', replaced: true });
  // A replacement character that the author wrote is none of ours.
  assert.equal(decodePage(utf8('a\ufffdb')).replaced, false);
  assert.equal(decodePage(bytes('ab\xc3'), 'utf-8').replaced, true);
});

test('only the declaration of the encoding is changed to UTF-8', () => {
  const table: [element: string, name: string, equiv: string | undefined, value: string, expected: string | null][] = [
    ['meta', 'charset', undefined, 'koi8-r', 'utf-8'],
    ['p', 'charset', undefined, 'koi8-r', null],
    ['meta', 'content', ' Content-Type ', 'text/html; charset = koi8-r', 'text/html; charset=utf-8'],
    ['meta', 'content', 'refresh', 'x; charset=koi8-r', null],
    ['meta', 'content', undefined, 'x; charset=koi8-r', null],
    ['meta', 'name', 'content-type', 'x; charset=koi8-r', null],
  ];
  for (const [element, name, equiv, value, expected] of table) {
    const sibling = (other: string) => (other === 'http-equiv' ? equiv : undefined);
    assert.equal(declaredAsUtf8({ name, element, value }, sibling), expected, `${name} ${equiv}`);
  }
});

test('a declaration counts when it ends within the first 4,096 bytes', () => {
  const meta = '<meta charset=koi8-r>';
  const page = (length: number) => bytes(' '.repeat(length - meta.length), meta, '\xd0');
  assert.deepEqual(
    [4_096, 4_097].map((length) => decodePage(page(length)).charset),
    ['koi8-r', 'windows-1252'],
  );
});

test('half a byte order mark is none, and a readable XML declaration is not of UTF-16', () => {
  for (const [page, charset] of [
    [bytes('\xfeA'), 'windows-1252'],
    [bytes('A\xff'), 'windows-1252'],
    [bytes('\xffA'), 'windows-1252'],
    [bytes('A\xfe'), 'windows-1252'],
    [bytes('\xefA\xbf'), 'windows-1252'],
    [bytes('A\xbb\xbf'), 'windows-1252'],
    [bytes('\xef\xbbA'), 'windows-1252'],
    [bytes('<?xml version="1.0" encoding="UTF-16"?>\xff'), 'utf-8'],
    [bytes('<meta charset="UTF-16">\xff'), 'utf-8'],
  ] as const)
    assert.equal(decodePage(page).charset, charset, page.toString('latin1'));
});
