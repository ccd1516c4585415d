// Sets of contacts as bits in words of 64 contact ids, read in statements of their own before the one over a whole list. They are
// small: joined with the members themselves, millions of rows would go into a hash table, which takes several times as long.
import { type Queries, raw, type Sql, sql } from '../../db/connect.ts';
import type { ContactWords, Joins } from './scope.ts';

/** Keeps two levels of a statement apart; "offset 0" of another type would also keep them from workers. */
export const fence = sql`offset bigint '0'`;

/** @param contacts a statement with the column `contact`, which may name a contact several times */
export async function readWords(tx: Queries, contacts: Sql): Promise<ContactWords> {
  const row = await tx.row<ContactWords>(sql`
    select coalesce(array_agg(word), '{}')::text as words, coalesce(array_agg(bits), '{}')::text as bits
    from (
      select contact >> 6 as word, bit_or(1::bigint << (contact & 63)) as bits
      -- "+ 0" hides from the planner how many contacts there are: it would expect a word of each and let one process do everything.
      from (select contact + 0 as contact from (${contacts}) as found ${fence}) as done
      group by word
    ) as word`);
  return row!;
}

/** Whether the member (alias s) is in the set that was read under this key. */
export function inWords({ words, added }: Joins, key: string): Sql {
  const existing = added.get(key);
  const alias = existing?.alias ?? raw(`did_${added.size}`);
  if (!existing) {
    const set = words.get(key)!;
    added.set(key, {
      alias,
      join: sql`
        left join unnest(${set.words}::int[], ${set.bits}::bigint[]) as ${alias} (word, bits) on ${alias}.word = s.contact_id >> 6`,
    });
  }
  return sql`coalesce((${alias}.bits >> (s.contact_id & 63)) & 1 = 1, false)`;
}
