// The client's side of XML-RPC: writes calls and reads responses.
import { parseDocument, shapeless } from '../../../src/doors/xmlrpc/decode.ts';
import { encodeValue, escapeText, HEAD } from '../../../src/doors/xmlrpc/encode.ts';
import { Shape } from '../../../src/doors/xmlrpc/shape.ts';
import { readDocument } from '../../../src/doors/xmlrpc/text.ts';
import { isStruct, MAX_VALUES, type Wire, WireNumber } from '../../../src/method/wire.ts';

export type Answer = { value: Wire } | { fault: { code: number; message: string } };

export function encodeCall(method: string, params: readonly unknown[]): string {
  const list = params.map((param) => `<param>${encodeValue(param)}</param>`).join('');
  return `${HEAD}<methodCall><methodName>${escapeText(method)}</methodName><params>${list}</params></methodCall>\n`;
}

/** Reads a `<methodResponse>`; ten times as many values are allowed as in a call. Throws WireFault. */
export function decodeResponse(body: Uint8Array, contentType?: string): Answer {
  const root = parseDocument(readDocument(body, contentType), new Shape('methodResponse', 10 * MAX_VALUES));
  if (root.fault !== undefined) return { fault: readFault(root.fault) };
  if (root.params?.length !== 1) throw shapeless('<methodResponse> holds neither a <fault> nor exactly one <param>');
  return { value: root.params[0]! };
}

function readFault(fault: Wire): { code: number; message: string } {
  const { faultCode, faultString } = isStruct(fault) ? fault : {};
  if (!(faultCode instanceof WireNumber) || typeof faultString !== 'string') {
    throw shapeless('<fault> contains no struct of faultCode and faultString');
  }
  return { code: faultCode.value, message: faultString };
}
