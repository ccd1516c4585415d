// campaignReactions: how many people opened and clicked in each of several campaigns, for a table of campaigns.

import { blocksOf } from '../../audience/segments/summary-sql.ts';
import type { Context } from '../../base/context.ts';
import { unknownCampaign } from '../../campaigns/model/campaign.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';

export type Reactions = { unique_opens: number; users_who_clicked: number };

/** Returns a row for each campaign, in the order of the ids. @throws Fault CAMPAIGN_UNKNOWN */
export async function listReactions({ tx, account }: Context, { cids }: { cids: string[] }) {
  const counted = await reactionsOf(tx, account.id, [...new Set(cids)].map(parseId));
  for (const [i, cid] of cids.entries()) if (!counted.has(parseId(cid))) throw unknownCampaign(cid, `cids[${i}]`);
  return [...counted].map(([id, reactions]) => ({ id: formatId(id), ...reactions }));
}

/**
 * People who opened and clicked, by campaign; a click counts as an open. The numbers are those of campaignStats: kept sums
 * where the recipients were deleted, the summary of a large campaign, or a count of its recipients.
 */
export async function reactionsOf(
  db: Queries,
  accountId: number,
  campaigns: readonly number[],
): Promise<Map<number, Reactions>> {
  const rows = await db.rows<Reactions & { id: number }>(sql`
    with chosen as (
      select c.id, c.type, c.month, place, k.sums #> '{stats,sums}' as kept, f.sums #> '{stats,all}' as folded,
        (
          select true
          from recipient_summary r
          where r.account_id = c.account_id
            and r.campaign_id = c.id
            and r.accepted = (select sum(accepted) from tally where account_id = c.account_id and campaign_id = c.id)
        ) is true as summarised
      from unnest(${[...campaigns]}::int[]) with ordinality as wanted(id, place)
      join campaign c on c.account_id = ${accountId} and c.id = wanted.id and c.type <> 'message'
      left join kept_report k on k.account_id = c.account_id and k.campaign_id = c.id
      left join folded_report f on f.account_id = c.account_id and f.campaign_id = c.id
    )
    select id, coalesce(opened, 0)::int as unique_opens, coalesce(clicked, 0)::int as users_who_clicked
    from chosen
    cross join lateral (
      select max(opened) as opened, max(clicked) as clicked
      from (
        select (kept ->> 'uniqueOpens')::bigint as opened, (kept ->> 'usersWhoClicked')::bigint as clicked
        where kept is not null
        union all
        select sum(bit_count(b.opened)), sum(bit_count(b.clicked))
        from ${blocksOf(sql`account_id = ${accountId} and campaign_id = chosen.id and kept is null and summarised`)} as b
        union all
        select count(*) filter (where opens > 0 or clicks > 0), count(*) filter (where clicks > 0)
        from engagement
        where account_id = ${accountId}
          and campaign_id = chosen.id
          and month = chosen.month
          and kept is null
          and not summarised
          and type <> 'auto'
        union all
        -- Contacts, however many messages of an autoresponder they got.
        select count(distinct contact_id) filter (where opens > 0 or clicks > 0) + coalesce((folded ->> 'uniqueOpens')::int, 0),
          count(distinct contact_id) filter (where clicks > 0) + coalesce((folded ->> 'usersWhoClicked')::int, 0)
        from engagement
        where account_id = ${accountId}
          and campaign_id = chosen.id
          and month = chosen.month
          and kept is null
          and not summarised
          and type = 'auto'
      ) as source
    ) as reaction
    order by place`);
  return new Map(rows.map(({ id, ...reactions }) => [id, reactions]));
}
