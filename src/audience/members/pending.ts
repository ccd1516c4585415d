// The lists that a contact has asked for and not confirmed yet.

import { type Queries, sql } from '../../db/connect.ts';
import { readerName } from '../model/reader-name.ts';

/** Those of the lists, in this order. */
export async function pendingLists(
  db: Queries,
  { account, contact, lists }: { account: number; contact: number; lists: readonly number[] },
): Promise<{ id: number; name: string }[]> {
  if (lists.length === 0) return [];
  return db.rows<{ id: number; name: string }>(sql`
    select l.id, ${readerName(sql`l`)} as name
    from subscription s
    join list l on l.account_id = s.account_id and l.id = s.list_id
    where s.account_id = ${account}
      and s.contact_id = ${contact}
      and s.list_id = any (${[...lists]}::int[])
      and s.status = 'pending'
    order by array_position(${[...lists]}::int[], s.list_id)`);
}
