// The account's own program reports an event about the contact.
import { z } from 'zod';
import { message } from '../../base/messages.ts';
import { line } from '../../method/params.ts';
import { triggerKind } from './kind.ts';

export const event = triggerKind({
  type: 'event',
  about: '(eventSend)',
  members: { name: z.string() },
  settings: { name: line('event: the name of the event.', 100).optional() },
  read: ({ name = '' }) => ({ name: name.trim() }),
  problem: (_context, _draft, { name }) => (name === '' ? message('automation.event_missing') : undefined),
});
