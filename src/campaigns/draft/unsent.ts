// Changes of a campaign that has not been sent. A draft is changed as it is. A scheduled campaign keeps its schedule and is
// checked again. A campaign that was paused before anyone received it forgets its launch: campaignResume launches it again
// with the new content and audience. A change ends an approval (approval/needed.ts). Of what is running or has reached some, only the texts can be changed (`lockTexts`): that is
// a correction, which is published as a revision. Guarantees that a message given to a relay is never changed afterwards.
import { needRightToSend } from '../../accounts/keys/permissions.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Sql, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { isStillScheduled, keepsSchedule } from '../approval/needed.ts';
import { type Campaign, lockCampaign, type Status, wrongStatus } from '../model/campaign.ts';
import { monthOf } from '../model/month.ts';
import { needSendable } from '../release/sendable.ts';

/** Locks a campaign that can be changed. @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT */
export async function lockUnsent(context: Context, cid: string): Promise<Campaign> {
  const campaign = await lockCampaign(context, cid);
  if (campaign.status !== 'draft' || (await isBeingRepeated(context, campaign.id)))
    needRightToSend(context.caller, 'cid');
  if (campaign.status === 'paused') await undoLaunch(context, campaign);
  else if (campaign.status !== 'draft' && campaign.status !== 'scheduled')
    throw wrongStatus(campaign.status, 'change_unsent');
  return (await isStillScheduled(context, campaign)) ? campaign : { ...campaign, status: 'draft' };
}

/** A campaign whose texts can be changed. `isCorrection`: some have it, and the change is a draft of the next revision. */
export type TextsLocked = Campaign & { isCorrection: boolean };

/** Locks a campaign whose texts can be changed. @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT */
export async function lockTexts(context: Context, cid: string): Promise<TextsLocked> {
  const campaign = await lockCampaign(context, cid);
  if (!(await canBeCorrected(context, campaign))) return { ...(await lockUnsent(context, cid)), isCorrection: false };
  const { tx, account, caller } = context;
  needRightToSend(caller, 'cid');
  const test = await tx.row(sql`
    select from campaign_test where account_id = ${account.id} and campaign_id = ${campaign.id}`);
  if (test) throw fault('CAMPAIGN_STATE_CONFLICT', 'campaign.correct_not_with_test');
  return { ...campaign, isCorrection: true };
}

/** Whether a change is a correction: of an autoresponder or email of an automation while it is sent, or of what has reached some. */
export async function canBeCorrected(
  { tx, account }: Context,
  { id, type, status }: Pick<Campaign, 'id' | 'type' | 'status'>,
): Promise<boolean> {
  if (status === 'sending') return type === 'auto';
  if (status !== 'paused') return false;
  const row = await tx.row<{ received: boolean }>(
    sql`select ${mayBeReceived({ account: account.id, campaign: id })} as received`,
  );
  return row!.received;
}

/** Whether a campaign can be changed, apart from messages that are in flight. */
export async function isUnsent({ tx, account }: Context, campaignId: number, status: Status): Promise<boolean> {
  if (status !== 'paused') return status === 'draft' || status === 'scheduled';
  const row = await tx.row<{ received: boolean }>(
    sql`select ${mayBeReceived({ account: account.id, campaign: campaignId })} as received`,
  );
  return !row!.received;
}

/** Whether a recurring campaign that is not paused makes its issues from it. */
async function isBeingRepeated({ tx, account }: Context, campaignId: number): Promise<boolean> {
  const row = await tx.row(sql`
    select from recurring where account_id = ${account.id} and original_id = ${campaignId} and status = 'active'`);
  return row !== undefined;
}

/** Ends a change of a campaign from `lockUnsent` or `lockTexts`. @throws the faults of needSendable when the campaign is scheduled */
export async function finishChange(context: Context, campaign: Campaign | TextsLocked): Promise<void> {
  const { tx, account } = context;
  const isCorrection = 'isCorrection' in campaign && campaign.isCorrection;
  await tx.run(sql`
    update campaign
    set changed_at = now(), corrected_at = case when ${isCorrection} then now() end,
      -- The first recipients may be due at another time now.
      match_at = case when status = 'scheduled' then null else match_at end,
      match_asked_at = case when status = 'scheduled' then now() else match_asked_at end
    where account_id = ${account.id}
      and id = ${campaign.id}`);
  if (!(await keepsSchedule(context, campaign))) return;
  if (campaign.status === 'scheduled') await needSendable(context, campaign.id);
}

/** Removes what the launch of a paused campaign made. @throws Fault CAMPAIGN_STATE_CONFLICT when a recipient may have it */
async function undoLaunch({ tx, account }: Context, { id, status }: Campaign): Promise<void> {
  const row = await tx.row<{ received: boolean }>(
    sql`select ${mayBeReceived({ account: account.id, campaign: id })} as received`,
  );
  if (row!.received) throw wrongStatus(status, 'change_unsent');
  await tx.run(sql`delete from chunk where account_id = ${account.id} and campaign_id = ${id} and state <> 'leased'`);
  // A worker that has a chunk may be sending; it returns the chunk within moments.
  const busy = await tx.row(sql`select from chunk where account_id = ${account.id} and campaign_id = ${id} limit 1`);
  if (busy) throw fault('CAMPAIGN_STATE_CONFLICT', 'campaign.in_flight');
  const month = monthOf({ account: account.id, campaign: id });
  await tx.run(sql`
    delete from delivery where account_id = ${account.id} and campaign_id = ${id} and month = ${month}`);
  for (const table of launchTables)
    await tx.run(sql`delete from ${table} where account_id = ${account.id} and campaign_id = ${id}`);
  await tx.run(sql`
    update campaign_test
    set test_size = null, due_at = null, chosen = null, decided_at = null, decided_by = null
    where account_id = ${account.id}
      and campaign_id = ${id}`);
  await tx.run(sql`
    update campaign
    set paused_from = 'launching', due_until = null, revision = 1, corrected_at = null, publishes = null,
      -- An autoresponder goes on counting from its first start, so that no occasion is lost.
      send_at = case when type = 'auto' then send_at end
    where account_id = ${account.id}
      and id = ${id}`);
}

/** A condition: a recipient has received the campaign, or may have. */
const mayBeReceived = (of: CampaignKey): Sql => sql`(
  exists (
    select from tally
    where account_id = ${of.account} and campaign_id = ${of.campaign} and accepted + unclear + resent > 0
  ) or exists (
    select from delivery
    where account_id = ${of.account} and campaign_id = ${of.campaign}
      and month = ${monthOf(of)}
      and reason = 'unclear'
  )
  -- Its automation has counted them as sent to and would not add them again.
  or exists (
    select
    from campaign c
    join tally t on t.account_id = c.account_id and t.campaign_id = c.id
    where c.account_id = ${of.account} and c.id = ${of.campaign}
      and c.auto ->> 'event' = 'automation' and t.recipients > 0
  )
)`;

const launchTables = [
  sql`campaign_revision`,
  sql`freezing`,
  sql`tally`,
  sql`exclusion`,
  sql`occasion_plan`,
  sql`frozen_content`,
  sql`link`,
  sql`inline_image`,
];
