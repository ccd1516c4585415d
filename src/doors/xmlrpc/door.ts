// The XML-RPC door: a methodCall in, a methodResponse out. Always HTTP 200, since most generic clients ignore a fault in a
// response with another status.

import type { App } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { itemsOf } from '../../method/published.ts';
import { isStruct, type Wire, type WireStruct } from '../../method/wire.ts';
import { call, findMethod } from '../call.ts';
import { faultOf } from '../fault.ts';
import { introspect, isIntrospection } from '../introspect.ts';
import { decodeCall } from './decode.ts';
import { encodeFault, encodeResponse } from './encode.ts';

/** Maximum calls in one system.multicall. Clients read the whole introspection in one; those calls count apart. */
const maxCalls = 200;
const maxIntrospectionCalls = 1_000;

/** The IP address of a caller, and the version of the API family that the path of its call names. */
type Sender = { ip: string; version?: string | undefined };

export type XmlRpcAnswer = { body: string; retryAfter?: number };

export async function answerXmlRpc(
  app: App,
  body: Uint8Array,
  { contentType, ...from }: Sender & { contentType?: string | undefined },
): Promise<XmlRpcAnswer> {
  try {
    const { method, params } = decodeCall(body, contentType, true);
    const value =
      method.toLowerCase() === 'system.multicall'
        ? await multicall(app, params, from)
        : await single(app, method, params, from);
    return { body: encodeResponse(value) };
  } catch (error) {
    const { code, message: text, retryAfter } = faultOf(error);
    return { body: encodeFault(code, text), ...(retryAfter === undefined ? {} : { retryAfter }) };
  }
}

async function single(app: App, method: string, params: readonly Wire[], { ip, version }: Sender): Promise<unknown> {
  if (isIntrospection(method)) return introspect(method, params);
  findMethod(method);
  const [struct] = params;
  if (params.length !== 1 || (!isStruct(struct) && !(Array.isArray(struct) && struct.length === 0))) {
    throw fault('INVALID_PARAMETER', 'door.one_struct', { method: method.slice(0, 60) });
  }
  const { apikey, ...rest } = struct as { [name: string]: Wire };
  return call(app, method, rest, { kind: 'key', key: apikey, ip }, 'xmlrpc', { version });
}

/** system.multicall: each result in an array of length one, each fault as a struct, in the order of the calls. */
async function multicall(app: App, params: readonly Wire[], from: Sender): Promise<unknown[]> {
  const calls = itemsOf(params[0]) as Wire | undefined;
  if (params.length !== 1 || !Array.isArray(calls)) {
    throw fault('INVALID_PARAMETER', 'door.multicall', { calls: '{methodName, params}' });
  }
  const introspection = calls.filter((item) => isIntrospection(methodNameOf(item))).length;
  for (const [count, max] of [
    [introspection, maxIntrospectionCalls],
    [calls.length - introspection, maxCalls],
  ] as const)
    if (count > max) throw fault('TOO_LARGE', 'door.multicall_too_many', { count: max });
  const results: unknown[] = [];
  /** The faults of wrong keys, which are not looked up again. */
  const wrongKeys = new Map<unknown, unknown>();
  for (const item of calls) {
    const key = keyOf(item);
    try {
      if (wrongKeys.has(key)) throw wrongKeys.get(key);
      results.push([await nested(app, item, from)]);
    } catch (error) {
      if (key !== undefined && error instanceof Fault && error.fault === 'KEY_INVALID') wrongKeys.set(key, error);
      const { code, message: text } = faultOf(error);
      results.push({ faultCode: code, faultString: text });
    }
  }
  return results;
}

const methodNameOf = (item: Wire): string =>
  isStruct(item) && typeof item['methodName'] === 'string' ? item['methodName'] : '';

function keyOf(item: Wire): Wire | undefined {
  const [struct] = isStruct(item) ? paramsOf(item) : [];
  return isStruct(struct) ? struct['apikey'] : undefined;
}

const paramsOf = ({ params }: WireStruct): Wire[] => {
  const items = itemsOf(params);
  return Array.isArray(items) ? (items as Wire[]) : [];
};

async function nested(app: App, item: Wire, from: Sender): Promise<unknown> {
  const { methodName, params } = isStruct(item) ? item : {};
  if (typeof methodName !== 'string' || !Array.isArray(itemsOf(params ?? []))) {
    throw fault('INVALID_PARAMETER', 'door.multicall_item', { calls: '{methodName, params}' });
  }
  if (methodName.toLowerCase() === 'system.multicall') {
    throw fault('INVALID_PARAMETER', 'door.multicall_nested');
  }
  return single(app, methodName, paramsOf(item as WireStruct), from);
}
