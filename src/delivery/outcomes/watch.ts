// Pauses a campaign while it is being sent when too many of its messages are hard bounces or complaints, if its account wants that. The
// counts are locked until the transaction ends, so of two workers only one pauses it, and no count is missed.
import { message } from '../../base/messages.ts';
import { type Counts, reasonsToPause } from '../../base/reputation-rules.ts';
import { sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { countWatched } from '../ledger/campaign-watch.ts';
import { pauseAutomatically } from './pause-automatically.ts';

type Watched = Counts & { pausedFor: string[]; pauses: boolean };

/**
 * Adds hard bounces and complaints to those of a campaign. To be called after the outcomes are in the tally.
 * @returns whether it was paused because of them
 */
export async function watchCampaign(
  tx: Tx,
  of: CampaignKey,
  counts: Partial<Omit<Counts, 'accepted'>>,
): Promise<boolean> {
  if (!counts.refused && !counts.returned && !counts.complaints) return false;
  await countWatched(tx, of, counts);
  const watched = await tx.row<Watched>(sql`
    select t.accepted - w.accepted_before as accepted, w.refused - w.refused_before as refused,
      w.returned - w.returned_before as returned, w.complaints - w.complaints_before as complaints,
      w.paused_for as "pausedFor",
      c.status = 'sending' and coalesce(a.settings ->> 'reputation', '') = 'pause' as pauses
    from campaign_watch w
    join campaign c on c.account_id = w.account_id and c.id = w.campaign_id
    join account a on a.id = w.account_id
    cross join (${acceptedOf(of)}) as t
    where w.account_id = ${of.account}
      and w.campaign_id = ${of.campaign}`);
  if (!watched?.pauses) return false;
  const reason = reasonsToPause(watched).find((one) => !watched.pausedFor.includes(one));
  if (!reason) return false;
  const { accepted, refused, returned, complaints } = watched;
  const why =
    reason === 'bounces'
      ? message('pause.hard_bounces', { count: refused + returned, total: accepted + refused })
      : message('pause.complaints', { count: complaints, total: accepted });
  const paused = await pauseAutomatically(tx, of, why);
  if (paused)
    await tx.run(sql`
      update campaign_watch
      set paused_for = paused_for || ${reason}::text
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}`);
  return paused;
}

/** A person resumes a campaign and wants it to be watched again: what came until now does not count any more. */
export async function watchAgain(tx: Tx, of: CampaignKey): Promise<void> {
  await tx.run(sql`
    update campaign_watch w
    set paused_for = '{}', accepted_before = t.accepted, refused_before = w.refused, returned_before = w.returned,
      complaints_before = w.complaints
    from (${acceptedOf(of)}) as t
    where w.account_id = ${of.account}
      and w.campaign_id = ${of.campaign}`);
}

const acceptedOf = (of: CampaignKey) => sql`
  select coalesce(sum(accepted), 0)::int as accepted
  from tally
  where account_id = ${of.account}
    and campaign_id = ${of.campaign}`;
