// The XML-RPC door: bytes of a methodCall in, bytes of a methodResponse out, always with HTTP 200, since most generic
// clients lose a fault that travels with another status.
import type { App } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import type { Message } from '../../base/messages.ts';
import { isStruct, type Wire, WireFault } from '../../method/values.ts';
import { call, findMethod } from '../call.ts';
import { introspect, isIntrospection } from '../introspect.ts';
import { decodeCall } from './decode.ts';
import { encodeFault, encodeResponse } from './encode.ts';

/** Calls in one system.multicall at most. */
const maxCalls = 200;

export type Answered = { body: string; retryAfter?: number };

export async function answerXmlRpc(
  app: App,
  body: Uint8Array,
  contentType: string | undefined,
  ip: string,
): Promise<Answered> {
  try {
    const { method, params } = decodeCall(body, contentType);
    const value =
      method.toLowerCase() === 'system.multicall'
        ? await multicall(app, params, ip)
        : await one(app, method, params, ip);
    return { body: encodeResponse(value) };
  } catch (error) {
    const { code, message, retryAfter } = faultOf(error);
    return { body: encodeFault(code, message), ...(retryAfter === undefined ? {} : { retryAfter }) };
  }
}

/** The code and text of anything a call can throw. */
export function faultOf(error: unknown): {
  code: number;
  message: string;
  status: number;
  retryAfter?: number;
  text?: Message;
} {
  if (error instanceof WireFault) return { code: error.code, message: error.message, status: 400 };
  if (error instanceof Fault) {
    const { code, message, status, retryAfter, text } = error;
    return { code, message, status, ...(retryAfter !== undefined && { retryAfter }), ...(text && { text }) };
  }
  throw error;
}

async function one(app: App, method: string, params: readonly Wire[], ip: string): Promise<unknown> {
  if (isIntrospection(method)) return introspect(method, params);
  findMethod(method);
  const [struct] = params;
  if (params.length !== 1 || (!isStruct(struct) && !(Array.isArray(struct) && struct.length === 0))) {
    throw new Fault(
      'INVALID_PARAMETER',
      `${method.slice(0, 60)} takes exactly one parameter, a struct that holds apikey and the named parameters`,
    );
  }
  const { apikey, ...rest } = struct as { [name: string]: Wire };
  return call(app, method, rest, { kind: 'key', key: apikey, ip }, 'xmlrpc');
}

/** system.multicall: each result in an array of one, each fault as a struct, in the order of the calls. */
async function multicall(app: App, params: readonly Wire[], ip: string): Promise<unknown[]> {
  const [calls] = params;
  if (params.length !== 1 || !Array.isArray(calls)) {
    throw new Fault('INVALID_PARAMETER', 'system.multicall takes one array of structs {methodName, params}');
  }
  if (calls.length > maxCalls) throw new Fault('TOO_LARGE', `system.multicall takes at most ${maxCalls} calls at once`);
  const results: unknown[] = [];
  for (const item of calls) {
    try {
      results.push([await nested(app, item, ip)]);
    } catch (error) {
      const { code, message } = faultOf(error);
      results.push({ faultCode: code, faultString: message });
    }
  }
  return results;
}

async function nested(app: App, item: Wire, ip: string): Promise<unknown> {
  const { methodName, params } = isStruct(item) ? item : {};
  if (typeof methodName !== 'string' || !Array.isArray(params ?? [])) {
    throw new Fault('INVALID_PARAMETER', 'each call of system.multicall is a struct {methodName, params}');
  }
  if (methodName.toLowerCase() === 'system.multicall') {
    throw new Fault('INVALID_PARAMETER', 'system.multicall cannot be called within system.multicall');
  }
  return one(app, methodName, (params ?? []) as Wire[], ip);
}
