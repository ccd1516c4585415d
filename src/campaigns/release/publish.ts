// Publishing a correction: the launch task freezes the text again, as the next revision (delivery/launch/revision.ts). Until it has,
// the campaign is launching and nothing of it is sent.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { enqueue } from '../../jobs/queue.ts';
import { needApproved } from '../approval/needed.ts';
import { type Campaign, lockCampaign, wrongStatus } from '../model/campaign.ts';
import { maxRevisions } from '../model/revision.ts';
import { needSendable } from './sendable.ts';

/** campaignRevisionCreate: those who come from now on get the corrected text. @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT and those of publishIfCorrected */
export async function publishCorrection(context: Context, { cid }: { cid: string }): Promise<true> {
  const campaign = await lockCampaign(context, cid);
  if (campaign.type !== 'auto' || campaign.status !== 'sending') throw wrongStatus(campaign.status, 'publish');
  if (!(await publishIfCorrected(context, campaign)))
    throw fault('CAMPAIGN_STATE_CONFLICT', 'campaign.nothing_to_publish');
  return true;
}

/** The same for a campaign that is locked; false when it is not being sent or its text is current. @throws Fault APPROVAL_NEEDED and those of needSendable */
export async function publishIfCorrected(context: Context, { id, status }: Campaign): Promise<boolean> {
  const { tx, account } = context;
  const row = await tx.row<{ corrected: boolean; revision: number }>(sql`
    select corrected_at is not null as corrected, revision
    from campaign
    where account_id = ${account.id}
      and id = ${id}`);
  if (status !== 'sending' || !row!.corrected) return false;
  needRevision(row!.revision);
  await needSendable(context, id);
  await needApproved(context, id);
  await tx.run(sql`
    update campaign
    set status = 'launching', publishes = 'next', changed_at = now(), undo_until = null
    where account_id = ${account.id}
      and id = ${id}`);
  await enqueue(tx, 'launchCampaign', { account_id: account.id, campaign_id: id });
  return true;
}

/** @throws Fault CAMPAIGN_STATE_CONFLICT */
export function needRevision(present: number): void {
  if (present >= maxRevisions)
    throw fault('CAMPAIGN_STATE_CONFLICT', 'campaign.too_many_revisions', { count: maxRevisions });
}
