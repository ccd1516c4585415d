// Makes what waits for a send window ask again: the setting, the account's zone or the campaign has changed. The worker that takes
// a chunk decides (delivery/ledger/mark-group.ts): it sends, or the chunk waits until the window opens.
import { empty, sql, type Tx } from '../../db/connect.ts';
import { chunkChannel } from '../../jobs/channels.ts';

/** @param campaign only what waits of this one */
export async function askWindowAgain(tx: Tx, account: number, campaign?: number): Promise<void> {
  const asked = await tx.run(sql`
    update chunk
    -- Both, so that an occasion that waited until now is late by now, not by its own time.
    set due_at = now(), opens_at = now()
    where account_id = ${account}
      ${campaign === undefined ? empty : sql`and campaign_id = ${campaign}`}
      and state = 'waiting'
      and due_at > now()
      and opens_at = due_at`);
  if (asked > 0) await tx.run(sql`select pg_notify(${chunkChannel}, '')`);
}
