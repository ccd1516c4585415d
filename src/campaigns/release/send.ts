// campaignSendNow: hands a draft or a scheduled campaign over to the launch task.
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { enqueue } from '../../jobs/queue.ts';
import { lockInStatus } from '../campaign.ts';
import { needSendable } from './sendable.ts';

/** Starts the delivery at once. @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT and those of needSendable */
export async function sendCampaign(context: Context, { cid }: { cid: string }): Promise<true> {
  const { tx, account } = context;
  const campaign = await lockInStatus(context, cid, ['draft', 'scheduled'], 'send');
  await needSendable(context, campaign.id);
  await tx.run(sql`
    update campaign
    set status = 'launching', schedule_at = null, match_at = null, changed_at = now()
    where account_id = ${account.id}
      and id = ${campaign.id}`);
  await enqueue(tx, 'launchCampaign', { account_id: account.id, campaign_id: campaign.id });
  return true;
}
