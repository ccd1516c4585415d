// POST /in/automation/TOKEN: the incoming webhooks of automations, as JSON or as a form. An unknown address is refused before the
// body is read. A request that no repetition would help is answered with 200, because services repeat what is refused.
import type { FastifyInstance } from 'fastify';
import { type IncomingResult, incomingWebhook, takeIncoming, usualMember } from '../../automations/incoming.ts';
import type { App } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { isUnavailable, retrySeconds } from '../../db/connect.ts';
import { addBodyReader, headRefusal } from '../admission/bodies.ts';
import { readIncoming } from './read-incoming.ts';

/** Shops post whole orders. */
const maxBytes = 1024 * 1024;

type Asked = { token: string };

export function addAutomationWebhooks(server: FastifyInstance, app: App) {
  const path = '/in/automation/:token';
  server.register(async (door) => {
    addBodyReader(door, app, { maxBytes });
    door.addHook('onRequest', async (request, reply) => {
      if (!(await incomingWebhook(app.db, (request.params as Asked).token))) return reply.callNotFound();
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
    door.get(path, async () => ({ status: 'ok', next: 'POST JSON or a form with the address of a contact' }));
    door.post(path, async (request, reply) => {
      const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const body = readIncoming(request.headers['content-type'] ?? '', raw);
      const webhook = await incomingWebhook(app.db, (request.params as Asked).token);
      if (!webhook) return reply.callNotFound();
      const result = await app.db.transaction((tx) => takeIncoming(tx, webhook, body));
      const { code, ...answer } = answerTo(result, webhook.member || usualMember);
      return reply.code(code).send(answer);
    });
  });
}

function answerTo(result: IncomingResult, member: string): { code: number; status?: string; error?: string } {
  switch (result) {
    case 'entered':
      return { code: 202, status: 'accepted' };
    case 'not_active':
      return { code: 200, status: 'ignored: the automation is not active with this trigger' };
    case 'not_subscribed':
      return { code: 200, status: 'ignored: the address is not subscribed to the list' };
    case 'no_address':
      return { code: 422, error: `the member "${member}" is not an email address` };
    case 'unreadable':
      return { code: 400, error: 'the body is neither JSON nor a form' };
  }
}
