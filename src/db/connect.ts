// Access to the database: parameterised statements, and transactions as one function call.
// Statements are written with the `sql` tag; values never become part of their text.
import pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { noteFailure } from '../base/disks/full.ts';
import type { Log } from '../base/log.ts';
import { inInnerSpan } from '../telemetry/spans.ts';
import { statementSpan } from './statement-span.ts';

export { empty, join, raw, type Sql } from 'sql-template-tag';
export { sql };

// int8 (counts, sums) becomes a number: ours stay below 2^53. numeric stays a string, timestamptz is a Date.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Runs statements: a transaction, or the database itself, where each statement is a transaction of its own. */
export interface Queries {
  rows<T>(statement: Sql): Promise<T[]>;
  /** The first row, or undefined. */
  row<T>(statement: Sql): Promise<T | undefined>;
  /** Runs a statement and returns how many rows it changed. */
  run(statement: Sql): Promise<number>;
}

/** A transaction. Functions with this parameter lock rows, or write what must be committed together with the caller's work. */
export interface Tx extends Queries {
  readonly client: pg.PoolClient;
}

export interface Database extends Queries {
  readonly url: string;
  readonly pool: pg.Pool;
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws.
   * @param replyTimeoutMs how long to wait for each reply, when that differs from the pool's limit
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, replyTimeoutMs?: number): Promise<T>;
  /** The same pool for callers that cannot wait long for a connection that fell silent. */
  within(replyTimeoutMs: number): Database;
  close(): Promise<void>;
}

/** A host that vanished is noticed within 20 s, not after the system's two hours. */
export const tcpKeepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** An idle connection goes back to the server after this time: other processes may need it. Opening one takes milliseconds. */
const idleMs = 10_000;

export type ConnectOptions = {
  maxConnections?: number;
  /** Kept although they are idle, for a process that must still answer when others have taken the rest. */
  minConnections?: number;
  /** Shown in pg_stat_activity. */
  name?: string;
  log?: Log;
  statementTimeoutMs?: number;
  /** How long to wait for a reply, for a server that never sends one; longer than any statement takes. */
  replyTimeoutMs?: number;
};

/** Opens a pool. TCP keep-alive and timeouts end connections whose other side is gone. */
export function connect(url: string, options: ConnectOptions = {}): Database {
  return databaseOf(url, openPool(url, options));
}

function databaseOf(url: string, pool: pg.Pool, replyTimeoutMs?: number): Database {
  return {
    url,
    pool,
    ...queries(pool, replyTimeoutMs),
    transaction: (work, limitMs = replyTimeoutMs) =>
      inInnerSpan(
        () => 'transaction',
        () => ({}),
        () => inTransaction(pool, work, limitMs),
      ),
    within: (limitMs) => databaseOf(url, pool, limitMs),
    close: () => pool.end(),
  };
}

/** True when the database is unreachable or shutting down, as opposed to a wrong statement. */
export function isUnavailable(error: unknown): boolean {
  const { code, message, syscall } = (error ?? {}) as { code?: string; message?: string; syscall?: string };
  if (code !== undefined && /^(08|57P0|53)/.test(code)) return true;
  if (code !== undefined && ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(code)) return true;
  // A missing socket, not a missing file.
  if (code === 'ENOENT' && syscall === 'connect') return true;
  return /Connection terminated|Query read timeout|not queryable|timeout exceeded when trying to connect|connection timeout/i.test(
    message ?? '',
  );
}

/**
 * True for errors that may not occur again: a deadlock, a serialization failure, a lock or a statement that took too long.
 * Unlike isLostRace, not for keys that exist already or no longer.
 */
export function isTransient(error: unknown): boolean {
  // serialization_failure, deadlock_detected, lock_not_available, query_canceled
  return ['40001', '40P01', '55P03', '57014'].includes((error as { code?: string } | null)?.code ?? '');
}

