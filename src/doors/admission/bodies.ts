// Reads the bodies of calls. Guarantees that all bodies in flight together stay within a quota, so that no number of
// callers fills the memory: those who have proven a key or session in the headers have a quota of their own, apart from
// those whose key may be in the body. The beginning of a body is free, so ordinary calls pass under any load.
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authenticate } from '../../accounts/keys/authenticate.ts';
import { callerName } from '../../accounts/sign-in/attempts.ts';
import type { App } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { Quota } from '../../base/quota.ts';
import { formatId } from '../../db/ids.ts';
import { MAX_BODY_BYTES } from '../../method/wire.ts';
import { originOf } from '../request-origin.ts';
import { sessionTokenOf } from '../session-cookie.ts';

const mebibyte = 1024 * 1024;

/** The bytes of a body that count against no quota. */
const freeBytes = 16 * 1024;
export const bodyLimits = {
  unproven: { total: 128 * mebibyte, perCaller: 64 * mebibyte },
  proven: { total: 256 * mebibyte, perCaller: 128 * mebibyte },
};
const retryAfterSeconds = 5;

type Share = { quota: Quota; caller: string };

/** Gives the routes of a door a parser that passes the body on as bytes, whatever its type. */
export function addBodyReader(doors: FastifyInstance, app: App) {
  const unproven = new Quota(bodyLimits.unproven);
  const proven = new Quota(bodyLimits.proven);
  const shareOf = async (request: FastifyRequest): Promise<Share> => {
    const account = await provenAccount(app, request);
    return account === undefined
      ? { quota: unproven, caller: callerName(request.ip) }
      : { quota: proven, caller: formatId(account) };
  };
  doors.removeAllContentTypeParsers();
  doors.addContentTypeParser('*', async (request: FastifyRequest, body: IncomingMessage) => {
    const declared = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    if (Number.isFinite(declared) && declared > MAX_BODY_BYTES) throw tooLarge();
    const reader = new BodyReader(declared > freeBytes ? await shareOf(request) : undefined);
    readers.set(request, reader);
    return reader.read(body);
  });
  // Released when the answer is sent or the connection ends: a decoded body is in memory until then.
  doors.addHook('onRequest', async (request, reply) => {
    reply.raw.once('close', () => readers.get(request)?.release());
  });
  doors.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
    if (!(error instanceof Fault)) throw error;
    if (error.retryAfter !== undefined) reply.header('retry-after', error.retryAfter);
    // The rest of a refused body is not read.
    if (request.body === undefined) reply.header('connection', 'close');
    return reply.code(error.status).type('text/plain; charset=utf-8').send(`${error.message}\n`);
  });
}

const readers = new WeakMap<FastifyRequest, BodyReader>();

/** One body, and what it has taken of a quota. */
class BodyReader {
  readonly #share: Share | undefined;
  #taken = 0;
  #released = false;

  constructor(share: Share | undefined) {
    this.#share = share;
  }

  /** @throws Fault TOO_LARGE, UNAVAILABLE */
  read(body: IncomingMessage): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let length = 0;
    return new Promise((resolve, reject) => {
      const refuse = (error: Error) => {
        body.off('data', add);
        // What still arrives is dropped: the connection closes with the answer.
        body.resume();
        pieces.length = 0;
        reject(error);
      };
      const add = (piece: Buffer) => {
        length += piece.length;
        if (length > MAX_BODY_BYTES) return refuse(tooLarge());
        if (!this.#take(length)) return refuse(new Fault('UNAVAILABLE', message('call.busy'), retryAfterSeconds));
        pieces.push(piece);
      };
      body.on('data', add);
      body.once('end', () => resolve(Buffer.concat(pieces, length)));
      body.once('error', reject);
      body.once('close', () => reject(new Error('the connection closed before the end of the body')));
      if (body.destroyed) reject(new Error('the connection closed before the body'));
    });
  }

  release() {
    if (this.#released) return;
    this.#released = true;
    if (this.#taken > 0) this.#share!.quota.release(this.#share!.caller, this.#taken);
  }

  #take(length: number): boolean {
    const more = length - freeBytes - this.#taken;
    if (more <= 0 || !this.#share) return true;
    if (this.#released || !this.#share.quota.take(this.#share.caller, more)) return false;
    this.#taken += more;
    return true;
  }
}

const tooLarge = () => new Fault('TOO_LARGE', message('door.body_too_large'));

/** The account of the key or session in the headers, if it is valid. */
async function provenAccount(app: App, request: FastifyRequest): Promise<number | undefined> {
  const { ip } = request;
  const key = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const token = originOf(app, request.headers) === 'own' ? sessionTokenOf(app, request) : undefined;
  if (key === undefined && token === undefined) return undefined;
  const credentials = token === undefined ? { kind: 'key' as const, key, ip } : { kind: 'session' as const, token, ip };
  const found = await authenticate(app, credentials).catch(() => undefined);
  return found?.account.id;
}
