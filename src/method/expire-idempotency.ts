// Deletes, every hour, the answers kept for calls that may be made again under an idempotency key (kept-answer.ts) once
// they are a day old: from then on the same key makes something new.
import { sql } from '../db/connect.ts';
import type { TaskContext } from '../jobs/tasks.ts';

/** Deletes idempotency records a day after the call. */
export async function purgeIdempotencyRecords({ app }: TaskContext): Promise<void> {
  await app.db.run(sql`delete from kept_answer where at < now() - interval '1 day'`);
}
