// Texts that do not name their encoding, as servers of each script send them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeGuessed } from './guess-encoding.ts';

const encoded: [encoding: string, bytes: string, text: string][] = [
  ['UTF-8', '5a757665cc88c2b0', 'Zuve\u0308\u00b0'],
  ['Windows-1252', '456d7066e46e676572206e696368742067fc6c74696793', 'Empfänger nicht gültig\u201c'],
  ['Latin-1 in French', '426f6974652064e97361637469766ee965', 'Boite désactivnée'],
  ['GBK', 'd3c3bba7b2bbb4e6d4da3a20b7a2cbcdb3acb9fdcfded6c6', '用户不存在: 发送超过限制'],
  ['Big5', 'a8cfa5ceaacca4a3a673a662', '使用者不存在'],
  ['Windows-1251', 'cff0e5e2fbf8e5ed20ebe8ece8f220eef2eff0e0e2eae8', 'Превышен лимит отправки'],
  ['KOI8-R', 'f0d2c5d7d9dbc5ce20ccc9cdc9d420cfd4d0d2c1d7cbc9', 'Превышен лимит отправки'],
  ['Shift_JIS', '835a815b838b82aa91b68ddd82b582dc82b982f1', 'セールが存在しません'],
  ['EUC-KR', 'bbe7bfebc0dab8a620c3a3c0bb20bcf620bef8bdc0b4cfb4d9', '사용자를 찾을 수 없습니다'],
  ['ASCII', '5573657220676f6e65', 'User gone'],
  ['EUC-JP', 'cdf8cdd1bcd4a4acb8aba4c4a4aba4eaa4dea4bba4f3', '利用者が見つかりません'],
  ['Shift_JIS with long vowels', '8386815b8355815b82aa91b68ddd82b582dc82b982f1', 'ユーザーが存在しません'],
  ['GBK in a whole sentence', 'c4fab5c4d3cabcfeb1bbbedcbef8', '您的邮件被拒绝'],
  ['Big5 with signs', 'b17aaabab66ca5f3b351a9dab5b4a141a8cfa5ceaacca4a3a673a662', '您的郵件被拒絕，使用者不存在'],
  ['EUC-KR with blanks', 'b8dec0cfc7d4c0cc20b0a1b5e620c3a1bdc0b4cfb4d9', '메일함이 가득 찼습니다'],
  ['Windows-1251 in small letters', 'efeef7f2eee2fbe920fff9e8ea20efe5f0e5efeeebede5ed', 'почтовый ящик переполнен'],
  ['KOI8-R in small letters', 'd0cfded4cfd7d9ca20d1ddc9cb20d0c5d2c5d0cfcccec5ce', 'почтовый ящик переполнен'],
  ['Latin-1 with few accents', '4772f6df6520fc62657273636872697474656e', 'Größe überschritten'],
];
for (const [name, hex, text] of encoded)
  test(`${name} is read`, () => assert.equal(decodeGuessed(Buffer.from(hex, 'hex').toString('latin1')), text));

test('a text that was cut within a character is still UTF-8, one with as many wrong characters as right ones is not', () => {
  const bytes = (text: string) => Buffer.from(text).toString('latin1');
  assert.match(decodeGuessed(bytes('用户不存在').slice(0, 14)), /^用户不存\ufffd$/);
  assert.equal(decodeGuessed(`${bytes('ü')}\xfc`), 'Ã¼ü');
  assert.equal(decodeGuessed(`${bytes('üüü')}\xfc`), 'üüü\ufffd');
});
