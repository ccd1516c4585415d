// Calls the server: one method by name, through the JSON API, with the session cookie of the browser. Every failure is
// an ApiFault, with the fault number and the parameter it is about.

import { publicPath } from './base-path.ts';
import { noteAnswer } from './connection.ts';
import { faultCodes } from './fault-codes.ts';
import type { MethodName, ParamsOf, PlainMethodName, ResultOf } from './types.ts';

export class ApiFault extends Error {
  /** The fault's number (docs/api/README.md); 0 when the program could not be reached. */
  readonly code: number;
  /** HTTP status; 0 when the program could not be reached. */
  readonly status: number;
  /** The path of the parameter the fault names, such as options.subject. */
  readonly member: string | undefined;
  /** The message by key and values; undefined when the answer was not a fault of the program. */
  readonly text: Message | undefined;
  /** Further members of the answer. */
  readonly rest: Record<string, unknown>;

  constructor(code: number, message: string, status: number, text?: Message, rest: Record<string, unknown> = {}) {
    super(message);
    this.name = 'ApiFault';
    this.code = code;
    this.text = text;
    this.status = status;
    this.member = text && memberOf(text);
    this.rest = rest;
  }
}

/** Calls a method. @throws ApiFault */
export function call<N extends PlainMethodName>(name: N, params?: ParamsOf<N>): Promise<ResultOf<N>>;
export function call<N extends MethodName>(name: N, params: ParamsOf<N>): Promise<ResultOf<N>>;
export async function call(name: string, params: object = {}): Promise<unknown> {
  return request('POST', `/api/${name}`, params);
}

let confirmSession: () => Promise<boolean> = async () => false;

/** Asks with `ask` when a method needs the password again; if it resolves to true, the call is repeated. */
export function onConfirmationNeeded(ask: () => Promise<boolean>): void {
  confirmSession = ask;
}

/** Sends a JSON request to the server. @param path without the base path @throws ApiFault */
export async function request(verb: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown> {
  try {
    return await requestOnce(verb, path, body);
  } catch (error) {
    if (!(error instanceof ApiFault)) throw error;
    if (error.status === 401 && !handles401.has(path)) {
      if (!(await renewed())) throw error;
      // Not requestOnce: what is repeated may need the password.
      return request(verb, path, body);
    }
    if (error.code !== faultCodes.CONFIRMATION_NEEDED || !(await confirmSession())) throw error;
    return requestOnce(verb, path, body);
  }
}

let renewSession: () => Promise<boolean> = async () => false;
const whenRenewed = new Set<() => void>();

/** Asks with `ask` when an answer shows that the session has ended; if it resolves to true, the call is repeated. */
export function onSessionEnded(ask: () => Promise<boolean>): void {
  renewSession = ask;
}

/** Calls `listener` when the user has signed in again on the same page. */
export function onRenewed(listener: () => void): () => void {
  whenRenewed.add(listener);
  return () => whenRenewed.delete(listener);
}

/** Waits until the user has signed in again. @returns false if the user leaves the page instead */
export async function renewed(): Promise<boolean> {
  const isRenewed = await renewSession();
  if (isRenewed) for (const listener of whenRenewed) listener();
  return isRenewed;
}

async function requestOnce(verb: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(publicPath(path), {
      method: verb,
      credentials: 'same-origin',
      // Messages in answers come in the language of the screen.
      headers: {
        'accept-language': document.documentElement.lang,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch {
    noteAnswer(false);
    throw new ApiFault(0, '', 0);
  }
  // A proxy answers for a server that it cannot reach.
  noteAnswer(response.status !== 502 && response.status !== 504);
  const text = await response.text();
  const value = readJson(text);
  if (response.ok) return value;
  const { error, code, text: message, ...rest } = isFault(value) ? value : { error: text.slice(0, 200), code: 0 };
  throw new ApiFault(code, error, response.status, message, rest);
}

/** Callers of these addresses handle 401 themselves. */
const handles401 = new Set([
  '/session',
  '/session/passkey',
  '/session/passkey/confirm',
  '/session/provider/end',
  '/session/provider/password',
  '/api/sessionGet',
]);
function readJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Message = { key: string; values: Record<string, unknown> };
type FaultBody = { error: string; code: number; text?: Message; [further: string]: unknown };

/** Messages about a parameter carry its path as the value `member`. */
const memberOf = ({ values }: Message) => (typeof values['member'] === 'string' ? values['member'] : undefined);

function isFault(value: unknown): value is FaultBody {
  return typeof value === 'object' && value !== null && 'error' in value && 'code' in value;
}