/** Why no connection to the database could be made, in one sentence; undefined for any other error. */
export function databaseProblem(error: unknown): string | undefined {
  const { code, address, port, hostname, errors } = (error ?? {}) as {
    code?: string;
    address?: string;
    port?: number;
    hostname?: string;
    errors?: unknown[];
  };
  // A name with several addresses: the error of the first.
  if (errors !== undefined && errors.length > 0) return databaseProblem(errors[0]);
  const { message, syscall } = error as { message?: string; syscall?: string };
  if (code === 'ENOENT' && syscall !== 'connect') return undefined;
  const why: Record<string, string> = {
    ECONNREFUSED: `nothing is listening at ${address}${port === undefined ? '' : `:${port}`}`,
    ENOENT: `socket ${address} does not exist`,
    ENOTFOUND: `host "${hostname}" does not exist`,
    EAI_AGAIN: `the name of host "${hostname}" cannot be resolved`,
    ETIMEDOUT: 'it does not respond',
    EHOSTUNREACH: `there is no route to ${address}`,
    ENETUNREACH: `there is no route to ${address}`,
    ERR_INVALID_URL: 'it is not a valid URL',
    '28P01': 'user name or password is wrong',
    '28000': 'the server refuses the user',
    '3D000': 'the server has no such database',
  };
  const reason =
    code !== undefined && Object.hasOwn(why, code)
      ? why[code]
      : /timeout expired|connection timeout|timeout exceeded when trying to connect/i.test(message ?? '')
        ? 'it does not respond'
        : undefined;
  return reason === undefined ? undefined : `The database in DATABASE_URL cannot be used: ${reason}.`;
}

/**
 * True for errors of a transaction that lost against another: a deadlock, or a row that the other one wrote or deleted in
 * between. When run again, it sees what the other one did.
 */
export function isLostRace(error: unknown): boolean {
  // serialization_failure, deadlock_detected, unique_violation, foreign_key_violation
  return ['40001', '40P01', '23505', '23503'].includes((error as { code?: string } | null)?.code ?? '');
}

function openPool(url: string, options: ConnectOptions): pg.Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? 60_000;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.maxConnections ?? 10,
    application_name: options.name ?? 'postrider',
    ...tcpKeepAlive,
    query_timeout: options.replyTimeoutMs ?? statementTimeoutMs + 5_000,
    connectionTimeoutMillis: 5_000,
    min: options.minConnections ?? 0,
    idleTimeoutMillis: idleMs,
    statement_timeout: statementTimeoutMs,
    // Releases the locks of a client that vanished. No transaction of ours is idle that long: none waits for the network.
    idle_in_transaction_session_timeout: 30_000,
  });
  // Without a listener, a connection that breaks while idle would end the process.
  pool.on('error', (error) => options.log?.warn({ err: error }, 'database connection lost'));
  // One that breaks while in use rejects its statement and also emits on the client.
  pool.on('connect', (client) =>
    client.on('error', (error) => options.log?.debug({ err: error }, 'database connection broken')),
  );
  return pool;
}

async function inTransaction<T>(
  pool: pg.Pool,
  work: (tx: Tx) => Promise<T>,
  replyTimeoutMs: number | undefined,
): Promise<T> {
  const client = await pool.connect();
  const run = (text: string) => client.query(replyTimeoutMs === undefined ? text : limited(text, replyTimeoutMs));
  let broken: Error | undefined;
  try {
    await run('begin');
    const result = await work({ client, ...queries(client, replyTimeoutMs) });
    await run('commit');
    return result;
  } catch (error) {
    // A connection without replies would not reply to a rollback either.
    noteFailure('database', error);
    if (isReplyTimeout(error)) broken = error as Error;
    else
      await run('rollback').catch((failure: Error) => {
        broken = failure;
      });
    throw error;
  } finally {
    client.release(broken);
  }
}

const isReplyTimeout = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';

/** The client reads `query_timeout` for each query, though its types do not show it. */
const limited = (text: string, replyTimeoutMs: number): pg.QueryConfig & { query_timeout: number } => ({
  text,
  query_timeout: replyTimeoutMs,
});

/** The names of statements that are planned once for each connection, by their text. */
const preparedNames = new Map<string, string>();

/**
 * A statement that runs thousands of times: it is parsed once for each connection, and planned again only while PostgreSQL
 * expects that to pay off. Its text must come in few variants.
 */
export function prepared(statement: Sql): Sql {
  const { text } = statement;
  if (!preparedNames.has(text)) preparedNames.set(text, `postrider_${preparedNames.size + 1}`);
  return statement;
}

function queries(runner: pg.Pool | pg.PoolClient, replyTimeoutMs?: number): Queries {
  const query = ({ text, values }: Sql) => {
    const name = preparedNames.get(text);
    return statementSpan(text, () =>
      runner
        .query({
          ...(replyTimeoutMs === undefined ? { text } : limited(text, replyTimeoutMs)),
          ...(name !== undefined && { name }),
          values,
        })
        .catch((error) => {
          noteFailure('database', error);
          throw error;
        }),
    );
  };
  return {
    rows: async <T>(statement: Sql) => (await query(statement)).rows as T[],
    row: async <T>(statement: Sql) => (await query(statement)).rows[0] as T | undefined,
    run: async (statement) => (await query(statement)).rowCount ?? 0,
  };
}
