// What the doors of incoming webhooks share: a URL with a token, a body of JSON or a form, and answers that do not show the URL.
// An unknown address is refused before the body is read.

import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { App } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { isUnavailable, retrySeconds } from '../../db/connect.ts';
import { addBodyReader, headRefusal } from '../admission/bodies.ts';
import { readIncoming } from './read-incoming.ts';

/** Shops post whole orders. */
const maxBytes = 1024 * 1024;

/** `body`: undefined when it is neither JSON nor a form. */
export type Posted = { headers: IncomingHttpHeaders; raw: Buffer; body: unknown; ip: string };

type Door<Webhook> = {
  /** In front of the token. */
  path: string;
  /** What to do, for services that ask whether the address exists. */
  next: string;
  find(token: string): Promise<Webhook | undefined>;
  take(webhook: Webhook, posted: Posted): Promise<{ code: number; answer: object }>;
};

export function addIncomingDoor<Webhook>(server: FastifyInstance, app: App, given: Door<Webhook>) {
  const path = `${given.path}/:token`;
  server.register(async (door) => {
    addBodyReader(door, app, { maxBytes });
    door.addHook('onRequest', async (request, reply) => {
      if (!(await given.find(tokenOf(request)))) return reply.callNotFound();
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
    door.get(path, async () => ({ status: 'ok', next: given.next }));
    door.post(path, async (request, reply) => {
      const { headers, ip } = request;
      const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const body = readIncoming(headers['content-type'] ?? '', raw);
      const webhook = await given.find(tokenOf(request));
      if (!webhook) return reply.callNotFound();
      const { code, answer } = await given.take(webhook, { headers, raw, body, ip });
      return reply.code(code).send(answer);
    });
  });
}

const tokenOf = ({ params }: { params: unknown }): string => (params as { token: string }).token;
