// Reads the text of XML-RPC's scalar elements. Pure; each gives the value or undefined when the text is not one.
// Promises: numbers keep their text, dates come out in one form, base64 is checked and not guessed at.
// Leaves ranges to whoever wants the value: an int of 20 digits may be a string parameter, 30 February a date one.
import { type Wire, WireNumber } from '../wire/value.ts';

/** The scalar elements by name. Apache's `ex:` types are what Java clients send with extensions on. */
export const SCALARS: ReadonlyMap<string, (text: string) => Wire | undefined> = new Map<
  string,
  (text: string) => Wire | undefined
>([
  ['string', (text) => text],
  ['int', readInt],
  ['i4', readInt],
  ['i8', readInt],
  ['ex:i1', readInt],
  ['ex:i2', readInt],
  ['ex:i8', readInt],
  ['double', readDouble],
  ['ex:float', readDouble],
  ['boolean', readBoolean],
  ['base64', readBase64],
  ['dateTime.iso8601', readDateTime],
]);

function readInt(text: string): WireNumber | undefined {
  const raw = text.trim();
  return raw.length <= 300 && /^[+-]?[0-9]+$/.test(raw) ? new WireNumber(raw, Number(raw)) : undefined;
}

function readDouble(text: string): WireNumber | undefined {
  const raw = text.trim();
  if (raw.length > 300 || !/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(raw)) return undefined;
  const value = Number(raw);
  return Number.isFinite(value) ? new WireNumber(raw, value) : undefined;
}

function readBoolean(text: string): boolean | undefined {
  const word = text.trim();
  if (word === '1' || word === 'true') return true;
  return word === '0' || word === 'false' ? false : undefined;
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
  /^([0-9]{4})(-?)([0-9]{2})\2([0-9]{2})[Tt ]([0-9]{2}):?([0-9]{2}):?([0-9]{2})(?:[.,][0-9]{1,9})? ?(Z|z|([+-][0-9]{2}):?([0-9]{2})?)?$/;

/** `20260131T09:30:00+01:00` → `2026-01-31 09:30:00 +0100`; fractions of a second are dropped. */
function readDateTime(text: string): string | undefined {
  const match = DATE_TIME.exec(text.trim());
  if (match === null) return undefined;
  const [, year, , month, day, hour, minute, second, zone, zoneHours, zoneMinutes = '00'] = match;
  const offset = zone === undefined ? '' : zoneHours === undefined ? ' +0000' : ` ${zoneHours}${zoneMinutes}`;
  return `${year}-${month}-${day} ${hour}:${minute}:${second}${offset}`;
}
