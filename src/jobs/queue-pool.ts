// The connection pool as graphile-worker sees it. The library reports the end of a job without waiting for the answer, and
// tries again only after errors with certain codes: any other one would be an unhandled rejection and end the process. Here
// an outage of the database has such a code. Reports may be repeated: they name the lock of the job.
import type pg from 'pg';
import { isTransient, isUnavailable } from '../db/connect.ts';

/** cannot_connect_now: the library tries again after 3 seconds, then less and less often, for hours. */
const retriedCode = '57P03';

export type QueuePool = {
  pool: pg.Pool;
  /** From now on statements are neither made nor answered: what the library still tries again is given up. */
  retire(): void;
};

export function queuePool(pool: pg.Pool): QueuePool {
  let isRetired = false;
  const attempt = async <T>(work: () => Promise<T>, giveUp: () => void = () => {}): Promise<T> => {
    try {
      if (!isRetired) return await work();
    } catch (error) {
      if (!isRetired) throw isUnavailable(error) || isTransient(error) ? retried(error) : error;
    }
    giveUp();
    return new Promise<never>(() => {});
  };
  const client = (real: pg.PoolClient): pg.PoolClient => {
    let isReleased = false;
    // The library waits for the answer before it releases the client, and the pool ends when all are released.
    const release = () => {
      if (!isReleased) real.release(true);
      isReleased = true;
    };
    const query = (statement: string | pg.QueryConfig, values?: unknown[]) =>
      attempt(() => real.query(statement as string, values), release);
    return overridden(real, 'query', query);
  };
  // With a callback: its listener and its timetable, which go on after any error.
  const connect = (callback?: Parameters<typeof pool.connect>[0]) =>
    callback ? pool.connect(callback) : attempt(async () => client(await pool.connect()));
  return {
    pool: overridden(pool, 'connect', connect),
    retire() {
      isRetired = true;
    },
  };
}

const retried = (error: unknown) =>
  Object.assign(new Error((error as Error).message, { cause: error }), { code: retriedCode });

function overridden<T extends object>(real: T, name: keyof T, replacement: unknown): T {
  return new Proxy(real, {
    get(target, key) {
      if (key === name) return replacement;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
