// How every door reads the bodies of requests. Guarantees that all bodies in flight together stay within a quota, so that no
// number of callers fills the memory: those who have proven a key or session in the headers have a quota of their own, apart from
// those whose key may be in the body. The beginning of a body is free, so ordinary calls pass under any load.
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticate } from '../../accounts/keys/authenticate.ts';
import { blockOf } from '../../base/client-network.ts';
import type { App } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { Quota } from '../../base/quota.ts';
import { formatId } from '../../db/ids.ts';
import { bearerOf } from './bearer.ts';
import { BodyReader, encodingOf, freeBytes, readEncodings, type Share, tooLarge } from './body-reader.ts';
import { authenticateCaller } from './refused-keys.ts';
import { originOf } from './request-origin.ts';
import { sessionTokenOf } from './session-cookie.ts';

const mebibyte = 1024 * 1024;

export const bodyLimits = {
  unproven: { total: 128 * mebibyte, perCaller: 64 * mebibyte },
  proven: { total: 256 * mebibyte, perCaller: 128 * mebibyte },
};

/** Maximum length of a JSON body whose caller has shown no valid key or session in the headers. */
const maxUnprovenJsonBytes = mebibyte;

export type BodyRules = {
  /** As sent, and inflated. */
  maxBytes: number;
  /** The only content type that the door takes. Without it, every type is read. */
  type?: string;
  /** Whether it is JSON, so that a key can be in the headers; `start` is empty before the body arrives. */
  isJson?: (request: FastifyRequest, start: Buffer) => boolean;
  /** What the handler gets instead of the bytes. */
  as?: (body: Buffer, request: FastifyRequest) => unknown;
};

type Quotas = { unproven: Quota; proven: Quota };
const quotasOf = new WeakMap<App, Quotas>();
const readers = new WeakMap<FastifyRequest, BodyReader>();
const admitted = new WeakSet<object>();

/** Whether the bodies of a route are read as below. */
export const isAdmitted = (route: { config?: object }): boolean => admitted.has(route.config ?? {});

/** The first bytes of the body of a request that was refused. */
export const startOf = (request: FastifyRequest): Buffer => readers.get(request)?.start ?? Buffer.alloc(0);

/** Gives the routes of a door a parser that reads a body within its limits. */
export function addBodyReader(door: FastifyInstance, app: App, rules: BodyRules) {
  const quotas = quotasOf.get(app) ?? {
    unproven: new Quota(bodyLimits.unproven),
    proven: new Quota(bodyLimits.proven),
  };
  quotasOf.set(app, quotas);
  door.addHook('onRoute', (route) => {
    route.config = { ...route.config };
    admitted.add(route.config);
  });
  door.removeAllContentTypeParsers();
  door.addContentTypeParser(rules.type ?? '*', async (request: FastifyRequest, body: IncomingMessage) => {
    const encoding = encodingOf(request.headers['content-encoding']);
    const declared = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    if (Number.isFinite(declared) && declared > rules.maxBytes) throw tooLarge();
    const isSmall = declared <= freeBytes && encoding === 'identity';
    const share = isSmall ? undefined : await shareOf(app, request, rules, quotas);
    const check = limitOf(request, rules, share);
    if (Number.isFinite(declared)) check(declared, () => Buffer.alloc(0));
    const reader = new BodyReader({ share, encoding, check });
    readers.set(request, reader);
    const bytes = await reader.read(body);
    return rules.as ? rules.as(bytes, request) : bytes;
  });
  // Released when the answer is sent or the connection ends: a decoded body is in memory until then.
  door.addHook('onRequest', async (request, reply) => {
    reply.raw.once('close', () => readers.get(request)?.release());
  });
}

/** The headers of an answer to a request whose body was refused. */
export function headRefusal(request: FastifyRequest, reply: FastifyReply, error: Fault): FastifyReply {
  if (error.retryAfter !== undefined) reply.header('retry-after', error.retryAfter);
  if (error.fault === 'ENCODING_UNSUPPORTED') reply.header('accept-encoding', readEncodings);
  // The rest of a refused body is not read.
  if (request.body === undefined) reply.header('connection', 'close');
  return reply;
}

function limitOf(request: FastifyRequest, { maxBytes, isJson }: BodyRules, share: Share | undefined) {
  let isJsonOf: boolean | undefined;
  return (length: number, start: () => Buffer) => {
    if (length > maxBytes) throw tooLarge();
    if (length <= maxUnprovenJsonBytes || share?.isProven || !isJson) return;
    const begun = start();
    const answer = isJsonOf ?? isJson(request, begun);
    // More of the start may come, but not of what is over 1 MiB.
    if (begun.length > 0) isJsonOf = answer;
    if (answer) throw fault('TOO_LARGE', 'door.json_without_key');
  };
}

/**
 * The quota that a body counts against: of the account of the key or session in the headers, or of the caller's network.
 * @throws Fault KEY_INVALID, TOO_MANY_CALLS for JSON with a key that is refused, before any of the body is read
 */
async function shareOf(app: App, request: FastifyRequest, { isJson }: BodyRules, quotas: Quotas): Promise<Share> {
  const { ip } = request;
  const unproven = { quota: quotas.unproven, caller: blockOf(ip), isProven: false };
  const key = bearerOf(request.headers.authorization);
  const token = originOf(app, request.headers) === 'own' ? sessionTokenOf(app, request) : undefined;
  if (key === undefined && token === undefined) return unproven;
  try {
    const { account } = await (key !== undefined
      ? authenticateCaller(app, { kind: 'key', key, ip })
      : authenticate(app, { kind: 'session', token: token!, ip }));
    return { quota: quotas.proven, caller: formatId(account.id), isProven: true };
  } catch (error) {
    if (error instanceof Fault && key !== undefined && isJson?.(request, Buffer.alloc(0))) throw error;
    return unproven;
  }
}
