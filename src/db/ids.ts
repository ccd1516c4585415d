// Public ids: strings of 8 lower-case hexadecimal digits whose first is one of a b c d f, so that no client takes one
// for a number. In the database each is an int (0 … 5·16^7−1); the mapping is one to one, so no look-up is needed.
// New ones come from the SQL function public_id(nextval(…)), which spreads a sequence over the whole range.

const firstDigits = 'abcdf';
const digitSpan = 16 ** 7;

/** How many public ids there are. */
export const idSpan = firstDigits.length * digitSpan;

/** The public spelling of a stored id. */
export function formatId(id: number): string {
  return firstDigits[Math.floor(id / digitSpan)]! + (id % digitSpan).toString(16).padStart(7, '0');
}

/** The stored id of a public spelling; −1, which no row has, for anything that is not one. */
export function parseId(text: string): number {
  if (!/^[abcdf][0-9a-f]{7}$/.test(text)) return -1;
  return firstDigits.indexOf(text[0]!) * digitSpan + Number.parseInt(text.slice(1), 16);
}
