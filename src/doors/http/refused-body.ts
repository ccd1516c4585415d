// Which of the API doors a request is for, and what it answers to a body that is refused before it is read.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Fault, faultBody } from '../../base/faults.ts';
import { languageOf } from '../../base/messages.ts';
import { headRefusal, startOf } from '../admission/bodies.ts';
import { formRefusal } from '../form/door.ts';
import { encodeFault } from '../xmlrpc/encode.ts';

/** The fault in the form of the door: with HTTP 200 where clients ignore a fault in any other response. */
export function refuseBody(request: FastifyRequest, reply: FastifyReply, error: Fault): FastifyReply {
  headRefusal(request, reply, error).header('cache-control', 'no-store');
  const door = doorFor(request, startOf(request));
  const status = error.fault === 'ENCODING_UNSUPPORTED' ? error.status : 200;
  if (door === 'xmlrpc')
    return reply.code(status).type('text/xml; charset=utf-8').send(encodeFault(error.code, error.message));
  if (door === 'form') {
    const { type, body } = formRefusal(queryOf(request), error);
    return reply.code(status).type(type).send(body);
  }
  reply.code(error.status);
  if (door === 'json') return reply.send(faultBody(error, languageOf(request.headers['accept-language'])));
  return reply.type('text/plain; charset=utf-8').send(`${error.message}\n`);
}

export const queryOf = ({ url }: FastifyRequest): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

/**
 * The door a request to a shared address is for. Some clients send no Content-Type and curl sends XML as a form, so the
 * first bytes count unless the type is XML.
 */
export function doorFor(request: FastifyRequest, body: Uint8Array): 'xmlrpc' | 'form' | 'json' | undefined {
  if (request.routeOptions.url === '/api/:method') return 'json';
  const contentType = request.headers['content-type'] ?? '';
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, 200)).toString('latin1');
  const isXml = /^(text|application)\/xml\b/i.test(contentType);
  if (!isXml && /^\s*\{/.test(start)) return 'json';
  if (/^application\/json\b/i.test(contentType) && start === '') return 'json';
  if (new URLSearchParams(queryOf(request)).has('method')) return 'form';
  if (isXml || xmlStart.test(start)) return 'xmlrpc';
  if (/^application\/x-www-form-urlencoded/i.test(contentType) || formStart.test(start)) return 'form';
  return undefined;
}

/** A BOM of UTF-8 or UTF-16, or white space and a first tag. */
const xmlStart = /^(?:\xFE\xFF|\xFF\xFE|(?:\xEF\xBB\xBF)?\s*<(?:\?xml|methodCall|!--))/;
const formStart = /^[\w.[\]%-]+=/;
