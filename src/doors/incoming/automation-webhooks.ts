// POST /in/automation/TOKEN: the incoming webhooks of automations, as JSON or as a form. A request that no repetition would help is
// answered with 200, because services repeat what is refused.
import type { FastifyInstance } from 'fastify';
import {
  type IncomingResult,
  incomingWebhook,
  takeIncoming,
  usualMember,
} from '../../automations/automation-webhook.ts';
import type { App } from '../../base/context.ts';
import { addIncomingDoor } from './incoming-door.ts';

export function addAutomationWebhooks(server: FastifyInstance, app: App) {
  addIncomingDoor(server, app, {
    path: '/in/automation',
    next: 'POST JSON or a form with the address of a contact',
    find: (token) => incomingWebhook(app.db, token),
    async take(webhook, { body }) {
      const result = await app.db.transaction((tx) => takeIncoming(tx, webhook, body));
      const { code, ...answer } = answerTo(result, webhook.member || usualMember);
      return { code, answer };
    },
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
