// campaignReplicate: copies a campaign, in whatever state, as a draft without statistics.
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { lockCampaign } from '../model/campaign.ts';
import { copyCampaign } from './columns.ts';

/** Returns the public id of the copy. @throws Fault CAMPAIGN_UNKNOWN */
export async function replicateCampaign(context: Context, { cid }: { cid: string }): Promise<string> {
  const original = await lockCampaign(context, cid);
  // A title has at most 1,000 characters.
  const title = sql`left(title, 990) || ' (copy)'`;
  return formatId(await copyCampaign(context.tx, context.account.id, original.id, title));
}
