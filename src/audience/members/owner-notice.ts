// Who has subscribed to a list or left it, for the next notice to its owner. Of what people and programs do; who works in the
// application, or imports a file, knows it.
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import type { EventSource } from '../../events/types.ts';

export type NoticeKind = 'subscribe' | 'unsubscribe';

/** Writes a line for the next notice where the list wants one; whether it does. */
export async function noteForOwner(
  { tx, account }: Context,
  kind: NoticeKind,
  { listId, contactId }: { listId: number; contactId: number },
  source: EventSource | 'import',
): Promise<boolean> {
  if (source !== 'subscriber' && source !== 'api') return false;
  const noted = await tx.run(sql`
    insert into list_notice (account_id, list_id, kind, contact_id)
    select account_id, id, ${kind}, ${contactId}
    from list
    where account_id = ${account.id}
      and id = ${listId}
      and ${kind === 'subscribe' ? sql`subscription_notify` : sql`unsubscription_notify`}
    on conflict (account_id, list_id, kind, contact_id) do update set at = now()`);
  return noted > 0;
}
