// Receives this service's webhooks: checks the signature over the raw body, reads the delivery, answers.
// Plain JavaScript without dependencies, so that any Node.js program can import it: `postrider/receiver`.
// The rule of the check: without a secret nothing is checked. With one, a missing header, nothing after `=`, an unknown
// algorithm, or a signature that does not match is answered with 401 and `401 Unauthorized`.
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
  if (expected === undefined) return false;
  const given = Buffer.from(signature);
  const wanted = Buffer.from(expected);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** What to answer a request: a status, a text, and the delivery if there is one to act on. */
export function receive(rawBody, header, secret) {
  if (!verify(rawBody, header, secret)) return { status: 401, text: '401 Unauthorized' };
  try {
    const delivery = JSON.parse(typeof rawBody === 'string' ? rawBody : Buffer.from(rawBody).toString());
    if (Array.isArray(delivery?.events)) return { status: 200, text: 'OK', delivery };
    if (typeof delivery?.hook === 'string' && Array.isArray(delivery.data))
      return { status: 200, text: 'OK', delivery: fromClassic(delivery) };
  } catch {
    // Answered below, like a body of another shape.
  }
  return { status: 400, text: '400 Bad Request' };
}

/** A listener for node:http. */
export function nodeListener({ secret, onDelivery }) {
  return async (request, response) => {
    const answer = (status, text) => {
      response.statusCode = status;
      response.setHeader('content-type', 'text/plain');
      response.end(request.method === 'HEAD' ? undefined : text);
    };
    try {
      const { status, text } = await answerTo(
        request.method,
        request.headers[signatureHeader],
        secret,
        onDelivery,
        () => rawBodyOf(request),
      );
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
export async function fastifyPlugin(fastify, { secret, onDelivery, path = '/' }) {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBytes }, (_request, body, done) => {
    done(null, body);
  });
  fastify.route({
    method: ['HEAD', 'POST'],
    url: path,
    async handler(request, reply) {
      const { status, text } = await answerTo(
        request.method,
        request.headers[signatureHeader],
        secret,
        onDelivery,
        async () => request.body ?? Buffer.alloc(0),
      );
      return reply.code(status).type('text/plain').send(text);
    },
  });
}

/** A handler from a WHATWG Request to a Response. */
export function fetchHandler({ secret, onDelivery }) {
  return async (request) => {
    try {
      const { status, text } = await answerTo(
        request.method,
        request.headers.get(signatureHeader) ?? undefined,
        secret,
        onDelivery,
        async () => Buffer.from(await request.arrayBuffer()),
      );
      return new Response(request.method === 'HEAD' ? null : text, { status });
    } catch {
      return new Response('500 Internal Server Error', { status: 500 });
    }
  };
}

async function answerTo(method, header, secret, onDelivery, readBody) {
  // The service asks with HEAD whether the address is there when it is saved.
  if (method === 'HEAD') return { status: 200, text: '' };
  if (method !== 'POST') return { status: 405, text: '405 Method Not Allowed' };
  const rawBody = await readBody();
  if (rawBody === undefined) return { status: 413, text: '413 Content Too Large' };
  const { status, text, delivery } = receive(rawBody, header, secret);
  if (delivery !== undefined) await onDelivery(delivery);
  return { status, text };
}

/** The classic format names the type once, for all of its events. */
function fromClassic({ hook, timestamp, data }) {
  return { timestamp, events: data.map((one) => ({ type: hook, data: one })) };
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
