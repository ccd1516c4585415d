// The record of a migration: finding it, what its methods return, and the grouped reasons why something is not taken.
import { addCounts, type Counts, noCounts } from '../audience/import/plan.ts';
import type { Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { renderPacked } from '../base/messages.ts';
import { type Queries, type Sql, sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { formatDate } from '../method/date.ts';
import type { Page } from '../method/paging.ts';
import { type ContactState, contactStates, type Source } from './files/item.ts';
import type { MovedField } from './survey.ts';

export const migrationStates = ['reading', 'checked', 'running', 'stopped', 'failed', 'done'] as const;
export type MigrationState = (typeof migrationStates)[number];

/** Suppressed addresses and templates: all, those that are not here yet, and those that were added. */
export const otherCounts = [
  'suppressions',
  'suppressions_new',
  'suppressions_added',
  'templates',
  'templates_new',
  'templates_added',
] as const;
export type OtherCounts = Partial<Record<(typeof otherCounts)[number], number>>;

export type Migration = {
  accountId: number;
  id: number;
  source: Source;
  state: MigrationState;
  reason: string;
  origin: 'admin' | 'api';
  uploads: number[];
  suppressionUpload: number | null;
  templateUpload: number | null;
  checkedAt: Date | null;
  position: number;
  counts: OtherCounts;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
};

export type MigrationList = {
  position: number;
  key: string;
  name: string;
  fields: MovedField[];
  uploadId: number | null;
  states: Partial<Record<ContactState, number>>;
  predicted: Partial<Counts> | null;
  importId: number | null;
};

/** Migrations, newest first. @param where a condition on `m` */
export async function migrationsOf(
  db: Queries,
  accountId: number,
  where: Sql,
  more: Sql = sql``,
): Promise<Migration[]> {
  return db.rows<Migration>(sql`
    select m.account_id as "accountId", m.id, m.source, m.state, m.reason, m.origin, m.uploads,
      m.suppression_upload as "suppressionUpload", m.template_upload as "templateUpload", m.checked_at as "checkedAt",
      m.position, m.counts, m.created_at as "createdAt", m.started_at as "startedAt", m.ended_at as "endedAt"
    from source_migration m
    where m.account_id = ${accountId}
      and ${where}
    order by m.created_at desc, m.id
    ${more}`);
}

export function listsOf(db: Queries, accountId: number, migrationId: number): Promise<MigrationList[]> {
  return db.rows<MigrationList>(sql`
    select position, key, name, fields, upload_id as "uploadId", states, predicted, import_id as "importId"
    from source_migration_list
    where account_id = ${accountId}
      and migration_id = ${migrationId}
    order by position`);
}

/** @throws Fault IMPORT_UNKNOWN, also for a migration of another account */
export async function needMigration({ tx, account }: Context, named: string, lock = false): Promise<Migration> {
  const id = parseId(named);
  if (lock)
    await tx.run(sql`select from source_migration where account_id = ${account.id} and id = ${id} for no key update`);
  const [found] = await migrationsOf(tx, account.id, sql`m.id = ${id}`);
  if (!found) throw fault('IMPORT_UNKNOWN', 'migration.unknown', { member: 'migration', id: named.slice(0, 40) });
  return found;
}

type ListResult = { importId: number; listId: number; counts: Partial<Counts>; state: string };

/** What migrationGet returns. */
export async function statusOf({ tx, account, language }: Context, migration: Migration) {
  const lists = await listsOf(tx, account.id, migration.id);
  const imports = await tx.rows<ListResult>(sql`
    select id as "importId", list_id as "listId", counts, state
    from import
    where account_id = ${account.id}
      and id = any (${lists.flatMap(({ importId }) => importId ?? [])}::int[])`);
  const byImport = new Map(imports.map((one) => [one.importId, one]));
  const rows = lists.map((list) => ({ list, run: list.importId === null ? undefined : byImport.get(list.importId) }));
  const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((all, row) => all + of(row), 0);
  const total = sum(({ list }) => list.predicted?.rows ?? 0);
  const done = sum(({ run }) => run?.counts.rows ?? 0);
  return {
    id: formatId(migration.id),
    source: migration.source,
    state: migration.state,
    reason: renderPacked(migration.reason, language),
    checked: migration.checkedAt !== null,
    position: migration.state === 'reading' ? migration.position : done,
    share: migration.state === 'done' ? 1 : total > 0 ? Math.round((done / total) * 1000) / 1000 : 0,
    lists: rows.map(({ list, run }) => ({
      name: list.name,
      list: run ? formatId(run.listId) : '',
      import: list.importId === null ? '' : formatId(list.importId),
      states: Object.fromEntries(contactStates.map((state) => [state, list.states[state] ?? 0])) as Record<
        ContactState,
        number
      >,
      fields: list.fields.map(({ tag, name, type }) => ({ tag, name, type })),
      predicted: list.predicted ? { ...noCounts(), ...list.predicted } : {},
      result: addCounts({}, run?.counts ?? {}),
    })),
    others: Object.fromEntries(otherCounts.map((name) => [name, migration.counts[name] ?? 0])) as Required<OtherCounts>,
    problems: await groupedProblems(tx, migration, language),
    date_created: formatDate(migration.createdAt),
    date_started: formatDate(migration.startedAt),
    date_ended: formatDate(migration.endedAt),
  };
}

/** At most 100 groups; reasons that differ only in the value are one. */
async function groupedProblems(db: Queries, { accountId, id }: Migration, language: Context['language']) {
  const rows = await db.rows<{ list: string; reason: string; count: number; value: string }>(sql`
    select list, count(*)::int as count, (array_agg(reason order by id))[1] as reason,
      (array_agg(value order by id))[1] as value
    from source_migration_problem p
    cross join lateral (
      select string_agg(key[1], ' ') as keys
      from regexp_matches(p.reason, '"key":"([^"]+)"', 'g') key
    ) packed
    where account_id = ${accountId}
      and migration_id = ${id}
    group by list, coalesce(packed.keys, reason)
    order by list, count desc
    limit 100`);
  return rows.map((row) => ({ ...row, reason: renderPacked(row.reason, language) }));
}

/** Everything that is not taken, with its reason. */
export async function problemsOf(context: Context, given: { migration: string } & Page) {
  const { id } = await needMigration(context, given.migration);
  const rows = await context.tx.rows<{ list: string; value: string; reason: string }>(sql`
    select list, value, reason
    from source_migration_problem
    where account_id = ${context.account.id}
      and migration_id = ${id}
    order by id
    limit ${given.limit}
    offset ${given.start * given.limit}`);
  return rows.map((row) => ({ ...row, reason: renderPacked(row.reason, context.language) }));
}
