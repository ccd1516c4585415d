// Reads XML-RPC calls. The parser (saxes) checks that the XML is well-formed, shape.ts that it is XML-RPC.
// Returns a value or throws a WireFault that names the place and the reason, never another exception; time and memory are
// bounded by the size of the body. Untyped values are strings; nil members are absent. Encodings are left to text.ts.
import { SaxesParser } from 'saxes';
import { MAX_VALUES, quoted, type Wire, WireFault } from '../../method/wire.ts';
import { type Root, Shape } from './shape.ts';
import { readDocument } from './text.ts';

export interface Call {
  method: string;
  params: Wire[];
}

/**
 * Reads a `<methodCall>`. `contentType` is the HTTP header, for its charset. Throws WireFault.
 * @param marks whether what is no text is marked instead of refused
 */
export function decodeCall(body: Uint8Array, contentType?: string, marks = false): Call {
  const { methodName, params = [] } = parseDocument(
    readDocument(body, contentType, marks),
    new Shape('methodCall', MAX_VALUES),
  );
  if (methodName === undefined) throw shapeless('<methodCall> contains no <methodName>');
  const method = methodName.trim();
  if (!/^[^\s\p{Cc}]{1,255}$/u.test(method)) throw shapeless(`${quoted(methodName)} is not a method name`);
  return { method, params };
}

/** No element of XML-RPC has attributes; namespace declarations and the like are let through, in small number. */
const MAX_ATTRIBUTES = 32;

/**
 * Feeds the document to the parser and the parser's events to the shape. Seven handlers are the most: with the eighth
 * V8 turns the parser into a dictionary, and an answer of 1.3 MB takes 82 ms instead of 15.
 */
export function parseDocument(text: string, shape: Shape): Root {
  const parser = new SaxesParser({ defaultXMLVersion: '1.0', forceXMLVersion: true });
  let attributes = 0;
  parser.on('error', () => {
    throw new WireFault(-32700, `not well-formed XML at line ${parser.line}, column ${parser.column}`);
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

export function shapeless(why: string): WireFault {
  return new WireFault(-32600, `not XML-RPC: ${why}`);
}
