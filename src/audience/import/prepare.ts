// Prepares an import: reads the file's format, proposes a mapping, and changes both until the import starts.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Message, message, renderMessage } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { readUntidyMailbox } from '../address.ts';
import { type Field, fieldsOf } from '../model/field.ts';
import { needList } from '../model/list.ts';
import { buildPlan, type PlanInput, readFormat } from './build-plan.ts';
import { isDateColumn } from './file/columns.ts';
import { dayIn, isNoDate, timeIn } from './file/dates.ts';
import { providerOf } from './file/providers.ts';
import { columnNames, questions } from './file/questions.ts';
import { keepText, needUpload } from './file/upload.ts';
import { builtInTargets, type Plan, timeTargets } from './plan.ts';
import { needImport, needState } from './record.ts';
import { problemsOf, textOfCell, withNewFields } from './row.ts';

type ImportOptions = Omit<PlanInput, 'mapping' | 'doubleOptin'> & {
  double_optin?: boolean | undefined;
  mapping?: Record<string, unknown> | undefined;
};

type Named = { import: string };

export async function createImport(
  context: Context,
  given: { id: string; content: string; upload: string; name: string; options: ImportOptions },
) {
  const { tx, account, caller } = context;
  const list = await needList(context, given.id);
  if ((given.content === '') === (given.upload === ''))
    throw fault('IMPORT_INVALID', 'import.content_or_upload', { member: 'content' });
  const uploadId =
    given.upload === '' ? await keepText(tx, account.id, given.name, given.content) : parseId(given.upload);
  const upload = await needUpload(tx, account.id, uploadId);
  if (upload.size === 0) throw fault('IMPORT_INVALID', 'import.empty');
  const { plan } = await buildPlan(
    tx,
    upload,
    await fieldsOf(context, list.id),
    inputOf(given.options, 'options.mapping'),
  );
  const row = await tx.row<{ id: number }>(sql`
    insert into import (account_id, list_id, upload_id, name, size, state, source, plan)
    values (${account.id}, ${list.id}, ${uploadId}, ${given.name || upload.name}, ${upload.size},
      ${stateOf(plan)}, ${caller.kind === 'key' ? 'api' : 'admin'}, ${JSON.stringify(plan)})
    returning id`);
  return formatId(row!.id);
}

export async function previewImport(context: Context, given: Named) {
  const record = await needImport(context, given.import);
  const upload = await needUpload(context.tx, context.account.id, record.uploadId);
  const { sample } = await readFormat(context.tx, upload, {}, record.plan.format);
  const { format: read, columns, rules: ruled } = record.plan;
  const fields = await fieldsOf(context, record.listId);
  const planned = withNewFields(fields, columns);
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
    provider: read.header ? providerOf(columns.map(({ heading }) => heading)) : '',
    rows_checked: sample.rows.length,
    columns: columns.map((column) => {
      // A field that was removed since has no values that could be wrong.
      const known = isBuiltIn(column.target) || planned.some((field) => field.tag === column.target);
      const wrong = known ? problemsOf(column, planned, ruled, sample.rows) : [];
      return {
        no: column.no + 1,
        heading: column.heading,
        target: column.target,
        new_field: column.newField?.type ?? '',
        undecided: column.asks !== undefined,
        date_order: column.order ?? '',
        samples: samplesOf(sample.rows, column.no),
        invalid_count: wrong.length,
        invalid: wrong.slice(0, 3).map(({ value, reason }) => ({
          value,
          reason: renderMessage(reason, context.language),
        })),
      };
    }),
    warnings: warningsOf(record.plan, fields, sample.rows).map((warning) => renderMessage(warning, context.language)),
    options: {
      update: ruled.update,
      status: ruled.status,
      empty: ruled.empty,
      double_optin: ruled.doubleOptin,
      resubscribe: ruled.resubscribe,
    },
  };
}

const isBuiltIn = (target: string) => (builtInTargets as readonly string[]).includes(target);

