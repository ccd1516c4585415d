// Access to the database: parameterised statements, and transactions as one function call.
// Statements are written with the `sql` tag; values never become part of their text.
import pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { noteFailure } from '../base/full-disk.ts';
import type { Log } from '../base/log.ts';
import { inInnerSpan } from '../base/spans.ts';
import { isReadOnly, readOnlyError } from './connection/failures.ts';
import { OutageLog } from './connection/outage.ts';
import { prepareSession } from './connection/session-settings.ts';
import { target } from './connection/target.ts';
import { enterNarrowed, type Narrowing } from './narrowed/narrow.ts';
import { statementSpan } from './statement-span.ts';

export { empty, join, raw, type Sql } from 'sql-template-tag';
export {
  databaseProblem,
  isContended,
  isLostRace,
  isReadOnly,
  isTransient,
  isUnavailable,
  retrySeconds,
} from './connection/failures.ts';
export { sql };

// int8 (counts, sums) becomes a number: ours stay below 2^53. numeric stays a string, timestamptz is a Date.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Runs statements: a transaction, or the database itself, where each statement is a transaction of its own. */
export interface Queries {
  /** Of the database as a caller with a set of lists sees it. */
  readonly narrowing?: Narrowing | undefined;
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
  /** The same for work that only reads: the server refuses it any change, and locks of rows. */
  reading<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** The same pool for callers that cannot wait long for a connection that fell silent. */
  within(replyTimeoutMs: number): Database;
  /** The same pool for a caller with a set of lists: every statement finds only what the set leaves. */
  narrowedTo(narrowing: Narrowing): Database;
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
  /** A server whose failures stop nothing. */
  isSpare?: boolean;
};

/** Opens a pool. TCP keep-alive and timeouts end connections whose other side is gone. */
export function connect(url: string, options: ConnectOptions = {}): Database {
  const outage = new OutageLog(options.log);
  const noteError = (error: unknown) => {
    if (options.isSpare) return;
    noteFailure('database', error);
    outage.note(error);
  };
  return databaseOf(url, openPool(url, options), noteError);
}

type NoteError = (error: unknown) => void;

function databaseOf(
  url: string,
  pool: pg.Pool,
  noteError: NoteError,
  replyTimeoutMs?: number,
  narrowing?: Narrowing,
): Database {
  const begun = <T>(begin: string, work: (tx: Tx) => Promise<T>, limitMs: number | undefined) =>
    inInnerSpan(
      () => 'transaction',
      () => ({}),
      () => inTransaction(pool, begin, work, noteError, limitMs, narrowing),
    );
  const transaction: Database['transaction'] = (work, limitMs = replyTimeoutMs) => begun('begin', work, limitMs);
  return {
    url,
    pool,
    ...(narrowing ? eachNarrowed(transaction, narrowing) : queries(pool, noteError, replyTimeoutMs)),
    transaction,
    reading: (work) => begun('begin read only', work, replyTimeoutMs).catch(refusedChange),
    within: (limitMs) => databaseOf(url, pool, noteError, limitMs, narrowing),
    narrowedTo: (to) => databaseOf(url, pool, noteError, replyTimeoutMs, to),
    close: () => pool.end(),
  };
}

/** A change by what only reads is a bug, and not a server that takes no writes. */
function refusedChange(error: unknown): never {
  throw isReadOnly(error) ? new ChangeRefused(`A method that reads: ${(error as Error).message}`) : error;
}

/** What only reads tried to change something, or to lock it. */
export class ChangeRefused extends Error {}

/** Statements outside a transaction, each in one of its own: what narrows them holds for a transaction. */
const eachNarrowed = (transaction: Database['transaction'], narrowing: Narrowing): Queries => ({
  narrowing,
  rows: <T>(statement: Sql) => transaction((tx) => tx.rows<T>(statement)),
  row: <T>(statement: Sql) => transaction((tx) => tx.row<T>(statement)),
  run: (statement) => transaction((tx) => tx.run(statement)),
});

/**
 * Checks that the server takes writes. A connection to one that does not is not used again: after a fail-over the next one may lead
 * to the new primary.
 * @throws Error with the SQLSTATE 25006
 */
export async function needWritable(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    const row = await tx.row<{ isReadOnly: boolean }>(
      sql`select current_setting('transaction_read_only')::boolean as "isReadOnly"`,
    );
    if (row!.isReadOnly) throw readOnlyError();
  });
}

function openPool(url: string, options: ConnectOptions): pg.Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? 60_000;
  const pool = new pg.Pool({
    ...target(url),
    max: options.maxConnections ?? 10,
    application_name: options.name ?? 'postrider',
    ...tcpKeepAlive,
    query_timeout: options.replyTimeoutMs ?? statementTimeoutMs + 5_000,
    connectionTimeoutMillis: 5_000,
    min: options.minConnections ?? 0,
    idleTimeoutMillis: idleMs,
    // Releases the locks of a client that vanished. No transaction of ours is idle that long: none waits for the network.
    onConnect: (client) => prepareSession(client, { statementTimeoutMs, idleInTransactionMs: 30_000 }),
  });
  // Without a listener, a connection that breaks while idle would end the process.
  pool.on('error', (error) => options.log?.debug({ err: error }, 'database connection lost'));
  // One that breaks while in use rejects its statement and also emits on the client.
  pool.on('connect', (client) =>
    client.on('error', (error) => options.log?.debug({ err: error }, 'database connection broken')),
  );
  return pool;
}

async function inTransaction<T>(
  pool: pg.Pool,
  begin: string,
  work: (tx: Tx) => Promise<T>,
  noteError: NoteError,
  replyTimeoutMs: number | undefined,
  narrowing: Narrowing | undefined,
): Promise<T> {
  const client = await pool.connect().catch((error) => {
    noteError(error);
    throw error;
  });
  const run = (text: string) => client.query(replyTimeoutMs === undefined ? text : limited(text, replyTimeoutMs));
  let broken: Error | undefined;
  try {
    await run(begin);
    if (narrowing) await enterNarrowed(client, narrowing);
    const result = await work({ client, ...queries(client, noteError, replyTimeoutMs), narrowing });
    await run('commit');
    return result;
  } catch (error) {
    noteError(error);
    // A connection without replies would not reply to a rollback either. One that takes no writes leads to a standby, or to what
    // was the primary: the next one may lead to the new one.
    if (isReplyTimeout(error) || isReadOnly(error)) broken = error as Error;
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
/** A connection keeps the plans of its statements until it ends. */
const maxPrepared = 1_000;

/**
 * A statement that runs thousands of times: it is parsed once for each connection, and planned again only while PostgreSQL
 * expects that to pay off. Its text must come in few variants.
 */
export function prepared(statement: Sql): Sql {
  const { text } = statement;
  if (!preparedNames.has(text) && preparedNames.size < maxPrepared)
    preparedNames.set(text, `postrider_${preparedNames.size + 1}`);
  return statement;
}

/**
 * The same transaction, all of whose statements are `prepared`: for work that runs often and whose statements read few rows, whatever
 * their values. A plan that fits few rows would be slow for many.
 */
export function preparing(tx: Tx): Tx {
  return {
    ...tx,
    rows: (statement) => tx.rows(prepared(statement)),
    row: (statement) => tx.row(prepared(statement)),
    run: (statement) => tx.run(prepared(statement)),
  };
}

function queries(runner: pg.Pool | pg.PoolClient, noteError: NoteError, replyTimeoutMs?: number): Queries {
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
          noteError(error);
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
