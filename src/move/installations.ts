// The two installations of a move, and one session in the old one that holds its lock: two movers never work on the same account.
import pg from 'pg';
import type { App } from '../base/context.ts';
import { connect, type Database, type Queries, sql, type Tx } from '../db/connect.ts';
import { target } from '../db/connection/target.ts';
import { lockClasses } from '../db/locks.ts';

export type Accounts = {
  id: number;
  /** The account and its test account. */
  all: number[];
};

export type Installations = {
  app: App;
  /** Of the installation that the account leaves. */
  source: Database;
  /** Of the one it moves to. */
  target: Database;
  /** How the server of the new installation reaches the old database. */
  sourceUrl: string;
};

export const slotOf = ({ id }: Accounts): string => `postrider_move_${id}`;

/** The account with its test account, which moves with it. */
export async function accountsOf(db: Queries, id: number): Promise<Accounts> {
  const tests = await db.rows<{ id: number }>(sql`select id from account where test_of = ${id}`);
  return { id, all: [id, ...tests.map((test) => test.id)] };
}

/** Opens the new installation for as long as `work` takes, as the only mover of the account. @throws Error when another one is at work */
export async function withInstallations<T>(
  app: App,
  accountId: number,
  given: { to: string; from?: string },
  work: (both: Installations) => Promise<T>,
): Promise<T> {
  const lock = new pg.Client({ ...target(app.db.url), application_name: 'postrider move' });
  // The lock is gone with the session: the next statement of the move fails, or finds another step.
  lock.on('error', () => undefined);
  await lock.connect();
  const newOne = connect(given.to, { name: 'postrider cli', maxConnections: 3, statementTimeoutMs: 600_000 });
  try {
    const { rows } = await lock.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', [
      lockClasses.mover,
      accountId,
    ]);
    if (!rows[0]!.taken) throw new Error('Another process is moving this account at this moment.');
    return await work({ app, source: app.db, target: newOne, sourceUrl: given.from ?? app.db.url });
  } finally {
    await newOne.close();
    await lock.end();
  }
}

/** Runs a transaction that may write rows of accounts that are fenced. */
export function movingRows<T>(db: Database, { all }: Accounts, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.run(sql`select set_config('postrider.moves', ${all.join(',')}, true)`);
    return work(tx);
  });
}
