// Whether an account is in this installation, or is moving to another one or arriving from it: the rows of account_move, which only
// src/move writes. What looks for work over all accounts asks `isWorking`; the rows themselves are kept by triggers (account_move_guard).
import { type Queries, type Sql, sql } from '../../db/connect.ts';

/** SQL: work may be begun here for this account. */
export const isWorking = (account: Sql): Sql =>
  sql`not exists (select from account_move am where am.account = ${account} and not am.works)`;

/** True for a statement that would have changed an account that is moving, or has moved. Nothing was changed. */
export const isMoving = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && (error as { code?: string }).code === 'PM001';

export type Move = {
  account: number;
  id: string;
  step: 'copying' | 'draining' | 'fenced' | 'moved' | 'done' | 'arriving' | 'here';
  /** The public URL of the other installation. */
  address: string;
};

export const readMoves = (db: Queries, which: Sql): Promise<Move[]> =>
  db.rows<Move>(sql`
    select account, move_id as id, step, address
    from account_move
    where ${which}
    order by account`);

/** How often a web process re-reads which accounts have moved. */
export const noticeMs = 1_000;
/** After this time each of them knows. */
export const noticedSeconds = 4;
