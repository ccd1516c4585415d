// Answers a request at the MCP door: the key, the tools of its caller, and the library that speaks the protocol.
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../base/context.ts';
import { Fault, faultBody } from '../../base/faults.ts';
import { authenticateCaller } from '../admission/refused-keys.ts';
import { originOf } from '../request-origin.ts';
import { mcpServer } from './server.ts';

export async function answerMcp(app: App, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  reply.header('cache-control', 'no-store');
  if (originOf(app, request.headers) === 'foreign') return reply.code(403).send({ error: 'Only for programs.' });
  const key = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const credentials = { kind: 'key' as const, key, ip: request.ip };
  try {
    const { caller } = await authenticateCaller(app, credentials);
    const use = { app, credentials, door: 'mcp' as const };
    const handler = createMcpHandler(() => mcpServer(use, caller), {
      onerror: (error) => app.log.debug({ err: error }, 'MCP request refused'),
    });
    const { status, headers, body } = await handler.fetch(asWebRequest(app, request));
    reply.code(status).headers(Object.fromEntries(headers));
    return reply.send(body ? Readable.fromWeb(body as ReadableStream) : '');
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.status === 401) reply.header('www-authenticate', 'Bearer realm="Postrider", error="invalid_token"');
    if (error.retryAfter !== undefined) reply.header('retry-after', error.retryAfter);
    return reply.code(error.status).send(faultBody(error, 'en'));
  }
}

function asWebRequest(app: App, { method, headers, body }: FastifyRequest): Request {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) if (typeof value === 'string') sent.set(name, value);
  return new Request(`${app.baseUrl}/mcp`, {
    method,
    headers: sent,
    ...(body instanceof Uint8Array && { body: new Uint8Array(body) }),
  });
}
