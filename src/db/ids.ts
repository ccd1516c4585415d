// Public ids: 8 lower-case hexadecimal digits, the first one of a b c d f, so that no client takes an id for a number.
// The database stores the same id as an int (0 … 5·16^7−1); no look-up is needed to convert it.
// New ids come from the SQL function public_id(nextval(…)), which spreads a sequence over the whole range in blocks.

const firstDigits = 'abcdf';
const digitSpan = 16 ** 7;

/** No stored id is higher; numbers above it mark what is none, such as the recipient of a single message in delivery. */
export const maxId = firstDigits.length * digitSpan - 1;

/** The public form of a stored id. */
export function formatId(id: number): string {
  return firstDigits[Math.floor(id / digitSpan)]! + (id % digitSpan).toString(16).padStart(7, '0');
}

/** The stored form of a public id; −1, which no row has, for any other text. */
export function parseId(text: string): number {
  if (!/^[abcdf][0-9a-f]{7}$/.test(text)) return -1;
  return firstDigits.indexOf(text[0]!) * digitSpan + Number.parseInt(text.slice(1), 16);
}
