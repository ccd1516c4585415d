// When a campaign is finished: no recipient is queued, trying, later, or unclear and undecided. The event campaign.sent is
// emitted exactly once.

import { type Database, preparing, sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { countWrite } from '../../db/standby/writes.ts';
import { emit } from '../../events/emit.ts';
import { enqueue } from '../../jobs/queue.ts';
import { formatDate } from '../../method/date.ts';
import { decideAtEnd, pauseSmallRun } from './refused.ts';

/** Moves a campaign from sending to sent when no recipient is left; autoresponders stay active. */
export async function finishIfDone(transaction: Tx, of: CampaignKey): Promise<boolean> {
  const tx = preparing(transaction);
  // Without the lock below, which would wait for the portion; its last one asks again.
  const freezing = await tx.row(sql`
    select from freezing where account_id = ${of.account} and campaign_id = ${of.campaign}`);
  if (freezing) return false;
  // Two send loops that end the last two chunks at the same time would each see the other's as open. With the row locked the
  // second one looks only after the first has committed.
  await tx.run(sql`select from campaign where account_id = ${of.account} and id = ${of.campaign} for update`);
  const open = await tx.row<{ ends: boolean }>(sql`
    select ${isExhausted} as ends
    from campaign c
    where account_id = ${of.account}
      and id = ${of.campaign}
      and status = 'sending'
      and type not in ('auto', 'message')`);
  if (open?.ends === false) await pauseSmallRun(tx, of);
  if (open?.ends !== true || (await decideAtEnd(tx, of))) return false;
  const done = await tx.row<{ title: string; finishedAt: Date }>(sql`
    update campaign c
    set status = 'sent', finished_at = now(), changed_at = now()
    where account_id = ${of.account}
      and id = ${of.campaign}
      and status = 'sending'
      and type not in ('auto', 'message')
      and ${isExhausted}
    returning title, finished_at as "finishedAt"`);
  if (!done) return false;
  await emitSent(tx, of, done.title, done.finishedAt);
  return true;
}

/** Ends the owners of the single messages of earlier days whose recipients all have a final state. @returns how many */
export async function endMessageDays(db: Database): Promise<number> {
  return db.run(sql`
    update campaign c
    set status = 'sent', finished_at = now()
    where type = 'message'
      and status = 'sending'
      -- A call that began before midnight may still add a message.
      and created_at < now() - interval '2 days'
      -- That of a later day gets further messages until then.
      and title < to_char((now() - interval '2 days') at time zone 'UTC', 'YYYY-MM-DD')
      and ${isExhausted}`);
}

/** A condition on campaign c: its audience is complete, no chunk is open and no recipient is left. Each state is asked for by its own index. */
const isExhausted = sql`
  not exists (
    select from freezing f
    where f.account_id = c.account_id
      and f.campaign_id = c.id
  )
  and not exists (
    select from chunk k
    where k.account_id = c.account_id
      and k.campaign_id = c.id
      and k.state = 'waiting'
  )
  and not exists (
    select from chunk k
    where k.account_id = c.account_id
      and k.campaign_id = c.id
      and k.state = 'leased'
  )
  -- Each of them: a sum of all would be 0 as well if one were below zero. No row when all are 0.
  and not exists (
    select from tally t
    where t.account_id = c.account_id
      and t.campaign_id = c.id
    having sum(queued) <> 0
      or sum(trying) <> 0
      or sum(later) <> 0
      or sum(unclear) <> 0
      or least(sum(accepted), sum(failed), sum(skipped)) < 0
  )`;

/** Emits campaign.sent, with the numbers of recipients by outcome, and lets them be summarised for segments. */
export async function emitSent(tx: Tx, of: CampaignKey, title: string, at: Date) {
  await enqueue(tx, 'summariseRecipients', { account_id: of.account, campaign_id: of.campaign });
  const sums = await tx.row<{ accepted: number; failed: number; skipped: number }>(sql`
    select coalesce(sum(accepted), 0)::int as accepted, coalesce(sum(failed), 0)::int as failed,
      coalesce(sum(skipped), 0)::int as skipped
    from tally
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
  await countWrite(tx, of.account);
  await emit(tx, of.account, [
    {
      type: 'campaign.sent',
      source: 'admin',
      data: {
        campaign: formatId(of.campaign),
        title,
        emails_sent: sums!.accepted,
        failed: sums!.failed,
        skipped: sums!.skipped,
        ts: formatDate(at),
      },
    },
  ]);
}

/** Finishes campaigns whose last worker died after the last outcome, before finishIfDone. @returns how many */
export async function finishMissed(db: Database): Promise<number> {
  const missed = await db.rows<{ account_id: number; id: number }>(sql`
    select account_id, id
    from campaign c
    where status = 'sending'
      and type not in ('auto', 'message')
      and ${isExhausted}
    limit 100`);
  let count = 0;
  for (const { account_id, id } of missed)
    if (await db.transaction((tx) => finishIfDone(tx, { account: account_id, campaign: id }))) count += 1;
  return count;
}
