// Receives this service's webhooks: checks the signature over the raw body, reads the delivery, answers.
// Plain JavaScript without dependencies, so that any Node.js program can import it: `postrider/receiver`.
// The rule of the check: without a secret nothing is checked. With one, a request that is not signed by it is answered with 401 and
// `401 Unauthorized`. The service's own signature is over the body alone; with toleranceSeconds that of Standard Webhooks is read, which
// is over the time of the request too, so that an old request cannot be sent again. The receivers in PHP and Python do the same; vectors.json has the cases that all three pass.
import { createHmac, timingSafeEqual } from 'node:crypto';

export const signatureHeader = 'x-service-signature';

/** The algorithms of HMAC that are known, by the names that the service writes: in lower case. */
const algorithms = new Set(['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']);

/** Larger bodies are refused with 413; the service sends 256 kB at most but for a single event that is larger. */
const maxBytes = 4 * 1024 * 1024;

/** Whether a request may be believed. */
export function verify(rawBody, header, secret) {
  if (secret === undefined || secret === null || secret === '') return true;
  if (typeof header !== 'string') return false;
  const at = header.indexOf('=');
  const signature = at < 0 ? '' : header.slice(at + 1);
  if (signature === '') return false;
  const expected = hmac(header.slice(0, at), secret, rawBody);
  return expected !== undefined && isEqual(signature, expected);
}

/**
 * Whether a request was signed, by this secret and not long ago.
 * @param toleranceSeconds how far the time of the request may be from ours, either way; 0 for any age
 * @param now seconds since 1970
 */
export function verifyRequest(rawBody, headers, secret, toleranceSeconds = 0, now = Date.now() / 1_000) {
  if (secret === undefined || secret === null || secret === '') return true;
  if (!(toleranceSeconds > 0)) return verify(rawBody, headerOf(headers, signatureHeader), secret);
  const id = headerOf(headers, 'webhook-id') ?? '';
  const at = headerOf(headers, 'webhook-timestamp') ?? '';
  if (id === '' || !/^\d{1,12}$/.test(at) || Math.abs(now - Number(at)) > toleranceSeconds) return false;
  const expected = createHmac('sha256', standardKey(secret)).update(`${id}.${at}.`).update(rawBody).digest('base64');
  // While a secret is being replaced, there are two signatures.
  const given = (headerOf(headers, 'webhook-signature') ?? '').split(' ');
  return given.filter((one) => isEqual(one, `v1,${expected}`)).length > 0;
}

/** What to answer a request: a status, a text, and the delivery if there is one to act on. */
export function receive(rawBody, header, secret) {
  return verify(rawBody, header, secret) ? read(rawBody) : unauthorized();
}

/** The same, by all headers: with toleranceSeconds, the request must be recent. */
export function receiveRequest(rawBody, headers, { secret, toleranceSeconds, now } = {}) {
  return verifyRequest(rawBody, headers, secret, toleranceSeconds, now) ? read(rawBody) : unauthorized();
}

/** Ids of events in the memory of this process, the latest ones; for several processes, keep them in your database. */
export function memorySeen(maxIds = 100_000) {
  const ids = new Set();
  return {
    has: (id) => ids.has(id),
    add(added) {
      for (const id of added) ids.add(id);
      for (const oldest of ids) {
        if (ids.size <= maxIds) return;
        ids.delete(oldest);
      }
    },
  };
}

const unauthorized = () => ({ status: 401, text: '401 Unauthorized' });

