// The two statements of a group of recipients: one marks it as trying and re-reads the contacts, the other writes the
// outcomes. Both move the tally in the same transaction, so the accounting holds at every moment. First attempts of a campaign
// are marked in their chunk's row (`marked`), all others in their own rows; states.ts has the rules.
import { erasedDomain } from '../../audience/contacts/erase.ts';
import { suppressed } from '../../audience/suppression/suppression.ts';
import { constantMonth } from '../../campaigns/month.ts';
import { prepared, type Queries, type Sql, sql, type Tx } from '../../db/connect.ts';
import { cut, jsonb } from '../../db/jsonb.ts';
import { endMessages } from '../bounces/single-messages.ts';
import { isRedoneBy } from '../recovery/timeline.ts';
import { inRange, isMarkedIn, rangesOf, states } from './states.ts';
import { moveTally } from './tally.ts';

/** Recipients in a chunk of later attempts, at most. */
export const maxRetrySize = 500;

/** The reason of recipients that were deferred, without an attempt, because their domain is paused or slow. */
export const spared = 'spared';

/** A chunk under our lease. */
export type Chunk = {
  account: number;
  campaign: number;
  /** Of the campaign: the partition of its recipients. */
  month: string;
  no: number;
  kind: 'first' | 'retry' | 'resend';
  fromSeq: number | null;
  toSeq: number | null;
  seqs: number[] | null;
  /** The domain of all its recipients, when they were deferred because of it. */
  domain?: string | null;
  lease: number;
  crashes: number;
  /** Its recipients are those of single messages, each with a content of its own. */
  messages?: boolean;
  /** They are single messages of callers or to users, which go before all others that wait for a connection. */
  urgent?: boolean;
  /** Hash of the content frozen at the launch; a campaign that is changed while paused is launched again. */
  contentHash?: string | null;
};

/** A recipient to attempt now, with its present values. */
export type Marked = {
  seq: number;
  contact: number;
  list: number;
  email: string;
  domain: string;
  emailType: 'html' | 'text';
  values: Record<string, string>;
  attempts: number;
  /** Copies sent after an unclear outcome, including this one. */
  resent: number;
  /** What an autoresponder is sent for; the public id of a single message. */
  occasion?: string;
  firstAt: Date;
};

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

/** A group after marking; `again`: some were marked in this chunk before. */
export type MarkedGroup = {
  marked: Marked[];
  /** Recipients found, with those skipped, and those that another transaction changed at that moment: these are still to be marked. */
  touched: number;
  again: boolean;
  /** The campaign is no longer being sent; the worker may not have been notified yet. */
  stopped?: true;
};

/**
 * Marks up to `maxSize` recipients of a chunk as trying and reads their present values. A contact that has unsubscribed
 * since the launch is skipped with the reason, or failed as unclear when the message may have been sent before.
 * @param latenessSeconds an autoresponder's occasion that has been due for longer than this is skipped as late
 * @returns undefined, with nothing changed, when the lease is lost
 */
export async function markGroup(
  tx: Tx,
  chunk: Chunk,
  workerId: number,
  maxSize: number,
  latenessSeconds: number,
): Promise<MarkedGroup | undefined> {
  const lease = await lockLease(tx, chunk, workerId);
  if (!lease) return undefined;
  if (lease.sending !== true) return { marked: [], touched: 0, again: false, stopped: true };
  const rows = await tx.rows<Marked & { skip: string | null; touched: number; again: boolean }>(
    prepared(markStatement(chunk, workerId, maxSize, latenessSeconds)),
  );
  const { touched, again } = rows[0]!;
  if (chunk.messages) {
    const skipped = rows.filter((row) => row.skip !== null).map(({ seq }) => seq);
    await endMessages(tx, chunk, lease.now, skipped);
  }
  // A single row without a seq when nothing was changed.
  return { marked: rows.filter((row) => row.seq !== null && row.skip === null), touched, again };
}

