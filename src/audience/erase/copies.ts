// Removes what the logs and files of an account hold of an erased contact: files and problems of imports, failed jobs, and what
// the other slices keep (base/erasure.ts): events and attempts of webhooks, caught messages, the audit log. None of them has an
// index by person, so they are searched from end to end, a portion in each transaction: no lock is held for long, however much an
// account has stored. What had read the contact before it was erased may write of it afterwards, such as a launch or a worker that
// waits for a reply: the search is repeated when all that was in progress has ended, and while files are being imported.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Erased, type ErasurePart, names, type Search, searchInPortions } from '../../base/erasure.ts';
import { type Database, empty, join, sql } from '../../db/connect.ts';
import { deleteFailedJobsOf } from '../../jobs/failed-jobs.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';
import { eraseLateRows } from './erase.ts';
import { eraseFiles } from './files.ts';

/** Until what is in progress is looked at again: twice as long each time. */
const pauseMs = { first: 2_000, longest: 10 * 60_000 };
/** Until files in use are looked at again. Imports take minutes; a file is deleted a week after its upload at the latest. */
const againMs = 60 * 60_000;

type Parts = readonly ErasurePart[];

/** Safe to run twice, and after an interruption: what is removed already is not found again. */
export async function eraseCopies(
  { app, signal }: TaskContext,
  task: Payload<'eraseCopies'>,
  parts: Parts,
): Promise<void> {
  const { account_id: account, contact_id, numbers = [contact_id], addresses, placeholder } = task;
  const erased: Erased = { account, numbers, addresses, placeholder };
  const repeat = (ms: number, open: string[], pause = pauseMs.first) =>
    enqueue(app.db, 'eraseCopies', { ...task, open, pause }, { runAt: new Date(Date.now() + ms) });
  // The erasure is committed: what may still write of the contact is in progress now.
  const isRepeated = task.open !== undefined;
  const look = () => openWork(app.db, erased, parts);
  const open = await untilEnded(look, task.open ?? (await look()));
  const { pause = pauseMs.first } = task;
  const later = () => repeat(pause, open, Math.min(pause * 2, pauseMs.longest));
  if (isRepeated && open.length > 0) return later();
  await eraseLateRows(app.db, erased, task, parts);
  const inUse = await removeCopies({ ...erased, db: app.db, signal }, parts);
  if (open.length > 0) return later();
  // An import in progress may also record problems that name the contact.
  if (inUse) await repeat(againMs, []);
}

/** @returns whether files that may name the contact are in use */
async function removeCopies(search: Search, parts: Parts): Promise<boolean> {
  const { db, account, addresses, signal } = search;
  await eraseProblems(search);
  const inUse = await eraseFiles(db, account, addresses, signal);
  for (const { copies } of parts) await copies?.(search);
  await deleteFailedJobsOf(db, account, (payload) => names(search, payload));
  return inUse;
}

/** What may have read the contact before it was erased, or holds its address for now: transactions of this database, jobs, and what the slices have open. */
async function openWork(db: Database, erased: Erased, parts: Parts): Promise<string[]> {
  const ofParts = parts.flatMap(({ openWork: work }) => (work ? [sql` union all (${work(erased)})`] : []));
  const rows = await db.rows<{ name: string }>(sql`
    select 'transaction ' || pid || ' ' || extract(epoch from xact_start)::text as name
    from pg_stat_activity
    where datname = current_database()
      and xact_start is not null
      and backend_type = 'client backend'
      and pid <> pg_backend_pid()
    union all
    -- Its number alone: a job that fails and is tried again is the same.
    select 'job ' || j.id
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier <> 'eraseCopies'
      and j.attempts < j.max_attempts
      and (
        (j.locked_at is not null and j.payload ->> 'account_id' is not distinct from ${String(erased.account)})
        or (t.identifier in ('sendAccountNotice', 'sendTestMails') and ${names(erased, sql`lower(j.payload::text)`)})
      )
    ${join([empty, ...ofParts], '')}`);
  return rows.map(({ name }) => name);
}

/** Waits a moment. @returns those of the work that have not ended */
async function untilEnded(look: () => Promise<string[]>, work: readonly string[]): Promise<string[]> {
  for (let looks = 20, left = [...work]; ; looks--) {
    if (left.length === 0 || looks === 0) return left;
    await sleep(50);
    const open = new Set(await look());
    left = left.filter((one) => open.has(one));
  }
}

async function eraseProblems(search: Search): Promise<void> {
  const { db, account } = search;
  const imports = await db.rows<{ id: number }>(sql`select id from import where account_id = ${account}`);
  for (const { id } of imports)
    await searchInPortions(
      search,
      sql`import_problem`,
      sql`account_id = ${account} and import_id = ${id}`,
      (within) => sql`
        delete from import_problem
        where ${within}
          and ${names(search, sql`lower(value || reason)`)}`,
    );
}
