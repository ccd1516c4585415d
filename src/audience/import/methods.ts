// The methods about importing contacts from files.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { numbers } from '../../method/numbers.ts';
import { paging } from '../../method/paging.ts';
import { boolean, freeStruct, id, line, oneOf, params, struct, text, unlessEmpty } from '../../method/params.ts';
import {
  importErrors,
  importGet,
  importProblems,
  listImports,
  startDryRun,
  startImport,
  startUndo,
  stopImport,
} from './control.ts';
import { builtInTargets, counts, emptyRules, importStatusWords, packings, updateRules } from './plan.ts';
import { createImport, mapImport, previewImport } from './prepare.ts';
import { importStates, undoCounts } from './record.ts';

const invalid = { fault: 'IMPORT_INVALID', selfFault: 'IMPORT_INVALID' } as const;
const mapping = freeStruct(
  `What the columns mean: heading or number (from 1) → a merge tag, one of ${builtInTargets.join(', ')}, "" to skip the column (also one that importPreview returns as undecided), or new:TAG or new:TAG:type to create a field. A target of dates may end in :day_first or :month_first. Columns that are not named keep the proposed mapping.`,
  { fault: 'IMPORT_INVALID' },
);
const rules = {
  update: oneOf(
    'Which contacts are touched: those not on the list yet (add), those on it (update), or both (add_update).',
    ['add', 'add_update', 'update'],
    {},
    invalid,
  ).optional(),
  status: oneOf(
    'Status of contacts when the file has none; without it new contacts are subscribed and existing ones keep their status.',
    ['', ...importStatusWords],
    {},
    invalid,
  ).optional(),
  empty: oneOf('What an empty cell does to an existing value: keep or clear.', emptyRules, {}, invalid).optional(),
  double_optin: boolean('Whether new subscribers must confirm by email first. Default: no.').optional(),
  resubscribe: text(
    'Why contacts that have unsubscribed or bounced may be subscribed again; stored as evidence. Without it they are skipped.',
    1_000,
  ).optional(),
};
const format = {
  encoding: unlessEmpty(text('Such as utf-8, utf-16le, windows-1252 or iso-8859-1; detected when not given.', 40)),
  delimiter: text('One character, or the word tab; detected when not given.', 10).optional(),
  quote: text('One character, or none; detected when not given.', 10).optional(),
  header: oneOf('Whether the first row contains headings.', ['auto', 'yes', 'no'], {}, invalid).optional(),
};
const options = named(
  'ImportOptions',
  struct(
    'How the file is read, and what happens to contacts.',
    { ...format, mapping: mapping.optional(), ...rules },
    {
      fault: 'IMPORT_INVALID',
    },
  ),
);

const status = named(
  'Import',
  z.object({
    id: z.string(),
    list: z.string(),
    name: z.string(),
    state: z.enum(importStates),
    reason: z.string(),
    size: z.int(),
    position: z.int(),
    share: z.number(),
    rate: z.int(),
    finish_at: z.string(),
    predicted: z.union([counts, z.object({})]),
    result: counts,
    undone: numbers(undoCounts),
    problems: z.int(),
    date_created: z.string(),
    date_started: z.string(),
    date_ended: z.string(),
  }),
);
const importId = id('The import.');

