// Marks a group of recipients as trying and re-reads their contacts. The tally moves in the same transaction, so the accounting
// holds at every moment. First attempts of a campaign are marked in their chunk's row (`marked`), all others in their own rows.

import { leftToHandOut, lockQuota, thisMonth } from '../../accounts/account/monthly-quota.ts';
import { suppressed } from '../../audience/model/suppression.ts';
import { erasedDomain } from '../../base/erasure.ts';
import { type FrequencyCap, parseFrequencyCap } from '../../base/relay/frequency-cap.ts';
import { opensAt, parseSendWindow } from '../../base/relay/send-window.ts';
import { isZone } from '../../base/zones.ts';
import { constantMonth } from '../../campaigns/model/month.ts';
import { empty, prepared, type Sql, sql, type Tx } from '../../db/connect.ts';
import { states } from '../../db/states.ts';
import { hasLeftSegment } from './asked-again.ts';
import { type Chunk, changeMarks, type Marked, maybeSent, toMark, within } from './chunk.ts';
import { endMessages } from './end-messages.ts';
import { isOverCap } from './frequency-cap.ts';
import { countHandedOut } from './handed-out.ts';
import { inRange, isMarkedIn } from './marked.ts';
import { addEvents } from './run-event.ts';
import { moveTally } from './tally.ts';
import { isRedoneBy } from './timeline.ts';

/** A group after marking; `again`: some were marked in this chunk before. */
export type MarkedGroup = {
  marked: Marked[];
  /** Recipients found: those marked, those skipped, and those that another transaction has locked, which are marked later. */
  touched: number;
  again: boolean;
  /** The campaign is no longer being sent; the worker may not have been notified yet. */
  stopped?: true;
  /** Nothing was marked: the send window of its contacts is closed until then. */
  closedUntil?: { at: Date; afterMs: number };
  /** Nothing was marked: all that is left would be handed out for the first time, and the monthly quota is used up. */
  quotaUsed?: true;
};

/**
 * Marks up to `maxSize` recipients of a chunk as trying and reads their present values. A contact that has unsubscribed
 * since the launch is skipped with the reason, or failed as unclear when the message may have been sent before.
 * @param latenessSeconds an autoresponder's message about a date that has been due for longer than this is skipped as late
 * @returns undefined, with nothing changed, when the lease is lost
 */
export async function markGroup(
  tx: Tx,
  chunk: Chunk,
  workerId: number,
  maxSize: number,
  latenessSeconds: number,
): Promise<MarkedGroup | undefined> {
  const alone = chunk.messages === true || (await lockQuota(tx, chunk.account));
  const lease = await lockLease(tx, chunk, workerId);
  if (!lease) return undefined;
  const left = chunk.messages ? null : lease.left;
  // Of a quota that has just been set, others may hand out at the same time.
  const isRaced = left !== null && !alone;
  if (lease.sending !== true || isRaced) return { marked: [], touched: 0, again: false, stopped: true };
  const closedUntil = closedUntilOf(lease);
  if (closedUntil) return { marked: [], touched: 0, again: false, closedUntil };
  const hasLeft = await hasLeftSegment(tx, chunk);
  const quota = { isUsed: left === 0, size: left ? Math.min(maxSize, left) : maxSize };
  const rows = await tx.rows<Marked & { skip: string | null; touched: number; again: boolean }>(
    prepared(
      markStatement(
        chunk,
        workerId,
        quota,
        latenessSeconds,
        parseFrequencyCap(lease.cap ?? ''),
        lease.opensAt,
        hasLeft,
      ),
    ),
  );
  const { touched, again } = rows[0]!;
  if (touched === 0 && quota.isUsed && maxSize > 0 && (await hasFirstAttempts(tx, chunk)))
    return { marked: [], touched, again, quotaUsed: true };
  if (chunk.messages) {
    const skipped = rows.filter((row) => row.skip !== null).map(({ seq }) => seq);
    await endMessages(tx, chunk, lease.now, skipped);
  }
  // A single row without a seq when nothing was changed.
  const marked = rows.filter((row) => row.seq !== null && row.skip === null);
  return { marked: [...(await addEvents(tx, chunk.account, marked))], touched, again };
}

/** Whether recipients are left that were never handed out. */
async function hasFirstAttempts(tx: Tx, chunk: Chunk): Promise<boolean> {
  const row = await tx.row(sql`
    select
    from delivery
    where account_id = ${chunk.account}
      and campaign_id = ${chunk.campaign}
      and month = ${constantMonth(chunk)}
      and ${within(chunk)}
      and ${toMark(chunk)}
      and attempts = 0
      and not ${isMarkedIn(chunk)}
    limit 1`);
  return row !== undefined;
}

