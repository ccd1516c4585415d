// Answers a request at the MCP door whose key is known: the tools of its caller, and the library that speaks the protocol.
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Credentials } from '../../accounts/keys/authenticate.ts';
import type { App, Caller } from '../../base/context.ts';
import { mcpServer } from './server.ts';

type Authenticated = { app: App; credentials: Credentials; caller: Caller };

export async function answerMcp(
  { app, credentials, caller }: Authenticated,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const handler = createMcpHandler(() => mcpServer({ app, credentials, door: 'mcp' }, caller), {
    onerror: (error) => app.log.debug({ err: error }, 'MCP request refused'),
  });
  const { status, headers, body } = await handler.fetch(asWebRequest(app, request));
  reply.code(status).headers(Object.fromEntries(headers));
  return reply.send(body ? Readable.fromWeb(body as ReadableStream) : '');
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