export const importMethods = [
  method({
    name: 'importCreate',
    group: 'imports',
    summary:
      'Prepares an import of a file into a list: detects its format and the meaning of its columns; returns its id.',
    description:
      'The file is given as text (content), or as the id of a file sent to POST /upload: CSV with any delimiter, in any common encoding, also as .gz, or as a .zip that contains one file; a workbook (.xlsx), an address book (.vcf), or addresses as an email program copies them. Nothing is imported yet: check with importPreview, correct with importUpdate, predict with importDryRun, then call importStart.',
    params: params({
      id: id('The list.'),
      content: text('The file itself, when it is small.', 8 * 1024 * 1024).default(''),
      upload: text('The id that POST /upload returned.', 100).default(''),
      name: line('A name for the import, such as that of the file.', 200).default(''),
      options: options.default({}),
    }),
    returns: z.string(),
    faults: ['LIST_UNKNOWN', 'IMPORT_INVALID', 'UPLOAD_UNKNOWN', 'TOO_LARGE'],
    scope: 'write',
    narrowed: true,
    example: { params: { id: '{{list}}', content: 'Email,First Name\nann@example.com,Ann\n', name: 'friends.csv' } },
    run: createImport,
  }),
  method({
    name: 'importPreview',
    group: 'imports',
    summary: 'Returns the format of an import file, the mapping of its columns, and its first rows.',
    params: params({ import: importId }),
    returns: z.object({
      name: z.string(),
      state: z.enum(importStates),
      format: z.object({
        packing: z.enum(packings),
        encoding: z.string(),
        delimiter: z.string(),
        quote: z.string(),
        header: z.boolean(),
      }),
      columns: z.array(
        z.object({
          no: z.int(),
          heading: z.string(),
          target: z.string(),
          new_field: z.string(),
          undecided: z
            .boolean()
            .describe(
              'The column looks as if it says who agreed to receive email or has left, and it is not mapped; or something that belongs to the addresses or tags says so of some contacts. importStart refuses until importUpdate names the column, or sets a status.',
            ),
          date_order: z
            .string()
            .describe(
              'For dates such as 04/07/2020: day_first or month_first, as the values show or importUpdate has set; unclear: importStart refuses until importUpdate says it; "" when no value needs it.',
            ),
          samples: z.array(z.string()),
          invalid_count: z.int().describe('Values among the first rows that do not fit the target.'),
          invalid: z.array(z.object({ value: z.string(), reason: z.string() })).describe('Up to three of them.'),
        }),
      ),
      provider: z.string().describe('The program that exported the file, as far as its headings show; "" otherwise.'),
      rows_checked: z.int().describe('How many of the first rows were looked at, at most 200.'),
      warnings: z.array(z.string()).describe('What to look at before the import starts, such as a guessed encoding.'),
      options: z.object({
        update: z.enum(updateRules),
        status: z.enum(['', ...importStatusWords]),
        empty: z.enum(emptyRules),
        double_optin: z.boolean(),
        resubscribe: z.string(),
      }),
    }),
    faults: ['IMPORT_UNKNOWN', 'UPLOAD_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { import: '{{import}}' } },
    run: previewImport,
  }),
  method({
    name: 'importUpdate',
    group: 'imports',
    summary: 'Sets the mapping of the columns of an import, the format of its file and the rules for contacts.',
    description:
      'Settings that are not given stay as they are. Possible until the import is started; discards the result of a dry run.',
    params: params({ import: importId, mapping: mapping.default({}), options: options.default({}) }),
    returns: z.boolean(),
    faults: ['IMPORT_UNKNOWN', 'IMPORT_INVALID', 'IMPORT_STATE_CONFLICT', 'UPLOAD_UNKNOWN'],
    scope: 'write',
    narrowed: true,
    example: { params: { import: '{{import}}', mapping: { 'First Name': 'FNAME' }, options: { update: 'add' } } },
    run: mapImport,
  }),
  method({
    name: 'importDryRun',
    group: 'imports',
    summary: 'Starts a dry run: compares the whole file with the list, as the import does, and changes nothing.',
    description:
      'Runs in a worker. importGet returns its progress and at the end (state checked) what the import would do, in the member predicted. importErrors returns the rows that would be rejected.',
    params: params({ import: importId }),
    returns: z.boolean(),
    faults: ['IMPORT_UNKNOWN', 'IMPORT_STATE_CONFLICT', 'IMPORT_INVALID', 'UPLOAD_UNKNOWN'],
    scope: 'write',
    narrowed: true,
    example: { params: { import: '{{import}}' } },
    run: startDryRun,
  }),
  method({
    name: 'importStart',
    group: 'imports',
    summary: 'Starts an import, or resumes one that was stopped or has failed.',
    description:
      'Runs in a worker. Each row of the file is imported exactly once, even if processes die in between. Creates the new fields of the mapping. Refuses while a column is undecided (see importPreview). If only a later row of the file shows that a column looks like consent, the import returns to state mapped before any row is written, with the column in reason.',
    params: params({ import: importId }),
    returns: z.boolean(),
    faults: ['IMPORT_UNKNOWN', 'IMPORT_STATE_CONFLICT', 'IMPORT_INVALID', 'UPLOAD_UNKNOWN'],
    scope: 'write',
    narrowed: true,
    example: { params: { import: '{{import}}' } },
    run: startImport,
  }),
  method({
    name: 'importGet',
    group: 'imports',
    summary: 'Returns the progress of an import, its results so far, its rate (rows per second) and its estimated end.',
    params: params({ import: importId }),
    returns: status,
    faults: ['IMPORT_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { import: '{{import}}' } },
    run: importGet,
  }),
  method({
    name: 'imports',
    group: 'imports',
    summary: 'Returns the imports of the account, or of a list, newest first, as importGet does.',
    params: params({ id: text('The list; all lists when not given.', 100).default(''), ...paging(100, 1_000) }),
    returns: z.array(status),
    faults: ['LIST_UNKNOWN', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { id: '{{list}}', limit: 10 } },
    run: listImports,
  }),
  method({
    name: 'importStop',
    group: 'imports',
    summary: 'Stops an import or its dry run. Once this returns, no further row is written. importStart resumes it.',
    params: params({ import: importId }),
    returns: z.boolean(),
    faults: ['IMPORT_UNKNOWN', 'IMPORT_STATE_CONFLICT'],
    scope: 'write',
    narrowed: true,
    example: { params: { import: '{{import_started}}' } },
    run: stopImport,
  }),
  method({
    name: 'importUndo',
    group: 'imports',
    summary: 'Undoes an import: removes the members it added and restores those it changed.',
    description:
      'Members that changed after the import stay as they are and are counted as kept. Fields that the import created stay. Confirmation messages that were sent cannot be recalled.',
    params: params({ import: importId }),
    returns: z.boolean(),
    faults: ['IMPORT_UNKNOWN', 'IMPORT_STATE_CONFLICT'],
    scope: 'write',
    narrowed: true,
    example: { params: { import: '{{import_stopped}}' } },
    run: startUndo,
  }),
  method({
    name: 'importProblems',
    group: 'imports',
    summary:
      'Returns why rows of a file were rejected or values left out, grouped by column and reason, the most frequent first, each with its first row.',
    params: params({ import: importId }),
    returns: z.array(
      z.object({ column: z.string(), reason: z.string(), count: z.int(), line: z.int(), value: z.string() }),
    ),
    faults: ['IMPORT_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { import: '{{import}}' } },
    run: importProblems,
  }),
  method({
    name: 'importErrors',
    group: 'imports',
    summary:
      'Returns the rows of a file that were rejected, and the values that were left out: line, column, value and reason.',
    description:
      'To get all of them as CSV: GET /import/ID/errors.csv, with the session or the key in an Authorization header.',
    params: params({ import: importId, ...paging(1_000, 15_000) }),
    returns: z.array(z.object({ line: z.int(), column: z.string(), value: z.string(), reason: z.string() })),
    faults: ['IMPORT_UNKNOWN', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { import: '{{import}}' } },
    run: importErrors,
  }),
];
