// The method that reads the audit log.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { arrayOf, id, integer, params, text, unlessEmpty } from '../../method/params.ts';
import { listEntries, recordedDoors } from './entries.ts';

export const auditMethods = [
  method({
    name: 'auditLog',
    group: 'account',
    summary: 'Lists who changed what, the latest first.',
    description:
      'Every call that changes something is written in the transaction of its change, and so are signing in and setting a password by a link. Passwords and keys are not kept; of contents, the first words and the length.',
    params: params({
      start: integer('Page number from which the selection starts.', 0, 1_000_000, {
        fault: 'START_OUT_OF_RANGE',
      }).default(0),
      limit: integer('Results per page, at most 1000.', 1, 1_000, { fault: 'LIMIT_OUT_OF_RANGE' }).default(50),
      method: unlessEmpty(text('Only calls of this method.', 60)),
      methods: arrayOf('Only calls of these methods.', text('The name of a method.', 60), 500).optional(),
      user: unlessEmpty(id('Only what this user did; an id as users() returns it.')),
    }),
    returns: z.array(
      named(
        'AuditEntry',
        z.object({
          id: z.string(),
          at: z.string(),
          user_id: z.string(),
          user: z.string().meta({ description: 'The address of the person; empty for a key or the command line.' }),
          key_id: z.string(),
          key: z.string().meta({ description: 'Label and last digits of the key; empty for a person.' }),
          door: z.enum(recordedDoors),
          method: z.string(),
          subject: z.string().meta({ description: 'The id or name of what was changed.' }),
          subject_name: z.string().meta({
            description:
              'The name of that campaign, list, segment, template, label, webhook, automation, import, sender or person; of what is gone the last one, if it is known; empty for anything else.',
          }),
          subject_deleted: z.boolean().meta({ description: 'Whether it has been deleted since.' }),
          detail: z.record(z.string(), z.string()),
          changes: z
            .array(
              z.object({
                name: z.string(),
                before: z.string(),
                after: z.string(),
                before_length: z.int(),
                after_length: z.int(),
              }),
            )
            .meta({
              description:
                'What an update changed, with the beginning of each value and its length in characters; of HTML only the length, of a URL the host.',
            }),
          ip: z.string(),
        }),
      ),
    ),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'admin',
    addresses: true,
    reads: true,
    example: { params: { limit: 10 } },
    run: listEntries,
  }),
];
