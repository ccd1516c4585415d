// The tables of the queue, which graphile-worker creates and migrates. Separate from queue.ts because the parent process, which
// runs the migration, needs none of the tasks.
import type { Logger } from 'graphile-worker';
import type { Log } from '../base/log.ts';
import { connect, isUnavailable } from '../db/connect.ts';

const maxStatementMs = 600_000;

/** Brings the queue's own tables up to date. */
export async function migrateQueue(url: string, log: Log): Promise<void> {
  const { runMigrations } = await import('graphile-worker');
  const db = connect(url, { name: 'postrider migrate', maxConnections: 1, statementTimeoutMs: maxStatementMs });
  try {
    await runMigrations({ pgPool: db.pool, logger: await graphileLogger(log) });
  } finally {
    await db.close();
  }
}

/** A logger for graphile-worker that writes to our log. */
export async function graphileLogger(log: Log): Promise<Logger> {
  const { Logger } = await import('graphile-worker');
  return new Logger(() => (level, message, meta) => {
    const error = (meta as { error?: unknown } | undefined)?.error;
    // The pool logs that the database cannot be used.
    if (isUnavailable(error)) log.debug({ err: error }, message);
    else if (level === 'error') log.error({ err: error }, message);
    else if (level === 'warning') log.warn({ err: error }, message);
    else log.trace(message);
  });
}
