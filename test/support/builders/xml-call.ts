// Documents for the tests of the XML-RPC codec: a call around a value, the result of decoding, and the fault of a
// refusal. `faultOf` fails the test when nothing is thrown, or anything but a WireFault.
import assert from 'node:assert/strict';
import { decodeCall } from '../../../src/doors/xmlrpc/decode.ts';
import { isStruct, type Wire, WireFault, WireNumber } from '../../../src/method/wire.ts';

/** A call of `m` with one parameter, given as XML from `<value>` on. */
export function callWith(value: string, declaration = '<?xml version="1.0"?>'): string {
  return `${declaration}<methodCall><methodName>m</methodName><params><param>${value}</param></params></methodCall>`;
}

/** The one parameter of such a call. */
export function paramOf(document: string | Uint8Array, contentType?: string): Wire {
  const { method, params } = decodeCall(bytesOf(document), contentType);
  assert.equal(method, 'm');
  assert.equal(params.length, 1);
  return params[0]!;
}

/** The fault that decoding the document ends in. */
export function faultOf(document: string | Uint8Array, contentType?: string): WireFault {
  return refusalOf(() => decodeCall(bytesOf(document), contentType));
}

/** The WireFault that the function throws. */
export function refusalOf(decode: () => unknown): WireFault {
  let given: unknown;
  try {
    given = decode();
  } catch (error) {
    if (error instanceof WireFault) return error;
    throw error;
  }
  return assert.fail(`no fault, but ${JSON.stringify(given)?.slice(0, 200)}`);
}

/** The value with JSON's types: numbers for numbers, base64 text for bytes, ordinary objects for structs. */
export function plainOf(value: Wire): unknown {
  if (value instanceof WireNumber) return value.value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(plainOf);
  if (isStruct(value)) return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plainOf(item)]));
  return value;
}

export function bytesOf(document: string | Uint8Array): Uint8Array {
  return typeof document === 'string' ? Buffer.from(document) : document;
}

/** Milliseconds of CPU that the work took: other programs on the machine do not count. */
export function cpuMsOf(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