/** Keeps the lease until the transaction ends. @returns undefined when it is lost, or a fail-over has lost outcomes; `sending`: the campaign is being sent */
function lockLease(
  tx: Tx,
  chunk: Chunk,
  workerId: number,
): Promise<{ sending: boolean | null; now: Date } | undefined> {
  return tx.row<{ sending: boolean | null; now: Date }>(
    prepared(sql`
    select (
        select p.status = 'sending' from campaign p where p.account_id = k.account_id and p.id = k.campaign_id
      ) as sending, now() as now
    from chunk k
    where k.account_id = ${chunk.account}
      and k.campaign_id = ${chunk.campaign}
      and k.no = ${chunk.no}
      and k.state = 'leased'
      and k.worker_id = ${workerId}
      and k.lease = ${chunk.lease}
      and ${isRedoneBy(workerId)}
    for no key update of k`),
  );
}

/** Picks recipients of the chunk, decides for each whether to send or skip, writes that and moves the tally. */
function markStatement(chunk: Chunk, workerId: number, maxSize: number, latenessSeconds: number): Sql {
  const byRange = inRange(chunk);
  const month = constantMonth(chunk);
  return sql`
    with picked as (
      select ctid, seq, chunk_no, contact_id, list_id, email, domain, occasion, state, attempts, resent, first_at,
        abs(chunk_no) is not distinct from ${chunk.no} as again,
        ${maybeSent} as maybe_sent,
        occasion <> '' and state = ${states.queued} and attempts = 0
          and due_at < now() - make_interval(secs => ${latenessSeconds}) as late
      from delivery
      where account_id = ${chunk.account}
        and campaign_id = ${chunk.campaign}
        and month = ${month}
        and ${within(chunk)}
        and ${toMark(chunk)}
        ${byRange ? sql`and not ${isMarkedIn(chunk)}` : sql``}
      order by seq
      limit ${maxSize}
    -- Materialized: otherwise the planner repeats its expressions, with their subqueries, for each column below.
    ), checked as materialized (
      ${chunk.messages ? checkedMessages(chunk) : checkedContacts(chunk.account)}
    ), written as (
      update delivery d
      set state = (
          case
            when r.skip is null then ${states.trying}::int
            when r.maybe_sent then ${states.failed}::int
            else ${states.skipped}::int
          end
        )::smallint,
        attempts = d.attempts + (r.skip is null)::int,
        resent = d.resent + (r.skip is null and r.state = ${states.unclear}::int)::int,
        chunk_no = ${chunk.no},
        first_at = coalesce(d.first_at, now()),
        next_at = null,
        done_at = case when r.skip is null then d.done_at else now() end,
        reason = case when r.skip is not null and r.maybe_sent then 'unclear' else coalesce(r.skip, d.reason) end
      from checked r
      -- By key, the planner may scan the whole campaign for each row: it assumes that account and campaign are independent
      -- and expects one row where there are a million. The values are compared again, because another transaction may have
      -- changed the row since it was picked.
      where d.ctid = r.ctid
        and d.month = ${month}
        and d.state = r.state
        and d.email = r.email
        and d.chunk_no is not distinct from r.chunk_no
        ${byRange ? sql`and r.skip is not null` : sql``}
      returning d.seq, d.contact_id as contact, d.list_id as list, d.email, d.domain, d.attempts, d.resent, d.first_at as "firstAt", d.occasion,
        coalesce(r.email_type, 'html') as "emailType", coalesce(r.fields, '{}') as values, r.skip, r.state as before,
        d.state as after
    ), changed as (
      select * from written
      ${byRange ? markedRows : sql``}
    ), marked as (
      ${changeMarks(chunk, byRange, sql`k.marked + m.seqs`, sql`changed where skip is null`)}
    ), counted as (
      ${moveTally(
        chunk,
        workerId,
        sql`
        select -count(*) filter (where before = ${states.queued}) as queued,
          count(*) filter (where skip is null) as trying,
          0 as accepted,
          -count(*) filter (where before = ${states.later}) as later,
          count(*) filter (where after = ${states.failed}) as failed,
          count(*) filter (where after = ${states.skipped}) as skipped,
          -count(*) filter (where before = ${states.unclear}) as unclear,
          count(*) filter (where before = ${states.unclear} and skip is null) as resent
        from changed
        having count(*) > 0`,
      )}
    )
    -- A row that another transaction has changed since it was picked is left to the next group.
    select p.touched, p.again, c.seq, contact, list, c.email, c.domain, attempts, resent, "firstAt", occasion, "emailType", values, skip
    from (select count(*)::int as touched, coalesce(bool_or(again), false) as again from picked) as p
    left join changed c on true
    order by c.seq`;
}

