// Reads the text of XML-RPC's scalar elements. Pure: each reader returns the value, or undefined for an invalid text.
// Numbers keep their text, dates are converted to one form, base64 is checked strictly. Ranges are left to the schemas: an
// int of 20 digits may be a string parameter, 30 February a date parameter.
import { type Wire, WireNumber } from '../../method/wire.ts';

/** How the text of an element is read, and what it must be. */
export interface Scalar {
  expected: string;
  read(text: string): Wire | undefined;
}

const TEXT: Scalar = { expected: 'text', read: (text) => text };
const INT: Scalar = { expected: 'a whole number', read: readInt };
const DOUBLE: Scalar = { expected: 'a finite decimal number', read: readDouble };
const DATE: Scalar = { expected: 'a date and time such as 20260131T09:30:00', read: readDateTime };

/** The scalar elements by name. Apache's `ex:` types are what Java clients send with extensions on. */
export const SCALARS: { readonly [tag: string]: Scalar } = {
  string: TEXT,
  int: INT,
  i4: INT,
  i8: INT,
  'ex:i1': INT,
  'ex:i2': INT,
  'ex:i8': INT,
  double: DOUBLE,
  'ex:float': DOUBLE,
  boolean: { expected: '0 or 1', read: readBoolean },
  base64: { expected: 'padded base64', read: readBase64 },
  'dateTime.iso8601': DATE,
  'ex:dateTime': DATE,
  'ex:biginteger': INT,
  'ex:bigdecimal': DOUBLE,
};

// White space around the text is XML's, and only that: a no-break space is no part of a number. An int of 300 digits is
// finite still and longer than any id; the longest double that programs write is 5e-324 without an exponent.
const INT_TEXT = /^[\t\n\r ]*([+-]?[0-9]{1,300})[\t\n\r ]*$/;
const DOUBLE_TEXT =
  /^[\t\n\r ]*([+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,5})?)[\t\n\r ]*$/;
const BOOLEAN_TEXT = /^[\t\n\r ]*(?:(1|true)|0|false)[\t\n\r ]*$/;

function readInt(text: string): WireNumber | undefined {
  const raw = INT_TEXT.exec(text)?.[1];
  return raw === undefined ? undefined : new WireNumber(raw, Number(raw));
}

function readDouble(text: string): WireNumber | undefined {
  const raw = DOUBLE_TEXT.exec(text)?.[1];
  const value = Number(raw);
  if (raw === undefined || !Number.isFinite(value)) return undefined;
  // An id that a client made a double of, which PHP writes as 123.000000 and Java as 1.2345678E7, is the text of its digits.
  return new WireNumber(Number.isSafeInteger(value) ? String(value) : raw, value);
}

function readBoolean(text: string): boolean | undefined {
  const match = BOOLEAN_TEXT.exec(text);
  return match === null ? undefined : match[1] !== undefined;
}

/** White space anywhere is fine (lines of 76), anything else that is not base64 is not, and neither is missing padding. */
function readBase64(text: string): Uint8Array | undefined {
  const digits = /[\t\n\r ]/.test(text) ? text.replace(/[\t\n\r ]+/g, '') : text;
  if (digits.length % 4 !== 0) return undefined;
  const padding = digits.endsWith('==') ? 2 : digits.endsWith('=') ? 1 : 0;
  if (/[^A-Za-z0-9+/]/.test(padding === 0 ? digits : digits.slice(0, -padding))) return undefined;
  return Buffer.from(digits, 'base64');
}

const DATE_TIME =
  /^[\t\n\r ]*(-0001|[0-9]{4})(-?)([0-9]{2})\2([0-9]{2})[Tt ]([0-9]{2}):?([0-9]{2}):?([0-9]{2})(?:[.,][0-9]{1,9})? ?(?:([Zz])|([+-][0-9]{2}):?([0-9]{2})?)?[\t\n\r ]*$/;

/** `20260131T09:30:00+01:00` → `2026-01-31 09:30:00 +0100`; fractions of a second are dropped. The year -0001 is PHP's of a date of zeros. */
function readDateTime(text: string): string | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [, year, , month, day, hour, minute, second, utc, hours = '+00', minutes = '00'] = match;
  const zone = utc === undefined && match[9] === undefined ? '' : ` ${hours}${minutes}`;
  return `${year}-${month}-${day} ${hour}:${minute}:${second}${zone}`;
}
