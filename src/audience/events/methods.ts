// The methods that read events; those that report them signal automations too (src/automations).
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { paging } from '../../method/paging.ts';
import { params, text } from '../../method/params.ts';
import { readContact } from '../model/contact.ts';
import { eventsOf, listEventNames } from './read.ts';

export const eventRecord = named(
  'ReportedEvent',
  z.object({
    name: z.string(),
    time: z.string().meta({ description: 'When it happened, GMT.' }),
    received_time: z.string(),
    value: z.string().meta({ description: 'The value as a decimal; "" without one.' }),
    data: z.record(z.string(), z.unknown()),
  }),
);

export const eventMethods = [
  method({
    name: 'contactEvents',
    group: 'contacts',
    summary: 'Returns the events that were reported about one contact with eventSend, newest first, with their data.',
    params: params({ email: text('The address, or the id of the contact.', 1_000), ...paging(100, 1_000) }),
    returns: z.array(eventRecord),
    faults: ['ADDRESS_UNKNOWN', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { email: '{{email}}' } },
    run: async (context, { email, ...page }) => eventsOf(context, (await readContact(context, email)).id, page),
  }),
  method({
    name: 'eventNames',
    group: 'contacts',
    summary: 'Returns the names of the events that were reported about contacts, in alphabetical order.',
    params: params(paging(100, 1_000)),
    returns: z.object({
      total: z.int(),
      data: z.array(
        named(
          'EventName',
          z.object({
            name: z.string(),
            last_time: z
              .string()
              .meta({ description: 'When it last happened; "" when all of its events were deleted.' }),
          }),
        ),
      ),
    }),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { limit: 10 } },
    run: listEventNames,
  }),
];
