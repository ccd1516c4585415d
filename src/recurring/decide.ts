// What a user decides about an issue that waits: it is sent, or skipped. An issue that failed with a draft can be sent too, once its
// cause is fixed.
import type { Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { message, packMessage } from '../base/messages.ts';
import { sendCampaign } from '../campaigns/release/send.ts';
import { endQuestion } from '../campaigns/review/ask.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { lockRecurring } from './schedule/recurring.ts';

/** Starts the delivery. @throws Fault RECURRING_UNKNOWN, RECURRING_STATE_CONFLICT and those of campaignSendNow */
export async function approveIssue(context: Context, { campaign }: { campaign: string }): Promise<true> {
  const issue = await lockIssue(context, campaign);
  await sendCampaign(context, { cid: campaign });
  await decide(context, issue, 'sent', '');
  return true;
}

/** The campaign stays a draft. @throws Fault RECURRING_UNKNOWN, RECURRING_STATE_CONFLICT */
export async function skipIssue(context: Context, { campaign }: { campaign: string }): Promise<true> {
  const issue = await lockIssue(context, campaign);
  const of = { account: context.account.id, campaign: parseId(campaign) };
  await endQuestion(context, of, message('approval.issue_over'));
  await decide(context, issue, 'skipped', packMessage(message('recurring.skipped_by_user')));
  return true;
}

type Issue = { recurring: number; occurrence: string };

async function lockIssue(context: Context, campaign: string): Promise<Issue> {
  const { tx, account } = context;
  const find = () =>
    // As text, since a Date has no microseconds.
    tx.row<Issue & { state: string }>(sql`
      select recurring_id as recurring, occurrence_at::text as occurrence, state
      from recurring_issue
      where account_id = ${account.id}
        and campaign_id = ${parseId(campaign)}`);
  const unknown = () =>
    fault('RECURRING_UNKNOWN', 'recurring.issue_unknown', { member: 'campaign', id: campaign.slice(0, 40) });
  const found = await find();
  if (!found) throw unknown();
  // The task that makes issues locks it first, too.
  await lockRecurring(context, formatId(found.recurring));
  const issue = await find();
  if (!issue) throw unknown();
  if (issue.state !== 'waiting' && issue.state !== 'failed')
    throw fault('RECURRING_STATE_CONFLICT', 'recurring.issue_not_waiting');
  return issue;
}

async function decide({ tx, account }: Context, { recurring, occurrence }: Issue, state: string, reason: string) {
  await tx.run(sql`
    update recurring_issue
    set state = ${state}, reason = ${reason}, changed_at = now()
    where account_id = ${account.id}
      and recurring_id = ${recurring}
      and occurrence_at = ${occurrence}::timestamptz`);
}
