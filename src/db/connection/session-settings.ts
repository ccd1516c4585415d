// The settings of a session, by a statement after it has begun and not as startup parameters: PgBouncer refuses those it does not
// know, whatever its mode. One statement, so that a new connection costs one round trip more.
import type pg from 'pg';

export type SessionLimits = {
  /** 0: as long as they take. */
  statementTimeoutMs: number;
  /** Ends a session that holds a transaction open for so long without a statement. 0: never. */
  idleInTransactionMs: number;
};

/** What the program and its driver expect, whatever the server, the database or the role has set for others. */
const ours = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
};

export async function prepareSession(client: pg.ClientBase, limits: SessionLimits): Promise<void> {
  const settings: Record<string, string> = {
    ...ours,
    statement_timeout: String(limits.statementTimeoutMs),
    idle_in_transaction_session_timeout: String(limits.idleInTransactionMs),
  };
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  await client.query(`select ${calls.join(', ')}`);
}

/** For statements that take as long as they need: migrations, backups. */
export const unlimited: SessionLimits = { statementTimeoutMs: 0, idleInTransactionMs: 0 };
