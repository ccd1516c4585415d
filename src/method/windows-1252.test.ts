// Bytes of Windows in texts that are UTF-8 otherwise.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needLinear } from '../../test/support/run/linear-time.ts';
import { asWindows1252, textOfLikelyUtf8, textOfUtf8, textWithMarks } from './windows-1252.ts';
import { UNREADABLE } from './wire.ts';

test('characters 128 to 159 are those of windows-1252, of which five are none', () => {
  assert.equal(asWindows1252('\x80\x81\x85\x8D\x92\x9F\xA0ä日'), '€\x81…\x8D’Ÿ\xA0ä日');
});

test('bytes are UTF-8, with punctuation of Windows or without', () => {
  const read = (latin1: string) => textOfUtf8(Buffer.from(latin1, 'latin1'));
  for (const text of ['', 'plain', 'Grüße 日本 😀', '\u{10FFFF}\uFFFD'])
    assert.equal(textOfUtf8(Buffer.from(text)), text);
  assert.equal(read('\x93it\x92s\x94 \x96 \x97 \x91a\x85 \x95 5 \x80'), '“it’s” – — ‘a… • 5 €');
  // A byte that continues a sequence of UTF-8 belongs to it.
  assert.equal(read('\xc3\x92\x92'), 'Ò’');
});

test('bytes of other encodings are none', () => {
  const others: [string, number[]][] = [
    ['ISO-8859-1', [0x47, 0x72, 0xfc, 0xdf, 0x65]],
    ['windows-1251, with quotation marks', [0x93, 0xcf, 0xf0, 0xe8, 0x94]],
    ['Shift_JIS', [0x93, 0xfa, 0x96, 0x7b]],
    ['Shift_JIS in hiragana', [0x82, 0xb1, 0x82, 0xf1]],
    ['GBK', [0xc8, 0xd5, 0xb1, 0xbe]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a sequence that is cut off', [0xe6, 0x97]],
    ['an overlong sequence', [0xc0, 0x80]],
  ];
  for (const [name, bytes] of others) assert.equal(textOfUtf8(Buffer.from(bytes)), undefined, name);
});

test('bytes that no one means to send are read or refused in linear time', async () => {
  const ended = (text: string) => Buffer.concat([Buffer.from(text), Buffer.from([0xff])]);
  const bodies = [
    (size: number) => Buffer.alloc(size, 0x92),
    (size: number) => ended('ä'.repeat(size / 2)),
    (size: number) => ended('日'.repeat(size / 3)),
  ];
  for (const body of bodies) await needLinear(`${body(3)}`, 1024 * 1024, (size) => textOfUtf8(body(size)));
});

test('each byte that is no text has a mark, and sequences of two, three and four bytes stay', () => {
  const read = (latin1: string) => textWithMarks(Buffer.from(latin1, 'latin1')).replaceAll(UNREADABLE, '?');
  const bytes = (text: string) => Buffer.from(text).toString('latin1');
  for (const text of ['a', 'é', '€', '日本', '😀', '\u07ff\u0800\uffff\u{10000}'])
    assert.equal(read(bytes(text)), text);
  assert.equal(read(`${bytes('é')}\xe9${bytes('😀')}\x93x\x94`), 'é?😀“x”');
  assert.equal(read('\xc1\x81\xf5\xff'), '????');
  assert.equal(read('\xe2\x82'), '??');
  assert.equal(read(`${bytes('本').slice(0, 2)}a`), '??a');
  assert.equal(read(`${bytes('😀').slice(0, 3)}`), '???');
});

test('letters of windows-1252 that happen to be UTF-8 are letters, unless they are hardly ever meant', () => {
  const read = (latin1: string) => textOfLikelyUtf8(Buffer.from(latin1, 'latin1'));
  assert.equal(read(Buffer.from('Zürich').toString('latin1')), 'Zürich');
  assert.equal(read('Z\xfcrich'), undefined);
  assert.equal(read('\xc9\x94'), undefined, 'É”');
});
