// campaignSchedule and campaignUnschedule. The scheduler launches the campaign when its time comes.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatDate } from '../../method/date.ts';
import { needApproved } from '../approval/needed.ts';
import { lockInStatus, needNotOfAutomation, wrongStatus } from '../model/campaign.ts';
import { emitCampaignEvent, sourceOf } from '../model/events.ts';
import { needDate, parseScheduleTime } from '../model/schedule-time.ts';
import { needSendable } from './sendable.ts';

/** Schedules a draft, or sets a new time for a scheduled campaign. @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, DATE_INVALID, APPROVAL_NEEDED and those of needSendable */
export async function scheduleCampaign(
  context: Context,
  { cid, schedule_time }: { cid: string; schedule_time: string },
): Promise<true> {
  const { tx, account } = context;
  const at = needDate(parseScheduleTime(schedule_time), 'schedule_time');
  const campaign = await lockInStatus(context, cid, ['draft', 'scheduled'], 'schedule');
  needNotOfAutomation(campaign);
  if (at <= context.now) throw fault('DATE_INVALID', 'campaign.date_past', { member: 'schedule_time' });
  await needSendable(context, campaign.id);
  await needApproved(context, campaign.id, at);
  const scheduled = await tx.row<{ title: string; now: Date }>(sql`
    update campaign
    set status = 'scheduled', schedule_at = ${at}, match_at = null, match_asked_at = now(), changed_at = now(), is_hidden = false
    where account_id = ${account.id}
      and id = ${campaign.id}
    returning title, now() as now`);
  await emitCampaignEvent(tx, { account: account.id, campaign: campaign.id }, 'campaign.scheduled', {
    title: scheduled!.title,
    at: scheduled!.now,
    source: sourceOf(context.caller),
    schedule_time: formatDate(at),
  });
  return true;
}

/**
 * Makes a scheduled campaign a draft again, also one that campaignSendNow has just started with time to undo it.
 * @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT
 */
export async function unscheduleCampaign(context: Context, { cid }: { cid: string }): Promise<true> {
  const { tx, account, caller } = context;
  const campaign = await lockInStatus(context, cid, ['scheduled', 'launching'], 'unschedule');
  const draft = await tx.row<{ title: string; now: Date }>(sql`
    update campaign
    set status = 'draft', schedule_at = null, undo_until = null, changed_at = now()
    where account_id = ${account.id}
      and id = ${campaign.id}
      and (status = 'scheduled' or undo_until > now())
    returning title, now() as now`);
  if (!draft) throw wrongStatus(campaign.status, 'unschedule');
  await emitCampaignEvent(tx, { account: account.id, campaign: campaign.id }, 'campaign.unscheduled', {
    title: draft.title,
    at: draft.now,
    source: sourceOf(caller),
  });
  return true;
}
