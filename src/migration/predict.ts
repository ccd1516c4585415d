// The dry run of a migration: compares each file with its list, as the import does, and counts the suppressed addresses and templates
// that are new. Changes nothing but the record of the migration.

import { withoutGuards } from '../audience/formula-guard.ts';
import { compareRows, type Target } from '../audience/import/compare.ts';
import { readRecords } from '../audience/import/file/records.ts';
import { plainText } from '../audience/import/file/source.ts';
import { needUpload } from '../audience/import/file/upload.ts';
import { readAhead } from '../audience/import/opt-outs.ts';
import { addCounts, type Counts } from '../audience/import/plan.ts';
import { withNewFields } from '../audience/import/row.ts';
import { readBatches, targetOf } from '../audience/import/run.ts';
import { type Field, fieldsOf } from '../audience/model/field.ts';
import type { App } from '../base/context.ts';
import { message, packMessage } from '../base/messages.ts';
import { sql, type Tx } from '../db/connect.ts';
import { newSuppressions, newTemplates } from './others.ts';
import { listsOf, type Migration, type MigrationList, type OtherCounts } from './record.ts';
import { type StageEnd, saveProblems } from './stage.ts';
import { planOf, targetList } from './targets.ts';

/** No list has this id: a list that is to be created is compared as one without members. */
const noList = 0;

export async function predict(app: Pick<App, 'db'>, migration: Migration, signal: AbortSignal): Promise<StageEnd> {
  const { db } = app;
  const { accountId, id } = migration;
  for (const list of await listsOf(db, accountId, id)) {
    const counts = await predictList(app, migration, list, signal);
    if (typeof counts === 'string') return counts;
    await db.run(sql`
      update source_migration_list
      set predicted = ${JSON.stringify(counts)}
      where account_id = ${accountId}
        and migration_id = ${id}
        and position = ${list.position}`);
  }
  const fresh: OtherCounts = {
    suppressions_new: await newSuppressions(db, migration),
    templates_new: await newTemplates(db, migration),
  };
  const held = await db.run(sql`
    update source_migration
    set state = 'checked', checked_at = now(), counts = counts || ${JSON.stringify(fresh)}::jsonb
    where account_id = ${accountId}
      and id = ${id}
      and state = 'reading'`);
  return held > 0 ? 'staged' : 'stopped';
}

async function predictList(
  app: Pick<App, 'db'>,
  migration: Migration,
  list: MigrationList,
  signal: AbortSignal,
): Promise<Counts | 'stopped' | 'interrupted'> {
  const { db } = app;
  const { accountId } = migration;
  const listId = (await targetList(db, migration, list)) ?? noList;
  const upload = await needUpload(db, accountId, list.uploadId ?? 0);
  const plan = planOf(list);
  const known = listId === noList ? startFields : await fieldsOf({ tx: db, account: { id: accountId } }, listId);
  const fields = withNewFields(known, plan.columns);
  const target = targetOf({ accountId, listId, plan }, fields);
  const records = () => readRecords(plainText(db, upload, plan.format), plan.format, 200);
  const ahead = await readAhead(plan, fields, records, signal);
  if (!ahead) return 'interrupted';
  let counts = addCounts({}, {});
  for await (const batch of readBatches(app, plan, upload, fields, ahead.overriddenBy, 0)) {
    if (signal.aborted) return 'interrupted';
    const problems = batch.problems.map(({ value, heading, reason }) => ({
      list: list.name,
      value: heading === '' ? value : `${heading}: ${withoutGuards(value)}`,
      reason: packMessage(reason),
    }));
    const outcomes = await db.transaction(async (tx) => {
      const found = batch.lines.length > 0 ? await compareRows(tx, target, batch.lines, true) : {};
      await saveProblems(tx, migration, problems);
      await saveLeftOut(tx, migration, list, target);
      return found;
    });
    counts = addCounts(addCounts(counts, batch.counts), outcomes);
    const held = await db.run(sql`
      select from source_migration where account_id = ${accountId} and id = ${migration.id} and state = 'reading'`);
    if (held === 0) return 'stopped';
  }
  return counts;
}

async function saveLeftOut(
  tx: Tx,
  { accountId, id }: Migration,
  { name }: MigrationList,
  target: Target,
): Promise<void> {
  await tx.run(sql`
    insert into source_migration_problem (account_id, migration_id, list, value, reason)
    select ${accountId}, ${id}, ${name}, email,
      case outcome
        when 'suppressed' then ${packMessage(message('import.suppressed'))}
        when 'left' then ${packMessage(message('import.left'))}
        else ${packMessage(message('import.required', { tags: target.required.join(', ') }))}
      end
    from import_compared
    where outcome in ('suppressed', 'left', 'invalid')
    order by line`);
}

/** The fields that createList gives a list. */
const startFields: Field[] = ['EMAIL', 'FNAME', 'LNAME'].map((tag, mergeNo) => ({
  tag,
  mergeNo,
  name: tag,
  type: tag === 'EMAIL' ? 'email' : 'text',
  required: tag === 'EMAIL',
  shown: true,
  position: mergeNo + 1,
  defaultValue: '',
  choices: [],
}));
