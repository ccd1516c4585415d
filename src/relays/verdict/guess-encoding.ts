// Decodes a short text that does not name its encoding, such as the reply of an SMTP server: UTF-8 where it is valid, else a
// guess from the bytes. A wrong guess shows wrong letters, so only texts for people are read this way.

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
const utf8 = new TextDecoder('utf-8');

/** @param bytes one character per octet */
export function decodeGuessed(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  const buffer = Buffer.from(bytes, 'latin1');
  try {
    return strictUtf8.decode(buffer);
  } catch {
    const text = utf8.decode(buffer);
    const broken = text.split('\ufffd').length - 1;
    const whole = text.match(/[\u0080-\ufffc\u{10000}-\u{10ffff}]/gu)?.length ?? 0;
    // A text that was cut within a character.
    if (whole > broken * 2) return text;
    return new TextDecoder(encodingOf(bytes)).decode(buffer);
  }
}

function encodingOf(bytes: string): string {
  const runs = bytes.match(/[\x80-\xff]+/g)!;
  const high = runs.join('');
  // Letters with accents are alone between plain ones; in other scripts they follow each other.
  if (high.length / runs.length < 1.6) return isDoubleByte(bytes) ?? 'windows-1252';
  return isDoubleByte(bytes) ?? cyrillic(high);
}

/** Scripts with two octets a character: the first one says which, where all of them fit. */
function isDoubleByte(bytes: string): string | undefined {
  const share = (pattern: RegExp, of: readonly string[]) => of.filter((pair) => pattern.test(pair)).length / of.length;
  const pairs = bytes.match(/[\x81-\xfe][\x40-\x7e\x80-\xfe]/g) ?? [];
  const singles = bytes.replace(/[\x81-\xfe][\x40-\x7e\x80-\xfe]/g, '').match(/[\x80-\xff]/g)?.length ?? 0;
  if (pairs.length < 2) return undefined;
  // Hiragana and katakana are in most Japanese sentences.
  if (share(/^[\x82\x83]/, pairs) > 0.2 && decodes('shift_jis', bytes)) return 'shift_jis';
  if (singles > 0) return undefined;
  if (share(/^[\xa4\xa5][\xa1-\xfe]/, pairs) > 0.3 && decodes('euc-jp', bytes)) return 'euc-jp';
  // Small Russian letters in KOI8-R have octets that are characters of GBK and EUC-KR, too; no text has only these.
  if (pairs.length > 3 && share(/^[\xc0-\xdf]{2}/, pairs) > 0.9) return undefined;
  const isPlain = share(/[\xa1-\xfe]$/, pairs) === 1;
  if (isPlain && pairs.length > 5 && share(/^[\xb0-\xc8]/, pairs) > 0.95 && decodes('euc-kr', bytes)) return 'euc-kr';
  if (isPlain && share(/^[\xa1-\xa3\xb0-\xd7]/, pairs) >= 0.6 && decodes('gb18030', bytes)) return 'gb18030';
  // Big5 uses plain letters as second octets, most often of the frequent characters that begin with A4 to C6.
  if (!isPlain && share(/^[\xa1-\xa4\xa5-\xc6]/, pairs) >= 0.7 && decodes('big5', bytes)) return 'big5';
  const isWide = share(/^[\x81-\xfe][\x80-\xfe]/, pairs) > 0.7;
  return isWide && share(/^[\xa1-\xa3\xb0-\xd7]/, pairs) >= 0.6 && decodes('gb18030', bytes) ? 'gb18030' : undefined;
}

/** Small letters are more frequent than capitals: each alphabet has its own at other octets. */
function cyrillic(high: string): string {
  const small1251 = high.match(/[\xe0-\xff]/g)?.length ?? 0;
  const smallKoi8 = high.match(/[\xc0-\xdf]/g)?.length ?? 0;
  if (small1251 + smallKoi8 < high.length * 0.7) return 'windows-1252';
  return smallKoi8 > small1251 ? 'koi8-r' : 'windows-1251';
}

function decodes(encoding: string, bytes: string): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(Buffer.from(bytes, 'latin1'));
    return true;
  } catch {
    return false;
  }
}
