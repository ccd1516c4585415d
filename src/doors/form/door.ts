// The form door: `?output=json|php|xml&method=NAME` with a urlencoded body, as the public client libraries send it.
// Always HTTP 200; a fault is exactly {"error": text, "code": number}, or an XML-RPC fault.
import type { App } from '../../base/context.ts';
import { type Fault, fault } from '../../base/faults.ts';
import { call } from '../call.ts';
import { faultOf } from '../fault.ts';
import { encodeFault, encodeResponse } from '../xmlrpc/encode.ts';
import { charsetOf, encodingOf } from '../xmlrpc/encodings.ts';
import { decodeForm } from './decode.ts';
import { phpSerialize } from './php.ts';

const outputs = {
  json: {
    type: 'application/json; charset=utf-8',
    value: (value: unknown) => jsonText(value),
    fault: (code: number, message: string) => jsonText({ error: message, code }),
  },
  php: {
    type: 'text/plain; charset=utf-8',
    value: (value: unknown) => phpSerialize(value),
    fault: (code: number, message: string) => phpSerialize({ error: message, code }),
  },
  xml: {
    type: 'text/xml; charset=utf-8',
    value: (value: unknown) => encodeResponse(value),
    fault: (code: number, message: string) => encodeFault(code, message),
  },
};

/** JSON without `\\"` and `\\\\`: a published client removes all backslashes before it decodes, which would end strings early. */
const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(/\\(["\\])/g, (_escape, char) => (char === '"' ? '\\u0022' : '\\u005c'));

export type FormAnswer = { type: string; body: string; retryAfter?: number };

/** The form of the answer that a query asks for, or a body, as for `method`. An empty name is not given. */
function outputOf(query: string, inBody?: unknown) {
  const given = typeof inBody === 'string' && inBody !== '' ? inBody : new URLSearchParams(query).get('output');
  const name = (given || 'json').toLowerCase();
  return { name, output: outputs[Object.hasOwn(outputs, name) ? (name as keyof typeof outputs) : 'json'] };
}

/** The answer to a call by GET, which a client would take for a result without a fault; undefined for what is no call. */
export function refuseGet(query: string): FormAnswer | undefined {
  if (!new URLSearchParams(query).has('method')) return undefined;
  return formRefusal(query, fault('NOT_A_CALL', 'door.get'));
}

/** A fault in the form that a query asks for. */
export function formRefusal(query: string, { code, message }: Fault): FormAnswer {
  const { output } = outputOf(query);
  return { type: output.type, body: output.fault(code, message) };
}

/** @param query the query string; may contain output, method and parameters, including apikey, as the body may */
export async function answerForm(
  app: App,
  query: string,
  body: Uint8Array,
  { ip, contentType, version }: { ip: string; contentType: string; version?: string | undefined },
): Promise<FormAnswer> {
  let { name, output } = outputOf(query);
  try {
    // PHP's curl sends an array so. Its parts would be taken for names.
    if (/^multipart\//i.test(contentType)) throw fault('NOT_A_CALL', 'door.multipart');
    const encoding = encodingOf(charsetOf(contentType) ?? '');
    const given = { ...decodeForm(query, { marks: true }), ...decodeForm(body, { encoding, marks: true }) };
    const { method, output: wanted, apikey, ...params } = given;
    ({ name, output } = outputOf(query, wanted));
    if (typeof method !== 'string' || method === '')
      throw fault('UNKNOWN_METHOD', 'door.method_missing', { member: 'method' });
    if (!Object.hasOwn(outputs, name)) throw fault('INVALID_PARAMETER', 'door.output', { member: 'output' });
    const value = await call(app, method, params, { kind: 'key', key: apikey, ip }, 'form', { version });
    return { type: output.type, body: output.value(value) };
  } catch (error) {
    const { code, message: text, retryAfter } = faultOf(error);
    return {
      type: output.type,
      body: output.fault(code, text),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    };
  }
}
