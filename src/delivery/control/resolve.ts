// What becomes of recipients held as unclear, by a person's word: a marked copy for each, or none.
// Promises that nobody is decided about twice, and that those already waiting for their copy are left alone.

import { Fault } from '../../base/faults.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { chunkChannel } from '../../jobs/channels.ts';
import { finishIfDone } from '../launch/finish.ts';
import { states } from '../sending/states.ts';
import { moveTally } from '../sending/tally.ts';

type Of = { account: number; campaign: number };

/**
 * Has a copy sent to each.
 * @param key of the one address that is meant
 * @returns how many
 * @throws Fault CAMPAIGN_STATE_CONFLICT where nobody would take the copies up
 */
export async function resendUnclear(tx: Queries, of: Of, key?: string): Promise<number> {
  const status = await lock(tx, of);
  if (status !== 'sending' && status !== 'paused')
    throw new Fault(
      'CAMPAIGN_STATE_CONFLICT',
      `The campaign is ${status}; copies are sent only while it is sending or paused`,
    );
  const seqs = await unclear(tx, of, key);
  if (seqs.length === 0) return 0;
  await tx.run(sql`
    insert into chunk (account_id, campaign_id, kind, seqs, due_at)
    values (${of.account}, ${of.campaign}, 'resend', ${seqs}::int[], now())`);
  await tx.run(sql`select pg_notify(${chunkChannel}, '')`);
  return seqs.length;
}

/** Ends each as failed with the reason unclear, and the campaign when nobody else is left. @returns how many */
export async function dropUnclear(tx: Queries, of: Of, key?: string): Promise<number> {
  await lock(tx, of);
  const seqs = await unclear(tx, of, key);
  if (seqs.length === 0) return 0;
  const dropped = await tx.rows<{ seq: number }>(sql`
    with changed as (
      update delivery
      set state = ${states.failed}, reason = 'unclear', done_at = now(), next_at = null
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
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
  await finishIfDone(tx, of.account, of.campaign);
  return dropped.length;
}

/** Locks the campaign's row, so that two calls at once take turns. @returns its status */
async function lock(tx: Queries, of: Of): Promise<string | undefined> {
  const campaign = await tx.row<{ status: string }>(
    sql`select status from campaign where account_id = ${of.account} and id = ${of.campaign} for update`,
  );
  return campaign?.status;
}

/** Those nobody has decided about. */
async function unclear(tx: Queries, of: Of, key?: string): Promise<number[]> {
  const rows = await tx.rows<{ seq: number }>(sql`
    select d.seq
    from delivery d
    where d.account_id = ${of.account}
      and d.campaign_id = ${of.campaign}
      and d.state = ${states.unclear}
      ${key === undefined ? sql`` : sql`and lower(d.email) = ${key}`}
      and not exists (
        select from chunk k
        where k.account_id = d.account_id
          and k.campaign_id = d.campaign_id
          and k.kind = 'resend'
          and k.state <> 'done'
          and d.seq = any (k.seqs)
          -- Else its copy has gone out and come to no other end.
          and d.chunk_no is distinct from k.no
      )
    order by d.seq`);
  return rows.map((row) => row.seq);
}
