// Ends a paused campaign: the remaining recipients are skipped, those whose outcome is unclear are failed, and the report
// shows both. Guarantees that nothing is on the wire when it ends, so that no outcome is written afterwards. Of a large
// campaign the recipients are marked by a task, in portions: one statement for millions takes too long for a call.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { needCampaignKey, type Status, wrongStatus } from '../../campaigns/model/campaign.ts';
import { emitCampaignEvent } from '../../campaigns/model/events.ts';
import { monthOf } from '../../campaigns/model/month.ts';
import { type Queries, type Sql, sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';
import { maybeSent } from '../ledger/chunk.ts';
import { emitSent } from '../outcomes/finish.ts';
import { decideAtStop } from '../outcomes/refused.ts';

/** Maximum recipients that the call itself marks, and that one statement of the task marks. */
export const stopSizes = { inCall: 100_000, portion: 20_000 };

/** @returns how many recipients are skipped. @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT */
export async function stopCampaign(context: Context, { cid }: { cid: string }, sizes = stopSizes): Promise<number> {
  const { tx, now } = context;
  const of = await needCampaignKey(context, cid);
  const title = await end(tx, of);
  await endFreezing(tx, of, title);
  await decideAtStop(tx, of);
  await tx.run(sql`
    delete from chunk
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and state <> 'done'`);
  if ((await countRest(tx, of)) > sizes.inCall) {
    await tx.run(sql`update campaign set stopping = true where account_id = ${of.account} and id = ${of.campaign}`);
    await enqueue(tx, 'skipRest', { account_id: of.account, campaign_id: of.campaign });
    return countToSkip(tx, of);
  }
  const { skipped } = await skip(tx, of, sql`true`);
  await emitSent(tx, of, title, now);
  return skipped;
}

/** Marks the remaining recipients of a stopped campaign, and emits the event that it has ended. */
export async function skipRest(
  { app, signal }: TaskContext,
  { account_id, campaign_id }: Payload<'skipRest'>,
  sizes = stopSizes,
): Promise<void> {
  const of = { account: account_id, campaign: campaign_id };
  for (let after = 0, ended = false; !ended; ) {
    if (signal.aborted) throw new Error('interrupted; continues with the next worker');
    ended = await app.db.transaction(async (tx) => {
      const campaign = await tx.row<{ title: string; finishedAt: Date }>(sql`
        select title, finished_at as "finishedAt"
        from campaign
        where account_id = ${of.account}
          and id = ${of.campaign}
          and stopping
        for update`);
      if (!campaign) return true;
      const next = await tx.row<{ last: number | null }>(sql`
        select max(seq) as last
        from (
          select seq
          from delivery
          where account_id = ${of.account}
            and campaign_id = ${of.campaign}
            and month = ${monthOf(of)}
            and seq > ${after}
          order by seq
          limit ${sizes.portion}
        ) as portion`);
      if (typeof next?.last === 'number') {
        await skip(tx, of, sql`seq > ${after} and seq <= ${next.last}`);
        after = next.last;
        return false;
      }
      await tx.run(sql`update campaign set stopping = false where account_id = ${of.account} and id = ${of.campaign}`);
      await emitSent(tx, of, campaign.title, campaign.finishedAt);
      return true;
    });
  }
}

async function end(tx: Tx, of: CampaignKey): Promise<string> {
  const campaign = (await tx.row<{ status: Status; title: string; busy: boolean }>(sql`
    select status, title, exists (
        select from chunk
        where account_id = ${of.account} and campaign_id = ${of.campaign} and state = 'leased'
      ) or exists (
        select from tally
        where account_id = ${of.account} and campaign_id = ${of.campaign}
        having sum(trying) <> 0
      ) as busy
    from campaign
    where account_id = ${of.account}
      and id = ${of.campaign}
    for update`))!;
  if (campaign.status !== 'paused') throw wrongStatus(campaign.status, 'stop');
  if (campaign.busy) throw fault('CAMPAIGN_STATE_CONFLICT', 'campaign.in_flight');
  await tx.run(sql`
    update campaign
    set status = 'sent', paused_from = null, status_reason = '', finished_at = now(), changed_at = now(),
      send_at = coalesce(send_at, now())
    where account_id = ${of.account}
      and id = ${of.campaign}`);
  return campaign.title;
}

/** No one who is not a recipient yet becomes one. */
async function endFreezing(tx: Tx, of: CampaignKey, title: string): Promise<void> {
  const freezing = await tx.row<{ at: Date; recipients: number; announces: boolean }>(sql`
    delete from freezing
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
    returning started_at as at, recipients, announces`);
  if (freezing?.announces)
    await emitCampaignEvent(tx, of, 'campaign.started', { title, at: freezing.at, recipients: freezing.recipients });
}

async function countRest(tx: Queries, of: CampaignKey): Promise<number> {
  const row = await tx.row<{ count: number }>(sql`
    select coalesce(sum(queued + later + unclear), 0) as count
    from tally
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
  return row!.count;
}

async function countToSkip(tx: Queries, of: CampaignKey): Promise<number> {
  const row = await tx.row<{ count: number }>(sql`
    select count(*) as count
    from delivery
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and month = ${monthOf(of)}
      and ${isLeft}
      and not ${maybeSent}`);
  return row!.count;
}

/** A condition on delivery: the recipient has no final outcome. */
const isLeft = sql`state in (${states.queued}, ${states.later}, ${states.unclear})`;

/** Marks the recipients without a final outcome among `which`, and moves the tally. */
async function skip(tx: Tx, of: CampaignKey, which: Sql): Promise<{ skipped: number }> {
  const rest = (await tx.row<{ queued: number; later: number; unclear: number; failed: number; skipped: number }>(sql`
    with rest as (
      select seq, state, ${maybeSent} as maybe_sent
      from delivery
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
        and month = ${monthOf(of)}
        and ${which}
        and ${isLeft}
    ), ended as (
      update delivery d
      set state = (case when rest.maybe_sent then ${states.failed}::int else ${states.skipped}::int end)::smallint,
        reason = case when rest.maybe_sent then 'unclear' else 'stopped' end,
        done_at = now(), next_at = null
      from rest
      where d.account_id = ${of.account}
        and d.campaign_id = ${of.campaign}
        and d.month = ${monthOf(of)}
        and d.seq = rest.seq
    )
    select count(*) filter (where state = ${states.queued})::int as queued,
      count(*) filter (where state = ${states.later})::int as later,
      count(*) filter (where state = ${states.unclear})::int as unclear,
      count(*) filter (where maybe_sent)::int as failed,
      count(*) filter (where not maybe_sent)::int as skipped
    from rest`))!;
  await tx.run(sql`
    update tally
    set queued = queued - ${rest.queued}, later = later - ${rest.later}, unclear = unclear - ${rest.unclear},
      failed = failed + ${rest.failed}, skipped = skipped + ${rest.skipped}
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and shard = 0`);
  return rest;
}
