// The database as a caller with a set of lists sees it: each transaction finds the views of views.ts in place of the tables.
import type pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';

/** The set of a caller, and who it is: uploads are found by those who made them. */
export type Narrowing = { lists: readonly number[]; caller: string };

/** What `onWhole` needs of a transaction. */
type Statements = {
  readonly narrowing?: Narrowing | undefined;
  row<T>(statement: Sql): Promise<T | undefined>;
  run(statement: Sql): Promise<number>;
};

/** At the beginning of a transaction. @throws Error when there are no views: then nothing is read at all */
export async function enterNarrowed(client: pg.PoolClient, { lists, caller }: Narrowing): Promise<void> {
  await client.query({
    text: `select set_config('postrider.path', current_setting('search_path'), true),
      set_config('search_path', quote_ident(current_schema() || '_narrowed') || ', ' || current_setting('search_path'), true),
      set_config('postrider.lists', $1, true), set_config('postrider.caller', $2, true)`,
    values: [`{${lists.join(',')}}`, caller],
  });
  await client.query('select lists from narrowed_to');
}

/**
 * Runs statements on the tables themselves, in a transaction that may be narrowed: for what must not depend on who sees it, such as
 * whether a contact is on any list at all. Nothing that they find may get into an answer. No other statement of the transaction may run
 * meanwhile.
 */
export async function onWhole<T, Q extends Statements>(tx: Q, work: (tx: Q) => Promise<T>): Promise<T> {
  if (!tx.narrowing) return work(tx);
  const look = (path: string) => tx.run(sql`select set_config('search_path', ${path}, true)`);
  const row = await tx.row<{ narrowed: string; whole: string }>(sql`
    select current_setting('search_path') as narrowed, current_setting('postrider.path') as whole`);
  await look(row!.whole);
  try {
    return await work({ ...tx, narrowing: undefined });
  } finally {
    // After an error of a statement, the rollback does it.
    await look(row!.narrowed).catch(() => undefined);
  }
}

/** Runs statements as a caller with this set would: to find out what such a caller sees. As for onWhole, no other may run meanwhile. */
export async function asSeenWith<T, Q extends Statements>(
  tx: Q,
  lists: readonly number[],
  work: (tx: Q) => Promise<T>,
): Promise<T> {
  return onWhole(tx, async (whole) => {
    const before = await whole.row<{ path: string; lists: string | null }>(sql`
      select current_setting('search_path') as path, current_setting('postrider.lists', true) as lists`);
    const look = (path: Sql, of: string) =>
      whole.run(sql`select set_config('search_path', ${path}, true), set_config('postrider.lists', ${of}, true)`);
    await look(
      sql`quote_ident(current_schema() || '_narrowed') || ', ' || current_setting('search_path')`,
      `{${lists.join(',')}}`,
    );
    try {
      return await work(whole);
    } finally {
      // After an error of a statement, the rollback does it.
      await look(sql`${before!.path}`, before!.lists ?? '').catch(() => undefined);
    }
  });
}
