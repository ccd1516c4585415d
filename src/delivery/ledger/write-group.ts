// Writes the outcomes of a group of recipients, and cuts chunks for those to be attempted again. The tally moves in the same
// transaction, so the accounting holds at every moment.
import { erasedDomain } from '../../base/erasure.ts';
import { constantMonth } from '../../campaigns/model/month.ts';
import { prepared, sql, type Tx } from '../../db/connect.ts';
import { cut, jsonb } from '../../db/jsonb.ts';
import { states } from '../../db/states.ts';
import { type Chunk, changeMarks, spared } from './chunk.ts';
import { countHandedOut } from './handed-out.ts';
import { inRange } from './marked.ts';
import { moveTally } from './tally.ts';

/** Recipients in a chunk of later attempts, at most. */
export const maxRetrySize = 500;

/** The new state of a recipient. */
export type RecipientUpdate = {
  seq: number;
  state: keyof typeof states;
  code: number | null;
  reply: string | null;
  reason: string | null;
  nextAt: Date | null;
  /** When its first attempt began. */
  firstAt: Date;
  /** No relay was given the message: it counts neither as an attempt nor as a copy. */
  untried?: boolean;
};

/** What is written to a recipient's row; a state of null leaves the row as it is. */
type Written = { seq: number; state: number | null; nextAt: Date | null; uncounted: boolean; domain: string | null };

/**
 * Writes the outcomes of recipients that were trying under this lease, and cuts chunks for those to be attempted again.
 * Rows that another worker has taken over since are not changed.
 * @param late writes outcomes of recipients that became unclear because this lease was taken over without a trace of them,
 *   and whose copy has not begun
 * @returns the seqs that were not changed
 */
export async function writeGroup(
  tx: Tx,
  chunk: Chunk,
  workerId: number,
  updates: readonly RecipientUpdate[],
  resendUnclear: boolean,
  late = false,
): Promise<Set<number>> {
  if (updates.length === 0) return new Set();
  const seqs = updates.map((update) => update.seq);
  const byRange = inRange(chunk) && !late;
  // A row without first_at was marked with this group.
  const firstAt = new Date(Math.max(...updates.map((update) => update.firstAt.getTime())));
  const values = valuesOf(updates);
  // A copy that no relay was given is not counted.
  const uncounted = sql`(g.untried and ${chunk.kind === 'resend'})::int`;
  const rows = await tx.rows<Written>(
    prepared(sql`
    with lease as (
      select marked from chunk
      where account_id = ${chunk.account}
        and campaign_id = ${chunk.campaign}
        and no = ${chunk.no}
        -- A recipient that such a takeover made unclear is not marked in this chunk again, so the outcome is that of the
        -- attempt that is unclear.
        and ${late ? sql`untraced_lease = ${chunk.lease}` : sql`worker_id = ${workerId} and lease = ${chunk.lease}`}
      for no key update
    ), updates as (
      select g.*, lease.marked
      from lease, jsonb_to_recordset(${values}::jsonb)
        as g(seq int, state smallint, code smallint, reply text, reason text, next_at timestamptz, untried boolean, month date)
    ), changed as (
      update delivery d
      set state = g.state,
        attempts = d.attempts + (d.state = ${states.queued})::int - g.untried::int,
        resent = d.resent - ${uncounted},
        -- Below 0 for a copy that was not sent and that this chunk takes up again: unclear recipients with the chunk's
        -- own number are done with it.
        chunk_no = case when ${uncounted} = 1 and g.next_at is null then -${chunk.no}::bigint else ${chunk.no}::bigint end,
        -- The 72 hours start with the first real attempt.
        first_at = case
          when g.untried and d.attempts + (d.state = ${states.queued})::int <= 1 then null
          else coalesce(d.first_at, ${firstAt})
        end,
        next_at = g.next_at,
        done_at = case when g.state in (${states.accepted}, ${states.failed}) then now() else d.done_at end,
        reply_code = coalesce(g.code, d.reply_code),
        -- A reply may name a contact that was erased in between.
        reply = case when d.domain <> ${erasedDomain} then coalesce(g.reply, d.reply) end,
        reason = g.reason
      from updates g
      where d.account_id = ${chunk.account}
        and d.campaign_id = ${chunk.campaign}
        and d.month = ${constantMonth(chunk)}
        and d.seq = g.seq
        -- Redundant, so that each row is found by its whole key whatever the planner expects.
        and d.seq = any (${seqs}::int[])
        and (
          (d.state = ${late ? states.unclear : states.trying} and d.chunk_no = ${chunk.no})
          ${byRange ? sql`or (d.state = ${states.queued} and g.marked @> d.seq)` : sql``}
        )
      returning d.seq, d.state, d.next_at as "nextAt", ${uncounted} as uncounted, g.untried and d.attempts = 0 as given_back, g.month,
        case when g.untried and g.reason = ${spared} then d.domain end as domain
    ), handed_out as (
      -- What no relay was given counts again when it is.
      ${countHandedOut(chunk, sql`select month, -count(*) as count from changed where given_back group by month`)}
    ), unmarked as (
      ${changeMarks(chunk, byRange, sql`k.marked - m.seqs`, sql`changed`)}
    ), counted as (
      ${moveTally(
        chunk,
        workerId,
        sql`
        select count(*) filter (where state = ${states.queued}) as queued,
          ${late ? sql`0` : sql`-count(*)`} as trying,
          count(*) filter (where state = ${states.accepted}) as accepted,
          count(*) filter (where state = ${states.later}) as later,
          count(*) filter (where state = ${states.failed}) as failed,
          0 as skipped,
          count(*) filter (where state = ${states.unclear}) - ${late ? sql`count(*)` : sql`0`} as unclear,
          -coalesce(sum(uncounted), 0) as resent
        from changed
        having count(*) > 0`,
      )}
    )
    -- Only those with which something is left to do.
    select s.seq, state, "nextAt", uncounted = 1 as uncounted, domain
    from unnest(${seqs}::int[]) as s (seq)
    left join changed c on c.seq = s.seq
    where c.seq is null
      or state in (${states.later}, ${states.unclear})`),
  );
  await cutRetries(tx, chunk, rows, resendUnclear);
  return new Set(rows.filter((row) => row.state === null).map((row) => row.seq));
}

