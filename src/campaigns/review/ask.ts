// Asking for an approval, and withdrawing the question or the approval. A question changes nothing else of the campaign.
import { mayDo } from '../../accounts/keys/permissions.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import type { Message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { makeDraft } from '../approval/needed.ts';
import { nameOfCaller, noticeOfQuestion } from '../approval/notices.ts';
import { byCaller, lockApproval, recordAsked, recordWithdrawn } from '../approval/record.ts';
import { readVersion } from '../approval/version.ts';
import { approvalRule, approversOf } from '../approval/whose.ts';
import { type Campaign, lockCampaign, wrongStatus } from '../model/campaign.ts';
import { needDate, parseScheduleTime } from '../model/schedule-time.ts';
import { needSendable } from '../release/sendable.ts';

/** @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, DATE_INVALID, APPROVAL_NEEDED and those of needSendable */
export async function askForApproval(
  context: Context,
  { cid, note, schedule_time }: { cid: string; note: string; schedule_time?: string | undefined },
): Promise<true> {
  const { now } = context;
  const campaign = await lockCampaign(context, cid);
  const isOfAutomation = campaign.auto?.event === 'automation';
  if (campaign.status !== 'draft' && campaign.status !== 'paused' && !(await isCorrected(context, campaign)))
    throw wrongStatus(campaign.status, 'ask');
  const wantedAt = schedule_time === undefined ? null : needDate(parseScheduleTime(schedule_time), 'schedule_time');
  if (wantedAt && wantedAt <= now) throw fault('DATE_INVALID', 'campaign.date_past', { member: 'schedule_time' });
  if (wantedAt && (campaign.status !== 'draft' || isOfAutomation))
    throw fault('DATE_INVALID', 'approval.no_time', { member: 'schedule_time' });
  // The list of an email of an automation is that of the automation.
  if (!isOfAutomation) await needSendable(context, campaign.id);
  await ask(context, campaign.id, { note: note.trim(), wantedAt, who: await nameOfCaller(context) });
  return true;
}

/** Asks for the approval of an issue that the program has made. @param reason why it waits in any case */
export async function askForIssue(context: Context, campaignId: number, reason: Message | null): Promise<void> {
  await ask(context, campaignId, { note: '', wantedAt: null, who: '', reason });
}

async function ask(
  context: Context,
  campaignId: number,
  given: { note: string; wantedAt: Date | null; who: string; reason?: Message | null },
): Promise<void> {
  const { tx, account, caller } = context;
  const of = { account: account.id, campaign: campaignId };
  const before = await lockApproval(tx, of);
  const version = await readVersion(tx, of);
  const by = byCaller(caller);
  const people = await approversOf(context, of, { askedUser: by.user, askedKey: by.key, askedAt: context.now });
  if (people.length === 0 && caller.kind !== 'system') throw fault('APPROVAL_NEEDED', 'approval.no_one');
  // Asked again, with nothing new to say: no one gets a second email.
  const isKnown =
    before?.state === 'asked' &&
    before.askedUser === by.user &&
    before.askedKey === by.key &&
    before.askedVersion === version.name &&
    before.note === given.note &&
    before.wantedAt?.getTime() === given.wantedAt?.getTime();
  if (isKnown) return;
  await recordAsked(tx, of, { by, note: given.note, wantedAt: given.wantedAt, version });
  await noticeOfQuestion(
    context,
    of,
    people.filter(({ id }) => id !== by.user),
    given,
  );
}

/** @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, NOT_ALLOWED */
export async function withdrawApproval(context: Context, { cid }: { cid: string }): Promise<true> {
  const { tx, account, caller } = context;
  const campaign = await lockCampaign(context, cid);
  const of = { account: account.id, campaign: campaign.id };
  const approval = await lockApproval(tx, of);
  if (approval?.state !== 'asked' && approval?.state !== 'approved')
    throw fault('CAMPAIGN_STATE_CONFLICT', 'approval.nothing_to_withdraw');
  if (campaign.status === 'launching' || campaign.status === 'sent') throw wrongStatus(campaign.status, 'ask');
  const by = byCaller(caller);
  const isOwn =
    (by.user !== null && approval.askedUser === by.user) || (by.key !== null && approval.askedKey === by.key);
  if (!isOwn && !mayDo(caller, 'campaigns:send')) throw fault('NOT_ALLOWED', 'approval.not_yours');
  await recordWithdrawn(tx, of, by);
  if (approval.state === 'approved') await makeDraft(context, of);
  return true;
}

/** Ends a question that the program asked, about an issue that is skipped or has expired. */
export async function endQuestion(context: Context, of: CampaignKey, reason: Message): Promise<void> {
  const approval = await lockApproval(context.tx, of);
  if (approval?.state === 'asked') await recordWithdrawn(context.tx, of, byCaller(context.caller), reason);
}

/** A text that was corrected and that no one gets yet. */
async function isCorrected({ tx, account }: Context, { id, status }: Campaign): Promise<boolean> {
  if (status !== 'sending') return false;
  const row = await tx.row<{ corrected: boolean }>(sql`
    select corrected_at is not null as corrected
    from campaign
    where account_id = ${account.id}
      and id = ${id}`);
  return row!.corrected;
}

/** Whether an issue waits for an approval in this account, whatever its recurring campaign says. */
export const issuesNeedApproval = ({ account }: Pick<Context, 'account'>): boolean => approvalRule(account) !== 'none';
