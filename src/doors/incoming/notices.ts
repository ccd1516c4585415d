// POST /in/SERVICE/TOKEN: notices of sending services about bounces, complaints and unsubscribes. A wrong address is refused
// before the body is read. Some services ask with GET or HEAD whether the address exists.
import type { FastifyInstance } from 'fastify';
import type { App } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { isUnavailable, retrySeconds } from '../../db/connect.ts';
import { NoticeReceiver } from '../../returned/notices/receive.ts';
import { addBodyReader, headRefusal } from '../admission/bodies.ts';

/** SparkPost sends batches of some megabytes; Postmark may include the returned message. */
const maxBytes = 10 * 1024 * 1024;

export function addNotices(server: FastifyInstance, app: App) {
  const receiver = new NoticeReceiver(app);
  server.register(async (door) => {
    addBodyReader(door, app, { maxBytes });
    door.addHook('onRequest', async (request, reply) => {
      const { service, token } = request.params as { service: string; token: string };
      if (!(await receiver.isSource(service, token))) return reply.callNotFound();
    });
    // The path contains a secret, so it is not in the log.
    door.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
      if (error instanceof Fault)
        return headRefusal(request, reply, error)
          .code(error.status)
          .type('text/plain; charset=utf-8')
          .send(`${error.message}\n`);
      const isAway = isUnavailable(error);
      const status = isAway ? 503 : (error.statusCode ?? 500);
      if (isAway) reply.header('retry-after', retrySeconds);
      else if (status >= 500) app.log.error({ err: error }, 'a notice cannot be taken now');
      return reply
        .code(status)
        .type('text/plain; charset=utf-8')
        .send(status >= 500 ? 'Cannot be taken now\n' : `${error.message}\n`);
    });
    door.get('/in/:service/:token', async (_request, reply) => reply.type('text/plain; charset=utf-8').send('OK\n'));
    door.post('/in/:service/:token', async (request, reply) => {
      const { service, token } = request.params as { service: string; token: string };
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const { status, why } = await receiver.receive(service, token, request.headers, body);
      return reply
        .code(status)
        .type('text/plain; charset=utf-8')
        .send(status === 200 ? 'OK\n' : `Refused: ${why}\n`);
    });
  });
}
