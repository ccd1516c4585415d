// The methods about importing contacts from files.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { method } from '../../method/method.ts';
import { paging } from '../../method/paging.ts';
import { freeStruct, id, params, struct, text, truth, unlessEmpty, word } from '../../method/params.ts';
import { maxFields } from '../fields/change.ts';
import { type Field, fieldsOf } from '../fields/field.ts';
import { needList } from '../lists/list.ts';
import { planOf, readFormat, type Said } from './begin.ts';
import { keepText, needUpload } from './file/upload.ts';
import { builtInTargets, countMeaning, importStatusWords, type Plan } from './plan.ts';
import { importRecords, needImport, needState, statusOf } from './record.ts';
import { enqueueImport, enqueueUndo } from './tasks.ts';

const bad = { fault: 'IMPORT_INVALID', selfFault: 'IMPORT_INVALID' } as const;
const mapping = freeStruct(
  `What the columns mean: heading or number (from 1) → a merge tag, one of ${builtInTargets.join(', ')}, "" to leave the column out, or new:TAG or new:TAG:type for a field to be made. Columns that are not named keep what was proposed.`,
  { fault: 'IMPORT_INVALID' },
);
const rules = {
  update: word(
    'Which contacts are touched: those not on the list yet (add), those on it (update), or both (add_update).',
    ['add', 'add_update', 'update'],
    {},
    bad,
  ).optional(),
  status: word(
    'What contacts become when the file does not say; without it new ones are subscribed and known ones stay what they are.',
    ['', ...importStatusWords],
    {},
    bad,
  ).optional(),
  empty: word('What an empty cell does to a known value: keep or clear.', ['keep', 'clear'], {}, bad).optional(),
  double_optin: truth('Whether new subscribers are asked by mail first. Default: no.').optional(),
  resubscribe: text(
    'Why contacts that have unsubscribed or bounced may be subscribed again; kept as evidence. Without it they are left alone.',
    1_000,
  ).optional(),
};
const format = {
  encoding: unlessEmpty(text('Such as utf-8, utf-16le, windows-1252 or iso-8859-1; found out when not given.', 40)),
  delimiter: text('One character, or the word tab; found out when not given.', 10).optional(),
  quote: text('One character, or none; found out when not given.', 10).optional(),
  header: word('Whether the first row holds headings.', ['auto', 'yes', 'no'], {}, bad).optional(),
};
const options = struct(
  'How the file is read, and what happens to contacts.',
  { ...format, mapping: mapping.optional(), ...rules },
  {
    fault: 'IMPORT_INVALID',
  },
);

const counts = z.object(
  Object.fromEntries(Object.entries(countMeaning).map(([name, meaning]) => [name, z.int().describe(meaning)])),
);
const status = z.object({
  id: z.string(),
  list: z.string(),
  name: z.string(),
  state: z.string(),
  reason: z.string(),
  size: z.int(),
  position: z.int(),
  share: z.number(),
  rate: z.int(),
  finish_at: z.string(),
  foreseen: z.union([counts, z.object({})]),
  result: counts,
  undone: z.object({ removed: z.int(), put_back: z.int(), kept: z.int() }),
  problems: z.int(),
  date_created: z.string(),
  date_started: z.string(),
  date_ended: z.string(),
});
const importId = id('The import.');

