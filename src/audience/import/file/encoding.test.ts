// Guesses of encodings from whole files and from a few words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessEncoding } from './encoding.ts';

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
    const found = guessEncoding(Buffer.from(base64, 'base64'));
    assert.equal(found.encoding, encoding);
  });

test('a guess from a few letters is unsure, one from many is not', () => {
  assert.equal(guessEncoding(Buffer.from('email,pr\u00e9nom\n', 'latin1')).sure, false);
  for (const [language, encoding, base64] of foreign)
    if (['windows-1251', 'shift_jis', 'koi8-r'].includes(encoding))
      assert.equal(guessEncoding(Buffer.from(base64, 'base64')).sure, true, language);
});

/** Words in an encoding, in hex, and whether the guess is sure. */
const short: [encoding: string, words: string, hex: string, sure: boolean][] = [
  ['windows-1251', 'Иванов', 'c8e2e0edeee2', false],
  ['windows-1251', 'Иванова', 'c8e2e0edeee2e0', false],
  ['windows-1251', 'Ивановна', 'c8e2e0edeee2ede0', true],
  ['windows-1251', 'Анна Каренина', 'c0edede020cae0f0e5ede8ede0', true],
  ['windows-1251', 'Ольга,Москва', 'ceebfce3e02ccceef1eae2e0', true],
  ['koi8-r', 'Иванов', 'e9d7c1cecfd7', false],
  ['koi8-r', 'Ивановна', 'e9d7c1cecfd7cec1', false],
  ['koi8-r', 'Анна Каренина', 'e1cecec120ebc1d2c5cec9cec1', true],
  ['koi8-r', 'Ольга,Москва', 'efccd8c7c12cedcfd3cbd7c1', true],
  ['koi8-r', 'Сергей Кузнецов', 'f3c5d2c7c5ca20ebd5dacec5c3cfd7', true],
  ['ibm866', 'Иванов', '88a2a0adaea2', false],
  ['ibm866', 'Ивановна', '88a2a0adaea2ada0', true],
  ['ibm866', 'Анна Каренина', '80adada0208aa0e0a5ada8ada0', true],
  ['ibm866', 'Ольга,Москва', '8eabeca3a02c8caee1aaa2a0', true],
  ['ibm866', 'Сергей Кузнецов', '91a5e0a3a5a9208ae3a7ada5e6aea2', true],
  ['windows-1253', 'Μαρία Παππά', 'cce1f1dfe120d0e1f0f0dc', true],
  ['windows-1253', 'Ελένη Δημητρίου', 'c5ebddede720c4e7ece7f4f1dfeff5', true],
  ['windows-1250', 'Łukasz Wiśniewski', 'a3756b61737a2057699c6e696577736b69', false],
  ['windows-1250', 'Zofia Dąbrowska, Gdańsk', '5a6f6669612044b962726f77736b612c20476461f1736b', false],
  ['windows-1250', 'Łódź', 'a3f3649f', false],
  ['windows-1252', 'Jürgen', '4afc7267656e', false],
  ['windows-1252', 'José', '4a6f73e9', false],
  ['windows-1252', 'François Lefèvre', '4672616ee76f6973204c6566e8767265', false],
  ['windows-1252', 'Søren Müller', '53f872656e204dfc6c6c6572', false],
  [
    'windows-1252',
    'Grüße aus Köln, Jürgen Größer',
    '4772fcdf6520617573204bf66c6e2c204afc7267656e204772f6df6572',
    false,
  ],
  ['windows-1252', 'Ærø', 'c672f8', false],
  ['windows-1252', 'Peña Núñez', '5065f161204efaf1657a', false],
  ['windows-1252', 'L’été à Orléans', '4c92e974e920e0204f726ce9616e73', false],
  [
    'windows-1252',
    'naïve café, déjà vu, Zoë, Noël',
    '6e61ef766520636166e92c2064e96ae02076752c205a6feb2c204e6feb6c',
    false,
  ],
  ['macintosh', 'Grüße aus Köln, Jürgen Größer', '47729fa76520617573204b9a6c6e2c204a9f7267656e2047729aa76572', false],
  ['macintosh', 'L’été à Orléans', '4cd58e748e2088204f726c8e616e73', false],
  [
    'macintosh',
    'naïve café, déjà vu, Zoë, Noël',
    '6e61957665206361668e2c20648e6a882076752c205a6f912c204e6f916c',
    false,
  ],
  ['shift_jis', '山田太郎', '8e52936391be9859', false],
  ['shift_jis', '東京', '938c8b9e', false],
  ['shift_jis', 'やまだ', '82e282dc82be', false],
  ['shift_jis', 'カタカナ', '834a835e834a8369', false],
  ['shift_jis', '鈴木あゆみ、東京', '97e996d882a082e482dd8141938c8b9e', true],
  ['shift_jis', 'ひらがなとカタカナの名前', '82d082e782aa82c882c6834a835e834a836982cc96bc914f', true],
  ['euc-jp', '山田太郎', 'bbb3c5c4c2c0cfba', false],
  ['euc-jp', 'やまだ', 'a4e4a4dea4c0', false],
  ['euc-jp', 'カタカナ', 'a5aba5bfa5aba5ca', true],
  ['euc-jp', '鈴木あゆみ、東京', 'ceebccdaa4a2a4e6a4dfa1a2c5ecb5fe', true],
  ['euc-jp', 'ひらがなとカタカナの名前', 'a4d2a4e9a4aca4caa4c8a5aba5bfa5aba5caa4ceccbec1b0', true],
  ['gb18030', '王小明', 'cdf5d0a1c3f7', false],
  ['gb18030', '张伟，上海', 'd5c5ceb0a3acc9cfbaa3', true],
  ['big5', '王小明', 'a4fda470a9fa', false],
  ['big5', '台北市', 'a578a55fa5ab', false],
  ['big5', '新北市板橋區', 'b773a55fa5abaa4fbef4b0cf', true],
  ['euc-kr', '김민수', 'b1e8b9cebcf6', false],
  ['euc-kr', '서울', 'bcadbfef', false],
  ['euc-kr', '이영희, 부산', 'c0ccbfb5c8f12c20bacebbea', false],
  ['euc-kr', '안녕하세요', 'bec8b3e7c7cfbcbcbfe4', false],
  ['big5', '張偉張偉，\x7f', 'b169b0b6b169b0b6a1417f', false],
  ['windows-1251', '«Ромашка»aКиївaЮрийaАнна\x7f', 'abd0eeece0f8eae0bb61cae8bfe261def0e8e961c0edede07f', true],
  ['shift_jis', 'やまだaｶﾅaカナa山田a山田', '82e282dc82be61b6c561834a8369618e529363618e529363', false],
  ['koi8-r', 'Петровaольга', 'f0c5d4d2cfd761cfccd8c7c1', false],
  ['euc-kr', '가\x7f', 'b0a17f', false],
  [
    'windows-1251',
    'xЩукинaЇжакa«Ромашка»aольгаaЩукин\x7f',
    '78d9f3eae8ed61afe6e0ea61abd0eeece0f8eae0bb61eeebfce3e061d9f3eae8ed7f',
    false,
  ],
  ['gb18030', '，,上海', 'a3ac2cc9cfbaa3', false],
  ['ibm866', 'АннаЁлка', '80adada0f0abaaa0', true],
  ['windows-1251', 'ЁлкаaЩукинaЁлка', 'a8ebeae061d9f3eae8ed61a8ebeae0', false],
  ['windows-1252', 'xÆrø\x7f', '78c672f87f', false],
  ['big5', '張偉龘王高雄高雄\x7f', 'b169b0b6f9d5a4fdb0aab6afb0aab6af7f', false],
  ['macintosh', 'L’étéÆrøPEÑAÆrø', '4cd58e748eae72bf50458441ae72bf', false],
  ['windows-1252', 'xGrößePEÑAÀÉÈZoë', '784772f6df655045d141c0c9c85a6feb', false],
  ['windows-1251', 'иванaЩукин', 'e8e2e0ed61d9f3eae8ed', false],
];
for (const [encoding, words, hex, sure] of short)
  test(`the encoding of a few words is guessed: ${words}, ${encoding}`, () =>
    assert.deepEqual(guessEncoding(Buffer.from(hex, 'hex')), { encoding, sure }));

test('text without letters beyond ASCII is guessed as windows-1252, unsure', () => {
  for (const text of ['', 'email,name'])
    assert.deepEqual(guessEncoding(Buffer.from(text, 'latin1')), { encoding: 'windows-1252', sure: false });
});

test('a guess takes eight letters within the first 32 KiB to be sure', () => {
  const letters = Buffer.from('c8e2e0edeee2ede0', 'hex');
  const after = (length: number) => guessEncoding(Buffer.concat([Buffer.alloc(length, ' '), letters])).sure;
  assert.deepEqual([after(32_768 - 8), after(32_768 - 7)], [true, false]);
});