/** As a table, for jsonb_to_recordset. */
const valuesOf = (updates: readonly RecipientUpdate[]) =>
  jsonb(
    updates.map((update) => ({
      seq: update.seq,
      state: states[update.state],
      code: update.code,
      reply: update.reply === null ? null : cut(update.reply, 500),
      reason: update.reason,
      next_at: update.nextAt,
      untried: update.untried === true,
      // In which it was marked.
      month: `${update.firstAt.toISOString().slice(0, 7)}-01`,
    })),
  );

/**
 * Cuts chunks for later attempts and for copies after an unclear outcome. A chunk that waits for the same time takes them up
 * while it has room.
 */
async function cutRetries(tx: Tx, chunk: Chunk, rows: Written[], resendUnclear: boolean): Promise<void> {
  // Recipients deferred together are attempted together: their due times are rounded up to ten seconds.
  const due = new Map<string, { kind: string; at: Date; domain: string | null; seqs: number[] }>();
  for (const { seq, state, nextAt, uncounted, domain } of rows) {
    // Recipients whose copy was not sent stay in this chunk; deferred ones get a resend chunk whatever the policy is now.
    const resend = state === states.unclear && (uncounted ? nextAt !== null : resendUnclear);
    if (state !== states.later && !resend) continue;
    const at = new Date(Math.ceil((nextAt ?? new Date(0)).getTime() / 10_000) * 10_000);
    const key = `${resend} ${at.getTime()} ${domain}`;
    const cut = due.get(key) ?? { kind: resend ? 'resend' : 'retry', at, domain, seqs: [] };
    cut.seqs.push(seq);
    due.set(key, cut);
  }
  for (const { kind, at, domain, seqs } of due.values()) {
    await tx.run(sql`
      with shared as (
        select no
        from chunk
        where account_id = ${chunk.account}
          and campaign_id = ${chunk.campaign}
          and state = 'waiting'
          and kind = ${kind}
          and due_at = ${at}::timestamptz
          and domain is not distinct from ${domain}::text
          and zone = ${chunk.zone ?? ''}::text
          and cardinality(seqs) + ${seqs.length}::int <= ${maxRetrySize}::int
          -- A recipient is done with the chunk it was last attempted in.
          and no <> ${chunk.no}
        order by no
        limit 1
        -- Another group that is using it right now is not waited for.
        for update skip locked
      ), extended as (
        update chunk k
        set seqs = k.seqs || ${seqs}::int[]
        from shared
        where k.account_id = ${chunk.account}
          and k.campaign_id = ${chunk.campaign}
          and k.no = shared.no
        returning k.no
      )
      insert into chunk (account_id, campaign_id, kind, seqs, domain, zone, due_at)
      select ${chunk.account}::int, ${chunk.campaign}::int, ${kind}::text, ${seqs}::int[], ${domain}::text, ${chunk.zone ?? ''}::text, greatest(${at}::timestamptz, now())
      where not exists (select from extended)`);
  }
}
