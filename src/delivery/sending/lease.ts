// The lease of a chunk: take, renew, end, give back, release. The times written are by the database's clock; how long the
// holder may use the lease is measured by its own clock (lease-watch.ts) and ends a little earlier.

import { handsOutNothing } from '../../accounts/account/monthly-quota.ts';
import { isWorking } from '../../accounts/account/moves.ts';
import { constantMonth } from '../../campaigns/model/month.ts';
import { prepared, type Queries, type Sql, sql, type Tx } from '../../db/connect.ts';
import { states } from '../../db/states.ts';
import { type Chunk, toMark, within } from '../ledger/chunk.ts';
import { isUrgentOwner } from '../ledger/message-owner.ts';
import { isRedoneBy } from '../ledger/timeline.ts';
import { holderClock, releasedUntil } from '../recovery/lease-watch.ts';
import type { Turn } from './fair-queue.ts';

export const leaseSeconds = 15;
/** A lease is not used to its end: the clocks of two machines do not run equally fast. */
const leaseMarginMs = 1_500;
export const leaseClock = holderClock();

/** `validUntil` is by the lease clock. */
export type Leased = { chunk: Chunk; validUntil: number };

const untilFrom = (askedAt: number): number => askedAt + leaseSeconds * 1_000 - leaseMarginMs;

/** Takes the chunk of a campaign that has been due longest, if the campaign is being sent. */
export async function takeChunk(db: Queries, workerId: number, turn: Turn): Promise<Leased | undefined> {
  const askedAt = leaseClock();
  const chunk = await db.row<Chunk>(
    prepared(sql`
    update chunk c
    set state = 'leased', worker_id = ${workerId}, lease = lease + 1, leased_until = now() + make_interval(secs => ${leaseSeconds})
    from (
      select k.account_id, k.campaign_id, k.no, p.month, p.asked_again, p.revision, p.type = 'message' as messages,
        -- The confirmations of an import share the relays with campaigns.
        p.type = 'message' and ${isUrgentOwner} as urgent
      from chunk k
      join campaign p on p.account_id = k.account_id and p.id = k.campaign_id
      where k.account_id = ${turn.account}
        and k.campaign_id = ${turn.campaign}
        and k.state = 'waiting'
        and k.due_at <= now()
        and p.status = 'sending'
        and ${isWorking(sql`k.account_id`)}
        and (k.kind <> 'first' or k.due_at <= coalesce(p.due_until, k.due_at))
        -- What was handed out before continues; single messages were counted when they were taken.
        and (k.kind <> 'first' or p.type = 'message' or not ${handsOutNothing(sql`k.account_id`)})
        -- Sending is held, for a copied database or one that lacks outcomes, though this worker has not noticed yet.
        and not exists (select from heartbeat where held <> '')
        and ${isRedoneBy(workerId)}
      order by k.due_at, k.no
      limit 1
      for update of k skip locked
    ) as next
    where c.account_id = next.account_id
      and c.campaign_id = next.campaign_id
      and c.no = next.no
    returning c.account_id as account, c.campaign_id as campaign, c.no, c.kind, c.from_seq as "fromSeq", c.to_seq as "toSeq",
      c.seqs, c.domain, c.zone, c.lease, c.crashes, next.month::text as month, next.messages, next.urgent,
      next.asked_again as "askedAgain", next.revision, (
        -- Of all variants and revisions, and who gets which: the others do when the test has ended. A revision can have thousands of
        -- ranges, which take long to write; they change only together with the rows.
        select string_agg(
            content_hash || case when pg_column_size(recipients) < 2000 then recipients::text else '' end, ' ' order by variant
          )
        from frozen_content f
        where f.account_id = c.account_id
          and f.campaign_id = c.campaign_id
      ) as "contentHash", (
        select array_agg(signature)
        from refused_reply r
        where r.account_id = c.account_id
          and r.campaign_id = c.campaign_id
          and r.confirmed
      ) as confirmed`),
  );
  return chunk && { chunk, validUntil: untilFrom(askedAt) };
}

function isMine(chunk: Chunk, workerId: number): Sql {
  return sql`
    account_id = ${chunk.account}
    and campaign_id = ${chunk.campaign}
    and no = ${chunk.no}
    and lease = ${chunk.lease}
    and worker_id = ${workerId}
    and state = 'leased'
    -- After a fail-over the rows may be older than what this worker knows of them.
    and ${isRedoneBy(workerId)}`;
}

