// Whose page it is: the organisation and postal address of a list, or those of its account, and the brand of the account.
import type { Queries } from '../../db/connect.ts';
import { sql } from '../../db/connect.ts';
import type { Sender } from './page.ts';

export async function senderOf(db: Queries, accountId: number, listId?: number): Promise<Sender | undefined> {
  return db.row<Sender>(sql`
    select coalesce(nullif(l.company, ''), nullif(a.company, ''), a.name) as name,
      coalesce(nullif(l.postal_address, ''), a.postal_address) as address,
      a.settings -> 'brand' as brand
    from account a
    left join list l on l.account_id = a.id and l.id = ${listId ?? null}
    where a.id = ${accountId}`);
}