/** Adds recipients to what the row of a range marks, or removes them. @param rows with their seqs */
const changeMarks = (chunk: Chunk, byRange: boolean, marked: Sql, rows: Sql): Sql => sql`
      update chunk k
      set marked = ${marked}
      from (select ${rangesOf(sql`seq`)} as seqs from ${rows}) as m
      where ${byRange}
        and m.seqs is not null
        and k.account_id = ${chunk.account}
        and k.campaign_id = ${chunk.campaign}
        and k.no = ${chunk.no}`;

/** The recipients that the chunk's row marks: theirs are read only. */
const markedRows = sql`
      union all
      select seq, contact_id, list_id, email, domain, (attempts + 1)::smallint, resent, coalesce(first_at, now()), occasion,
        coalesce(email_type, 'html'), coalesce(fields, '{}'), skip, state, ${states.trying}::smallint
      from checked
      where skip is null`;

/** The present values of contacts, and why one is not sent to. */
function checkedContacts(account: number): Sql {
  return sql`
    select p.*, s.email_type, s.fields,
      case
        when c.id is null or s.contact_id is null then 'deleted'
        when s.status <> 'subscribed' then s.status
        when ${suppressed(account, sql`c.email_key`, sql`p.domain`)}
          -- The address of the contact may have changed since the launch.
          or (lower(p.email) <> c.email_key and ${suppressed(account, sql`lower(p.email)`, sql`p.domain`)})
          then 'suppressed'
        when c.paused_until > now() then 'paused'
        when p.late then 'late'
      end as skip
    from picked p
    left join contact c on c.account_id = ${account} and c.id = p.contact_id
    left join subscription s on s.account_id = ${account} and s.list_id = p.list_id and s.contact_id = p.contact_id`;
}

/**
 * The recipient of a single message need not be a contact, and no subscription decides whether it is sent. A list's message is
 * sent while the subscription that it is about and the contact's address are as they were. What the program writes to users
 * is always sent, but an invitation only while there is one.
 */
function checkedMessages({ account, campaign }: Chunk): Sql {
  return sql`
    select p.*, 'html' as email_type, '{}'::jsonb as fields,
      case
        when p.domain = ${erasedDomain} then 'deleted'
        when m.late_at < now() then 'late'
        when m.purpose = 'message' then case
          when ${suppressed(account, sql`lower(p.email)`, sql`p.domain`, 'unsubscribe')} then 'suppressed'
        end
        when p.list_id <> 0 then case
          when s.contact_id is null then 'deleted'
          when s.status <> case m.purpose when 'confirm' then 'pending' when 'welcome' then 'subscribed' else 'unsubscribed' end
            then s.status
          when r.email_key <> c.email_key then 'address_changed'
          when ${suppressed(account, sql`lower(p.email)`, sql`p.domain`)} then 'suppressed'
        end
        when m.purpose = 'invite' and not exists (
          select
          from invitation i
          where i.account_id = ${account}
            -- A key that is not ASCII is spelled otherwise than the address of a recipient.
            and (i.email_key = lower(p.email) or octet_length(i.email_key) > length(i.email_key))
        ) then 'deleted'
      end as skip
    from picked p
    left join message_recipient r on r.account_id = ${account} and r.campaign_id = ${campaign} and r.seq = p.seq
    left join message m on m.account_id = ${account} and m.campaign_id = ${campaign} and m.no = r.no
    left join contact c on c.account_id = ${account} and c.id = p.contact_id
    left join subscription s on s.account_id = ${account} and s.list_id = p.list_id and s.contact_id = p.contact_id`;
}