/** @returns false when the lease is lost, or a recipient of the chunk is still to be marked or has no outcome yet */
export async function endChunk(tx: Tx, chunk: Chunk, workerId: number): Promise<boolean> {
  const ended = await tx.run(sql`
    update chunk
    set state = 'done', worker_id = null, leased_until = null
    where ${isMine(chunk, workerId)}
      and not exists (
        select from delivery
        where account_id = ${chunk.account}
          and campaign_id = ${chunk.campaign}
          and month = ${constantMonth(chunk)}
          and ${within(chunk)}
          and ((state = ${states.trying} and chunk_no = ${chunk.no}) or ${toMark(chunk)})
      )`);
  return ended > 0;
}

/** @returns until when each chunk may be used, by the lease clock; 0 when another worker has taken it over */
export async function renewLeases(
  db: Queries,
  workerId: number,
  chunks: readonly Chunk[],
): Promise<(chunk: Chunk) => number> {
  const askedAt = leaseClock();
  const rows = await db.rows<{ no: number; lease: number }>(sql`
    update chunk
    set leased_until = now() + make_interval(secs => ${leaseSeconds})
    where worker_id = ${workerId}
      and state = 'leased'
      and no = any (${chunks.map((chunk) => chunk.no)}::bigint[])
      and leased_until <> ${releasedUntil}
    returning no, lease`);
  return ({ no, lease }) => (rows.some((row) => row.no === no && row.lease === lease) ? untilFrom(askedAt) : 0);
}

/**
 * Makes an unfinished chunk available to any worker, immediately or after `afterMs`.
 * @param opensAt the send window that it waits for opens then
 */
export async function giveBack(
  db: Queries,
  chunk: Chunk,
  workerId: number,
  afterMs: number,
  opensAt?: Date,
): Promise<void> {
  await db.run(sql`
    update chunk
    set state = 'waiting', worker_id = null, leased_until = null,
      opens_at = coalesce(${opensAt ?? null}::timestamptz, opens_at),
      due_at = case when ${opensAt ?? null}::timestamptz is not null then ${opensAt ?? null}::timestamptz when ${afterMs}::float8 > 0 then now() + make_interval(secs => ${afterMs / 1_000}) else due_at end
    where ${isMine(chunk, workerId)}
      -- Otherwise a commit was not confirmed, and takeBack or the end of the lease removes the marks.
      and marked = '{}'`);
}

/** Once every recipient in flight at the crash has an outcome, the next crash is counted from the beginning. */
export async function resetCrashes(db: Queries, chunk: Chunk, workerId: number): Promise<void> {
  await db.run(sql`
    update chunk
    set crashes = 0
    where ${isMine(chunk, workerId)}`);
}

/** Ends a lease under which recipients may have no outcome: the worker that takes over reads the journal. */
export async function releaseLease(db: Queries, chunk: Chunk, workerId: number): Promise<void> {
  await db.run(sql`
    update chunk
    -- So other workers need not wait for it to expire.
    set leased_until = ${releasedUntil}
    where ${isMine(chunk, workerId)}`);
}

/** A lease may have been taken this long ago without its holder knowing of it yet. */
const answerSeconds = 2;

/**
 * Ends the leases of this worker that it does not know of: the connection was lost before the database could say so. Otherwise
 * their recipients would wait until the lease expires.
 */
export async function releaseUnknown(db: Queries, workerId: number, known: readonly Chunk[]): Promise<number> {
  return db.run(sql`
    update chunk
    set leased_until = ${releasedUntil}
    where worker_id = ${workerId}
      and state = 'leased'
      and leased_until <> ${releasedUntil}
      and leased_until < now() + make_interval(secs => ${leaseSeconds - answerSeconds})
      and (no, lease) not in (
        select * from unnest(${known.map(({ no }) => no)}::bigint[], ${known.map(({ lease }) => lease)}::int[])
      )`);
}

/** The campaigns of these chunks that are still being sent. */
export async function campaignsStillSending(db: Queries, chunks: readonly Chunk[]): Promise<Turn[]> {
  if (chunks.length === 0) return [];
  return db.rows<Turn>(sql`
    select account_id as account, id as campaign
    from campaign
    where status = 'sending'
      and (account_id, id) in (
        select * from unnest(${chunks.map((chunk) => chunk.account)}::int[], ${chunks.map((chunk) => chunk.campaign)}::int[])
      )`);
}