function read(rawBody) {
  try {
    const text = typeof rawBody === 'string' ? rawBody : utf8.decode(rawBody);
    const delivery = JSON.parse(text);
    const { timestamp, events, hook, data } = Array.isArray(delivery) ? {} : (delivery ?? {});
    // The classic format names the type once, for all of its events.
    const list =
      typeof hook === 'string' && Array.isArray(data) ? data.map((one) => ({ type: hook, data: one })) : events;
    if (Array.isArray(list) && list.every(isEvent))
      return { status: 200, text: 'OK', delivery: { timestamp, events: list } };
  } catch {
    // Answered below, like a body of another shape.
  }
  return { status: 400, text: '400 Bad Request' };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const isEvent = (one) => typeof one?.type === 'string' && typeof one.data?.id === 'string';

/** A listener for node:http. */
export function nodeListener(options) {
  return async (request, response) => {
    const answer = (status, text) => {
      response.statusCode = status;
      response.setHeader('content-type', 'text/plain');
      response.end(request.method === 'HEAD' ? undefined : text);
    };
    try {
      const { status, text } = await answerTo(request, options, () => rawBodyOf(request));
      answer(status, text);
    } catch {
      if (!response.headersSent) answer(500, '500 Internal Server Error');
    }
  };
}

/** A handler for Express; behind express.raw({ type: '*\/*' }) or before any body parser. */
export function expressHandler(options) {
  return nodeListener(options);
}

/** A plugin for Fastify: routes POST and HEAD of options.path, whose bodies stay as they came. */
export async function fastifyPlugin(fastify, { path = '/', ...options }) {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBytes }, (_request, body, done) => {
    done(null, body);
  });
  fastify.route({
    method: ['HEAD', 'POST'],
    url: path,
    async handler(request, reply) {
      const { status, text } = await answerTo(request, options, async () => request.body ?? Buffer.alloc(0));
      return reply.code(status).type('text/plain').send(text);
    },
  });
}

/** A handler from a WHATWG Request to a Response. */
export function fetchHandler(options) {
  return async (request) => {
    try {
      const { status, text } = await answerTo(request, options, async () => Buffer.from(await request.arrayBuffer()));
      return new Response(request.method === 'HEAD' ? null : text, { status });
    } catch {
      return new Response('500 Internal Server Error', { status: 500 });
    }
  };
}

async function answerTo({ method, headers }, { secret, toleranceSeconds, seen, onDelivery }, readBody) {
  // The service asks with HEAD whether the address is there when it is saved.
  if (method === 'HEAD') return { status: 200, text: '' };
  if (method !== 'POST') return { status: 405, text: '405 Method Not Allowed' };
  const rawBody = await readBody();
  if (rawBody === undefined) return { status: 413, text: '413 Content Too Large' };
  const { status, text, delivery } = receiveRequest(rawBody, headers, { secret, toleranceSeconds });
  if (delivery !== undefined) await act(delivery, seen, onDelivery);
  return { status, text };
}

/** Ids are added when the events were acted on: until then the service sends them again. */
async function act(delivery, seen, onDelivery) {
  if (!seen) {
    await onDelivery(delivery);
    return;
  }
  const events = [];
  for (const event of delivery.events) if (!(await seen.has(event.data.id))) events.push(event);
  if (events.length === 0) return;
  await onDelivery({ ...delivery, events });
  await seen.add(events.map(({ data }) => data.id));
}

/** @param headers by their names in lower case, or those of a WHATWG Request */
function headerOf(headers, name) {
  const value = typeof headers?.get === 'function' ? headers.get(name) : headers?.[name];
  return typeof value === 'string' ? value : undefined;
}

/** A secret that begins with whsec_ is a key in Base64; any other is taken as it is written. */
const standardKey = (secret) =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);

function isEqual(given, expected) {
  const one = Buffer.from(given);
  const other = Buffer.from(expected);
  return one.length === other.length && timingSafeEqual(one, other);
}

function hmac(algorithm, secret, body) {
  if (!algorithms.has(algorithm)) return undefined;
  try {
    return createHmac(algorithm, secret).update(body).digest('hex');
  } catch {
    // Some builds of OpenSSL know no MD5.
    return undefined;
  }
}

/** The body as it came; undefined when it is too large. */
async function rawBodyOf(request) {
  if (Buffer.isBuffer(request.body)) return request.body;
  if (Buffer.isBuffer(request.rawBody)) return request.rawBody;
  if (request.readableEnded || request.readableDidRead)
    throw new Error('The body was parsed before it came here: the signature is over the raw bytes');
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return bytes > maxBytes ? undefined : Buffer.concat(chunks);
}
