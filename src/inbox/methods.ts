// The method that reads the built-in inbox.
import { z } from 'zod';
import { method } from '../method/method.ts';
import { named } from '../method/named.ts';
import { paging } from '../method/paging.ts';
import { params, text } from '../method/params.ts';
import { listMessages } from './messages.ts';

const messageRecord = named(
  'InboxMessage',
  z.object({
    id: z.string(),
    received: z.string(),
    mail_from: z.string(),
    rcpt_to: z.array(z.string()),
    subject: z.string(),
    from: z.string(),
    to: z.string(),
    size: z.int(),
    source: z.string().meta({ description: 'The raw message; only with id.' }),
    html: z.string(),
    text: z.string(),
  }),
);

export const inboxMethods = [
  method({
    name: 'inboxMessages',
    group: 'inbox',
    summary:
      'Lists the messages in the built-in inbox, newest first; with id, returns one with its source and parts. The inbox keeps the newest 10,000.',
    params: params({
      id: text('A message to read whole.', 20).optional(),
      contains: text('Only messages whose subject or addresses hold this text.', 320).default(''),
      ...paging(25, 1_000),
    }),
    returns: z.array(messageRecord),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE', 'INVALID_PARAMETER'],
    scope: 'read',
    addresses: true,
    reads: true,
    example: { params: { limit: 10 } },
    run: listMessages,
  }),
];
