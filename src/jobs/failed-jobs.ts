// Jobs that have no attempts left stay in the queue, with their payload, so that an operator can look into them or run them
// again. A payload may name people: it is deleted after a month, and when a person it names is erased.
import { type Queries, type Sql, sql } from '../db/connect.ts';
import type { TaskContext } from './tasks.ts';

export async function deleteFailedJobs({ app }: TaskContext): Promise<void> {
  await deleteWhere(app.db, sql`run_at < now() - interval '30 days'`);
}

/** @param names a condition on the payload as a text in lower case */
export async function deleteFailedJobsOf(db: Queries, accountId: number, names: (payload: Sql) => Sql): Promise<void> {
  await deleteWhere(db, sql`payload ->> 'account_id' = ${String(accountId)} and ${names(sql`lower(payload::text)`)}`);
}

/** Through the queue's function, which leaves out jobs that were given further attempts and are running. */
async function deleteWhere(db: Queries, condition: Sql): Promise<void> {
  await db.run(sql`
    select graphile_worker.complete_jobs(array(
      select id
      from graphile_worker._private_jobs
      where attempts >= max_attempts
        and locked_at is null
        and ${condition}
    ))`);
}
