// campaignSendNow: hands a draft or a scheduled campaign over to the launch task, immediately or after a time to undo it.
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { enqueue } from '../../jobs/queue.ts';
import { needApproved } from '../approval/needed.ts';
import { lockInStatus, needNotOfAutomation } from '../model/campaign.ts';
import { needSendable } from './sendable.ts';

/** The longest time that a sender can ask for to change their mind. */
export const maxUndoSeconds = 60;

/** Starts the delivery, immediately or after the time to undo it. @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, APPROVAL_NEEDED and those of needSendable */
export async function sendCampaign(
  context: Context,
  { cid, undo_seconds = 0 }: { cid: string; undo_seconds?: number | undefined },
): Promise<true> {
  const { tx, account } = context;
  const campaign = await lockInStatus(context, cid, ['draft', 'scheduled'], 'send');
  needNotOfAutomation(campaign);
  await needSendable(context, campaign.id);
  await needApproved(context, campaign.id, null);
  // In milliseconds, as the queue has them: the launch must not come before its time.
  const row = await tx.row<{ undoUntil: Date | null }>(sql`
    update campaign
    set status = 'launching', schedule_at = null, match_at = null, changed_at = now(), is_hidden = false,
      undo_until = case
        when ${undo_seconds}::int > 0
        then date_trunc('milliseconds', now()) + make_interval(secs => ${undo_seconds}::int)
      end
    where account_id = ${account.id}
      and id = ${campaign.id}
    returning undo_until as "undoUntil"`);
  const runAt = row!.undoUntil;
  await enqueue(tx, 'launchCampaign', { account_id: account.id, campaign_id: campaign.id }, runAt ? { runAt } : {});
  return true;
}
