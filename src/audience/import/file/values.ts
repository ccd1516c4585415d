// Values as people write them, in the form in which they are stored: numbers with separators and currencies, websites without a
// scheme. Pure.

/** What the values of a column show about the sign before their decimals, taken one after the other. */
export class DecimalLook {
  #comma = false;
  #point = false;

  add(cell: string): void {
    const body = bodyOf(cell);
    if (/,\d{3}\.\d+$|^\d+\.(\d{1,2}|\d{4,})$/.test(body)) this.#point = true;
    if (/\.\d{3},\d+$|^\d+,(\d{1,2}|\d{4,})$/.test(body)) this.#comma = true;
  }

  get hasCommas(): boolean {
    return this.#comma && !this.#point;
  }
}

/**
 * A number as a field stores it; the text itself when it is none.
 * @param hasCommas the column writes decimals after a comma, so that a dot is of thousands
 */
export function numberOf(text: string, hasCommas = false): string {
  if (/^[+-]?\d+(\.\d+)?$/.test(text) && !(hasCommas && /^[+-]?\d{1,3}\.\d{3}$/.test(text))) return text;
  const body = bodyOf(text);
  const found = signs(hasCommas).find(([group, decimal]) => {
    const grouped = `\\d{1,3}(?:[${group}]\\d{3})+`;
    return new RegExp(`^(?:${grouped}|\\d+)(?:[${decimal}]\\d+)?$`).test(body);
  });
  if (!found) return text;
  const [group, decimal] = found;
  const plain = body.replace(new RegExp(`[${group}]`, 'g'), '').replace(new RegExp(`[${decimal}]`), '.');
  const short = plain.includes('.') ? plain.replace(/\.?0+$/, '') : plain;
  return /^[-−]/.test(text.replace(currencies, '').trim()) ? `-${short}` : short;
}

/** Pairs of the sign between thousands and that before decimals, the likeliest first. */
const signs = (hasCommas: boolean) =>
  hasCommas
    ? ([
        [".'’ ", ','],
        [",'’ ", '.'],
      ] as const)
    : ([
        [",'’ ", '.'],
        [".'’ ", ','],
      ] as const);

const currencies =
  /[€$£¥₽₴₺₹%]|\b(EUR|USD|GBP|CHF|DKK|NOK|SEK|PLN|JPY|CNY|RUB|CAD|AUD|NZD)\b|(?<![\p{L}])(kr\.?|zł)(?![\p{L}])/gu;

/** The digits and separators of a number, without currency and sign. */
const bodyOf = (text: string) =>
  text
    .replace(currencies, '')
    .replace(/[\u00a0\u202f\u2009]/g, ' ')
    .trim()
    .replace(/^[+−-]\s*/, '');

/** A web address with its scheme; the text itself when it is none. */
export function websiteOf(text: string): string {
  if (/^https?:\/\//i.test(text)) return text;
  const address = text.replace(/^\/\//, '');
  return /^([\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+(\p{L}{2,}|xn--[a-z0-9-]+)(:\d{1,5})?([/?#][^\s<>"]*)?$/iu.test(
    address,
  )
    ? `http://${address}`
    : text;
}
