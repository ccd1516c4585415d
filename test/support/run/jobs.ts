// Runs the jobs of some tasks that wait in the queue, and returns when none is left.
import type { App } from '../../../src/base/context.ts';
import { sql } from '../../../src/db/connect.ts';
import { runJobs } from '../../../src/jobs/queue.ts';
import type { TaskName } from '../../../src/jobs/tasks.ts';
import { handlers } from '../../../src/task-handlers.ts';
import { until } from './until.ts';

export async function runWaitingJobs(app: App, ...tasks: TaskName[]): Promise<void> {
  const chosen = Object.fromEntries(tasks.map((name) => [name, handlers[name]]));
  const left = async () => {
    const row = await app.db.row<{ count: number }>(sql`
      select count(*) as count
      from graphile_worker._private_jobs j
      join graphile_worker._private_tasks k on k.id = j.task_id
      where k.identifier = any (${tasks}::text[])`);
    return row!.count;
  };
  const runner = await runJobs(app, chosen, 1);
  try {
    await until(`${tasks.join(', ')} ended`, async () => (await left()) === 0);
  } finally {
    await runner.stop();
  }
}
