// The methods about moving in from another program.
import { z } from 'zod';
import { counts } from '../audience/import/plan.ts';
import { fieldTypes } from '../audience/model/field.ts';
import { method } from '../method/method.ts';
import { named } from '../method/named.ts';
import { numbers } from '../method/numbers.ts';
import { paging } from '../method/paging.ts';
import { arrayOf, id, oneOf, params, text } from '../method/params.ts';
import { createMigration, listMigrations, migrationGet, startMigration, stopMigration } from './control.ts';
import { contactStates, sources } from './files/item.ts';
import { migrationStates, otherCounts, problemsOf } from './record.ts';

const status = named(
  'Migration',
  z.object({
    id: z.string(),
    source: z.enum(sources),
    state: z.enum(migrationStates),
    reason: z.string().meta({ description: 'Why it failed.' }),
    checked: z.boolean().meta({ description: 'Whether the dry run has ended; only then it can be applied.' }),
    position: z.int().meta({ description: 'Things read so far; later, contacts imported so far.' }),
    share: z.number(),
    lists: z.array(
      named(
        'MigrationList',
        z.object({
          name: z.string(),
          list: z.string().meta({ description: 'The list here, once its import has begun.' }),
          import: z.string(),
          states: numbers(contactStates).meta({ description: 'Contacts of the export by their state there.' }),
          fields: z.array(z.object({ tag: z.string(), name: z.string(), type: z.enum(fieldTypes) })),
          predicted: z
            .union([counts, z.object({})])
            .meta({ description: 'What the import would do, as importGet returns it.' }),
          result: counts,
        }),
      ),
    ),
    others: numbers(otherCounts).meta({
      description: 'Suppressed addresses and templates: all, those that are not here yet, those added.',
    }),
    problems: z
      .array(z.object({ list: z.string(), reason: z.string(), count: z.int(), value: z.string() }))
      .meta({ description: 'Why something is not taken, by list and reason, each with its first value.' }),
    date_created: z.string(),
    date_started: z.string(),
    date_ended: z.string(),
  }),
);
const migrationId = id('The migration.');

export const migrationMethods = [
  method({
    name: 'migrationCreate',
    group: 'imports',
    summary: 'Prepares moving in from another program: reads its export in a dry run and returns the id.',
    description:
      'The files are given as the ids of files sent to POST /upload, with the names they have there. Runs in a worker and changes nothing yet: migrationGet returns each list with its contacts by state, what its import would do, and why something is not taken. Then call migrationStart. Contacts who have unsubscribed, bounced or complained there are never subscribed; those who have left here stay so. A second migration of the same export changes nothing.',
    params: params({
      source: oneOf('The program.', sources),
      uploads: arrayOf('Ids of uploaded files: archives, CSV files or database dumps.', text('An upload.', 100), 100),
    }),
    returns: z.string(),
    faults: ['IMPORT_INVALID', 'UPLOAD_UNKNOWN'],
    scope: 'write',
    example: { params: { source: 'mailchimp', uploads: ['{{upload}}'] } },
    run: createMigration,
  }),
  method({
    name: 'migrationGet',
    group: 'imports',
    summary:
      'Returns a migration: its lists with their contacts by state, what it would do, its progress and its result.',
    params: params({ migration: migrationId }),
    returns: status,
    faults: ['IMPORT_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { migration: '{{migration}}' } },
    run: migrationGet,
  }),
  method({
    name: 'migrationProblems',
    group: 'imports',
    summary: 'Returns everything in an export that a migration does not take, with its reason.',
    params: params({ migration: migrationId, ...paging(1_000, 15_000) }),
    returns: z.array(z.object({ list: z.string(), value: z.string(), reason: z.string() })),
    faults: ['IMPORT_UNKNOWN', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    reads: true,
    example: { params: { migration: '{{migration}}' } },
    run: problemsOf,
  }),
  method({
    name: 'migrations',
    group: 'imports',
    summary: 'Returns the migrations of the account, newest first, as migrationGet does.',
    params: params(paging(20, 100)),
    returns: z.array(status),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    reads: true,
    example: { params: { limit: 5 } },
    run: listMigrations,
  }),
  method({
    name: 'migrationStart',
    group: 'imports',
    summary: 'Applies a migration after its dry run, or resumes one that was stopped or has failed.',
    description:
      'Creates lists, fields and templates, imports the contacts of each list and suppresses addresses, in a worker. A list of the same name is imported into. Each import is one of importGet and can be undone with importUndo.',
    params: params({ migration: migrationId }),
    returns: z.boolean(),
    faults: ['IMPORT_UNKNOWN', 'IMPORT_STATE_CONFLICT'],
    scope: 'write',
    example: { params: { migration: '{{migration_checked}}' } },
    run: startMigration,
  }),
  method({
    name: 'migrationStop',
    group: 'imports',
    summary:
      'Stops a migration or its dry run. Once this returns, no further contact is written. migrationStart resumes it.',
    params: params({ migration: migrationId }),
    returns: z.boolean(),
    faults: ['IMPORT_UNKNOWN', 'IMPORT_STATE_CONFLICT'],
    scope: 'write',
    example: { params: { migration: '{{migration}}' } },
    run: stopMigration,
  }),
];