export const importMethods = [
  method({
    name: 'importCreate',
    group: 'imports',
    summary:
      'Prepares an import of a file into a list: finds out how it is read and what its columns mean; returns its id.',
    description:
      'The file is given as text (content), or as the id of a file sent to POST /upload: CSV with any delimiter, in any common encoding, also as .gz, or as a .zip with one file in it. Nothing is imported yet: look at importPreview, correct with importMap, foresee with importDryRun, then importStart.',
    params: params({
      id: id('The list.'),
      content: text('The file itself, when it is small.', 8 * 1024 * 1024).default(''),
      upload: text('The id that POST /upload answered.', 100).default(''),
      name: text('A name for the import, such as that of the file.', 200).default(''),
      options: options.default({}),
    }),
    returns: z.string(),
    faults: ['LIST_UNKNOWN', 'IMPORT_INVALID', 'UPLOAD_UNKNOWN', 'TOO_LARGE'],
    scope: 'write',
    example: { params: { id: '{{list}}', content: 'Email,First Name\nann@example.com,Ann\n', name: 'friends.csv' } },
    async run(context, given) {
      const { tx, account, caller } = context;
      const list = await needList(context, given.id);
      if ((given.content === '') === (given.upload === ''))
        throw new Fault('IMPORT_INVALID', 'Give either content or upload');
      const uploadId =
        given.upload === '' ? await keepText(tx, account.id, given.name, given.content) : parseId(given.upload);
      const upload = await needUpload(tx, account.id, uploadId);
      if (upload.size === 0) throw new Fault('IMPORT_INVALID', 'The file is empty');
      const { plan } = await planOf(tx, upload, await fieldsOf(context, list.id), saidOf(given.options));
      const row = await tx.row<{ id: number }>(sql`
        insert into import (account_id, list_id, upload_id, name, size, state, source, plan)
        values (${account.id}, ${list.id}, ${uploadId}, ${given.name || upload.name}, ${upload.size},
          ${stateOf(plan)}, ${caller.kind === 'key' ? 'api' : 'admin'}, ${JSON.stringify(plan)})
        returning id`);
      return formatId(row!.id);
    },
  }),
  method({
    name: 'importPreview',
    group: 'imports',
    summary: 'Returns how the file of an import is read, what its columns mean, and its first rows.',
    params: params({ import: importId }),
    returns: z.object({
      name: z.string(),
      state: z.string(),
      format: z.object({
        packing: z.string(),
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
          samples: z.array(z.string()),
        }),
      ),
      options: z.object({
        update: z.string(),
        status: z.string(),
        empty: z.string(),
        double_optin: z.boolean(),
        resubscribe: z.string(),
      }),
    }),
    faults: ['IMPORT_UNKNOWN', 'UPLOAD_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { import: '{{import}}' } },
    async run(context, given) {
      const record = await needImport(context, given.import);
      const upload = await needUpload(context.tx, context.account.id, record.uploadId);
      const { sample } = await readFormat(context.tx, upload, {}, record.plan.format);
      const { format: read, columns, rules: ruled } = record.plan;
      return {
        name: record.name,
        state: record.state,
        format: {
          packing: read.packing,
          encoding: read.encoding,
          delimiter: read.delimiter,
          quote: read.quote,
          header: read.header,
        },
        columns: columns.map(({ no, heading, target, newField }) => ({
          no: no + 1,
          heading,
          target,
          new_field: newField?.type ?? '',
          samples: sample.rows.slice(0, 5).map((row) => (row[no] ?? '').replaceAll('\0', '').slice(0, 200)),
        })),
        options: {
          update: ruled.update,
          status: ruled.status,
          empty: ruled.empty,
          double_optin: ruled.doubleOptin,
          resubscribe: ruled.resubscribe,
        },
      };
    },
  }),
  method({
    name: 'importMap',
    group: 'imports',
    summary: 'Says what the columns of an import mean, how its file is read and what happens to contacts.',
    description:
      'What is not given stays as it is. Possible until the import is started; a dry run made before is void.',
    params: params({ import: importId, mapping: mapping.default({}), options: options.default({}) }),
    returns: z.boolean(),
    faults: ['IMPORT_UNKNOWN', 'IMPORT_INVALID', 'IMPORT_STATE_CONFLICT', 'UPLOAD_UNKNOWN'],
    scope: 'write',
    example: { params: { import: '{{import}}', mapping: { 'First Name': 'FNAME' }, options: { update: 'add' } } },
    async run(context, given) {
      const record = await needImport(context, given.import, true);
      needState(record, ['uploaded', 'mapped', 'checked'], 'changed');
      const upload = await needUpload(context.tx, context.account.id, record.uploadId);
      const said = saidOf({ ...given.options, mapping: { ...given.options.mapping, ...given.mapping } });
      const { plan } = await planOf(context.tx, upload, await fieldsOf(context, record.listId), said, record.plan);
      await context.tx.run(sql`
        update import
        set plan = ${JSON.stringify(plan)}, state = ${stateOf(plan)}, foreseen = null, position = 0, counts = '{}'
        where account_id = ${context.account.id}
          and id = ${record.id}`);
      return true;
    },
  }),
  method({
    name: 'importDryRun',
    group: 'imports',
    summary: 'Begins a dry run: the whole file is compared with the list as in the real run, and nobody is changed.',
    description:
      'Runs in a worker; importStatus tells how far it is, and at the end (state checked) what the import would do, in the member foreseen. importErrors tells the rows that would not be taken.',
    params: params({ import: importId }),
    returns: z.boolean(),
    faults: ['IMPORT_UNKNOWN', 'IMPORT_STATE_CONFLICT', 'IMPORT_INVALID', 'UPLOAD_UNKNOWN'],
    scope: 'write',
    example: { params: { import: '{{import}}' } },
    async run(context, given) {
      const record = await needImport(context, given.import, true);
      if (record.state === 'uploaded') throw notMapped();
      needState(record, ['mapped', 'checked'], 'tried out');
      await needUpload(context.tx, context.account.id, record.uploadId);
      await begin(context, record.id, 'checking');
      await enqueueImport(context.tx, context.account.id, record.id, true);
      return true;
    },
  }),
  method({
    name: 'importStart',
    group: 'imports',
    summary: 'Starts an import, or goes on with one that was stopped or has failed.',
    description:
      'Runs in a worker. A row of the file is imported exactly once, whatever happens to the processes in between. Fields that the mapping asks for are made now.',
    params: params({ import: importId }),
    returns: z.boolean(),
    faults: ['IMPORT_UNKNOWN', 'IMPORT_STATE_CONFLICT', 'IMPORT_INVALID', 'UPLOAD_UNKNOWN'],
    scope: 'write',
    example: { params: { import: '{{import}}' } },
    async run(context, given) {
      const { tx, account } = context;
      const record = await needImport(context, given.import, true);
      if (record.state === 'uploaded') throw notMapped();
      needState(record, ['mapped', 'checked', 'stopped', 'failed'], 'started');
      await needUpload(tx, account.id, record.uploadId);
      if (record.startedAt === null) {
        await makeFields(context, record.listId, record.plan);
        await begin(context, record.id, 'running');
      } else
        await tx.run(sql`
          update import
          set state = 'running', reason = '', run_from = position, run_at = clock_timestamp(), ended_at = null
          where account_id = ${account.id}
            and id = ${record.id}`);
      await enqueueImport(tx, account.id, record.id, false);
      return true;
    },
  }),
  method({
    name: 'importStatus',
    group: 'imports',
    summary:
      'Returns how far an import is, what it has done so far, its rate (rows a second) and when it should be done.',
    params: params({ import: importId }),
    returns: status,
    faults: ['IMPORT_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { import: '{{import}}' } },
    run: async (context, given) => statusOf(await needImport(context, given.import), context.now),
  }),
  method({
    name: 'imports',
    group: 'imports',
    summary: 'Returns the imports of the account, or of a list, newest first, as importStatus does.',
    params: params({ id: text('The list; all lists when not given.', 100).default(''), ...paging(100, 1_000) }),
    returns: z.array(status),
    faults: ['LIST_UNKNOWN', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    reads: true,
    example: { params: { id: '{{list}}', limit: 10 } },
    async run(context, given) {
      const list = given.id === '' ? undefined : await needList(context, given.id);
      const records = await importRecords(
        context.tx,
        context.account.id,
        list ? sql`i.list_id = ${list.id}` : sql`true`,
        sql`limit ${given.limit} offset ${given.start * given.limit}`,
      );
      return records.map((record) => statusOf(record, context.now));
    },
  }),
  method({
    name: 'importStop',
    group: 'imports',
    summary: 'Stops an import or its dry run; when this answers, no further row is written. importStart goes on.',
    params: params({ import: importId }),
    returns: z.boolean(),
    faults: ['IMPORT_UNKNOWN', 'IMPORT_STATE_CONFLICT'],
    scope: 'write',
    example: { params: { import: '{{import_started}}' } },
    async run(context, given) {
      // Waits for the batch under way, which holds the row.
      const record = await needImport(context, given.import, true);
      needState(record, ['checking', 'running'], 'stopped');
      await context.tx.run(sql`
        update import
        set state = ${record.state === 'checking' ? 'mapped' : 'stopped'}, seen_at = now(),
          ended_at = case when state = 'running' then now() end
        where account_id = ${context.account.id}
          and id = ${record.id}`);
      return true;
    },
  }),
  method({
    name: 'importUndo',
    group: 'imports',
    summary: 'Takes an import back: removes the members it added and puts back what it changed.',
    description:
      'Members that were changed after the import, by themselves or by anybody else, stay as they are and are counted as kept. Fields that the import made stay. Confirmation mails that have left cannot be taken back.',
    params: params({ import: importId }),
    returns: z.boolean(),
    faults: ['IMPORT_UNKNOWN', 'IMPORT_STATE_CONFLICT'],
    scope: 'write',
    example: { params: { import: '{{import_stopped}}' } },
    async run(context, given) {
      const record = await needImport(context, given.import, true);
      needState(record, ['done', 'stopped', 'failed'], 'taken back');
      await context.tx.run(sql`
        update import
        set state = 'undoing', reason = '', undo_phase = 'changed', undo_after = -1, undo_counts = '{}'
        where account_id = ${context.account.id}
          and id = ${record.id}`);
      await enqueueUndo(context.tx, context.account.id, record.id);
      return true;
    },
  }),
  method({
    name: 'importErrors',
    group: 'imports',
    summary: 'Returns the rows of a file that were not taken: line, column, value and reason.',
    description:
      'All of them as CSV: GET /import/ID/errors.csv, with the session or the key in an Authorization header.',
    params: params({ import: importId, ...paging(1_000, 15_000) }),
    returns: z.array(z.object({ line: z.int(), column: z.string(), value: z.string(), reason: z.string() })),
    faults: ['IMPORT_UNKNOWN', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    reads: true,
    example: { params: { import: '{{import}}' } },
    async run(context, given) {
      const record = await needImport(context, given.import);
      return context.tx.rows<{ line: number; column: string; value: string; reason: string }>(sql`
        select line, heading as column, value, reason
        from import_problem
        where account_id = ${context.account.id}
          and import_id = ${record.id}
        order by id
        limit ${given.limit}
        offset ${given.start * given.limit}`);
    },
  }),
];

const stateOf = (plan: Plan) => (plan.columns.some((column) => column.target === 'EMAIL') ? 'mapped' : 'uploaded');
const notMapped = () => new Fault('IMPORT_INVALID', 'mapping: no column is EMAIL; say which with importMap');

function saidOf(given: z.output<typeof options>): Said {
  const { double_optin, mapping: free, ...others } = given;
  const mapped: Record<string, string> = {};
  for (const [name, target] of Object.entries(free ?? {})) {
    if (typeof target !== 'string') throw new Fault('IMPORT_INVALID', `mapping.${name.slice(0, 60)} is not a string`);
    mapped[name] = target;
  }
  return { ...others, doubleOptin: double_optin, mapping: mapped };
}

async function begin({ tx, account }: Context, id: number, state: 'checking' | 'running'): Promise<void> {
  await tx.run(sql`delete from import_problem where account_id = ${account.id} and import_id = ${id}`);
  await tx.run(sql`
    update import
    set state = ${state}, reason = '', position = 0, read_bytes = 0, counts = '{}', run_from = 0,
      run_at = clock_timestamp(), seen_at = clock_timestamp(), ended_at = null,
      started_at = case when ${state === 'running'} then now() end
    where account_id = ${account.id}
      and id = ${id}`);
}

/** Makes the fields that the mapping asks for. */
async function makeFields(context: Context, listId: number, plan: Plan): Promise<void> {
  const fields: Field[] = await fieldsOf(context, listId);
  for (const { target, newField } of plan.columns) {
    if (!newField || fields.some((field) => field.tag === target)) continue;
    if (fields.length >= maxFields) throw new Fault('IMPORT_INVALID', `A list has ${maxFields} fields at most`);
    const mergeNo = Math.max(...fields.map((field) => field.mergeNo)) + 1;
    const position = Math.max(...fields.map((field) => field.position)) + 1;
    await context.tx.run(sql`
      insert into field (account_id, list_id, tag, merge_no, name, field_type, position)
      values (${context.account.id}, ${listId}, ${target}, ${mergeNo}, ${newField.name}, ${newField.type}, ${position})`);
    fields.push({
      tag: target,
      mergeNo,
      position,
      name: newField.name,
      type: newField.type as Field['type'],
      required: false,
      shown: true,
      defaultValue: '',
      choices: [],
    });
  }
}
