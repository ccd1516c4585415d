// What changes of contacts owe the watched segments (watch.ts) when no subscription is marked as changed.
import { type Queries, sql } from '../../db/connect.ts';

/** Has the segments of an account looked at again: values of many contacts changed without their subscriptions being marked as changed. */
export async function lookAgain(tx: Queries, accountId: number): Promise<void> {
  await tx.run(sql`
    update segment_watch
    set follows_list = false
    where account_id = ${accountId}
      and follows_list`);
}

/** A contact whose subscription was deleted is in no segment of the list any more, which is no event. */
export async function leaveSegments(tx: Queries, accountId: number, listId: number, contactId: number): Promise<void> {
  await tx.run(sql`
    delete from segment_member m
    using segment g
    where g.account_id = ${accountId}
      and g.list_id = ${listId}
      and m.account_id = g.account_id
      and m.segment_id = g.id
      and m.contact_id = ${contactId}`);
}