type Lease = {
  sending: boolean | null;
  now: Date;
  /** Emails that the account may still hand out this month; null without a limit. */
  left: number | null;
  cap: string | null;
  /** The setting; null where it does not apply. */
  window: string | null;
  zone: string;
  accountZone: string;
  /** When the window that it waited for opened. */
  opensAt: Date | null;
};

/** THE place where a send window holds a chunk back, at its lease and before each of its groups. */
function closedUntilOf({ window, zone, accountZone, now }: Lease): { at: Date; afterMs: number } | undefined {
  const parsed = parseSendWindow(window ?? '');
  const at = parsed && opensAt(parsed, isZone(zone) ? zone : accountZone, now);
  return at && { at, afterMs: at.getTime() - now.getTime() };
}

/** Keeps the lease until the transaction ends. @returns undefined when it is lost, or a fail-over has lost outcomes; `sending`: the campaign is being sent */
function lockLease(tx: Tx, chunk: Chunk, workerId: number): Promise<Lease | undefined> {
  return tx.row<Lease>(
    prepared(sql`
    select (
        select p.status = 'sending' and p.revision = ${chunk.revision ?? 1}
        from campaign p
        where p.account_id = k.account_id
          and p.id = k.campaign_id
      ) as sending, now() as now, (
        select settings ->> 'frequency_cap' from account where id = k.account_id
      ) as cap, (
        select ${leftToHandOut(sql`a`)} from account a where a.id = k.account_id
      ) as left, (
        select a.settings ->> 'send_window'
        from campaign p
        join account a on a.id = p.account_id
        where p.account_id = k.account_id
          and p.id = k.campaign_id
          and p.type <> 'message'
          and not p.any_time
      ) as window, k.zone, (
        select time_zone from account where id = k.account_id
      ) as "accountZone",
      k.opens_at as "opensAt"
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
function markStatement(
  chunk: Chunk,
  workerId: number,
  quota: { isUsed: boolean; size: number },
  latenessSeconds: number,
  cap: FrequencyCap | undefined,
  opened: Date | null,
  left: Sql | undefined,
): Sql {
  const byRange = inRange(chunk);
  const month = constantMonth(chunk);
  return sql`
    with picked as (
      select ctid, seq, chunk_no, contact_id, list_id, email, domain, occasion, language, state, attempts, resent, first_at,
        abs(chunk_no) is not distinct from ${chunk.no} as again,
        ${maybeSent} as maybe_sent,
        occasion <> '' and state = ${states.queued} and attempts = 0
          -- What waited for the send window is late by when that opened.
          and greatest(due_at, ${opened}::timestamptz) < ${lateBefore(chunk, latenessSeconds)} as late
      from delivery
      where account_id = ${chunk.account}
        and campaign_id = ${chunk.campaign}
        and month = ${month}
        and ${within(chunk)}
        and ${toMark(chunk)}
        ${byRange ? sql`and not ${isMarkedIn(chunk)}` : empty}
        -- What was handed out before has been counted.
        ${quota.isUsed ? sql`and attempts > 0` : empty}
      order by seq
      limit ${quota.size}
    -- Materialized: otherwise the planner repeats its expressions, with their subqueries, for each column below.
    ), checked as materialized (
      ${chunk.messages ? checkedMessages(chunk) : checkedContacts(chunk, cap, left)}
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
        d.language,
        coalesce(r.email_type, 'html') as "emailType", coalesce(r.fields, '{}') as values, r.untracked, r.skip, r.state as before,
        d.state as after
    ), changed as (
      select * from written
      ${byRange ? markedRows : sql``}
    ), handed_out as (
      ${countHandedOut(chunk, sql`select ${thisMonth} as month, count(*) as count from changed where skip is null and attempts = 1`)}
    ), marked as (
      ${changeMarks(chunk, byRange, sql`k.marked + m.seqs, marked_at = case when k.marked = '{}' then now() else k.marked_at end`, sql`changed where skip is null`)}
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
    select p.touched, p.again, c.seq, contact, list, c.email, c.domain, attempts, resent, "firstAt", occasion, language, "emailType", values, untracked, skip
    from (select count(*)::int as touched, coalesce(bool_or(again), false) as again from picked) as p
    left join changed c on true
    order by c.seq`;
}

/**
 * An occasion that was due before this is late: a day by now, a sign-up only by when its autoresponder was resumed, since it is for
 * this day or never, whereas a welcome is as good later. The emails of automations are never late: the next step relies on them.
 */
const lateBefore = ({ account, campaign }: Chunk, latenessSeconds: number): Sql => sql`
  case
    when occasion like ${dayPattern} then now()
    when occasion = 'signup' then (select resumed_at from campaign where account_id = ${account} and id = ${campaign})
  end - make_interval(secs => ${latenessSeconds})`;

/** 2027-02-28 (campaigns/release/occasions.ts). */
const dayPattern = '____-__-__';

/** Recipients marked in the chunk row; their own rows are not changed. */
const markedRows = sql`
      union all
      select seq, contact_id, list_id, email, domain, (attempts + 1)::smallint, resent, coalesce(first_at, now()), occasion,
        language,
        coalesce(email_type, 'html'), coalesce(fields, '{}'), untracked, skip, state, ${states.trying}::smallint
      from checked
      where skip is null`;

/** The present values of contacts, and why one is not sent to. */
function checkedContacts(chunk: Chunk, cap: FrequencyCap | undefined, left: Sql | undefined): Sql {
  const { account } = chunk;
  return sql`
    select p.*, s.email_type, s.fields, coalesce(c.untracked, false) as untracked,
      case
        when c.id is null or s.contact_id is null then 'deleted'
        when s.status <> 'subscribed' then s.status
        when ${suppressed(account, sql`c.email_key`, sql`p.domain`)}
          -- The address of the contact may have changed since the launch.
          or (lower(p.email) <> c.email_key and ${suppressed(account, sql`lower(p.email)`, sql`p.domain`, 'unsubscribe')})
          then 'suppressed'
        -- The contact wants no emails there any more: it has moved.
        when lower(p.email) <> c.email_key and ${suppressed(account, sql`lower(p.email)`, sql`p.domain`)} then 'address_changed'
        when c.paused_until > now() then 'paused'
        when p.late then 'late'
        -- One that may have got it already gets its copy.
        ${left ? sql`when not p.maybe_sent and ${left} then 'left_segment'` : empty}
        ${cap ? sql`when not p.maybe_sent and ${isOverCap(chunk, cap)} then 'capped'` : empty}
      end as skip
    from picked p
    left join contact c on c.account_id = ${account} and c.id = p.contact_id
    left join subscription s on s.account_id = ${account} and s.list_id = p.list_id and s.contact_id = p.contact_id`;
}

/** SQL: for a message m that has waited for its time, what was checked when it was called. */
const maySendNoMore = (account: number): Sql => sql`
  exists (select from account a where a.id = ${account} and not (a.active and a.may_send))`;

/** As in accounts/account/foreign-domain.ts. */
const isForeign = (account: number): Sql => sql`(
  select coalesce(not bool_or(o.account_id = ${account}), false)
  from sender_domain o
  where o.domain = lower(substring(m.from_email from '[^@]*$'))
    and o.active
)`;

/**
 * The recipient of a single message need not be a contact, and no subscription decides whether it is sent. A list's message is
 * sent while the subscription that it is about and the contact's address are as they were. What the program writes to users
 * is always sent, but an invitation only while there is one.
 */
function checkedMessages({ account, campaign }: Chunk): Sql {
  return sql`
    select p.*, 'html' as email_type, '{}'::jsonb as fields, false as untracked,
      case
        when p.domain = ${erasedDomain} then 'deleted'
        when m.late_at < now() then 'late'
        when m.purpose = 'message' then case
          when m.send_at is not null and ${maySendNoMore(account)} then 'not_allowed'
          when m.send_at is not null and ${isForeign(account)} then 'foreign_domain'
          when ${suppressed(account, sql`lower(p.email)`, sql`p.domain`, 'unsubscribe')} then 'suppressed'
        end
        when p.list_id <> 0 then case
          when s.contact_id is null then 'deleted'
          when s.status <> case m.purpose when 'confirm' then 'pending' when 'welcome' then 'subscribed' else 'unsubscribed' end
            then s.status
          when r.email_key <> c.email_key then 'address_changed'
          -- Confirming is how a person who has left everything comes back.
          when m.purpose = 'confirm' and ${suppressed(account, sql`lower(p.email)`, sql`p.domain`, 'unsubscribe')} then 'suppressed'
          when m.purpose <> 'confirm' and ${suppressed(account, sql`lower(p.email)`, sql`p.domain`)} then 'suppressed'
        end
        when m.purpose = 'invite' and not exists (
          select
          from invitation i
          where i.account_id = ${account}
            -- The key of an address that is not ASCII differs from the address itself.
            and (i.email_key = lower(p.email) or octet_length(i.email_key) > length(i.email_key))
        ) then 'deleted'
      end as skip
    from picked p
    left join message_recipient r on r.account_id = ${account} and r.campaign_id = ${campaign} and r.seq = p.seq
    left join message m on m.account_id = ${account} and m.campaign_id = ${campaign} and m.no = r.no
    left join contact c on c.account_id = ${account} and c.id = p.contact_id
    left join subscription s on s.account_id = ${account} and s.list_id = p.list_id and s.contact_id = p.contact_id`;
}
