// Starts, stops and undoes imports, and reports on them. The work itself runs in a worker (tasks.ts).
import type { Context } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { renderPacked } from '../../base/messages.ts';
import { type Sql, sql } from '../../db/connect.ts';
import type { Page } from '../../method/paging.ts';
import { maxFields } from '../fields/change.ts';
import { asShared, fillList, findShared } from '../fields/shared.ts';
import { type Field, fieldsOf } from '../model/field.ts';
import { needList } from '../model/list.ts';
import { openQuestion } from './file/questions.ts';
import { needUpload } from './file/upload.ts';
import type { Plan } from './plan.ts';
import { importRecords, needImport, needState, statusOf } from './record.ts';
import { enqueueImport, enqueueUndo } from './tasks.ts';

type Named = { import: string };

export async function startDryRun(context: Context, given: Named) {
  const record = await needImport(context, given.import, true);
  if (record.state === 'uploaded') throw notMapped();
  needState(record, ['mapped', 'checked'], 'check');
  await needUpload(context.tx, context.account.id, record.uploadId);
  await reset(context, record.id, 'checking');
  await enqueueImport(context.tx, context.account.id, record.id, true);
  return true;
}

export async function startImport(context: Context, given: Named) {
  const { tx, account } = context;
  const record = await needImport(context, given.import, true);
  if (record.state === 'uploaded') throw notMapped();
  needState(record, ['mapped', 'checked', 'stopped', 'failed'], 'start');
  await needUpload(tx, account.id, record.uploadId);
  await needOwnColumns(context, record);
  if (record.startedAt === null) {
    const question = openQuestion(record.plan);
    if (question) throw new Fault('IMPORT_INVALID', question);
    await createFields(context, record.listId, record.plan);
    await reset(context, record.id, 'running');
  } else
    await tx.run(sql`
      update import
      set state = 'running', reason = '', run_from = position, run_at = clock_timestamp(), ended_at = null, plan = ${planOf(context)}
      where account_id = ${account.id}
        and id = ${record.id}`);
  await enqueueImport(tx, account.id, record.id, false);
  return true;
}

/** What belongs to a contact, on whatever list it is. */
const ofContacts: readonly string[] = ['LANGUAGE', 'TIMEZONE', 'TAGS'];

/** A file may name contacts of any list, whose own data a caller with a set of lists does not change. @throws Fault NOT_ALLOWED */
async function needOwnColumns(context: Context, { plan }: { plan: Plan }): Promise<void> {
  if (context.caller.lists === null) return;
  const columns: string[] = [];
  for (const { target } of plan.columns)
    if (ofContacts.includes(target) || (await findShared(context, target))) columns.push(target);
  if (columns.length > 0)
    throw fault('NOT_ALLOWED', 'import.of_all_lists', { member: 'mapping', columns: columns.join(', ') });
}

export async function stopImport(context: Context, given: Named) {
  // Waits for the batch in progress, which has the row locked.
  const record = await needImport(context, given.import, true);
  needState(record, ['checking', 'running'], 'stop');
  await context.tx.run(sql`
    update import
    set state = ${record.state === 'checking' ? 'mapped' : 'stopped'}, seen_at = now(),
      ended_at = case when state = 'running' then now() end
    where account_id = ${context.account.id}
      and id = ${record.id}`);
  return true;
}

export async function startUndo(context: Context, given: Named) {
  const record = await needImport(context, given.import, true);
  needState(record, ['done', 'stopped', 'failed'], 'undo');
  await needOwnColumns(context, record);
  await context.tx.run(sql`
    update import
    set state = 'undoing', reason = '', undo_phase = 'changed', undo_after = -1, undo_counts = '{}'
    where account_id = ${context.account.id}
      and id = ${record.id}`);
  await enqueueUndo(context.tx, context.account.id, record.id);
  return true;
}

