// The MCP door: POST /mcp (Streamable HTTP), with an API key in `Authorization: Bearer …`. Without sessions: every request has
// its key, which is checked before its body is read. Pages of other sites cannot use it. What answers is loaded at the first request.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App, Caller } from '../../base/context.ts';
import { Fault, faultBody } from '../../base/faults.ts';
import { bearerOf } from '../admission/bearer.ts';
import { addBodyReader, headRefusal } from '../admission/bodies.ts';
import { checkJson } from '../admission/json-values.ts';
import { authenticateCaller } from '../admission/refused-keys.ts';
import { originOf } from '../admission/request-origin.ts';

/** Parameters of a tool: a draft with its content. */
const maxBytes = 4 * 1024 * 1024;

export function addMcpDoor(server: FastifyInstance, app: App) {
  server.register(async (door) => {
    const callers = new WeakMap<FastifyRequest, Caller>();
    door.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      if (originOf(app, request.headers) === 'foreign') return reply.code(403).send({ error: 'Only for programs.' });
      callers.set(request, (await authenticateCaller(app, credentialsOf(request))).caller);
    });
    door.setErrorHandler(async (error: Error, request, reply) => {
      if (!(error instanceof Fault)) throw error;
      return refuse(request, reply, error);
    });
    const as = (body: Buffer) => {
      checkJson(body);
      return body;
    };
    addBodyReader(door, app, { maxBytes, type: 'application/json', as });
    door.route({
      method: ['POST', 'GET', 'DELETE'],
      url: '/mcp',
      handler: async (request, reply) => {
        const { answerMcp } = await import('./answer.ts');
        return answerMcp({ app, credentials: credentialsOf(request), caller: callers.get(request)! }, request, reply);
      },
    });
  });
}

function refuse(request: FastifyRequest, reply: FastifyReply, error: Fault): FastifyReply {
  if (error.status === 401) reply.header('www-authenticate', 'Bearer realm="Postrider", error="invalid_token"');
  return headRefusal(request, reply, error).code(error.status).send(faultBody(error, 'en'));
}

const credentialsOf = ({ headers, ip }: FastifyRequest) => ({
  kind: 'key' as const,
  key: bearerOf(headers.authorization),
  ip,
});
