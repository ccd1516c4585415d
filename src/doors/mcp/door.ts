// The MCP door: POST /mcp (Streamable HTTP), with an API key in `Authorization: Bearer …`. Without sessions: every request has
// its key, and is refused once the key is. Pages of other sites cannot use it. Loaded at the first request.
import type { FastifyInstance } from 'fastify';
import type { App } from '../../base/context.ts';

/** Parameters of a tool: a draft with its content. */
const maxBodyBytes = 4 * 1024 * 1024;

export function addMcpDoor(server: FastifyInstance, app: App) {
  server.register(async (door) => {
    door.removeAllContentTypeParsers();
    door.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer', bodyLimit: maxBodyBytes },
      (_request, body, done) => done(null, body),
    );
    door.route({
      method: ['POST', 'GET', 'DELETE'],
      url: '/mcp',
      handler: async (request, reply) => {
        const { answerMcp } = await import('./answer.ts');
        return answerMcp(app, request, reply);
      },
    });
  });
}