/** What the user should look at before the import starts. */
function warningsOf({ format, columns }: Plan, fields: readonly Field[], rows: readonly string[][]): Message[] {
  const warnings: Message[] = questions({ columns });
  const more = columns.filter(({ no, target }) => target === '' && holdsAddresses(rows.map((row) => row[no] ?? '')));
  if (more.length > 0) warnings.push(message('import.more_addresses', { columns: columnNames(more) }));
  const marked = columns.filter(({ no, isBlankNo }) => isBlankNo && rows.some((row) => (row[no] ?? '').trim() === ''));
  if (marked.length > 0) warnings.push(message('import.blank_is_no', { columns: columnNames(marked) }));
  if (format.otherSheets)
    warnings.push(
      message('import.other_sheets', {
        sheets: format.otherSheets
          .map((name) => `"${name}"`)
          .join(', ')
          .slice(0, 500),
      }),
    );
  if (format.encodingUnsure) warnings.push(message('import.encoding_unsure', { encoding: format.encoding }));
  for (const column of columns) {
    if (!isDateColumn(column, fields) || column.order === 'unclear') continue;
    const { no, heading, target, order } = column;
    const isTime = timeTargets.includes(target);
    const wrong = rows
      .map((row) => textOfCell(row[no] ?? ''))
      .find(
        (value) =>
          value !== '' && !isNoDate(value) && (isTime ? timeIn(value, order) : dayIn(value, order)) === undefined,
      );
    if (wrong !== undefined)
      warnings.push(
        message(isTime ? 'import.unreadable_time' : 'import.unreadable_date', { heading, value: wrong.slice(0, 60) }),
      );
  }
  return warnings;
}

/** Whether more than half of these cells are addresses. */
function holdsAddresses(cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  return filled.length > 0 && filled.filter((cell) => readUntidyMailbox(cell).ok).length * 2 > filled.length;
}

export async function mapImport(
  context: Context,
  given: Named & { mapping: Record<string, unknown>; options: ImportOptions },
) {
  const record = await needImport(context, given.import, true);
  needState(record, ['uploaded', 'mapped', 'checked'], 'change');
  const upload = await needUpload(context.tx, context.account.id, record.uploadId);
  const input = inputOf({ ...given.options, mapping: { ...given.options.mapping, ...given.mapping } }, 'mapping');
  const { plan } = await buildPlan(context.tx, upload, await fieldsOf(context, record.listId), input, record.plan);
  await context.tx.run(sql`
    update import
    set plan = ${JSON.stringify(plan)}, state = ${stateOf(plan)}, reason = '', predicted = null, position = 0, counts = '{}'
    where account_id = ${context.account.id}
      and id = ${record.id}`);
  return true;
}

const stateOf = (plan: Plan) => (plan.columns.some((column) => column.target === 'EMAIL') ? 'mapped' : 'uploaded');

/** @param mappingPath where the call has the mapping, for faults */
function inputOf(given: ImportOptions, mappingPath: string): PlanInput {
  const { double_optin, mapping: free, ...others } = given;
  const mapped: Record<string, string> = {};
  for (const [name, target] of Object.entries(free ?? {})) {
    if (typeof target !== 'string')
      throw fault('IMPORT_INVALID', 'parameter.not_a_string', { member: `${mappingPath}.${name.slice(0, 60)}` });
    mapped[name] = target;
  }
  return { ...others, doubleOptin: double_optin, mapping: mapped, mappingPath };
}

const maxSamples = 5;

/** The first values of a column that differ, without blank ones. */
function samplesOf(rows: readonly (readonly string[])[], no: number): string[] {
  const found = new Set<string>();
  for (const row of rows) {
    const value = (row[no] ?? '').replaceAll('\0', '').slice(0, 200);
    if (value.trim() !== '') found.add(value);
    if (found.size === maxSamples) break;
  }
  return [...found];
}
