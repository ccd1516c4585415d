// Queues the reading of a bounce mailbox, also of one that has just been signed in to.
import { enqueue } from '../../jobs/queue.ts';

/** One reading of an account at a time, over all workers. */
export async function queueReading(
  db: Parameters<typeof enqueue>[0],
  account: number,
  id: number,
  runAt?: Date,
): Promise<void> {
  await enqueue(
    db,
    'readBounceMailbox',
    { account_id: account, mailbox_id: id },
    { key: `mailbox ${account} ${id}`, queue: `mailboxes ${account}`, ...(runAt && { runAt }) },
  );
}
