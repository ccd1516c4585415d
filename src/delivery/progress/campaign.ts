// What the methods about progress read of the campaign itself.
import type { Context } from '../../base/context.ts';
import type { Status } from '../../campaigns/model/campaign.ts';
import { unknownCampaign } from '../../campaigns/model/campaign.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';

export type Campaign = {
  id: number;
  /** The partition of its recipients. */
  month: string;
  type: string;
  status: Status;
  reason: string;
  launched: boolean;
  /** Its audience is not complete. */
  isFreezing: boolean;
  lateSeconds: number;
  /** Addresses of pictures that could not be sent inside the message. */
  picturesLeftOut: string[];
};

/** @throws Fault CAMPAIGN_UNKNOWN */
export async function needCampaign(context: Context, cid: string): Promise<Campaign> {
  const row = await context.tx.row<Campaign>(sql`
    select id, month::text as month, type, status, status_reason as reason, send_at is not null as launched, exists (
        select from freezing f where f.account_id = campaign.account_id and f.campaign_id = campaign.id
      ) as "isFreezing", late_seconds as "lateSeconds",
      pictures_left_out as "picturesLeftOut"
    from campaign
    where account_id = ${context.account.id}
      and id = ${parseId(cid)}
      and type <> 'message'`);
  if (!row) throw unknownCampaign(cid);
  return row;
}
