// How long caught messages are kept.
import { accountsThatForget, deleteOldest } from '../accounts/account/retention.ts';
import { sql } from '../db/connect.ts';
import type { TaskContext } from '../jobs/tasks.ts';

/** Deletes caught messages older than their account keeps them. */
export async function purgeInbox({ app: { db }, signal }: TaskContext): Promise<void> {
  for (const { id, days } of await accountsThatForget(db, 'keep_inbox_days'))
    await deleteOldest(
      db,
      signal,
      sql`inbox_message`,
      sql`account_id = ${id} and received_at < now() - make_interval(days => ${days})`,
    );
}
