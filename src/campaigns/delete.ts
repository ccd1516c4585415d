// campaignDelete: deletes a campaign immediately; a task clears its recipients and statistics afterwards.
import { needRightToSend } from '../accounts/keys/permissions.ts';
import type { Context } from '../base/context.ts';
import { sql } from '../db/connect.ts';
import { stopChannel } from '../jobs/channels.ts';
import { enqueue } from '../jobs/queue.ts';
import { lockCampaign } from './model/campaign.ts';

/** Time for workers to stop the delivery before the purge starts. */
const purgeDelayMs = 5_000;

/** @throws Fault CAMPAIGN_UNKNOWN */
export async function deleteCampaign(context: Context, { cid }: { cid: string }): Promise<true> {
  const { tx, account, caller, now } = context;
  const campaign = await lockCampaign(context, cid);
  if (campaign.status !== 'draft') needRightToSend(caller, 'cid');
  await tx.run(sql`delete from campaign where account_id = ${account.id} and id = ${campaign.id}`);
  await tx.run(sql`select pg_notify(${stopChannel}, ${`${account.id} ${campaign.id}`})`);
  await enqueue(
    tx,
    'purgeCampaign',
    { account_id: account.id, campaign_id: campaign.id },
    { runAt: new Date(now.getTime() + purgeDelayMs) },
  );
  return true;
}
