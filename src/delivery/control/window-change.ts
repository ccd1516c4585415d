// Makes what waits for a send window ask again: the setting, the account's zone or the campaign has changed. The worker that takes
// a chunk decides (delivery/ledger/mark-group.ts): it sends, or the chunk waits until the window opens.
import { empty, type Queries, sql } from '../../db/connect.ts';
import { chunkChannel } from '../../jobs/channels.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';

/** @param campaign only what waits of this one */
export async function askWindowAgain(db: Queries, account: number, campaign?: number): Promise<void> {
  const asked = await db.run(sql`
    update chunk
    -- Both, so that an occasion that waited until now is late by now, not by its own time.
    set due_at = now(), opens_at = now()
    where account_id = ${account}
      ${campaign === undefined ? empty : sql`and campaign_id = ${campaign}`}
      and state = 'waiting'
      and due_at > now()
      and opens_at = due_at`);
  if (asked > 0) await db.run(sql`select pg_notify(${chunkChannel}, '')`);
}

/** The window or the zone of an account has changed. */
export const windowChanged = ({ app: { db } }: TaskContext, { account_id }: Payload<'windowChanged'>): Promise<void> =>
  askWindowAgain(db, account_id);
