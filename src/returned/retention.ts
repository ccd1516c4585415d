// How long notices of returned mail are kept: as long as the recipients they are about.
import { sql } from '../db/connect.ts';
import { deleteOfKept } from '../delivery/control/forget-recipients.ts';
import type { Payload, TaskContext } from '../jobs/tasks.ts';

/** Deletes the notices of a deleted campaign. */
export async function purgeNotices(
  { app: { db } }: TaskContext,
  { account_id, campaign_id }: Payload<'purgeCampaign'>,
): Promise<void> {
  await db.run(sql`
    delete from notice n
    where n.account_id = ${account_id}
      and n.campaign_id = ${campaign_id}
      and not exists (select from campaign c where c.account_id = n.account_id and c.id = n.campaign_id)`);
}

/** Deletes the notices of campaigns whose recipients are forgotten. */
export const forgetNotices = ({ app: { db } }: TaskContext): Promise<void> => deleteOfKept(db, sql`notice`);
