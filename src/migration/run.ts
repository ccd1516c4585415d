// The task of a migration: reads and compares everything (state reading), or brings it (state running), list after list with the import
// of each, then suppressed addresses and templates. Killed at any moment, it goes on where it was.
import { onBehalf } from '../accounts/account/system-context.ts';
import { ImportRefusal } from '../audience/import/file/refusal.ts';
import { importRecords } from '../audience/import/record.ts';
import { runImport } from '../audience/import/run.ts';
import type { App } from '../base/context.ts';
import { Fault } from '../base/faults.ts';
import { type Message, message, packMessage } from '../base/messages.ts';
import { isUnavailable, type Queries, sql } from '../db/connect.ts';
import { enqueue } from '../jobs/queue.ts';
import type { Payload, TaskContext } from '../jobs/tasks.ts';
import { addSuppressions, addTemplates } from './others.ts';
import { predict } from './predict.ts';
import { listsOf, type Migration, type MigrationList, migrationsOf } from './record.ts';
import { type StageEnd, stage } from './stage.ts';
import { beginList } from './targets.ts';

type Running = Pick<TaskContext, 'app' | 'log' | 'signal'>;
export type MigrationEnd = 'finished' | 'stopped' | 'interrupted' | 'failed';

/** An import of the migration failed; its reason is that of the migration. */
class ImportFailed extends Error {
  readonly packed: string;

  constructor(packed: string) {
    super('an import failed');
    this.packed = packed;
  }
}

/** Migrations and imports of an account run one after another. */
export const enqueueMigration = (tx: Queries, accountId: number, migrationId: number) =>
  enqueue(tx, 'runMigration', { account_id: accountId, migration_id: migrationId }, { queue: `import ${accountId}` });

export async function runMigrationTask(
  { app, log, signal }: TaskContext,
  { account_id, migration_id }: Payload<'runMigration'>,
): Promise<void> {
  const end = await runMigration({ app, log, signal }, account_id, migration_id);
  log.info({ migrationId: migration_id, end }, 'migration ended');
  // This process is shutting down; another one goes on.
  if (end === 'interrupted') await enqueueMigration(app.db, account_id, migration_id);
}

export async function runMigration(running: Running, accountId: number, migrationId: number): Promise<MigrationEnd> {
  const { app, log } = running;
  const [migration] = await migrationsOf(app.db, accountId, sql`m.id = ${migrationId}`);
  if (!migration || (migration.state !== 'reading' && migration.state !== 'running')) return 'stopped';
  try {
    const end = migration.state === 'reading' ? await look(running, migration) : await bring(running, migration);
    return end === 'staged' ? 'finished' : end;
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const reason = error instanceof ImportFailed ? error.packed : packedReason(error);
    if (reason === undefined) log.error({ migrationId, err: error }, 'migration failed');
    await app.db.run(sql`
      update source_migration
      set state = 'failed', reason = ${reason ?? packMessage(message('import.internal'))}, ended_at = now()
      where account_id = ${accountId}
        and id = ${migrationId}
        and state = ${migration.state}`);
    return 'failed';
  }
}

/** Why it failed, for the user; undefined for an error of the program. */
function packedReason(error: unknown): string | undefined {
  const reason: Message | undefined =
    error instanceof ImportRefusal ? error.reason : error instanceof Fault ? error.text : undefined;
  return reason && packMessage(reason);
}

async function look({ app, signal }: Running, migration: Migration): Promise<StageEnd> {
  const end = await stage(app, migration, signal);
  if (end !== 'staged') return end;
  const [staged] = await migrationsOf(app.db, migration.accountId, sql`m.id = ${migration.id}`);
  return staged?.state === 'reading' ? predict(app, staged, signal) : 'stopped';
}

async function bring(running: Running, migration: Migration): Promise<StageEnd> {
  const { app, signal } = running;
  for (const list of await listsOf(app.db, migration.accountId, migration.id)) {
    const end = await bringList(running, migration, list);
    if (end !== 'staged') return end;
  }
  for (const add of [addSuppressions, addTemplates]) {
    const end = await add(app, migration, signal);
    if (end !== 'staged') return end;
  }
  const done = await app.db.run(sql`
    update source_migration
    set state = 'done', ended_at = now()
    where account_id = ${migration.accountId}
      and id = ${migration.id}
      and state = 'running'`);
  return done > 0 ? 'staged' : 'stopped';
}

async function bringList({ app, log, signal }: Running, migration: Migration, list: MigrationList): Promise<StageEnd> {
  const { accountId } = migration;
  const before = list.importId === null ? undefined : await importOf(app, accountId, list.importId);
  if (before && ['done', 'undoing', 'undone'].includes(before.state)) return 'staged';
  // Its list was deleted here, and its import with it: it is not brought again.
  if (list.importId !== null && !before) return 'staged';
  const importId = before ? before.id : await begin(app, migration, list);
  if (importId === undefined) return 'stopped';
  const end = await runImport(app, accountId, importId, false, signal, log);
  if (end === 'finished') return 'staged';
  if (end === 'interrupted') return end;
  const after = await importOf(app, accountId, importId);
  if (end === 'failed' || after?.state === 'failed') throw new ImportFailed(after?.reason ?? '');
  await app.db.run(sql`
    update source_migration
    set state = 'stopped'
    where account_id = ${accountId}
      and id = ${migration.id}
      and state = 'running'`);
  return 'stopped';
}

/** Undefined when the migration was stopped meanwhile. */
function begin(app: App, migration: Migration, list: MigrationList): Promise<number | undefined> {
  return onBehalf(app, migration.accountId, '', async (context) => {
    const held = await context.tx.run(sql`
      select
      from source_migration
      where account_id = ${migration.accountId}
        and id = ${migration.id}
        and state = 'running'
      for no key update`);
    return held > 0 ? beginList(context, migration, list) : undefined;
  });
}

async function importOf(app: App, accountId: number, importId: number) {
  const [record] = await importRecords(app.db, accountId, sql`i.id = ${importId}`);
  return record;
}
