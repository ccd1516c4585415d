// Which encodings are read, under which names, and what bytes mean in them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNREADABLE } from '../../method/wire.ts';
import { charsetOf, decoded, encodingOf } from './encodings.ts';

test('the names of encodings', () => {
  const names: Record<string, string[]> = {
    'UTF-8': ['utf-8', 'UTF-8', 'utf8', 'Utf8', 'unicode-1-1-utf-8'],
    'US-ASCII': ['us-ascii', 'ASCII'],
    'ISO-8859-1': ['iso-8859-1', 'iso8859-1', 'ISO_8859-1', 'latin1', 'windows-1252', 'cp1252', 'l1'],
    'iso-8859-15': ['ISO-8859-15', 'l9'],
    'windows-1251': ['cp1251', 'windows-1251'],
    shift_jis: ['sjis', 'Shift_JIS'],
  };
  for (const [encoding, given] of Object.entries(names))
    for (const name of given) assert.equal(encodingOf(name), encoding, name);
  for (const name of ['', 'klingon', 'utf-16', 'utf-16be', 'iso-2022-jp', 'x-user-defined', 'utf-32'])
    assert.equal(encodingOf(name), undefined, name);
});

test('the charset of a Content-Type', () => {
  for (const [type, charset] of [
    ['text/xml; charset=UTF-8', 'UTF-8'],
    ['text/xml;CHARSET = "latin1"; x=y', 'latin1'],
    ["text/xml; x=y; charset='ascii'", 'ascii'],
    ['text/xml', undefined],
    ['text/xml; charset=', undefined],
  ])
    assert.equal(charsetOf(type!), charset, type);
});

const cases: [name: string, bytes: Buffer, encoding: string, text: string | undefined, withMarks?: string][] = [
  ['UTF-8 that is declared as Latin-1', Buffer.from('Käse – fein'), 'ISO-8859-1', 'Käse – fein'],
  ['Latin-1', Buffer.from('Käse', 'latin1'), 'ISO-8859-1', 'Käse'],
  ['quotation marks of Word in Latin-1', Buffer.from([0x93, 0x61, 0xe4, 0x94]), 'ISO-8859-1', '“aä”'],
  ['UTF-8 that is declared as Latin-9', Buffer.from('Käse'), 'iso-8859-15', 'Käse'],
  ['Latin-9, where a sequence may be a capital and €', Buffer.from([0xa4, 0xe4]), 'iso-8859-15', '€ä'],
  ['a capital of Latin-9 before a quotation mark of Word', Buffer.from([0xc9, 0x94]), 'iso-8859-15', 'É”'],
  ['UTF-8 that is declared as Cyrillic', Buffer.from('Ж'), 'windows-1251', 'Ж'],
  ['Cyrillic', Buffer.from([0xc6, 0xe8]), 'windows-1251', 'Жи'],
  ['Cyrillic letters that would be UTF-8 are read as that', Buffer.from([0xd0, 0x96]), 'koi8-r', 'Ж'],
  ['Japanese that could be UTF-8 is Japanese', Buffer.from([0xc2, 0xb1]), 'shift_jis', 'ﾂｱ'],
  ['Chinese that could be UTF-8 is Chinese', Buffer.from([0xc4, 0xa3]), 'gbk', '模'],
  ['Korean that could be UTF-8 is Korean', Buffer.from([0xc4, 0xa3]), 'euc-kr', '친'],
  ['Chinese of Taiwan', Buffer.from([0xc4, 0xa3]), 'big5', '耀'],
  [
    'a byte that the encoding does not have',
    Buffer.from([0x61, 0xff, 0x62]),
    'shift_jis',
    undefined,
    `a${UNREADABLE}b`,
  ],
];
for (const [name, bytes, encoding, text, withMarks] of cases)
  test(`bytes: ${name}`, () => {
    assert.equal(decoded(bytes, encoding, false), text);
    assert.equal(decoded(bytes, encoding, true), withMarks ?? text);
  });
