// What a door has read from the wire before any parameter is checked: one type of value for XML-RPC, form and JSON.
// Structs have no prototype, so a member named `__proto__` or `constructor` is like any other. A nil member is absent and
// a nil item of an array is the empty string, so there is never a null. What a value means is left to the schemas.

/** A decoded value. A plain `number` comes from JSON only; XML-RPC numbers keep their text; forms contain strings. */
export type Wire = string | boolean | number | WireNumber | Uint8Array | Wire[] | WireStruct;

/**
 * In place of what is no text: a byte that the encoding of the call does not have, or a character that XML forbids. Only its value
 * is refused, by name (clean-input.ts). A noncharacter of Unicode, which no text contains.
 */
export const UNREADABLE = '\uFDD0';

/** Named members, without a prototype. */
export type WireStruct = { [name: string]: Wire };

/** Maximum nesting of arrays and structs. */
export const MAX_DEPTH = 32;

/** Maximum number of values in a call, arrays and structs included. */
export const MAX_VALUES = 200_000;

/** Maximum length of a body; the HTTP doors stop reading there. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

/**
 * A number with its original text. Clients that guess types send the list id "0012" as `<int>0012</int>`: where a string
 * is expected, `raw` is that string. `value` is finite but may have lost digits, since an int may have any length.
 */
export class WireNumber {
  readonly raw: string;
  readonly value: number;

  constructor(raw: string, value: number) {
    this.raw = raw;
    this.value = value;
  }

  /** A JSON number if that loses no digits, otherwise its text. */
  toJSON(): number | string {
    return Number.isInteger(this.value) && !Number.isSafeInteger(this.value) ? this.raw : this.value;
  }
}

/** An unreadable body: -32700 if it is not well-formed, -32600 if it is well-formed but not a call. */
export class WireFault extends Error {
  readonly code: -32700 | -32600;

  constructor(code: -32700 | -32600, message: string) {
    super(message);
    this.name = 'WireFault';
    this.code = code;
  }
}

/** An empty struct, safe for any member name. */
export function newStruct(): WireStruct {
  return Object.create(null) as WireStruct;
}

export function isStruct(value: Wire | undefined): value is WireStruct {
  return (
    typeof value === 'object' &&
    !Array.isArray(value) &&
    !(value instanceof WireNumber) &&
    !(value instanceof Uint8Array)
  );
}

/** Whether a value of any origin is a struct. Uint8Array and WireNumber are not. */
export function isPlainStruct(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Foreign text for a fault message: quoted, control characters escaped, cut at 40 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
