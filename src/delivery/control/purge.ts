// Deletes what is left of a deleted campaign. The link table and the message stay, so that the links in delivered
// messages still work, and so do the recipients that a message may have been sent to (former_recipient): what comes back for it
// is about them. The recipients of single messages, whose log has an age, do not stay.

import type { App } from '../../base/context.ts';
import { releaseAttachments } from '../../campaigns/content/attachments.ts';
import { releaseAssets } from '../../campaigns/content/pictures/asset.ts';
import { raw, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';
import { summaryTables } from '../../tracking/summaries.ts';

/** How many recipients one statement deletes. */
const batchSize = 20_000;

/** Deletes the rows of a deleted campaign, a portion at a time. */
export async function purgeCampaign(
  { app, signal }: TaskContext,
  { account_id, campaign_id, forget = false }: Payload<'purgeCampaign'>,
): Promise<void> {
  const { db } = app;
  const alive = await db.row(sql`select from campaign where account_id = ${account_id} and id = ${campaign_id}`);
  if (alive) return;
  if (!forget) await keepMarked(app, { account: account_id, campaign: campaign_id });
  await db.run(sql`delete from chunk where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from refused where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from refused_reply where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from tally where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from campaign_watch where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from lost_attempt where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from exclusion where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from hit where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from engagement where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from link_engagement where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  for (const table of summaryTables)
    await db.run(sql`delete from ${raw(table)} where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from conversion where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from folded_report where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from past_occasion where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from kept_report where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from inline_image where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.transaction((tx) => releaseAttachments(tx, { account: account_id, campaign: campaign_id }));
  await db.transaction((tx) => releaseAssets(tx, { account: account_id, campaign: campaign_id }));
  for (let deleted = 1; deleted > 0 && !signal.aborted; ) {
    const row = await db.row<{ count: number }>(sql`
      with gone as (
        delete from delivery
        where account_id = ${account_id}
          and campaign_id = ${campaign_id}
          and seq in (
            select seq from delivery where account_id = ${account_id} and campaign_id = ${campaign_id} limit ${batchSize}
          )
        returning *
      ), kept as (
        insert into former_recipient (account_id, campaign_id, seq, contact_id, list_id, email, state, reply, first_at, language)
        select account_id, campaign_id, seq, contact_id, list_id, email, state, reply, first_at, language
        from gone
        where ${!forget}
          and attempts > 0
        on conflict do nothing
      )
      select count(*) as count
      from gone`);
    deleted = row!.count;
  }
  // Transactions that held a chunk at the start have cut new ones before they ended; no later one can.
  await db.run(sql`delete from chunk where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  if (signal.aborted) throw new Error('interrupted; continues at the next start');
}

/** Of a range, those in flight when the campaign was deleted: their own rows say that they were never attempted. */
async function keepMarked({ db }: App, of: CampaignKey): Promise<void> {
  await db.run(sql`
    insert into former_recipient (account_id, campaign_id, seq, contact_id, list_id, email, state, reply, first_at, language)
    select d.account_id, d.campaign_id, d.seq, d.contact_id, d.list_id, d.email, ${states.trying}::int, d.reply, coalesce(d.first_at, now()), d.language
    from chunk k
    join delivery d on d.account_id = k.account_id and d.campaign_id = k.campaign_id and d.seq <@ k.marked
    where k.account_id = ${of.account}
      and k.campaign_id = ${of.campaign}
      and k.marked <> '{}'
    on conflict do nothing`);
}
