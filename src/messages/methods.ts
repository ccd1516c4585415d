// The methods for single (transactional) messages: send, render, read.
import { z } from 'zod';
import { idempotencyKey } from '../method/idempotency.ts';
import { method } from '../method/method.ts';
import { id, params } from '../method/params.ts';
import { compose } from './compose.ts';
import { needMessage } from './info.ts';
import { maxRecipients, messageParams } from './params.ts';
import { storeMessages } from './store.ts';

const date = (description: string) =>
  z.string().meta({ description: `${description} GMT; empty if it has not happened.` });

const recipient = z.object({
  email: z.string(),
  type: z.string().meta({ description: 'to, cc or bcc.' }),
  state: z.string().meta({
    description:
      'queued, trying, later (deferred; attempted again), accepted by the relay, failed, skipped (see reason), or unclear (the connection broke after the message; a marked copy follows).',
  }),
  reason: z.string().meta({ description: 'Why it was skipped (suppressed, deleted), or the class of the refusal.' }),
  attempts: z.int(),
  resent: z.int().meta({ description: 'Copies sent after an unclear outcome.' }),
  code: z.int().meta({ description: 'The SMTP code of the last reply; 0 without one.' }),
  reply: z.string(),
  done_at: date('When it was accepted, failed or was skipped.'),
  next_at: date('When a deferred recipient is attempted next.'),
  opens: z.int(),
  last_open: date('The last open.'),
  clicks: z.int(),
  last_click: date('The last click.'),
  bounce: z
    .string()
    .meta({ description: 'The class of a refusal or bounce: hard, soft, blocked, temporary, generic.' }),
  complained: z.boolean(),
});

const message = z.object({
  id: z.string(),
  via: z.string().meta({ description: 'api or smtp.' }),
  from_email: z.string(),
  from_name: z.string(),
  subject: z.string(),
  message_id: z.string().meta({ description: 'The Message-ID.' }),
  tags: z.array(z.string()),
  template_id: z.string(),
  size: z.int().meta({ description: 'Octets of the whole message.' }),
  has_content: z.boolean().meta({ description: 'False when it is older than the account keeps contents.' }),
  created_at: z.string().meta({ description: 'GMT.' }),
  recipients: z.array(recipient),
});

const sent = z.object({ id: z.string(), message_id: z.string().meta({ description: 'The Message-ID.' }) });

export const messageMethods = [
  method({
    name: 'messageSend',
    group: 'messages',
    summary: 'Sends a single message, such as a receipt or a link to set a password.',
    description: `The recipients, at most ${maxRecipients}, need not be contacts, and unsubscribing from lists does not concern them. An address that is suppressed for any other reason, such as a hard bounce or a complaint, is skipped. The answer means that the message is stored and will be sent; messageInfo returns what became of it. Messages never wait behind campaigns. Repeat a call that got no answer with the same idempotency_key.`,
    params: params({ ...messageParams, idempotency_key: idempotencyKey }),
    returns: sent,
    faults: [
      'ADDRESS_INVALID',
      'CONTENT_INVALID',
      'TEMPLATE_UNKNOWN',
      'SENDING_NOT_ALLOWED',
      'NOT_ALLOWED',
      'CAMPAIGN_OPTION_INVALID',
      'TOO_LARGE',
    ],
    scope: 'send',
    example: {
      params: {
        to: ['Ada Lovelace <ada@example.com>'],
        subject: 'Your order *|ORDER|*',
        html: '<p>Dear *|NAME|*, your order *|ORDER|* is on its way.</p>',
        values: { NAME: 'Ada', ORDER: '17' },
        tags: ['order'],
      },
    },
    prepare: (context, given) => compose(context, given),
    async run(context, _given, composed) {
      const [stored] = await storeMessages(context, [composed]);
      return { id: stored!, message_id: composed.messageId };
    },
  }),
  method({
    name: 'messageInfo',
    group: 'messages',
    summary: 'Returns a single message and the state of each of its recipients.',
    params: params({ id: id('The message.') }),
    returns: message,
    faults: ['MESSAGE_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { id: '{{message}}' } },
    run: (context, given) => needMessage(context, given.id),
  }),
];
