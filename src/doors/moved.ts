// Requests for accounts that have moved to another installation (cell). A page that is opened is redirected there; what is posted is
// forwarded with its body, and the answer returned, because neither programs nor mail programs that unsubscribe follow a redirect of a POST.
// While an account is between the two, the request waits for the end of that.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Move, noticeMs, readMoves } from '../accounts/account/moves.ts';
import { hashKey } from '../accounts/keys/key.ts';
import type { App } from '../base/context.ts';
import { isUnavailable, sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { bearerOf } from './admission/bearer.ts';

/** How long a request waits while its account is moving, and how often it looks. */
const waitMs = 20_000;
const lookMs = 100;
/** How long the other installation may take to answer. */
const answerMs = 60_000;
/** An account that has moved on twice is found; a circle of installations ends. */
const maxHops = 3;
/** Bytes of a body in which an API key is looked for: published clients send it first. */
const maxSearched = 256 * 1024;
const hopHeader = 'x-postrider-moved';

export type Moved = {
  /** Answers a request of an account that has moved, or is moving. @returns false when it has not, or is not known */
  answer(request: FastifyRequest, reply: FastifyReply): Promise<boolean>;
};

/** Re-reads which accounts have moved, and answers for them before any route does. */
export function addMoved(server: FastifyInstance, app: App): Moved {
  let known = new Map<number, Move>();
  const read = async () => {
    const moves = await readMoves(app.db, sql`step in ('fenced', 'moved', 'done')`);
    known = new Map(moves.map((move) => [move.account, move]));
  };
  const timer = setInterval(() => {
    if (app.db.pool.ending) return clearInterval(timer);
    read().catch((error) => {
      if (!isUnavailable(error)) app.log.error({ err: error }, 'moved accounts cannot be read; retrying');
    });
  }, noticeMs);
  timer.unref();
  server.addHook('onClose', async () => clearInterval(timer));
  server.addHook('onReady', read);
  const present = async (account: number) => {
    const until = performance.now() + waitMs;
    while (known.get(account)?.step === 'fenced' && performance.now() < until) {
      await sleep(lookMs);
      await read();
    }
    return known.get(account);
  };
  const answer: Moved['answer'] = async (request, reply) => {
    const account = accountInPath(request.url) ?? (await accountOfSecrets(app, request));
    if (account === undefined || !known.has(account)) return false;
    const move = await present(account);
    if (!move) return false;
    if (move.step === 'fenced') await reply.code(503).header('retry-after', 5).type('text/plain').send('Try again\n');
    else await leadOn(app, request, reply, move.address);
    return true;
  };
  server.addHook('preHandler', async (request, reply) => {
    if (known.size > 0 && (await answer(request, reply))) return reply;
  });
  return {
    async answer(request, reply) {
      await read();
      return answer(request, reply);
    },
  };
}

/** Of links with a token, in which the account is readable, and of others that have its id. */
export function accountInPath(url: string): number | undefined {
  const [, first = '', second = ''] = url.split('?', 1)[0]!.split('/');
  if (['c', 'o', 'u', 'v', 'p', 'confirm', 'address'].includes(first)) {
    const ids = Buffer.from(second.slice(0, 16), 'base64url');
    return ids.length < 4 ? undefined : ids.readUInt32BE(0);
  }
  const id = first === 'asset' ? second : first === 'archives' ? second.slice(0, 8) : '';
  const account = parseId(id);
  return account < 0 ? undefined : account;
}

/** Of forms, archives, reports and incoming webhooks, by what their paths contain, and of calls by their key. */
async function accountOfSecrets({ db }: App, request: FastifyRequest): Promise<number | undefined> {
  const segments = request.url
    .split('?', 1)[0]!
    .split('/')
    .filter((segment) => segment.length >= 3);
  const keys = request.method === 'POST' ? keysOf(request) : [];
  // Calls of several accounts in one request are not forwarded; each gets a fault with the new address.
  if (keys.length > 1) return undefined;
  const hashes = [...segments.map((text) => createHash('sha256').update(text).digest()), ...keys.map(hashKey)];
  const row = await db.row<{ account: number }>(sql`
    select account
    from moved_address
    where hash = any (${hashes}::bytea[])
    limit 1`);
  return row?.account;
}

/** The API keys that a request names, without their endings. */
function keysOf(request: FastifyRequest): string[] {
  const { body } = request;
  const start =
    typeof body === 'string' ? body : Buffer.isBuffer(body) ? body.subarray(0, maxSearched).toString('latin1') : '';
  const text = [bearerOf(request.headers.authorization) ?? '', request.url, start].join(' ');
  const found = text.match(/(?<![0-9a-z])[0-9a-f]{32}(?=-c\d+|(?![0-9a-z]))/gi) ?? [];
  return [...new Set(found.map((key) => key.toLowerCase()))];
}

async function leadOn(app: App, request: FastifyRequest, reply: FastifyReply, address: string): Promise<void> {
  const url = address.replace(/\/+$/, '') + request.url;
  if (request.method === 'GET' || request.method === 'HEAD')
    return void (await reply.header('cache-control', 'no-store').redirect(url, 307));
  const hops = Number(request.headers[hopHeader] ?? 0) + 1;
  if (hops > maxHops) return void (await reply.code(508).type('text/plain').send('Too many installations\n'));
  const headers = new Headers({ [hopHeader]: String(hops), 'x-forwarded-for': request.ip });
  for (const name of ['content-type', 'authorization', 'user-agent', 'accept', 'idempotency-key', 'accept-language']) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  try {
    const response = await fetch(url, {
      method: request.method,
      headers,
      body: bodyOf(request),
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMs),
    });
    const body = Buffer.from(await response.arrayBuffer());
    for (const name of ['content-type', 'retry-after', 'location', 'cache-control']) {
      const value = response.headers.get(name);
      if (value !== null) reply.header(name, value);
    }
    await reply.code(response.status).send(body);
  } catch (error) {
    app.log.warn({ err: error }, 'the installation of an account that has moved does not answer');
    await reply.code(503).header('retry-after', 5).type('text/plain').send('Try again\n');
  }
}

/** The body as the route would have read it: bytes, a text, or the members of a form. */
function bodyOf({ body, headers }: FastifyRequest): string | Uint8Array<ArrayBuffer> | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Uint8Array.from(body);
  if (/^application\/json/i.test(headers['content-type'] ?? '')) return JSON.stringify(body);
  return new URLSearchParams(body as Record<string, string>).toString();
}
