// The OpenAPI description as it is sent: made once, compressed where the client takes that, and not sent again to one that has it.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openApi } from './openapi.ts';

type Made = { plain: Buffer; zipped: Buffer; tag: string };

const made = new Map<string, Promise<Made>>();
/** Public URLs for which it is kept; an installation has one, and another after its change. */
const maxKept = 4;

export async function sendOpenApi(
  request: FastifyRequest,
  reply: FastifyReply,
  { baseUrl, version }: { baseUrl: string; version: string },
) {
  const { plain, zipped, tag } = await fileOf(baseUrl, version);
  reply
    .header('etag', tag)
    .header('cache-control', 'no-cache')
    .header('vary', 'accept-encoding')
    .type('application/json; charset=utf-8');
  if (hasTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
  if (!takesGzip(request.headers['accept-encoding'])) return reply.send(plain);
  return reply.header('content-encoding', 'gzip').send(zipped);
}

function fileOf(baseUrl: string, version: string): Promise<Made> {
  const known = made.get(baseUrl) ?? make(baseUrl, version);
  made.delete(baseUrl);
  made.set(baseUrl, known);
  if (made.size > maxKept) made.delete(made.keys().next().value!);
  return known;
}

async function make(baseUrl: string, version: string): Promise<Made> {
  const plain = Buffer.from(JSON.stringify(openApi(baseUrl, version), null, 2));
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  // Weak: both encodings have it (RFC 9110, 8.8.1).
  return { plain, zipped: await promisify(gzip)(plain), tag: `W/"${digest}"` };
}

/** RFC 9110, 13.1.2: compared as weak tags. */
const hasTag = (given: string | undefined, tag: string): boolean =>
  (given ?? '').split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag.slice(2));

/** RFC 9110, 12.5.3; one that is given the weight 0 is refused. */
const takesGzip = (given: string | undefined): boolean =>
  (given ?? '').split(',').some((one) => {
    const [name, ...weights] = one.split(';').map((part) => part.trim().toLowerCase());
    return (name === 'gzip' || name === '*') && !weights.some((weight) => /^q=0(\.0*)?$/.test(weight));
  });