export async function listImports(context: Context, given: { id: string } & Page) {
  const list = given.id === '' ? undefined : await needList(context, given.id);
  const records = await importRecords(
    context.tx,
    context.account.id,
    list ? sql`i.list_id = ${list.id}` : sql`true`,
    sql`limit ${given.limit} offset ${given.start * given.limit}`,
  );
  return records.map((record) => statusOf(record, context.now, context.language));
}

export async function importErrors(context: Context, given: Named & Page) {
  const record = await needImport(context, given.import);
  const rows = await context.tx.rows<{ line: number; column: string; value: string; reason: string }>(sql`
    select line, heading as column, value, reason
    from import_problem
    where account_id = ${context.account.id}
      and import_id = ${record.id}
    order by id
    limit ${given.limit}
    offset ${given.start * given.limit}`);
  return rows.map((row) => ({ ...row, reason: renderPacked(row.reason, context.language) }));
}

/** At most 100 groups; reasons that differ only in the value are one. */
export async function importProblems(context: Context, given: Named) {
  const record = await needImport(context, given.import);
  const rows = await context.tx.rows<{
    column: string;
    reason: string;
    count: number;
    line: number;
    value: string;
  }>(sql`
    select heading as column, count(*)::int as count, (array_agg(reason order by id))[1] as reason,
      (array_agg(line order by id))[1] as line, (array_agg(value order by id))[1] as value
    from import_problem p
    cross join lateral (
      select string_agg(key[1], ' ') as keys
      from regexp_matches(p.reason, '"key":"([^"]+)"', 'g') key
    ) packed
    where account_id = ${context.account.id}
      and import_id = ${record.id}
    group by heading, coalesce(packed.keys, reason)
    order by count desc, line
    limit 100`);
  return rows.map((row) => ({ ...row, reason: renderPacked(row.reason, context.language) }));
}

export async function importGet(context: Context, given: Named) {
  return statusOf(await needImport(context, given.import), context.now, context.language);
}

const notMapped = () => fault('IMPORT_INVALID', 'import.no_email_column', { member: 'mapping' });

/** SQL: the plan, with whether the caller has a set of lists. Once that is so it stays so. */
const planOf = ({ caller }: Context): Sql => (caller.lists === null ? sql`plan` : sql`plan || '{"isOfSet": true}'`);

/** Resets the counters of an import to run from the first row. */
async function reset(context: Context, id: number, state: 'checking' | 'running'): Promise<void> {
  const { tx, account } = context;
  await tx.run(sql`delete from import_problem where account_id = ${account.id} and import_id = ${id}`);
  await tx.run(sql`
    update import
    set state = ${state}, reason = '', position = 0, read_bytes = 0, counts = '{}', run_from = 0,
      run_at = clock_timestamp(), seen_at = clock_timestamp(), ended_at = null, plan = ${planOf(context)},
      started_at = case when ${state === 'running'} then now() end
    where account_id = ${account.id}
      and id = ${id}`);
}

/** Creates the new fields of the mapping. */
export async function createFields(context: Context, listId: number, plan: Plan): Promise<void> {
  const fields: Field[] = await fieldsOf(context, listId);
  for (const { target, newField } of plan.columns) {
    if (!newField || fields.some((field) => field.tag === target)) continue;
    if (fields.length >= maxFields) throw fault('IMPORT_INVALID', 'import.too_many_fields', { count: maxFields });
    const mergeNo = Math.max(...fields.map((field) => field.mergeNo)) + 1;
    const position = Math.max(...fields.map((field) => field.position)) + 1;
    const wanted: Field = {
      tag: target,
      mergeNo,
      position,
      name: newField.name,
      type: newField.type as Field['type'],
      required: false,
      shown: true,
      defaultValue: '',
      choices: [],
    };
    const field = await asShared(context, wanted, 'mapping');
    await context.tx.run(sql`
      insert into field (account_id, list_id, tag, merge_no, name, field_type, position, choices)
      values (${context.account.id}, ${listId}, ${target}, ${mergeNo}, ${field.name}, ${field.type}, ${position},
        ${field.choices}::text[])`);
    if (field.ofAccount) await fillList(context, listId, target);
    fields.push(field);
  }
}
