// Pausing, resuming and stopping a running campaign, in the caller's transaction. The workers hear of it by a
// notification that leaves with the commit; what is on the wire then goes out, nothing else.
import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { unknownCampaign } from '../../campaigns/campaign.ts';
import { releaseAssets } from '../../campaigns/content/pictures/asset.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { chunkChannel, stopChannel } from '../../jobs/channels.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';

/** @throws Fault CAMPAIGN_STATE_CONFLICT */
export async function pauseCampaign(context: Context, campaignId: number, reason: string): Promise<void> {
  const { tx, account } = context;
  const done = await tx.run(sql`
    update campaign
    set paused_from = status, status = 'paused', status_reason = ${reason}, changed_at = now()
    where account_id = ${account.id}
      and id = ${campaignId}
      and status in ('launching', 'sending')`);
  if (done === 0)
    throw await wrongState(tx, account.id, campaignId, 'only a campaign that is being sent can be paused');
  await tellStop(tx, account.id, campaignId);
}

/** Pauses a campaign for a reason of the program's own and tells its owner by mail. @returns false when it was not being sent any more */
export async function pauseByItself(
  tx: Queries,
  of: { account: number; campaign: number },
  reason: string,
): Promise<boolean> {
  const paused = await tx.row<{ title: string }>(sql`
    update campaign
    set paused_from = status, status = 'paused', status_reason = ${reason}, changed_at = now()
    where account_id = ${of.account}
      and id = ${of.campaign}
      and status in ('launching', 'sending')
    returning title`);
  if (!paused) return false;
  await tellStop(tx, of.account, of.campaign);
  await enqueue(tx, 'sendAccountNotice', {
    account_id: of.account,
    ...pausedNotice(paused.title, formatId(of.campaign), reason),
  });
  return true;
}

function pausedNotice(title: string, cid: string, reason: string): { subject: string; text: string } {
  return {
    subject: `The campaign "${title}" was paused`,
    text: `Postrider has paused the campaign "${title}" (${cid}).

Reason: ${reason}

Nobody is lost: those who have not got it yet stay queued, and get it when the campaign is resumed. Remove the cause
first, then call campaignResume or press Resume on the page of the campaign.
`,
  };
}

/** @throws Fault CAMPAIGN_STATE_CONFLICT */
export async function resumeCampaign(context: Context, campaignId: number): Promise<void> {
  const { tx, account } = context;
  const row = await tx.row<{ status: string }>(sql`
    update campaign
    set status = paused_from, paused_from = null, status_reason = '', changed_at = now(),
      -- Whose time has passed meanwhile gets it now: that is what resuming means.
      due_until = case when due_until is not null then now() end
    where account_id = ${account.id}
      and id = ${campaignId}
      and status = 'paused'
    returning status`);
  if (!row) throw await wrongState(tx, account.id, campaignId, 'only a paused campaign can be resumed');
  if (row.status === 'launching') {
    await enqueue(tx, 'launchCampaign', { account_id: account.id, campaign_id: campaignId });
  }
  await tx.run(sql`select pg_notify(${chunkChannel}, '')`);
}

/** Tells the workers to let go of a campaign that is paused or gone. */
export async function tellStop(tx: Queries, accountId: number, campaignId: number): Promise<void> {
  await tx.run(sql`select pg_notify(${stopChannel}, ${`${accountId} ${campaignId}`})`);
}

/** Deletes the rows of a deleted campaign, a portion at a time. */
export async function purgeCampaign(
  { app, signal }: TaskContext,
  { account_id, campaign_id }: Payload<'purgeCampaign'>,
): Promise<void> {
  const { db } = app;
  const alive = await db.row(sql`select from campaign where account_id = ${account_id} and id = ${campaign_id}`);
  if (alive) return;
  await db.run(sql`delete from chunk where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from tally where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from exclusion where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from notice where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from hit where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from engagement where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from link_engagement where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.run(sql`delete from inline_image where account_id = ${account_id} and campaign_id = ${campaign_id}`);
  await db.transaction((tx) => releaseAssets(tx, account_id, campaign_id));
  for (let gone = 1; gone > 0 && !signal.aborted; ) {
    gone = await db.run(sql`
      delete from delivery
      where account_id = ${account_id}
        and campaign_id = ${campaign_id}
        and seq in (
          select seq from delivery where account_id = ${account_id} and campaign_id = ${campaign_id} limit 20000
        )`);
  }
  if (signal.aborted) throw new Error('stopped in the middle; goes on at the next start');
  // The link table and the message stay: links in mails that were delivered go on leading where they led.
}

async function wrongState(tx: Queries, accountId: number, campaignId: number, rule: string): Promise<Fault> {
  const row = await tx.row<{ status: string }>(
    sql`select status from campaign where account_id = ${accountId} and id = ${campaignId}`,
  );
  if (!row) return unknownCampaign(formatId(campaignId));
  return new Fault('CAMPAIGN_STATE_CONFLICT', `The campaign is ${row.status}; ${rule}`);
}
