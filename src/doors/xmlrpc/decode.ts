// Reads XML-RPC calls and answers. The parser (saxes) checks that the XML is well-formed, shape.ts that it is XML-RPC.
// Promises: a value or a WireFault that names what and where, never another exception;
// time and memory bounded by the size of the body. Untyped values are strings; members given as nil are absent.
// Leaves encodings to text.ts, and what a method makes of its parameters to the method.
import { SaxesParser } from 'saxes';
import { isStruct, MAX_VALUES, quoted, type Wire, WireFault, WireNumber } from '../../method/wire.ts';
import { type Root, Shape } from './shape.ts';
import { readDocument } from './text.ts';

export interface Call {
  method: string;
  params: Wire[];
}

export type Answer = { value: Wire } | { fault: { code: number; message: string } };

/** Reads a `<methodCall>`. `contentType` is the HTTP header, for its charset. Throws WireFault. */
export function decodeCall(body: Uint8Array, contentType?: string): Call {
  const { methodName, params = [] } = parse(readDocument(body, contentType), new Shape('methodCall', MAX_VALUES));
  if (methodName === undefined) throw shapeless('<methodCall> holds no <methodName>');
  const method = methodName.trim();
  if (!/^[^\s\p{Cc}]{1,255}$/u.test(method)) throw shapeless(`${quoted(methodName)} is not a method name`);
  return { method, params };
}

/** Reads a `<methodResponse>`, as clients do; ten times as many values are allowed as in a call. Throws WireFault. */
export function decodeResponse(body: Uint8Array, contentType?: string): Answer {
  const root = parse(readDocument(body, contentType), new Shape('methodResponse', 10 * MAX_VALUES));
  if (root.fault !== undefined) return { fault: readFault(root.fault) };
  if (root.params?.length !== 1) throw shapeless('<methodResponse> holds neither a <fault> nor exactly one <param>');
  return { value: root.params[0]! };
}

function readFault(fault: Wire): { code: number; message: string } {
  const { faultCode, faultString } = isStruct(fault) ? fault : {};
  if (!(faultCode instanceof WireNumber) || typeof faultString !== 'string') {
    throw shapeless('<fault> holds no struct of faultCode and faultString');
  }
  return { code: faultCode.value, message: faultString };
}

/** No element of XML-RPC has attributes; namespace declarations and the like are let through, in small number. */
const MAX_ATTRIBUTES = 32;

/**
 * Feeds the document to the parser and the parser's events to the shape. Seven handlers are the most: with the eighth
 * V8 turns the parser into a dictionary, and an answer of 1.3 MB takes 82 ms instead of 15.
 */
function parse(text: string, shape: Shape): Root {
  const parser = new SaxesParser({ defaultXMLVersion: '1.0', forceXMLVersion: true });
  let attributes = 0;
  parser.on('error', (error) => {
    const where = error.message.slice(0, 200).replace(/^(\d+):(\d+)/, 'line $1, column $2');
    throw new WireFault(-32700, `not well-formed XML: ${where}`);
  });
  parser.on('doctype', () => {
    throw shapeless('a DOCTYPE is not accepted');
  });
  parser.on('attribute', () => {
    if (++attributes > MAX_ATTRIBUTES) throw shapeless(`an element has more than ${MAX_ATTRIBUTES} attributes`);
  });
  parser.on('opentag', ({ name }) => {
    attributes = 0;
    shape.open(name, parser.line);
  });
  parser.on('text', (piece) => shape.text(piece, parser.line));
  parser.on('cdata', (piece) => shape.text(piece, parser.line));
  parser.on('closetag', () => shape.close(parser.line));
  parser.write(text).close();
  return shape.root();
}

function shapeless(why: string): WireFault {
  return new WireFault(-32600, `not XML-RPC: ${why}`);
}
