// Whether a campaign may be sent as it is: asked by every way to start one, and again by the launch in the transaction that freezes it.
// What was approved is what is sent: a change by whatever door withdraws the approval, and a scheduled campaign becomes a draft again.
import { mayDo } from '../../accounts/keys/permissions.ts';
import type { Account, Context } from '../../base/context.ts';
import { type Fault, fault } from '../../base/faults.ts';
import { type Message, message } from '../../base/messages.ts';
import { sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { formatDate } from '../../method/date.ts';
import type { Campaign } from '../model/campaign.ts';
import { emitCampaignEvent, sourceOf } from '../model/events.ts';
import { noticeOfAnswer, noticeWithdrawn } from './notices.ts';
import { type Approval, byCaller, lockApproval, recordAnswer, recordWithdrawn } from './record.ts';
import { isSame, readVersion, type Version } from './version.ts';
import { approvalRule } from './whose.ts';

/**
 * Before a campaign is started, which is locked: it has been approved as it is, or the caller may send without that, and approves it so.
 * @param at when it is to be sent; undefined for what is started at any time, such as after a pause
 * @throws Fault APPROVAL_NEEDED
 */
export async function needApproved(context: Context, campaignId: number, at?: Date | null): Promise<void> {
  const { tx, account } = context;
  const of = { account: account.id, campaign: campaignId };
  const rule = approvalRule(account);
  const approval = await lockApproval(tx, of);
  if (rule === 'none' && !approval) return;
  const version = await readVersion(tx, of, true);
  const problem = problemOf(approval, version, at);
  if (!problem) return;
  if (rule === 'everyone') throw problem;
  await approveOwn(context, of, approval, version);
}

/** Whether a caller may start campaigns that no one else has approved. */
export const needsNoApproval = ({ account, caller }: Pick<Context, 'account' | 'caller'>): boolean =>
  approvalRule(account) !== 'everyone' && mayDo(caller, 'campaigns:send');

/** Why a campaign may not be launched: its approval, which is withdrawn then, is not of what it is now. The campaign is locked. */
export async function withdrawnAtLaunch(tx: Tx, account: Account, of: CampaignKey): Promise<Message | undefined> {
  const approval = await lockApproval(tx, of);
  if (!approval && approvalRule(account) === 'none') return undefined;
  const version = await readVersion(tx, of, true);
  const row = await tx.row<{ at: Date | null }>(sql`
    select schedule_at as at
    from campaign
    where account_id = ${of.account}
      and id = ${of.campaign}`);
  const problem = problemOf(approval, version, row!.at);
  if (!problem) return undefined;
  if (approval?.state === 'approved') await recordWithdrawn(tx, of, { user: null, key: null }, problem.text);
  return problem.text;
}

/** Before a change of a scheduled campaign, which is locked. @returns false if it is a draft now: it had been changed since it was approved */
export async function isStillScheduled(context: Context, { id, status }: Campaign): Promise<boolean> {
  if (status !== 'scheduled') return true;
  const of = { account: context.account.id, campaign: id };
  const approval = await lockApproval(context.tx, of);
  if (approval?.state !== 'approved' || isSame(approval.approvedVersion!, await readVersion(context.tx, of, true)))
    return true;
  await withdraw(context, of, approval);
  await makeDraft(context, of);
  return false;
}

/** After a change of a campaign, which is locked. @returns false if it is no longer scheduled for that reason */
export async function keepsSchedule(
  context: Context,
  { id, status }: Pick<Campaign, 'id' | 'status'>,
): Promise<boolean> {
  const { tx, account } = context;
  const of = { account: account.id, campaign: id };
  const isScheduled = status === 'scheduled';
  const approval = await lockApproval(tx, of);
  if (!approval) {
    if (!isScheduled || approvalRule(account) === 'none') return true;
  } else {
    if (approval.state !== 'approved') return true;
    const version = await readVersion(tx, of, true);
    if (isSame(approval.approvedVersion!, version)) return true;
    if (isScheduled && needsNoApproval(context)) {
      await approveOwn(context, of, approval, version);
      return true;
    }
    await withdraw(context, of, approval);
  }
  if (!isScheduled) return true;
  await makeDraft(context, of);
  return false;
}

/** Makes a scheduled campaign a draft, whose approval has ended. */
export async function makeDraft({ tx, caller }: Pick<Context, 'tx' | 'caller'>, of: CampaignKey): Promise<void> {
  const draft = await tx.row<{ title: string; now: Date }>(sql`
    update campaign
    set status = 'draft', schedule_at = null, match_at = null, changed_at = now()
    where account_id = ${of.account}
      and id = ${of.campaign}
      and status = 'scheduled'
    returning title, now() as now`);
  if (!draft) return;
  await emitCampaignEvent(tx, of, 'campaign.unscheduled', {
    title: draft.title,
    at: draft.now,
    source: sourceOf(caller),
  });
}

async function withdraw(context: Context, of: CampaignKey, approval: Approval): Promise<void> {
  await recordWithdrawn(context.tx, of, byCaller(context.caller), message('approval.changed'));
  await noticeWithdrawn(context, of, approval);
}

/** One who may send has sent it, or changed what is scheduled. */
async function approveOwn(
  context: Context,
  of: CampaignKey,
  approval: Approval | undefined,
  version: Version,
): Promise<void> {
  const by = byCaller(context.caller);
  await recordAnswer(context.tx, of, { state: 'approved', by, note: '', wantedAt: null, version });
  if (approval?.state === 'asked')
    await noticeOfAnswer(context, of, approval, { state: 'approved', note: '', sentAt: undefined });
}

/** Why a campaign is not approved as it is; undefined if it is. */
function problemOf(approval: Approval | undefined, version: Version, at: Date | null | undefined): Fault | undefined {
  if (approval?.state === 'asked') return fault('APPROVAL_NEEDED', 'approval.still_asked');
  if (approval?.state === 'changes') return fault('APPROVAL_NEEDED', 'approval.changes_asked');
  if (approval?.state === 'refused') return fault('APPROVAL_NEEDED', 'approval.was_refused');
  if (approval?.state !== 'approved') return fault('APPROVAL_NEEDED', 'approval.needed');
  if (!isSame(approval.approvedVersion!, version)) return fault('APPROVAL_NEEDED', 'approval.changed');
  const { wantedAt } = approval;
  if (wantedAt === null || at === undefined || wantedAt.getTime() === at?.getTime()) return undefined;
  return fault('APPROVAL_NEEDED', 'approval.other_time', { at: formatDate(wantedAt) });
}
