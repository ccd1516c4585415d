// One form for the words of files, in whatever spelling: headings and words of status are compared in it. Pure.

/** Letters that have no accent to take away. */
const letters: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ı: 'i', ß: 'ss', æ: 'ae', œ: 'oe' };

/** Lower case, without accents, apostrophes and signs that cannot be seen; wide and composed letters are the usual ones. */
export function foldText(text: string): string {
  // The most cells by far, in a tenth of the time.
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase().replace(/['`]/g, '');
  return text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[łøđıßæœ]/g, (letter) => letters[letter]!)
    .replace(/['’‘ʼ`´]/g, '')
    .normalize('NFC');
}
