// A safeguard: finds recipients that wait for an attempt and that no open chunk contains, so that no worker would ever take
// them and their campaign would never end. There should be none; each one found is a bug and is logged as an error. Those that
// are held back (ledger/held.ts) are in no chunk on purpose and are left alone.

import { monthOf } from '../../campaigns/model/month.ts';
import { type Database, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';
import { chunkChannel } from '../../jobs/channels.ts';
import type { TaskContext } from '../../jobs/tasks.ts';
import { insertChunksOf } from '../ledger/chunk.ts';
import { heldAfterOf, isHeld } from '../ledger/held.ts';

/** Campaigns with more recipients than this in open chunks are checked when fewer are left. */
const maxCovered = 200_000;

/** Cuts chunks for the recipients that are in none. */
export async function requeueForgotten({ app: { db }, log, signal }: TaskContext): Promise<void> {
  for (const of of await campaignsToCheck(db)) {
    if (signal.aborted) return;
    const found = await requeue(db, of);
    if (found > 0) log.error({ ...of, recipients: found }, 'recipients were in no chunk; they are queued again');
  }
}

/** Those in which someone waits who is not held back, and of which not many are in open chunks. */
function campaignsToCheck(db: Database): Promise<CampaignKey[]> {
  return db.rows<CampaignKey>(sql`
    select p.account_id as account, p.id as campaign
    from campaign p
    where p.status = 'sending'
      and (
        select sum(t.later) > 0
          or sum(t.queued) > greatest(0, sum(t.recipients) - ${heldAfterOf(sql`p.account_id`, sql`p.id`)}, 0)
        from tally t
        where t.account_id = p.account_id
          and t.campaign_id = p.id
      )
      and (
        select coalesce(sum(coalesce(cardinality(k.seqs), k.to_seq - k.from_seq + 1)), 0)
        from chunk k
        where k.account_id = p.account_id
          and k.campaign_id = p.id
          and k.state <> 'done'
      ) <= ${maxCovered}
    order by p.account_id, p.id`);
}

/** @returns how many recipients were in no chunk */
function requeue(db: Database, of: CampaignKey): Promise<number> {
  return db.transaction(async (tx) => {
    // Two concurrent runs would each cut a chunk, and so would the end of an A/B test.
    const sending = await tx.row(sql`
      select from campaign
      where account_id = ${of.account}
        and id = ${of.campaign}
        and status = 'sending'
      for update`);
    if (!sending) return 0;
    const month = monthOf(of);
    let count = 0;
    // Those never attempted are first attempts: they keep the time at which they are due, such as by their contact's clock.
    for (const kind of ['first', 'retry'] as const) {
      // Rows and chunks change in one transaction, so this statement sees no recipient between two chunks.
      const chunks = await tx.rows<{ size: number }>(sql`
        with covered as (
          select k.no, k.kind, k.seqs is null as is_range, s.seq
          from chunk k
          cross join lateral (
            select generate_series(k.from_seq, k.to_seq) as seq
            where k.seqs is null
            union all
            select unnest(k.seqs)
          ) as s
          where k.account_id = ${of.account}
            and k.campaign_id = ${of.campaign}
            and k.state <> 'done'
        ), waiting as (
          select seq, state, chunk_no, due_at, next_at
          from delivery
          where account_id = ${of.account}
            and campaign_id = ${of.campaign}
            and month = ${month}
            and state in (${states.queued}, ${states.later})
            and (state = ${states.queued} and attempts = 0) = ${kind === 'first'}
            and not ${isHeld(of)}
        ), forgotten as (
          select d.seq, greatest(now(), case when d.state = ${states.queued} then d.due_at else d.next_at end) as due_at
          from waiting d
          where not exists (
            select from covered c
            where c.seq = d.seq
              -- See toMark in chunk.ts.
              and (
                (d.state = ${states.queued} and (not c.is_range or coalesce(d.chunk_no, c.no) = c.no))
                or (c.kind = 'retry' and c.no is distinct from d.chunk_no)
              )
          )
        )
        ${insertChunksOf(of, kind, sql`forgotten`)}
        returning cardinality(seqs) as size`);
      count += chunks.reduce((sum, { size }) => sum + size, 0);
    }
    if (count > 0) await tx.run(sql`select pg_notify(${chunkChannel}, '')`);
    return count;
  });
}
