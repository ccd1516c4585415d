// The hard bounces and complaints of a campaign, counted in the transactions that record them. Only of campaigns that end: the rates
// of an autoresponder are those of its account and lists.
import type { Counts } from '../../base/reputation-rules.ts';
import { sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';

/** Adds to the counts. Their row stays locked until the transaction ends: who counts next sees every count before. */
export async function countWatched(
  tx: Tx,
  of: CampaignKey,
  { refused = 0, returned = 0, complaints = 0 }: Partial<Counts>,
): Promise<void> {
  await tx.run(sql`
    insert into campaign_watch as w (account_id, campaign_id, refused, returned, complaints)
    select account_id, id, ${refused}::int, ${returned}::int, ${complaints}::int
    from campaign
    where account_id = ${of.account}
      and id = ${of.campaign}
      and type in ('html', 'plain')
    on conflict (account_id, campaign_id) do update
    set refused = w.refused + excluded.refused, returned = w.returned + excluded.returned,
      complaints = w.complaints + excluded.complaints`);
}
