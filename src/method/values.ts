// What a door has read from the wire before any parameter is checked: one shape of value for XML-RPC, form and JSON.
// Promises: structs have no prototype, so a member called `__proto__` or `constructor` is a member like any other;
// a member given as nil is absent, a nil item of an array is the empty string, so no reader ever meets null.
// Leaves to the parameter schemas what a value means; they coerce with the element's own text where there is one.

/** A decoded value. Plain `number` comes from JSON only; XML-RPC numbers keep their text; forms give strings. */
export type Wire = string | boolean | number | WireNumber | Uint8Array | Wire[] | WireStruct;

/** Named members, without prototype. */
export type WireStruct = { [name: string]: Wire };

/** No value may be nested deeper in arrays and structs than this. */
export const MAX_DEPTH = 32;

/** No call may hold more values than this, arrays and structs counted too. */
export const MAX_VALUES = 200_000;

/** No body may be longer than this many bytes; the HTTP doors stop reading there. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

/**
 * A number as it was written. Clients that guess types send the list id "0012" as `<int>0012</int>`: where a string is
 * wanted, `raw` is that string. `value` is finite, but may have lost digits: an int of any length is let through.
 */
export class WireNumber {
  readonly raw: string;
  readonly value: number;

  constructor(raw: string, value: number) {
    this.raw = raw;
    this.value = value;
  }

  /** As JSON a number where that loses nothing, otherwise its text. */
  toJSON(): number | string {
    return Number.isInteger(this.value) && !Number.isSafeInteger(this.value) ? this.raw : this.value;
  }
}

/** A body that cannot be read: -32700 when it is not well-formed, -32600 when it is but not in the form of a call. */
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

/** True for a struct, whichever door it came through. */
export function isStruct(value: Wire | undefined): value is WireStruct {
  return (
    typeof value === 'object' &&
    !Array.isArray(value) &&
    !(value instanceof WireNumber) &&
    !(value instanceof Uint8Array)
  );
}

/** A piece of foreign text for a fault message: quoted, control characters escaped, cut at 40 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
