// Writes XML-RPC results and faults as text, by concatenation. Uses only what every client can read: UTF-8, and string,
// int, double, boolean, base64, array and struct; no nil, i8, dateTime or CDATA. What XML cannot contain (control
// characters, lone surrogates) is dropped. A NaN, a function or a symbol in a result is a bug and throws TypeError.

export const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** The answer to a call. Null and undefined are empty strings; undefined members are left out. */
export function encodeResponse(value: unknown): string {
  return `${HEAD}<methodResponse><params><param>${encodeValue(value)}</param></params></methodResponse>\n`;
}

/** A fault answer. Clients take codes 0, -98 and -99 for "no fault" or for their own, so those become -32603. */
export function encodeFault(code: number, message: string): string {
  const faultCode = Number.isInteger(code) && (code | 0) === code && ![0, -98, -99].includes(code) ? code : -32603;
  const fault = encodeValue({ faultCode, faultString: message });
  return `${HEAD}<methodResponse><fault>${fault}</fault></methodResponse>\n`;
}

export function encodeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return encodeString(value);
    case 'number':
      return encodeNumber(value);
    case 'boolean':
      return value ? '<value><boolean>1</boolean></value>' : '<value><boolean>0</boolean></value>';
    case 'bigint':
      return BigInt.asIntN(32, value) === value ? `<value><int>${value}</int></value>` : encodeString(String(value));
    case 'undefined':
      return encodeString('');
    case 'object':
      return value === null ? encodeString('') : encodeObject(value);
    default:
      throw new TypeError(`XML-RPC has no ${typeof value}`);
  }
}

function encodeString(text: string): string {
  return `<value><string>${escapeText(text)}</string></value>`;
}

function encodeNumber(number: number): string {
  if (!Number.isFinite(number)) throw new TypeError(`XML-RPC has no ${number}`);
  if ((number | 0) === number) return `<value><int>${number | 0}</int></value>`;
  // Clients read <int> into 32 bits, and not all know <i8>.
  if (Number.isInteger(number)) return encodeString(String(BigInt(number)));
  return `<value><double>${decimal(number)}</double></value>`;
}

/** XML-RPC knows no exponents: 5e-7 is written 0.0000005. Numbers of 1e21 and more are integers and never come here. */
function decimal(number: number): string {
  const text = String(number);
  const [mantissa, exponent] = text.split('e') as [string, string | undefined];
  if (exponent === undefined) return text;
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace('-', '').replace('.', '');
  return `${sign}0.${'0'.repeat(-Number(exponent) - 1)}${digits}`;
}

function encodeObject(value: object): string {
  if (Array.isArray(value)) {
    let items = '';
    for (const item of value) items += encodeValue(item);
    return `<value><array><data>${items}</data></array></value>`;
  }
  if (value instanceof Uint8Array) {
    const base64 = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
    return `<value><base64>${base64}</base64></value>`;
  }
  if (value instanceof Date) return encodeString(value.toISOString().slice(0, 19).replace('T', ' '));
  let members = '';
  for (const name of Object.keys(value)) {
    const member = (value as { [name: string]: unknown })[name];
    if (member !== undefined) members += `<member><name>${escapeText(name)}</name>${encodeValue(member)}</member>`;
  }
  return `<value><struct>${members}</struct></value>`;
}

/** What needs care in text: markup, CR (a parser would make it LF), and what XML 1.0 section 2.2 does not allow. */
const SPECIAL = /[&<>\r\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]/;
const ALL_SPECIAL = new RegExp(SPECIAL.source, 'g');
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const ESCAPES: { [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

export function escapeText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.replace(LONE_SURROGATE, '');
  return SPECIAL.test(wellFormed) ? wellFormed.replace(ALL_SPECIAL, (char) => ESCAPES[char] ?? '') : wellFormed;
}
