// POST /in/webhook/TOKEN: what shops and other services post. What no repetition would help is answered with 200: services repeat
// what is refused, and switch a webhook off that refuses often.
import type { FastifyInstance } from 'fastify';
import { type ReceivedResult, receive, receiverOf } from '../../automations/received-requests.ts';
import type { App } from '../../base/context.ts';
import { addIncomingDoor } from './incoming-door.ts';

const statusOf: Partial<Record<ReceivedResult, number>> = { bad_signature: 401, unreadable: 400 };

export function addReceivedWebhooks(server: FastifyInstance, app: App) {
  addIncomingDoor(server, app, {
    path: '/in/webhook',
    next: 'POST JSON or a form',
    find: (token) => receiverOf(app.db, token),
    async take(receiver, posted) {
      const { result } = await receive(app, receiver, posted);
      return { code: statusOf[result] ?? 200, answer: { status: result } };
    },
  });
}
