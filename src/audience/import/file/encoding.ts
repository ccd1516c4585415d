// Guesses the encoding of text that is neither UTF-8 nor UTF-16. Decodes it in each encoding that contact files have and
// takes the one whose letters are the most likely: frequent ones, in words of one script, capitals only at the beginning.
// A short text or two likely encodings make the guess unsure; the caller then asks.

export type EncodingGuess = { encoding: string; sure: boolean };

/** How much is examined, in bytes. */
const maxBytes = 32 * 1024;
/** Below this many bytes beyond ASCII no guess is sure. */
const minForeignBytes = 8;

/** The encoding of bytes that are not UTF-8. */
export function guessEncoding(bytes: Uint8Array): EncodingGuess {
  const sample = bytes.subarray(0, maxBytes);
  const foreign = sample.reduce((count, byte) => count + (byte > 0x7f ? 1 : 0), 0);
  const scores = encodings
    .map((encoding) => ({ encoding, score: likelihood(sample, encoding) / foreign }))
    .sort((a, b) => b.score - a.score);
  const [best, next] = scores;
  const sure = foreign >= minForeignBytes && best!.score > 0.5 && best!.score - next!.score > 0.2;
  return { encoding: best!.score > 0 ? best!.encoding : 'windows-1252', sure };
}

// The first of several that are equally likely is taken: Hangul alone also looks like frequent characters of Japanese and
// Chinese.
const singleByte = ['windows-1252', 'windows-1250', 'macintosh', 'windows-1251', 'koi8-r', 'ibm866', 'windows-1253'];
const severalBytes = ['shift_jis', 'euc-kr', 'euc-jp', 'gb18030', 'big5'];
const encodings = [...singleByte, ...severalBytes];

/** The more, the likelier; about 1 for each byte beyond ASCII of a text that is in this encoding. */
function likelihood(bytes: Uint8Array, encoding: string): number {
  let text: string;
  try {
    // The sample may end within a character, which `stream` leaves out.
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return Number.NEGATIVE_INFINITY;
  }
  return severalBytes.includes(encoding) ? likelihoodOfPairs(bytes, encoding, text) : likelihoodOfLetters(text);
}

const frequent = new Set(
  'àáâãäåæçèéêëíîïñòóôõöøùúûüýßœąćęłńśźżčďěňřšťůžőűășțţģķļņūāēīєіїґоеаинтсрвлкмдпуяыьгзбчйхжшюцщэфёαοιετσνηυρπκμλίάόέήςώύ',
);

function likelihoodOfLetters(text: string): number {
  let score = 0;
  for (let at = 0; at < text.length; at++)
    if (text[at]! > '\x7f') score += likelihoodOfLetter(text[at]!, text[at - 1] ?? '', text[at + 1] ?? '');
  return score;
}

function likelihoodOfLetter(sign: string, before: string, after: string): number {
  if (!isLetter(sign)) {
    // Signs between letters are hardly ever meant; quotes and dashes are at the edge of words.
    if (/[\u0080-\u009f\u2500-\u259f]/.test(sign)) return -2;
    return isLetter(before) && isLetter(after) ? (/[\u2019\u2013\u00ad]/.test(sign) ? 0.3 : -1) : 0.3;
  }
  const lower = sign.toLowerCase();
  // A capital within a word, and two scripts in one.
  if (sign !== lower && before !== '' && before !== before.toUpperCase()) return -1.5;
  if (isLetter(before) && scriptOf(before) !== scriptOf(sign)) return -1.5;
  // Latin words have few accented letters, and hardly ever three in a row.
  if (scriptOf(sign) === 'latin' && before > '\x7f' && after > '\x7f' && isLetter(before) && isLetter(after)) return -1;
  return frequent.has(lower) ? 1 : 0.2;
}

const isLetter = (sign: string) => sign !== '' && sign.toLowerCase() !== sign.toUpperCase();
const scriptOf = (sign: string) =>
  sign >= '\u0400' && sign <= '\u04ff' ? 'cyrillic' : isGreek(sign) ? 'greek' : 'latin';
const isGreek = (sign: string) => sign >= '\u0370' && sign <= '\u03ff';

/** East Asian texts: kana, Hangul and the first half of each standard, which has the frequent characters. */
function likelihoodOfPairs(bytes: Uint8Array, encoding: string, text: string): number {
  let kana = 0;
  let characters = 0;
  for (const sign of text) {
    if (sign <= '\x7f') continue;
    characters++;
    if (/[\u3040-\u30ff]/.test(sign)) kana++;
    // Half-width kana, private and rare characters are how other encodings look.
    else if (!/[\u3000-\u303f\u4e00-\u9fff\uac00-\ud7af\uff01-\uff5e]/.test(sign)) characters += 3;
  }
  if (characters === 0) return 0;
  const foreign = bytes.reduce((count, byte) => count + (byte > 0x7f ? 1 : 0), 0);
  const common = shareOfCommonPairs(bytes, encoding);
  const kanaShare = kana / characters;
  const isJapanese = encoding === 'shift_jis' || encoding === 'euc-jp';
  const kanaScore = isJapanese ? Math.min(kanaShare, 0.5) : -kanaShare;
  // Bytes of another encoding make a fifth of the pairs common by chance.
  const share = Math.max(0, common - 0.2) / 0.8;
  return foreign * (share * 1.2 + kanaScore - (characters > foreign ? 1 : 0));
}

/** Of the characters of two bytes, those that the standard has in its first level. */
function shareOfCommonPairs(bytes: Uint8Array, encoding: string): number {
  const [from, to] = firstLevel[encoding]!;
  let pairs = 0;
  let common = 0;
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at]!;
    if (lead < 0x80) continue;
    pairs++;
    if ((lead >= from && lead <= to) || kanaLeads[encoding]?.includes(lead)) common++;
    at++;
  }
  return pairs === 0 ? 0 : common / pairs;
}

const firstLevel: Record<string, [from: number, to: number]> = {
  shift_jis: [0x88, 0x97],
  'euc-jp': [0xb0, 0xcf],
  gb18030: [0xb0, 0xd7],
  'euc-kr': [0xb0, 0xc8],
  big5: [0xa4, 0xc6],
};
const kanaLeads: Record<string, number[]> = { shift_jis: [0x82, 0x83], 'euc-jp': [0xa4, 0xa5] };
