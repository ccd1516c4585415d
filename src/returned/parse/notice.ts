// What a sending service reports about one message, in the form that all services are translated to, and what a
// service is: how its requests are verified and read. Which message a notice is about is left to match.ts, what follows
// from it to take.ts.
import type { IncomingHttpHeaders } from 'node:http';
import type { App } from '../../base/context.ts';
import { cut } from '../../db/jsonb.ts';
import type { BounceClass } from '../../relays/verdict/rules.ts';
import { bounceClass, stageIn } from './class.ts';

export type ServiceNotice = {
  kind: 'bounce' | 'complaint' | 'unsubscribe';
  /** The recipient, as the service writes it. */
  email: string;
  /** The value of X-Postrider-ID, where the service returns headers or metadata; otherwise ''. */
  token: string;
  /** The Message-ID of the message, where the service keeps ours; otherwise ''. */
  messageId: string;
  /** The id that the service gave the message in its reply to the final dot; otherwise ''. */
  serviceId: string;
  /** Of a bounce its class, of a complaint the type of feedback. */
  class: string;
  code: number;
  /** What the receiving server replied. */
  reply: string;
};

/** A request as it arrived. */
export type Arrived = {
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The key of the source that its signatures are checked with; '' without one. */
  key: string;
  /** The topic that the source is tied to (SES); '' before the first one. */
  topic: string;
};

/**
 * Genuine, with what it reports; or refused, `malformed` when the body has no notices that could be read. `topic` ties the
 * source to a topic.
 */
export type Reading =
  | { ok: true; notices: ServiceNotice[]; topic?: string; problem?: string }
  | { ok: false; why: string; malformed?: true };

export type Service = {
  /** Whether requests are signed with a key that has to be entered here. */
  signs: boolean;
  read: (app: App, request: Arrived) => Reading | Promise<Reading>;
};

export type Json = { readonly [name: string]: unknown };

/** A member that is a text or a number, as text; otherwise ''. */
export function textAt(value: unknown, ...path: (string | number)[]): string {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : typeof found === 'number' ? String(found) : '';
}

export function valueAt(value: unknown, ...path: (string | number)[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string | number, unknown>)[name];
  }
  return at;
}

/** The members of an array; of anything else, none. */
export function itemsAt(value: unknown, ...path: (string | number)[]): unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The JSON object in a body. */
export function objectOf(body: Buffer): Parsed<Json> {
  const parsed = jsonOf(body);
  if (!parsed.ok) return parsed;
  return isObject(parsed.value) ? { ok: true, value: parsed.value } : malformed('the body', 'an object', parsed.value);
}

/** The events in a body: an array of objects, or a single object. */
export function eventsOf(body: Buffer): Parsed<Json[]> {
  const parsed = jsonOf(body);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  if (!Array.isArray(value))
    return isObject(value)
      ? { ok: true, value: [value] }
      : malformed('the body', 'an object or an array of objects', value);
  const wrong = value.findIndex((event) => !isObject(event));
  return wrong === -1 ? { ok: true, value } : malformed(`item ${wrong + 1} of the array`, 'an object', value[wrong]);
}

type Parsed<T> = { ok: true; value: T } | { ok: false; why: string; malformed: true };

function jsonOf(body: Buffer): Parsed<unknown> {
  try {
    return { ok: true, value: JSON.parse(body.toString('utf8')) };
  } catch {
    return { ok: false, why: 'the body is not JSON', malformed: true };
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function malformed(what: string, expected: string, value: unknown): Parsed<never> {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  return { ok: false, why: `${what} must be ${expected}, but is ${kind}`, malformed: true };
}

export function noticeOf(given: Partial<ServiceNotice> & Pick<ServiceNotice, 'kind' | 'email'>): ServiceNotice {
  return {
    kind: given.kind,
    email: cut(given.email.trim(), 320),
    token: cut((given.token ?? '').trim(), 120),
    messageId: cut((given.messageId ?? '').trim(), 500),
    serviceId: cut((given.serviceId ?? '').trim(), 200),
    class: cut(given.class ?? '', 40),
    code: given.code ?? 0,
    reply: cut((given.reply ?? '').replace(/\s+/g, ' ').trim(), 500),
  };
}

/**
 * The class of a bounce. `hint` is what the category of the service comes to. The words of the receiving server are
 * more exact: services call expired messages and messages that are too large permanent as well. But no class is harder
 * than the service's own.
 */
export function classOf(hint: BounceClass, words: string, status = ''): BounceClass {
  const found = bounceClass(status, words, stageIn(words));
  if (found === 'generic') return hint;
  return found === 'hard' && hint !== 'hard' && hint !== 'generic' ? hint : found;
}

/** The first field of a name in a list of headers, as SES and Resend return them. */
export function headerIn(headers: readonly unknown[], name: string): string {
  const found = headers.find((header) => textAt(header, 'name').toLowerCase() === name.toLowerCase());
  return textAt(found, 'value');
}
