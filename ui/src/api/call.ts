// The only way to the program: one method by name, through its JSON door, with the session of the browser.
// Promises an ApiFault, with the number of the fault and the member it names, for everything that goes wrong.
import type { MethodName, ParamsOf, PlainMethodName, ResultOf } from './types.ts';

export class ApiFault extends Error {
  /** The fault's number (docs/api); 0 when the program could not be reached. */
  readonly code: number;
  /** HTTP status; 0 when the program could not be reached. */
  readonly status: number;
  /** The path of the parameter the fault names, such as options.subject. */
  readonly member: string | undefined;
  /** The message by key and values; undefined for the few texts without a key. */
  readonly text: Message | undefined;
  /** What else the answer says. */
  readonly rest: Record<string, unknown>;

  constructor(code: number, message: string, status: number, text?: Message, rest: Record<string, unknown> = {}) {
    super(message);
    this.name = 'ApiFault';
    this.code = code;
    this.text = text;
    this.status = status;
    this.member = text ? memberIn(text) : memberOf(message);
    this.rest = rest;
  }
}

/** Calls a method. @throws ApiFault */
export function call<N extends PlainMethodName>(name: N, params?: ParamsOf<N>): Promise<ResultOf<N>>;
export function call<N extends MethodName>(name: N, params: ParamsOf<N>): Promise<ResultOf<N>>;
export async function call(name: string, params: object = {}): Promise<unknown> {
  return request('POST', `/api/${name}`, params);
}

/** A request to one of our own addresses with a JSON body. @throws ApiFault */
export async function request(verb: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(path, {
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
    throw new ApiFault(0, '', 0);
  }
  const text = await response.text();
  const value = readJson(text);
  if (response.ok) return value;
  const { error, code, text: message, ...rest } = isFault(value) ? value : { error: text.slice(0, 200), code: 0 };
  if (response.status === 401 && !asksWhoItIs.has(path)) for (const tell of signedOut) tell();
  throw new ApiFault(code, error, response.status, message, rest);
}

/** Whoever asks these knows what 401 means here. */
const asksWhoItIs = new Set(['/session', '/api/sessionInfo']);
const signedOut = new Set<() => void>();

/** Calls back when an answer says that nobody is signed in (any more). */
export function onSignedOut(tell: () => void): () => void {
  signedOut.add(tell);
  return () => signedOut.delete(tell);
}

/** Faults begin with the path of the member they are about: "options.subject is required", "cid: there is no …". */
function memberOf(message: string): string | undefined {
  return /^([a-z][A-Za-z0-9_]*(?:\.\w+)*)(?=:| "| is | has | lies | holds | must | names | needs )/.exec(message)?.[1];
}

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

const memberIn = ({ values }: Message) => (typeof values['member'] === 'string' ? values['member'] : undefined);

function isFault(value: unknown): value is FaultBody {
  return typeof value === 'object' && value !== null && 'error' in value && 'code' in value;
}
