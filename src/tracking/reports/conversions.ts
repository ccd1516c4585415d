// campaignConversions: what events with a value brought in, for each of several campaigns.
import type { Context } from '../../base/context.ts';
import { unknownCampaign } from '../../campaigns/model/campaign.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { conversionsOf } from '../conversions.ts';

/** Returns a row for each campaign, in the order of the ids. @throws Fault CAMPAIGN_UNKNOWN */
export async function listConversions({ tx, account }: Context, { cids }: { cids: string[] }) {
  const ids = [...new Set(cids)].map(parseId);
  const known = await tx.rows<{ id: number }>(sql`
    select id from campaign where account_id = ${account.id} and id = any (${ids}::int[]) and type <> 'message'`);
  const isKnown = new Set(known.map(({ id }) => id));
  for (const [i, cid] of cids.entries()) if (!isKnown.has(parseId(cid))) throw unknownCampaign(cid, `cids[${i}]`);
  const counted = await conversionsOf(tx, account.id, ids);
  return [...new Set(cids)].map((id) => ({ id, ...(counted.get(parseId(id)) ?? { people: 0, values: [] }) }));
}
