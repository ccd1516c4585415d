// POST /in/webhook/TOKEN: what shops and other services post. An unknown address is refused before the body is read. What no
// repetition would help is answered with 200: services repeat what is refused, and switch a webhook off that refuses often.
import type { FastifyInstance } from 'fastify';
import { type ReceivedResult, receive, receiverOf } from '../../automations/receive.ts';
import type { App } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { isUnavailable, retrySeconds } from '../../db/connect.ts';
import { addBodyReader, headRefusal } from '../admission/bodies.ts';
import { readIncoming } from './read-incoming.ts';

/** Shops post whole orders. */
const maxBytes = 1024 * 1024;

type Asked = { token: string };

const statusOf: Partial<Record<ReceivedResult, number>> = { bad_signature: 401, unreadable: 400 };

export function addReceivedWebhooks(server: FastifyInstance, app: App) {
  const path = '/in/webhook/:token';
  server.register(async (door) => {
    addBodyReader(door, app, { maxBytes });
    door.addHook('onRequest', async (request, reply) => {
      if (!(await receiverOf(app.db, (request.params as Asked).token))) return reply.callNotFound();
    });
    // The path contains a secret, so it is not in the log.
    door.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
      if (error instanceof Fault)
        return headRefusal(request, reply, error).code(error.status).send({ error: error.message });
      const isAway = isUnavailable(error);
      const status = isAway ? 503 : (error.statusCode ?? 500);
      if (isAway) reply.header('retry-after', retrySeconds);
      else if (status >= 500) app.log.error({ err: error }, 'an incoming webhook cannot be taken now');
      return reply.code(status).send({ error: status >= 500 ? 'cannot be taken now' : error.message });
    });
    // Some services ask whether the address exists.
    door.get(path, async () => ({ status: 'ok', next: 'POST JSON or a form' }));
    door.post(path, async (request, reply) => {
      const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const body = readIncoming(request.headers['content-type'] ?? '', raw);
      const receiver = await receiverOf(app.db, (request.params as Asked).token);
      if (!receiver) return reply.callNotFound();
      const { headers, ip } = request;
      const { result } = await receive(app, receiver, { headers, raw, body, ip });
      return reply.code(statusOf[result] ?? 200).send({ status: result });
    });
  });
}
