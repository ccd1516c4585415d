// Short waits for locks of tables, and the keys of the advisory locks of PostgreSQL, in one place so that no two uses share one. The numbers are arbitrary; a change
// would let processes of two versions hold the same lock at the same time. The lock of a mailbox that signs up is a 64-bit hash.
import { setTimeout as sleep } from 'node:timers/promises';

/** Locks of the whole database, with one key: one process at a time migrates, changes partitions, restores, or makes the demo. */
export const locks = { migration: 7_067_318, partitions: 7_067_319, restore: 7_067_321, demo: 7_067_322 } as const;

/** The first of two keys. The second is the id of the worker or account. */
export const lockClasses = {
  /** Held by a worker as long as it lives. */
  worker: 7_067_319,
  /** Held by the worker that recovers what a dead one left. */
  recovery: 7_067_320,
  /** Held while files of an account are stored or deleted. */
  assets: 7_311,
  /** Held while test messages of an account are counted. */
  testMessages: 7_312,
  /** Shared; held by each worker for the disks that it finds full. */
  fullDisk: 7_313,
  /** Held while emails of an account are handed out; shared where it has no monthly quota. */
  monthlyQuota: 7_314,
  /** Shared by transactions that write rows of an account that is moving; held by its fence. Also in account_move_guard (0072_moves.sql). */
  moved: 7_315,
  /** Held by the process that moves an account. */
  mover: 7_316,
} as const;

/** How long and how often a lock on a table is waited for. */
export type LockLimits = {
  /** While it is waited for, everyone else who needs the table waits too. */
  waitMs: number;
  maxAttempts: number;
  /** Before the second attempt; grows by as much with each. */
  pauseMs: number;
};

/**
 * Repeats `work` while another session keeps it from a lock. `work` sets `lock_timeout` to `waitMs` itself, and must change
 * nothing, or be repeatable, when it fails.
 * @throws LockBusy after the last attempt
 */
export async function retryBlocked<T>(limits: LockLimits, work: () => Promise<T>): Promise<T> {
  const { maxAttempts, pauseMs } = limits;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isBlocked(error)) throw error;
      if (attempt === maxAttempts) throw new LockBusy(limits, error);
      await sleep(attempt * pauseMs);
    }
  }
}

export class LockBusy extends Error {
  constructor({ maxAttempts, waitMs }: LockLimits, cause: unknown) {
    super(
      `another session keeps a table busy that it changes (${maxAttempts} attempts of ${waitMs / 1_000} s). ` +
        'End that session (see pg_stat_activity) or stop the workers, then start again.',
      { cause },
    );
  }
}

function isBlocked(error: unknown): boolean {
  // lock_not_available, deadlock_detected
  return ['55P03', '40P01'].includes((error as { code?: string } | null)?.code ?? '');
}
