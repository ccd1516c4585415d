// The face of the database: parameterised statements, and transactions as one function call.
// A statement is written with the `sql` tag; values never become part of its text.
import pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import type { Log } from '../base/log.ts';

export { empty, join, raw, type Sql } from 'sql-template-tag';
export { sql };

// int8 (counts, sums) as number: none of ours passes 2^53. numeric stays a string. Dates stay Date (timestamptz).
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** What runs statements: a transaction, or the database itself for single statements. */
export interface Queries {
  rows<T>(statement: Sql): Promise<T[]>;
  /** The first row, or undefined. */
  row<T>(statement: Sql): Promise<T | undefined>;
  /** Runs a statement and tells how many rows it touched. */
  run(statement: Sql): Promise<number>;
}

/** A transaction. Only functions that were given one may write. */
export interface Tx extends Queries {
  readonly client: pg.PoolClient;
}

export interface Database extends Queries {
  readonly url: string;
  readonly pool: pg.Pool;
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws.
   * @param answerMs how long each answer is waited for, when that differs from the pool's limit
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, answerMs?: number): Promise<T>;
  close(): Promise<void>;
}

/** A host that is gone without a word is found in 20 s, not after the two hours of the system. */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/**
 * Opens a pool. Connections carry TCP keep-alive and a statement time-out, so that a half-open connection ends.
 * @param most connections at most
 * @param answerMs how long an answer is waited for, longer than any statement takes; for a server that is mute
 */
export function connect(
  url: string,
  options: { most?: number; name?: string; log?: Log; statementMs?: number; answerMs?: number } = {},
): Database {
  const statementMs = options.statementMs ?? 60_000;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.most ?? 10,
    application_name: options.name ?? 'postrider',
    ...keptAlive,
    query_timeout: options.answerMs ?? statementMs + 5_000,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: statementMs,
    // The locks of a client that was cut off without a word: nothing waits within a transaction (no network there).
    idle_in_transaction_session_timeout: 30_000,
  });
  // Without a listener a connection that breaks while idle would end the process.
  pool.on('error', (error) => options.log?.warn({ err: error }, 'database connection lost'));
  // And one that breaks while it is checked out emits on the client itself, beside rejecting the statement under way.
  pool.on('connect', (client) =>
    client.on('error', (error) => options.log?.debug({ err: error }, 'database connection broken')),
  );
  return {
    url,
    pool,
    ...queries(pool),
    async transaction(work, answerMs) {
      const client = await pool.connect();
      const say = (text: string) => client.query(answerMs === undefined ? text : limited(text, answerMs));
      let broken: Error | undefined;
      try {
        await say('begin');
        const result = await work({ client, ...queries(client, answerMs) });
        await say('commit');
        return result;
      } catch (error) {
        // A mute connection would be mute to this too, for as long again.
        if (isMute(error)) broken = error as Error;
        else
          await say('rollback').catch((failure: Error) => {
            broken = failure;
          });
        throw error;
      } finally {
        client.release(broken);
      }
    },
    close: () => pool.end(),
  };
}

/** True for errors that say the database is unreachable or going down, as opposed to a wrong statement. */
export function isUnavailable(error: unknown): boolean {
  const { code, message, syscall } = (error ?? {}) as { code?: string; message?: string; syscall?: string };
  if (code !== undefined && /^(08|57P0|53)/.test(code)) return true;
  if (code !== undefined && ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(code)) return true;
  // A socket that is not there; a file that is not there is another matter.
  if (code === 'ENOENT' && syscall === 'connect') return true;
  return /Connection terminated|Query read timeout|not queryable|timeout exceeded when trying to connect|connection timeout/i.test(
    message ?? '',
  );
}

/**
 * True for errors that another try may not meet: a deadlock or a lost race, a lock or a statement that took too long.
 * Unlike isLostRace, keys that are taken or gone are not among them.
 */
export function isPassing(error: unknown): boolean {
  // serialization_failure, deadlock_detected, lock_not_available, query_canceled
  return ['40001', '40P01', '55P03', '57014'].includes((error as { code?: string } | null)?.code ?? '');
}

/** What is wrong when no connection to the database could be made, in one sentence; undefined for any other error. */
export function databaseProblem(error: unknown): string | undefined {
  const { code, address, port, hostname, errors } = (error ?? {}) as {
    code?: string;
    address?: string;
    port?: number;
    hostname?: string;
    errors?: unknown[];
  };
  // A name with several addresses: what the first one said.
  if (errors !== undefined && errors.length > 0) return databaseProblem(errors[0]);
  const { message, syscall } = error as { message?: string; syscall?: string };
  if (code === 'ENOENT' && syscall !== 'connect') return undefined;
  const why: Record<string, string> = {
    ECONNREFUSED: `nothing listens at ${address}${port === undefined ? '' : `:${port}`}`,
    ENOENT: `there is no socket ${address}`,
    ENOTFOUND: `there is no host "${hostname}"`,
    EAI_AGAIN: `the name of the host "${hostname}" cannot be looked up`,
    ETIMEDOUT: 'it does not answer',
    EHOSTUNREACH: `there is no way to ${address}`,
    ENETUNREACH: `there is no way to ${address}`,
    ERR_INVALID_URL: 'it is not a usable address',
    '28P01': 'user name or password is wrong',
    '28000': 'the user is refused',
    '3D000': 'there is no such database on that server',
  };
  const reason =
    code !== undefined && Object.hasOwn(why, code)
      ? why[code]
      : /timeout expired|connection timeout|timeout exceeded when trying to connect/i.test(message ?? '')
        ? 'it does not answer'
        : undefined;
  return reason === undefined ? undefined : `The database in DATABASE_URL cannot be used: ${reason}.`;
}

/**
 * True for errors of a transaction that lost against another one: a deadlock, or a row that the other one has written
 * or deleted in the meantime. Run once more, it sees what the other one did.
 */
export function isLostRace(error: unknown): boolean {
  // serialization_failure, deadlock_detected, unique_violation, foreign_key_violation
  return ['40001', '40P01', '23505', '23503'].includes((error as { code?: string } | null)?.code ?? '');
}

const isMute = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';

/** `query_timeout` is read by the client for each query, though its types do not tell. */
const limited = (text: string, answerMs: number): pg.QueryConfig & { query_timeout: number } => ({
  text,
  query_timeout: answerMs,
});

function queries(runner: pg.Pool | pg.PoolClient, answerMs?: number): Queries {
  const query = ({ text, values }: Sql) =>
    runner.query(answerMs === undefined ? { text, values } : { ...limited(text, answerMs), values });
  return {
    rows: async <T>(statement: Sql) => (await query(statement)).rows as T[],
    row: async <T>(statement: Sql) => (await query(statement)).rows[0] as T | undefined,
    run: async (statement) => (await query(statement)).rowCount ?? 0,
  };
}
