// Creates, starts and stops migrations. The work itself runs in a worker (run.ts).
import { needUpload } from '../audience/import/file/upload.ts';
import type { Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { message } from '../base/messages.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import type { Page } from '../method/paging.ts';
import type { Source } from './files/item.ts';
import { type Migration, type MigrationState, migrationsOf, needMigration, statusOf } from './record.ts';
import { enqueueMigration } from './run.ts';

type Named = { migration: string };

/** Begins with the dry run. @returns the id. @throws Fault UPLOAD_UNKNOWN, IMPORT_INVALID */
export async function createMigration(context: Context, given: { source: Source; uploads: string[] }) {
  const { tx, account, caller } = context;
  const uploads: number[] = [];
  for (const named of given.uploads) {
    const upload = await needUpload(tx, account.id, parseId(named));
    if (upload.size === 0) throw fault('IMPORT_INVALID', 'import.empty');
    uploads.push(upload.id);
  }
  if (uploads.length === 0) throw fault('IMPORT_INVALID', 'import.empty');
  const row = await tx.row<{ id: number }>(sql`
    insert into source_migration (account_id, source, state, origin, uploads)
    values (${account.id}, ${given.source}, 'reading', ${caller.kind === 'key' ? 'api' : 'admin'}, ${uploads}::int[])
    returning id`);
  await enqueueMigration(tx, account.id, row!.id);
  return formatId(row!.id);
}

/** Applies what the dry run has shown, or goes on where it was stopped or failed; before the dry run has ended, with that. */
export async function startMigration(context: Context, given: Named): Promise<true> {
  const { tx, account } = context;
  const migration = await needMigration(context, given.migration, true);
  needState(migration, ['checked', 'stopped', 'failed'], 'start');
  const state: MigrationState = migration.checkedAt === null ? 'reading' : 'running';
  await tx.run(sql`
    update source_migration
    set state = ${state}, reason = '', ended_at = null,
      position = case when started_at is null then 0 else position end,
      started_at = case when ${state} = 'running' then coalesce(started_at, now()) end
    where account_id = ${account.id}
      and id = ${migration.id}`);
  // The import that was in progress, as importStart resumes it.
  await tx.run(sql`
    update import
    set state = 'running', reason = '', run_from = position, run_at = clock_timestamp(), ended_at = null
    where account_id = ${account.id}
      and state in ('stopped', 'failed')
      and id in (
        select import_id from source_migration_list where account_id = ${account.id} and migration_id = ${migration.id}
      )`);
  await enqueueMigration(tx, account.id, migration.id);
  return true;
}

export async function stopMigration(context: Context, given: Named): Promise<true> {
  const { tx, account } = context;
  const migration = await needMigration(context, given.migration, true);
  needState(migration, ['reading', 'running'], 'stop');
  await tx.run(sql`
    update source_migration
    set state = 'stopped', ended_at = case when state = 'running' then now() end
    where account_id = ${account.id}
      and id = ${migration.id}`);
  // Waits for the batch in progress, which has the row locked.
  await tx.run(sql`
    update import
    set state = 'stopped', seen_at = now(), ended_at = now()
    where account_id = ${account.id}
      and state = 'running'
      and id in (
        select import_id from source_migration_list where account_id = ${account.id} and migration_id = ${migration.id}
      )`);
  return true;
}

export async function migrationGet(context: Context, given: Named) {
  return statusOf(context, await needMigration(context, given.migration));
}

export async function listMigrations(context: Context, given: Page) {
  const found = await migrationsOf(
    context.tx,
    context.account.id,
    sql`true`,
    sql`limit ${given.limit} offset ${given.start * given.limit}`,
  );
  const all = [];
  for (const migration of found) all.push(await statusOf(context, migration));
  return all;
}

function needState(migration: Migration, allowed: readonly MigrationState[], action: 'start' | 'stop'): void {
  if (allowed.includes(migration.state)) return;
  throw fault('IMPORT_STATE_CONFLICT', `migration.cannot_${action}`, {
    state: message(`migration.state.${migration.state}`),
  });
}
