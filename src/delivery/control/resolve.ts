// Decides recipients whose outcome is unclear, on an operator's call: each gets a marked copy, or none.
// Guarantees that a recipient is decided only once, and that one already waiting for its copy is left alone.
import { parseAddress } from '../../audience/address.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { needCampaignKey, type Status, wrongStatus } from '../../campaigns/model/campaign.ts';
import { monthOf } from '../../campaigns/model/month.ts';
import { type Queries, sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';
import { chunkChannel } from '../../jobs/channels.ts';
import { moveTally } from '../ledger/tally.ts';
import { maxRetrySize } from '../ledger/write-group.ts';
import { finishIfDone } from '../outcomes/finish.ts';

/** @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, ADDRESS_INVALID, ADDRESS_UNKNOWN */
export async function resolveUnclear(
  context: Context,
  { cid, action, email }: { cid: string; action: 'resend' | 'drop'; email?: string | undefined },
): Promise<{ resolved: number }> {
  const of = await needCampaignKey(context, cid);
  const key = email === undefined ? undefined : await needRecipientKey(context.tx, of, email);
  const resolved =
    action === 'drop' ? await dropUnclear(context.tx, of, key) : await resendUnclear(context.tx, of, key);
  return { resolved };
}

/**
 * Queues a copy for each unclear recipient.
 * @param key only this recipient's
 * @throws Fault CAMPAIGN_STATE_CONFLICT if no worker would send the copies
 */
async function resendUnclear(tx: Tx, of: CampaignKey, key?: string): Promise<number> {
  const status = await lockCampaignRow(tx, of);
  if (status !== 'sending' && status !== 'paused') throw wrongStatus(status!, 'resolve');
  const seqs = await heldSeqs(tx, of, key);
  if (seqs.length === 0) return 0;
  await tx.run(sql`
    insert into chunk (account_id, campaign_id, kind, seqs, due_at)
    select ${of.account}::int, ${of.campaign}::int, 'resend', array_agg(seq order by seq), now()
    from unnest(${seqs}::int[]) with ordinality as undecided (seq, no)
    group by (no - 1) / ${maxRetrySize}`);
  await tx.run(sql`select pg_notify(${chunkChannel}, '')`);
  return seqs.length;
}

async function dropUnclear(tx: Tx, of: CampaignKey, key?: string): Promise<number> {
  await lockCampaignRow(tx, of);
  return dropRecipients(tx, of, await heldSeqs(tx, of, key));
}

/**
 * Marks each of these as failed with the reason unclear, and ends the campaign if no recipients remain. The caller has locked the
 * campaign's row.
 */
export async function dropRecipients(tx: Tx, of: CampaignKey, seqs: readonly number[]): Promise<number> {
  if (seqs.length === 0) return 0;
  const dropped = await tx.rows<{ seq: number }>(sql`
    with changed as (
      update delivery
      set state = ${states.failed}, reason = 'unclear', done_at = now(), next_at = null
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
        and month = ${monthOf(of)}
        and seq = any (${seqs}::int[])
        and state = ${states.unclear}
      returning seq
    ), counted as (
      ${moveTally(
        of,
        0,
        sql`
        select 0 as queued, 0 as trying, 0 as accepted, 0 as later, count(*) as failed, 0 as skipped, -count(*) as unclear,
          0 as resent
        from changed
        having count(*) > 0`,
      )}
    )
    select seq
    from changed`);
  await finishIfDone(tx, of);
  return dropped.length;
}

async function needRecipientKey(tx: Queries, of: CampaignKey, email: string): Promise<string> {
  const address = parseAddress(email);
  if (!address.ok)
    throw fault('ADDRESS_INVALID', 'delivery.address_invalid', { member: 'email', email: email.slice(0, 80) });
  const recipient = await tx.row(sql`
    select
    from delivery
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and month = ${monthOf(of)}
      and lower(email) = ${address.key}
    limit 1`);
  if (!recipient)
    throw fault('ADDRESS_UNKNOWN', 'campaign.recipient_unknown', { member: 'email', email: email.slice(0, 80) });
  return address.key;
}

/** Locks the campaign's row, so that two that decide take turns. @returns its status; undefined when it is deleted */
export async function lockCampaignRow(tx: Tx, of: CampaignKey): Promise<Status | undefined> {
  const campaign = await tx.row<{ status: Status }>(
    sql`select status from campaign where account_id = ${of.account} and id = ${of.campaign} for update`,
  );
  return campaign?.status;
}

/** The recipients that are held: unclear, and without a copy that is planned. */
export async function heldSeqs(tx: Queries, of: CampaignKey, key?: string): Promise<number[]> {
  const rows = await tx.rows<{ seq: number }>(sql`
    with waiting as materialized (
      select unnest(seqs) as seq, no
      from chunk
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
        and kind = 'resend'
        and state <> 'done'
    )
    select d.seq
    from delivery d
    where d.account_id = ${of.account}
      and d.campaign_id = ${of.campaign}
      and d.month = ${monthOf(of)}
      and d.state = ${states.unclear}
      ${key === undefined ? sql`` : sql`and lower(d.email) = ${key}`}
      and not exists (
        select from waiting
        where waiting.seq = d.seq
          -- Otherwise its copy was sent, and its outcome is unclear too.
          and d.chunk_no is distinct from waiting.no
      )
    order by d.seq`);
  return rows.map((row) => row.seq);
}
