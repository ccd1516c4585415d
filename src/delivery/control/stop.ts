// Ends a paused campaign: the remaining recipients are skipped, those whose outcome is unclear are failed, and the report
// shows both. Guarantees that nothing is on the wire when it ends, so that no outcome is written afterwards.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { needCampaignId, type Status, wrongStatus } from '../../campaigns/campaign.ts';
import { sql } from '../../db/connect.ts';
import { emitSent } from '../launch/finish.ts';
import { maybeSent } from '../sending/chunk.ts';
import { states } from '../sending/states.ts';

/** @returns how many recipients are skipped. @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT */
export async function stopCampaign(context: Context, { cid }: { cid: string }): Promise<number> {
  const campaignId = await needCampaignId(context, cid);
  const title = await end(context, campaignId);
  const skipped = await skipRest(context, campaignId);
  await emitSent(context.tx, context.account.id, campaignId, title, context.now);
  return skipped;
}

async function end({ tx, account }: Context, campaignId: number): Promise<string> {
  const campaign = (await tx.row<{ status: Status; title: string; busy: boolean }>(sql`
    select status, title, exists (
        select from chunk
        where account_id = ${account.id} and campaign_id = ${campaignId} and state = 'leased'
      ) or exists (
        select from tally
        where account_id = ${account.id} and campaign_id = ${campaignId}
        having sum(trying) > 0
      ) as busy
    from campaign
    where account_id = ${account.id}
      and id = ${campaignId}
    for update`))!;
  if (campaign.status !== 'paused') throw wrongStatus(campaign.status, 'stop');
  if (campaign.busy) throw fault('CAMPAIGN_STATE_CONFLICT', 'campaign.in_flight');
  await tx.run(sql`
    update campaign
    set status = 'sent', paused_from = null, status_reason = '', finished_at = now(), changed_at = now(),
      send_at = coalesce(send_at, now())
    where account_id = ${account.id}
      and id = ${campaignId}`);
  return campaign.title;
}

async function skipRest({ tx, account }: Context, campaignId: number): Promise<number> {
  await tx.run(sql`
    delete from chunk
    where account_id = ${account.id}
      and campaign_id = ${campaignId}
      and state <> 'done'`);
  const rest = (await tx.row<{ queued: number; later: number; unclear: number; failed: number; skipped: number }>(sql`
    with rest as (
      select seq, state, ${maybeSent} as maybe_sent
      from delivery
      where account_id = ${account.id}
        and campaign_id = ${campaignId}
        and state in (${states.queued}, ${states.later}, ${states.unclear})
    ), ended as (
      update delivery d
      set state = (case when rest.maybe_sent then ${states.failed}::int else ${states.skipped}::int end)::smallint,
        reason = case when rest.maybe_sent then 'unclear' else 'stopped' end,
        done_at = now(), next_at = null
      from rest
      where d.account_id = ${account.id}
        and d.campaign_id = ${campaignId}
        and d.seq = rest.seq
    )
    select count(*) filter (where state = ${states.queued})::int as queued,
      count(*) filter (where state = ${states.later})::int as later,
      count(*) filter (where state = ${states.unclear})::int as unclear,
      count(*) filter (where maybe_sent)::int as failed,
      count(*) filter (where not maybe_sent)::int as skipped
    from rest`))!;
  await tx.run(sql`
    update tally
    set queued = queued - ${rest.queued}, later = later - ${rest.later}, unclear = unclear - ${rest.unclear},
      failed = failed + ${rest.failed}, skipped = skipped + ${rest.skipped}
    where account_id = ${account.id}
      and campaign_id = ${campaignId}
      and shard = 0`);
  return rest.skipped;
}
