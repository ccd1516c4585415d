// The background tasks of imports. An import of a million rows is one job; when its process ends or dies, another worker
// resumes it after the last committed transaction.
import { sql } from '../../db/connect.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';
import { runImport } from './run.ts';
import { undoImport } from './undo.ts';

/** Compares a file with its list (dry), or imports it. */
export async function runImportTask(
  { app, log, signal }: TaskContext,
  { account_id, import_id, dry }: Payload<'runImport'>,
): Promise<void> {
  const end = await runImport(app, account_id, import_id, dry, signal, log);
  log.info({ importId: import_id, dry, end }, 'import');
  // This process is shutting down; another one resumes.
  if (end === 'interrupted') await enqueueImport(app.db, account_id, import_id, dry);
}

/** Undoes an import. */
export async function undoImportTask(
  { app, signal }: TaskContext,
  { account_id, import_id }: Payload<'undoImport'>,
): Promise<void> {
  const end = await undoImport(app, account_id, import_id, signal);
  if (end === 'interrupted') await enqueueUndo(app.db, account_id, import_id);
}

/** Deletes files a day after their import is done, and in any case a week after they were uploaded. */
export async function deleteOldUploads({ app }: TaskContext): Promise<void> {
  await app.db.run(sql`
    delete from upload u
    where u.changed_at < now() - interval '1 day'
      and not exists (
        select
        from import i
        where i.account_id = u.account_id
          and i.upload_id = u.id
          and (i.state in ('running', 'checking')
            or i.state not in ('done', 'undoing', 'undone') and u.changed_at > now() - interval '7 days')
      )
      -- Those of a migration: the export, and what was made of it.
      and not exists (
        select
        from source_migration m
        where m.account_id = u.account_id
          and (m.state in ('reading', 'running')
            or m.state <> 'done' and u.changed_at > now() - interval '7 days')
          and (u.id = any (m.uploads || array[m.suppression_upload, m.template_upload]) or exists (
            select
            from source_migration_list l
            where l.account_id = m.account_id
              and l.migration_id = m.id
              and l.upload_id = u.id
          ))
      )`);
}

/** Imports of one account run one after another; several workers serve several accounts. */
export async function enqueueImport(
  tx: Parameters<typeof enqueue>[0],
  accountId: number,
  importId: number,
  dry: boolean,
): Promise<void> {
  await enqueue(tx, 'runImport', { account_id: accountId, import_id: importId, dry }, { queue: `import ${accountId}` });
}

export async function enqueueUndo(
  tx: Parameters<typeof enqueue>[0],
  accountId: number,
  importId: number,
): Promise<void> {
  await enqueue(tx, 'undoImport', { account_id: accountId, import_id: importId }, { queue: `import ${accountId}` });
}
