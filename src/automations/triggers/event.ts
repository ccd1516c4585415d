// The account's own program reports an event about the contact.
import { z } from 'zod';
import { message } from '../../base/messages.ts';
import { dataRecord, dataSetting, problemOfData, readData } from '../steps/data-conditions.ts';
import { eventName } from '../steps/event-name.ts';
import { triggerKind } from './kind.ts';

export const event = triggerKind({
  type: 'event',
  about: '(eventSend)',
  members: { name: z.string(), data: dataRecord.optional() },
  settings: { name: eventName, data: dataSetting },
  read: ({ name = '', data }) => ({ name: name.trim(), ...readData(data) }),
  problem: (_context, _draft, { name, data }) =>
    name === '' ? message('automation.event_missing') : problemOfData(data),
});
