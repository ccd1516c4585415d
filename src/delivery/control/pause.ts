// Pauses and resumes a campaign, in the caller's transaction. A notification sent with the commit reaches the workers;
// messages on the wire at that moment still go out, nothing else does.

import type { Context } from '../../base/context.ts';
import type { Fault } from '../../base/faults.ts';
import { type Message, message } from '../../base/messages.ts';
import { needApproved } from '../../campaigns/approval/needed.ts';
import {
  needCampaignId,
  type Rule,
  type Status,
  unknownCampaign,
  wrongStatus,
} from '../../campaigns/model/campaign.ts';
import { emitCampaignEvent, sourceOf } from '../../campaigns/model/events.ts';
import { needRevision } from '../../campaigns/release/publish.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { chunkChannel } from '../../jobs/channels.ts';
import { enqueue } from '../../jobs/queue.ts';
import { pauseSending } from '../outcomes/pause-automatically.ts';
import { decideAboutReplies } from '../outcomes/refused-replies.ts';
import { watchAgain } from '../outcomes/watch.ts';
import { askWindowAgain } from './window-change.ts';

/** @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT */
export async function pauseCampaign(context: Context, { cid }: { cid: string }): Promise<boolean> {
  const { tx, account } = context;
  const campaignId = await needCampaignId(context, cid);
  const paused = await pauseSending(
    tx,
    { account: account.id, campaign: campaignId },
    await pausedBy(context),
    sourceOf(context.caller),
  );
  if (!paused) throw await wrongState(tx, { account: account.id, campaign: campaignId }, 'pause');
  return true;
}

/** @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, APPROVAL_NEEDED */
export async function resumeCampaign(
  context: Context,
  { cid, count_refusals, watch_again }: { cid: string; count_refusals: boolean; watch_again: boolean },
): Promise<boolean> {
  const { tx, account } = context;
  const campaignId = await needCampaignId(context, cid);
  // Before the campaign's row, as where it is paused: two transactions never wait for each other.
  if (watch_again) await watchAgain(tx, { account: account.id, campaign: campaignId });
  const resumed = await tx.row<Resumed>(sql`
    update campaign
    -- A corrected text goes to all whom no message was sent to; the launch task freezes it.
    set status = case when corrected_at is not null then 'launching' else paused_from end,
      publishes = case when corrected_at is not null then 'rest' end,
      paused_from = null, status_reason = '', changed_at = now(), resumed_at = now(), undo_until = null,
      -- Recipients whose time passed during the pause get it now.
      due_until = case when due_until is not null then now() end
    where account_id = ${account.id}
      and id = ${campaignId}
      and status = 'paused'
    returning status, title, now() as now, revision, publishes is not null as publishes, exists (
        select from freezing where account_id = ${account.id} and campaign_id = ${campaignId}
      ) as "isFreezing"`);
  if (!resumed) throw await wrongState(tx, { account: account.id, campaign: campaignId }, 'resume');
  const { title, now: at } = resumed;
  if (resumed.publishes) needRevision(resumed.revision);
  if (resumed.status === 'launching') await needApproved(context, campaignId);
  await decideAboutReplies(tx, { account: account.id, campaign: campaignId }, count_refusals);
  const source = sourceOf(context.caller);
  await emitCampaignEvent(tx, { account: account.id, campaign: campaignId }, 'campaign.resumed', { title, at, source });
  if (resumed.status === 'launching' || resumed.isFreezing)
    await enqueue(tx, 'launchCampaign', { account_id: account.id, campaign_id: campaignId });
  await askWindowAgain(tx, account.id, campaignId);
  await tx.run(sql`select pg_notify(${chunkChannel}, '')`);
  return true;
}

type Resumed = {
  status: string;
  title: string;
  now: Date;
  revision: number;
  publishes: boolean;
  /** Its audience is not complete; the job that froze it may have given up. */
  isFreezing: boolean;
};

/** The reason of a pause, with the caller's name as it is now. */
async function pausedBy({ tx, account, caller }: Context): Promise<Message> {
  if (caller.kind === 'user') {
    const user = await tx.row<{ name: string }>(sql`
      select coalesce(nullif(name, ''), email) as name from app_user where id = ${caller.userId}`);
    return message('pause.by_user', { name: user!.name });
  }
  if (caller.kind === 'key') {
    const key = await tx.row<{ name: string }>(sql`
      select trim(label || ' …' || hint) as name from api_key where account_id = ${account.id} and id = ${caller.keyId}`);
    return message('pause.by_key', { name: key!.name });
  }
  return message('pause.by_request');
}

async function wrongState(tx: Queries, of: CampaignKey, rule: Rule): Promise<Fault> {
  const row = await tx.row<{ status: Status }>(
    sql`select status from campaign where account_id = ${of.account} and id = ${of.campaign}`,
  );
  if (!row) return unknownCampaign(formatId(of.campaign));
  return wrongStatus(row.status, rule);
}
