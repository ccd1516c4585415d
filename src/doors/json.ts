// The JSON door: POST /api/{method} with a JSON object. The API key is in `Authorization: Bearer …` or in the member
// `apikey`; a signed-in browser is identified by its session. The HTTP status is that of the fault.

import type { Allowance } from '../accounts/keys/authenticate.ts';
import type { App } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { type MessageLanguage, renderMessage } from '../base/messages.ts';
import { bearerOf } from './admission/bearer.ts';
import { readJson } from './admission/json-values.ts';
import { call, findMethod } from './call.ts';
import { faultOf } from './fault.ts';

export type JsonAnswer = {
  status: number;
  body: string;
  retryAfter?: number;
  /** What the rate limit leaves of the calls of the key. */
  allowance?: Allowance;
  /** The new token of the caller's session, if the method renewed it. */
  renewed?: string;
};

export type JsonRequest = {
  /** Undefined if the address does not name it: then it is the member `method` of the body. */
  method: string | undefined;
  body: Uint8Array;
  authorization: string | undefined;
  /** The header Idempotency-Key: the same as the parameter idempotency_key of a method that has it. */
  idempotencyKey?: string | undefined;
  /** The session in the request's cookie, and whether the request is known to come from one of our own pages. */
  session: { token: string; ours: boolean } | undefined;
  ip: string;
  /** The language of a fault's text, for our own pages. */
  language: MessageLanguage;
};

export async function answerJson(app: App, request: JsonRequest): Promise<JsonAnswer> {
  let allowance: Allowance | undefined;
  const report = (left: Allowance) => {
    allowance = left;
  };
  const answer = await answerTo(app, request, report);
  return { ...answer, ...(allowance && { allowance }) };
}

/** The answer to a call by GET, as curl sends it without a body. */
export const refuseJsonGet = (): JsonAnswer => refusal(fault('NOT_A_CALL', 'door.get'));

/** @param language that of a person, whose application shows the text */
function refusal(error: unknown, language?: MessageLanguage): JsonAnswer {
  const { code, message, status, retryAfter, text } = faultOf(error);
  return {
    status,
    body: JSON.stringify({
      error: text && language !== undefined ? renderMessage(text, language) : message,
      code,
      ...(text && { text }),
    }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

async function answerTo(app: App, request: JsonRequest, allowance: (left: Allowance) => void): Promise<JsonAnswer> {
  try {
    const { apikey, ...given } = readObject(request.body);
    const { method, params: sent } =
      request.method === undefined ? takeMethod(given) : { method: request.method, params: given };
    const params = withIdempotencyKey(method, sent, request.idempotencyKey);
    const bearer = bearerOf(request.authorization);
    const key = bearer ?? apikey;
    if (key !== undefined || request.session === undefined) {
      const value = await call(app, method, params, { kind: 'key', key, ip: request.ip, allowance }, 'json');
      return { status: 200, body: JSON.stringify(value) };
    }
    // A foreign page must not use the cookie.
    if (!request.session.ours) throw fault('NOT_ALLOWED', 'call.foreign_session');
    let renewed: string | undefined;
    const credentials = {
      kind: 'session' as const,
      token: request.session.token,
      ip: request.ip,
      language: request.language,
      renewed: (token: string) => {
        renewed = token;
      },
    };
    const value = await call(app, method, params, credentials, 'web');
    return { status: 200, body: JSON.stringify(value), ...(renewed === undefined ? {} : { renewed }) };
  } catch (error) {
    return refusal(error, request.session?.ours ? request.language : undefined);
  }
}

/** @throws Fault UNKNOWN_METHOD */
function takeMethod({ method, ...params }: Record<string, unknown>) {
  if (typeof method !== 'string' || method === '')
    throw fault('UNKNOWN_METHOD', 'door.method_missing', { member: 'method' });
  return { method, params };
}

function readObject(body: Uint8Array): Record<string, unknown> {
  if (body.length === 0) return {};
  const value = readJson(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw fault('NOT_A_CALL', 'call.not_an_object');
  return value as Record<string, unknown>;
}

function withIdempotencyKey(
  method: string,
  params: Record<string, unknown>,
  key: string | undefined,
): Record<string, unknown> {
  if (key === undefined || params['idempotency_key'] !== undefined) return params;
  const { shape = {} } = findMethod(method).params as { shape?: Record<string, unknown> };
  return Object.hasOwn(shape, 'idempotency_key') ? { ...params, idempotency_key: key } : params;
}
