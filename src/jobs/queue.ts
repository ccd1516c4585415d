// The queue of background jobs: our face of graphile-worker. A job is added in the caller's transaction and so becomes
// visible exactly when its cause is committed. Which tasks there are, main.ts hands in.
import { EventEmitter } from 'node:events';
import { Logger, type Runner, run as runGraphile, runMigrations } from 'graphile-worker';
import type { z } from 'zod';
import type { App } from '../base/context.ts';
import type { Log } from '../base/log.ts';
import { type Queries, sql } from '../db/connect.ts';
import type { AnyTask, Task, TaskName } from './tasks.ts';

export type EnqueueOptions = {
  /** Not before this time. */
  runAt?: Date;
  /** A job of the same key that has not started yet is replaced. */
  key?: string;
  /** Jobs of the same queue run one after another. */
  queue?: string;
};

/** Adds a job in the caller's transaction. */
export async function enqueue<P extends z.ZodType>(
  tx: Queries,
  task: Task<P>,
  payload: z.input<P>,
  options: EnqueueOptions = {},
): Promise<void> {
  await tx.run(sql`
    select graphile_worker.add_job(
      ${task.name}, ${JSON.stringify(payload)}::json,
      queue_name := ${options.queue ?? null}, run_at := ${options.runAt ?? null}::timestamptz,
      max_attempts := ${task.attempts}, job_key := ${options.key ?? null})`);
}

/**
 * Adds a job of a task that stands further to the right and cannot be imported here. The worker knows it by name;
 * that each name used has a task is a test of the task list.
 */
export async function enqueueNamed(
  tx: Queries,
  name: TaskName,
  payload: Record<string, unknown>,
  options: EnqueueOptions = {},
): Promise<void> {
  await tx.run(sql`
    select graphile_worker.add_job(
      ${name}, ${JSON.stringify(payload)}::json,
      queue_name := ${options.queue ?? null}, run_at := ${options.runAt ?? null}::timestamptz,
      max_attempts := 25, job_key := ${options.key ?? null})`);
}

/** Takes back a job that has not started. */
export async function withdraw(tx: Queries, key: string): Promise<void> {
  await tx.run(sql`select graphile_worker.remove_job(${key})`);
}

/** Brings the queue's own tables up to date. */
export async function migrateQueue(url: string, log: Log): Promise<void> {
  await runMigrations({ connectionString: url, logger: graphileLogger(log) });
}

export type JobRunner = {
  /** The names under which jobs of this process are locked; the watchdog frees them when the process dies. */
  names: string[];
  /** Stops taking jobs and waits for those under way. */
  stop(): Promise<void>;
};

/** Runs jobs in this process. */
export async function runJobs(app: App, tasks: readonly AnyTask[], concurrency: number): Promise<JobRunner> {
  const stopping = new AbortController();
  const names: string[] = [];
  const events = new EventEmitter();
  // The library locks jobs under the name of its pool, and a job taken singly under that of a worker.
  events.on('pool:create', ({ workerPool }: { workerPool: { id: string } }) => names.push(workerPool.id));
  events.on('worker:create', ({ worker }: { worker: { workerId: string } }) => names.push(worker.workerId));
  const runner: Runner = await runGraphile({
    pgPool: app.db.pool,
    concurrency,
    noHandleSignals: true,
    pollInterval: 1_000,
    events,
    logger: graphileLogger(app.log),
    crontab: tasks
      .filter((one) => one.cron)
      .map((one) => `${one.cron} ${one.name}`)
      .join('\n'),
    taskList: Object.fromEntries(
      tasks.map((one) => [
        one.name,
        async (raw, helpers) => {
          const { _cron, ...given } = (raw ?? {}) as Record<string, unknown>;
          const log = app.log.child({ task: one.name, job: helpers.job.id });
          const startedAt = performance.now();
          await one.run({ app, log, attempt: helpers.job.attempts, signal: stopping.signal }, one.payload.parse(given));
          log.debug({ ms: Math.round(performance.now() - startedAt) }, 'task done');
        },
      ]),
    ),
  });
  return {
    names,
    async stop() {
      stopping.abort();
      await runner.stop();
    },
  };
}

/** Jobs locked by these names are free again at once. */
export async function unlockJobs(db: Queries, names: readonly string[]): Promise<void> {
  if (names.length > 0) await db.run(sql`select graphile_worker.force_unlock_workers(${[...names]}::text[])`);
}

const graphileLogger = (log: Log) =>
  new Logger(() => (level, message, meta) => {
    const error = (meta as { error?: unknown } | undefined)?.error;
    if (level === 'error') log.error({ err: error }, message);
    else if (level === 'warning') log.warn({ err: error }, message);
    else log.trace(message);
  });
