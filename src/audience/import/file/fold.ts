// One form for the words of files, in whatever spelling: headings and words of status are compared in it. Pure.

/** Letters that have no accent to take away. */
const letters: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ı: 'i', ß: 'ss', æ: 'ae', œ: 'oe' };

/** Lower case, without accents, apostrophes and signs that cannot be seen; wide and composed letters are the usual ones. */
export const foldText = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[łøđıßæœ]/g, (letter) => letters[letter]!)
    .replace(/['’‘ʼ`´]/g, '')
    .normalize('NFC');
