// Deletes what is left of a deleted campaign. The link table and the message stay, so that the links in delivered
// messages still work.
import { releaseAttachments } from '../../campaigns/content/attachments/store.ts';
import { releaseAssets } from '../../campaigns/content/pictures/asset.ts';
import { raw, sql } from '../../db/connect.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';
import { summaryTables } from '../../tracking/summaries.ts';

/** How many recipients one statement deletes. */
const batchSize = 20_000;

/** Deletes the rows of a deleted campaign, a portion at a time. */
export async function purgeCampaign(
  { app, signal }: TaskContext,
  { account_id, campaign_id }: Payload<'purgeCampaign'>,
): Promise<void> {
  const { db } = app;
  const alive = await db.row(sql`select from campaign where account_id = ${account_id} and id = ${campaign_id}`);
  if (alive) return;
  await db.run(sql`delete from chunk where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from refused where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from refused_reply where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from tally where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from lost_attempt where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from exclusion where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from notice where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from hit where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from engagement where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from link_engagement where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  for (const table of summaryTables)
    await db.run(sql`delete from ${raw(table)} where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from kept_report where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from inline_image where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.transaction((tx) => releaseAttachments(tx, account_id, campaign_id));
  await db.transaction((tx) => releaseAssets(tx, account_id, campaign_id));
  for (let deleted = 1; deleted > 0 && !signal.aborted; ) {
    deleted = await db.run(sql`
      delete from delivery
      where account_id = ${account_id}
        and campaign_id = ${campaign_id}
        and seq in (
          select seq from delivery where account_id = ${account_id} and campaign_id = ${campaign_id} limit ${batchSize}
        )`);
  }
  // Transactions that held a chunk at the start have cut new ones before they ended; no later one can.
  await db.run(sql`delete from chunk where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  if (signal.aborted) throw new Error('interrupted; continues at the next start');
}