/** The recipients of a chunk that are to be marked, as a condition on delivery together with `within`. */
export function toMark(chunk: Pick<Chunk, 'no' | 'kind' | 'seqs'>): Sql {
  // A recipient that another chunk has attempted stays with that one, which marks it in its own row.
  if (inRange(chunk)) return sql`(state = ${states.queued} and coalesce(chunk_no, ${chunk.no}) = ${chunk.no})`;
  // A recipient that was deferred or unclear in this chunk waits for another one.
  return sql`
    (
      state = ${states.queued}
      or (
        ${chunk.kind !== 'first'}
        and state = ${chunk.kind === 'resend' ? states.unclear : states.later}
        and chunk_no is distinct from ${chunk.no}
      )
    )`;
}

/** How many recipients of a chunk are left to mark, up to `max`: no more of the daily quota is reserved than can be used. */
export async function queuedIn(db: Queries, chunk: Chunk, max: number): Promise<number> {
  const row = await db.row<{ count: number }>(sql`
    select count(*)::int as count
    from (
      select from delivery
      where account_id = ${chunk.account}
        and campaign_id = ${chunk.campaign}
        and month = ${constantMonth(chunk)}
        and ${within(chunk)}
        and state in (${states.queued}, ${states.later}, ${states.unclear})
        and not ${isMarkedIn(chunk)}
      limit ${max}
    ) as recipients`);
  return row!.count;
}

/**
 * Writes the outcomes of recipients that were trying under this lease, and cuts chunks for those to be attempted again.
 * Rows that another worker has taken over since are not changed.
 * @param late writes outcomes of recipients that became unclear because this lease was taken over without a trace of them,
 *   and whose copy has not begun
 * @returns the seqs that were not changed
 */
export async function writeGroup(
  tx: Queries,
  chunk: Chunk,
  workerId: number,
  updates: readonly RecipientUpdate[],
  resendUnclear: boolean,
  late = false,
): Promise<Set<number>> {
  if (updates.length === 0) return new Set();
  const seqs = updates.map((update) => update.seq);
  const byRange = inRange(chunk) && !late;
  // A row that has none was marked now, with the group.
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
        as g(seq int, state smallint, code smallint, reply text, reason text, next_at timestamptz, untried boolean)
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
      returning d.seq, d.state, d.next_at as "nextAt", ${uncounted} as uncounted,
        case when g.untried and g.reason = ${spared} then d.domain end as domain
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
    })),
  );

/**
 * Cuts chunks for later attempts and for copies after an unclear outcome. A chunk that waits for the same time takes them up
 * while it has room.
 */
async function cutRetries(tx: Queries, chunk: Chunk, rows: Written[], resendUnclear: boolean): Promise<void> {
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
      insert into chunk (account_id, campaign_id, kind, seqs, domain, due_at)
      select ${chunk.account}::int, ${chunk.campaign}::int, ${kind}::text, ${seqs}::int[], ${domain}::text, greatest(${at}::timestamptz, now())
      where not exists (select from extended)`);
  }
}

/**
 * A condition on delivery: the recipient may have received the message although it is not accepted. Such a recipient
 * becomes accepted or failed, never skipped.
 */
export const maybeSent = sql`(state = ${states.unclear} or resent > 0)`;

/** Without a state: not changed. */
type Written = { seq: number; state: number | null; nextAt: Date | null; uncounted: boolean; domain: string | null };

/** The recipients of a chunk, as a condition on delivery. */
export function within(chunk: Pick<Chunk, 'fromSeq' | 'toSeq' | 'seqs'>): Sql {
  return chunk.seqs === null
    ? sql`seq between ${chunk.fromSeq} and ${chunk.toSeq}`
    : sql`seq = any (${chunk.seqs}::int[])`;
}
