// What the lists of a source become here. A list that an earlier migration has brought is found again under whatever name; one with
// the name of a list here is imported into that one; any other is created.

import { createFields } from '../audience/import/control.ts';
import type { Column, Plan } from '../audience/import/plan.ts';
import { createList } from '../audience/model/list.ts';
import type { Context } from '../base/context.ts';
import { type Queries, sql } from '../db/connect.ts';
import type { Migration, MigrationList } from './record.ts';
import { plainColumns } from './stage.ts';

/** The list that exists here; undefined when it is to be created. */
export async function targetList(
  db: Queries,
  { accountId, source }: Pick<Migration, 'accountId' | 'source'>,
  { key, name }: Pick<MigrationList, 'key' | 'name'>,
): Promise<number | undefined> {
  const found = await db.row<{ id: number }>(sql`
    select l.id
    from list l
    left join source_migration_target t
      on t.account_id = l.account_id and t.source = ${source} and t.kind = 'list' and t.key = ${key} and t.target_id = l.id
    where l.account_id = ${accountId}
      and (t.key is not null or lower(l.name) = lower(${name}))
    order by t.key is null, l.created_at, l.id
    limit 1`);
  return found?.id;
}

/** How the import reads the file that stage.ts has written. */
export function planOf({ fields }: Pick<MigrationList, 'fields'>): Plan {
  const columns: Column[] = plainColumns.map((target, no) => ({ no, heading: target, target }));
  // Where a date has two readings, the one of the methods counts, by which the type of the field was found.
  for (const { tag, name, type } of fields)
    columns.push({
      ...{ no: columns.length, heading: name, target: tag, newField: { name, type } },
      ...(type === 'date' ? { order: 'month_first', isOrderChosen: true } : {}),
    });
  return {
    format: { packing: 'none', encoding: 'utf-8', delimiter: ',', quote: '"', header: true, separatorLine: false },
    columns,
    // Contacts who have left here stay so, whatever the source says.
    rules: { update: 'add_update', status: '', empty: 'keep', doubleOptin: false, resubscribe: '' },
  };
}

/** Creates what is missing of a list and starts its import, in one transaction. @returns the id of the import */
export async function beginList(context: Context, migration: Migration, list: MigrationList): Promise<number> {
  const { tx, account } = context;
  const listId = (await targetList(tx, migration, list)) ?? (await createList(context, list.name, { enabled: false }));
  await rememberTarget(context, migration, 'list', list.key, listId);
  const plan = planOf(list);
  await createFields(context, listId, plan);
  const row = await tx.row<{ id: number }>(sql`
    insert into import (account_id, list_id, upload_id, name, size, state, source, plan, predicted, started_at, run_at, seen_at)
    select ${account.id}, ${listId}, u.id, ${list.name.slice(0, 200)}, u.size, 'running', ${migration.origin},
      ${JSON.stringify(plan)}, ${list.predicted === null ? null : JSON.stringify(list.predicted)}, now(), clock_timestamp(),
      clock_timestamp()
    from upload u
    where u.account_id = ${account.id}
      and u.id = ${list.uploadId}
    returning id`);
  if (!row) throw new Error(`the file of list ${list.position} is gone`);
  await tx.run(sql`
    update source_migration_list
    set import_id = ${row.id}
    where account_id = ${account.id}
      and migration_id = ${migration.id}
      and position = ${list.position}`);
  return row.id;
}

export async function rememberTarget(
  { tx, account }: Context,
  { source }: Migration,
  kind: 'list' | 'template',
  key: string,
  targetId: number,
): Promise<void> {
  await tx.run(sql`
    insert into source_migration_target (account_id, source, kind, key, target_id)
    values (${account.id}, ${source}, ${kind}, ${key}, ${targetId})
    on conflict (account_id, source, kind, key) do update
    set target_id = excluded.target_id`);
}
