// Sets of contacts as bits, in blocks of 2,048 contact ids: how they are made, and how a statement over a whole list reads
// who got, opened or clicked in campaigns. src/tracking/summaries.ts writes them, and says when they are complete.
import { raw, type Sql, sql } from '../../db/connect.ts';

/** A block without any contact. */
export const noBits = sql`repeat('0', 2048)::bit(2048)`;

/** The block of a contact. */
export const blockOf = (contact: Sql): Sql => sql`(${contact} >> 11)`;

/** A block with this contact only. */
export const bitOf = (contact: Sql): Sql => sql`set_bit(${noBits}, ${contact} & 2047, 1)`;

/** SQL: whether the summary of a campaign (alias r) has all who accepted it. */
export const isSummarised = sql`r.accepted = (
    select sum(t.accepted) from tally t where t.account_id = r.account_id and t.campaign_id = r.campaign_id
  )`;

/** SQL: the blocks of the campaigns that the condition selects (on account_id and campaign_id), each block once. */
export function blocksOf(condition: Sql): Sql {
  const recent = (kind: 'opened' | 'clicked') => sql`
        select ${blockOf(sql`contact`)}, ${noBits}, ${kind === 'opened' ? bitOf(sql`contact`) : noBits},
          ${kind === 'clicked' ? bitOf(sql`contact`) : noBits}
        from new_reaction, unnest(${raw(kind)}) as contact
        where ${condition}`;
  return sql`(
      select block, bit_or(accepted) as accepted, bit_or(opened) as opened, bit_or(clicked) as clicked
      from (
        select block, accepted, opened, clicked
        from recipient_block
        where ${condition}
        union all ${recent('opened')}
        union all ${recent('clicked')}
      ) as part
      group by block
    )`;
}

/** A join that gives each member of a list (alias s) its block, over all these campaigns. */
export function blocksJoin(alias: Sql, accountId: number, campaigns: readonly number[]): Sql {
  const blocks = blocksOf(sql`account_id = ${accountId} and campaign_id = any (${[...campaigns]}::int[])`);
  return sql`
    left join ${blocks} as ${alias} on ${alias}.block = ${blockOf(sql`s.contact_id`)}`;
}

/** Whether the member is in its block. */
export const inBlock = (alias: Sql, column: 'accepted' | 'opened' | 'clicked'): Sql =>
  sql`coalesce(get_bit(${alias}.${raw(column)}, s.contact_id & 2047) = 1, false)`;
