// The queue of background jobs, on top of graphile-worker. A job is added in the caller's transaction, so it becomes
// visible exactly when its cause is committed. Which tasks there are is in tasks.ts. The library is loaded only where jobs run.
import { EventEmitter } from 'node:events';
import type { Runner, Task } from 'graphile-worker';
import type { App } from '../base/context.ts';
import { inSpan, traceparent } from '../base/spans.ts';
import { join, type Queries, type Sql, sql } from '../db/connect.ts';
import { queuePool } from './queue-pool.ts';
import { graphileLogger } from './queue-schema.ts';
import {
  type Handlers,
  type PayloadInput,
  priorities,
  type TaskContext,
  type TaskDefinition,
  type TaskName,
  tasks,
} from './tasks.ts';

export type EnqueueOptions = {
  /** Not before this time. */
  runAt?: Date;
  /** A job with the same key that has not started yet is replaced. */
  key?: string;
  /** Jobs of one queue run one after another; instead of the task's own queue. */
  queue?: string;
  /** Instead of the task's own. */
  priority?: keyof typeof priorities;
};

/** Adds a job in the caller's transaction. */
export async function enqueue<K extends TaskName>(
  db: Queries,
  name: K,
  payload: PayloadInput<K>,
  options: EnqueueOptions = {},
): Promise<void> {
  // The task continues the trace of the call that caused it.
  const cause = traceparent();
  const stored = cause === undefined ? payload : { ...payload, _cause: cause };
  await db.run(sql`select ${addJobSql(name, sql`${JSON.stringify(stored)}::json`, options)}`);
}

/**
 * Adds a job for each row that a statement finds.
 * @param members the members of the payload, as columns of those rows
 * @param rows the statement from its `from` on
 */
export async function enqueueSet<K extends TaskName>(
  db: Queries,
  name: K,
  members: Record<keyof PayloadInput<K>, Sql>,
  rows: Sql,
): Promise<void> {
  await db.run(sql`select ${addJob(name, members)} ${rows}`);
}

/** The expression that adds a job for each row of a statement that does more than that. */
export function addJob<K extends TaskName>(name: K, members: Record<keyof PayloadInput<K>, Sql>): Sql {
  const pairs = Object.entries<Sql>(members).map(([member, value]) => sql`${member}::text, ${value}`);
  return addJobSql(name, sql`json_build_object(${join(pairs)})`);
}

function addJobSql(name: TaskName, payload: Sql, options: EnqueueOptions = {}): Sql {
  const { attempts, queue, priority = 'normal' }: TaskDefinition = tasks[name];
  return sql`
    graphile_worker.add_job(
      ${name}::text, ${payload},
      queue_name := ${options.queue ?? queue ?? null}, run_at := ${options.runAt ?? null}::timestamptz,
      max_attempts := ${attempts}, job_key := ${options.key ?? null}, priority := ${priorities[options.priority ?? priority]})`;
}

export type JobRunner = {
  /** The names that lock this process's jobs; another worker frees them when the process dies. */
  names: string[];
  /** Takes no more jobs and waits for those in progress. */
  stop(): Promise<void>;
};

/**
 * Runs jobs in this process: those of the tasks that have a handler here. One more slot is kept for urgent tasks: long
 * jobs, such as large imports, may fill all others for hours.
 * @param concurrency jobs that run at the same time, besides an urgent one
 */
export async function runJobs(app: App, handlers: Partial<Handlers>, concurrency: number): Promise<JobRunner> {
  const stopping = new AbortController();
  const lockNames: string[] = [];
  const events = new EventEmitter();
  // The library locks jobs under the name of its pool, and a single job under that of a worker.
  events.on('pool:create', ({ workerPool }: { workerPool: { id: string } }) => lockNames.push(workerPool.id));
  events.on('worker:create', ({ worker }: { worker: { workerId: string } }) => lockNames.push(worker.workerId));
  const names = Object.keys(handlers) as TaskName[];
  const urgent = names.filter((name) => (tasks[name] as TaskDefinition).priority === 'urgent');
  const { pool, retire } = queuePool(app.db.pool);
  const logger = await graphileLogger(app.log);
  const { run } = await import('graphile-worker');
  const start = (taskNames: readonly TaskName[], slots: number, timetable: string): Promise<Runner> =>
    run({
      pgPool: pool,
      concurrency: slots,
      noHandleSignals: true,
      pollInterval: 1_000,
      events,
      logger,
      crontab: timetable,
      taskList: Object.fromEntries(taskNames.map((name) => [name, taskOf(app, handlers, name, stopping.signal)])),
    });
  const runners = [await start(names, concurrency, crontab(names))];
  if (urgent.length > 0) runners.push(await start(urgent, 1, ''));
  return {
    names: lockNames,
    async stop() {
      stopping.abort();
      await Promise.all(runners.map((runner) => runner.stop()));
      retire();
    },
  };
}

/** What the library calls for a job of the task. */
function taskOf(app: App, handlers: Partial<Handlers>, name: TaskName, signal: AbortSignal): Task {
  const handle = handlers[name] as (context: TaskContext, payload: unknown, attempt: number) => Promise<void>;
  return async (raw, { job }) => {
    const { _cron, _cause, ...payload } = (raw ?? {}) as Record<string, unknown>;
    const log = app.log.child({ task: name, job: job.id });
    const startedAt = performance.now();
    const context = { app, log, signal, job: `${job.id} ${job.created_at.toISOString()}` };
    try {
      await inSpan(
        `task ${name}`,
        {
          kind: 'consumer',
          attributes: { 'postrider.task': name, 'postrider.job': job.id, 'postrider.attempt': job.attempts },
          cause: typeof _cause === 'string' ? _cause : undefined,
        },
        async () => {
          // Queued after the fence of a move, or while the account is arriving: the installation that has it does the work.
          if (await isElsewhere(app, payload['account_id'])) return;
          await handle(context, tasks[name].payload.parse(payload), job.attempts);
        },
      );
    } catch (error) {
      throw storable(error);
    }
    log.debug({ ms: Math.round(performance.now() - startedAt) }, 'task done');
  };
}

async function isElsewhere({ db }: App, account: unknown): Promise<boolean> {
  if (typeof account !== 'number') return false;
  return (await db.row(sql`select from account_move where account = ${account} and not writes`)) !== undefined;
}

/** The error with a message that PostgreSQL can store: the library could not report another one, and would end the process. */
function storable(error: unknown): unknown {
  const text = error instanceof Error ? error.message : String(error);
  const clean = text.replaceAll('\0', '\ufffd').toWellFormed();
  return clean === text ? error : new Error(clean, { cause: error });
}

/** The timetable of tasks. A run replaces an earlier one that has not started or has failed for good. */
export function crontab(names: readonly TaskName[]): string {
  return names
    .map((name): [TaskName, TaskDefinition] => [name, tasks[name]])
    .filter(([, { cron }]) => cron)
    .map(([name, { cron, attempts }]) => `${cron} ${name} ?max=${attempts}&jobKey=${name}`)
    .join('\n');
}

/** Frees the jobs locked by these names immediately. */
export async function unlockJobs(db: Queries, names: readonly string[]): Promise<void> {
  if (names.length > 0) await db.run(sql`select graphile_worker.force_unlock_workers(${[...names]}::text[])`);
}
