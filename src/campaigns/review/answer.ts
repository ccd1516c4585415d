// The answer to a question: a person who is signed in approves what they have seen, asks for changes, or refuses.
import { personOf } from '../../accounts/access/person.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { noticeOfAnswer } from '../approval/notices.ts';
import { type Approval, byCaller, lockApproval, recordAnswer } from '../approval/record.ts';
import { readVersion } from '../approval/version.ts';
import { approversOf, authorsOf } from '../approval/whose.ts';
import { type Campaign, lockCampaign } from '../model/campaign.ts';
import { needDate, parseScheduleTime } from '../model/schedule-time.ts';
import { scheduleCampaign } from '../release/schedule.ts';
import { sendCampaign } from '../release/send.ts';

type Given = { cid: string; note: string };
type Approved = Given & { version: string; start: boolean; schedule_time?: string | undefined };

/**
 * Approves the version that the person has seen, and starts a draft: at the time that was asked for, or the one given.
 * @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, CAMPAIGN_CHANGED, NOT_ALLOWED, DATE_INVALID and those of sendCampaign
 */
export async function approve(context: Context, { cid, note, version, start, schedule_time }: Approved): Promise<true> {
  const { tx, account, caller, now } = context;
  const { campaign, approval } = await lockAsked(context, cid);
  const of = { account: account.id, campaign: campaign.id };
  await needOtherPerson(context, campaign, approval);
  const present = await readVersion(tx, of, true);
  if (present.name !== version) throw fault('CAMPAIGN_CHANGED', 'approval.changed_since', { member: 'version' });
  const wantedAt =
    schedule_time === undefined
      ? approval.wantedAt
      : schedule_time.trim().toLowerCase() === 'now'
        ? null
        : needDate(parseScheduleTime(schedule_time), 'schedule_time');
  if (wantedAt && wantedAt <= now) throw fault('DATE_INVALID', 'approval.time_past', { member: 'schedule_time' });
  await recordAnswer(tx, of, { state: 'approved', by: byCaller(caller), note, wantedAt, version: present });
  const starts = start && campaign.status === 'draft' && campaign.auto?.event !== 'automation';
  if (starts && wantedAt)
    await scheduleCampaign(context, { cid, schedule_time: wantedAt.toISOString().slice(0, 19).replace('T', ' ') });
  else if (starts) await sendCampaign(context, { cid });
  const sentAt = starts ? wantedAt : undefined;
  await noticeOfAnswer(context, of, approval, { state: 'approved', note: note.trim(), sentAt });
  return true;
}

/** @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT */
export const askForChanges = (context: Context, given: Given): Promise<true> => answer(context, given, 'changes');

/** @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT */
export const refuse = (context: Context, given: Given): Promise<true> => answer(context, given, 'refused');

async function answer(context: Context, { cid, note }: Given, state: 'changes' | 'refused'): Promise<true> {
  const { tx, account, caller } = context;
  const { campaign, approval } = await lockAsked(context, cid);
  const of = { account: account.id, campaign: campaign.id };
  personOf(caller);
  const version = await readVersion(tx, of);
  await recordAnswer(tx, of, { state, by: byCaller(caller), note: note.trim(), wantedAt: approval.wantedAt, version });
  await noticeOfAnswer(context, of, approval, { state, note: note.trim(), sentAt: undefined });
  return true;
}

async function lockAsked(context: Context, cid: string): Promise<{ campaign: Campaign; approval: Approval }> {
  const campaign = await lockCampaign(context, cid);
  const approval = await lockApproval(context.tx, { account: context.account.id, campaign: campaign.id });
  if (approval?.state !== 'asked') throw fault('CAMPAIGN_STATE_CONFLICT', 'approval.not_asked');
  return { campaign, approval };
}

/** The person is of the account and, where no one sends their own work, another one than its authors. @throws Fault NOT_ALLOWED */
async function needOtherPerson(context: Context, campaign: Campaign, approval: Approval): Promise<void> {
  const { userId } = personOf(context.caller);
  const of = { account: context.account.id, campaign: campaign.id };
  if ((await approversOf(context, of, approval)).some(({ id }) => id === userId)) return;
  const isOwn = (await authorsOf(context, of, approval)).has(userId);
  throw isOwn ? fault('NOT_ALLOWED', 'approval.own_work') : fault('NOT_ALLOWED', 'approval.not_of_account');
}
