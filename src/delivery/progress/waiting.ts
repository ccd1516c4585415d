// What the rest of a campaign waits for, and until when: local time, due time, a retry, or the next day of a warm-up.
// Returns nothing while a message is on the wire or could be sent now.
import { quotaUsedUntil } from '../../accounts/account/monthly-quota.ts';
import { type Message, message } from '../../base/messages.ts';
import { monthOf } from '../../campaigns/model/month.ts';
import { type Queries, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { formatDate } from '../../method/date.ts';
import type { Held } from '../control/held-recipients.ts';
import { heldAfter } from '../ledger/held.ts';
import { usedUp } from '../pace/quota.ts';
import { lastDayOf } from '../pace/warm-up.ts';

/** By its contact's clock, in its best hour, or at a set time. */
type DueBy = 'local_time' | 'best_hour' | 'due_time';

export type Waiting = {
  /** Null: no time is known. */
  nextAt: Date | null;
  lastAt: Date | null;
  for: DueBy | 'retry' | 'quota' | 'monthly_quota' | 'test' | 'window' | 'decision';
};

/** Chunks that wait for the daily quota check it again at the start of the day, or soon after. */
const quotaLookMs = 60_000;

/**
 * @param trying recipients being sent to
 * @param left recipients without a final outcome
 * @param undecided those of them for whom a person decides
 * @returns undefined if something is due now, or nothing is left; the end of an autoresponder is never predicted
 */
export async function whatWaits(
  tx: Queries,
  of: CampaignKey,
  { trying, left, undecided }: { trying: number; left: number; undecided: Held | undefined },
): Promise<Waiting | undefined> {
  // Whether the last chunk has ended by now or not.
  if (undecided && undecided.count >= left)
    return { nextAt: undecided.firstEndsAt, lastAt: undecided.lastEndsAt, for: 'decision' };
  const held = await heldForTest(tx, of);
  const row = (await tx.row<{
    active: boolean | null;
    next: Date | null;
    last: Date | null;
    closed: boolean | null;
    first: boolean | null;
    by: DueBy;
  }>(sql`
    select bool_or(k.state = 'leased' or k.due_at <= now()) as active, min(k.due_at) as next, max(k.due_at) as last,
      -- The first of them waits for the send window.
      (array_agg(k.opens_at = k.due_at order by k.due_at))[1] as closed,
      bool_or(k.kind = 'first') as first,
      (select ${dueBy} from campaign p where p.account_id = ${of.account} and p.id = ${of.campaign}) as by
    from chunk k
    where k.account_id = ${of.account}
      and k.campaign_id = ${of.campaign}
      and k.state <> 'done'`))!;
  if (held && !row.first && row.active !== true) return { nextAt: held.dueAt, lastAt: null, for: 'test' };
  if (!row.next || !row.last) return undefined;
  const nextMonthAt = trying === 0 && row.first ? await quotaUsedUntil(tx, of.account) : undefined;
  // How long the rest takes then depends on what else the account sends.
  if (nextMonthAt) return { nextAt: nextMonthAt, lastAt: null, for: 'monthly_quota' };
  const quota = trying === 0 ? await usedUp(tx, of.account) : undefined;
  if (quota && row.next.getTime() <= quota.nextDayAt.getTime() + quotaLookMs) {
    const lastDayAt = lastDayOf(quota.ramp, quota.ramp.startedAt, quota.now, left);
    // The quota is checked every few minutes, since unused grants may be given back.
    const lastAt = row.last.getTime() > lastDayAt.getTime() + quotaLookMs ? row.last : lastDayAt;
    return { nextAt: quota.nextDayAt, lastAt, for: 'quota' };
  }
  if (row.active !== false) return undefined;
  const reason = row.closed ? 'window' : !row.first ? 'retry' : row.by;
  return { nextAt: row.next, lastAt: row.last, for: reason };
}

/** SQL: what decides when a recipient of the campaign `p` is due. */
const dueBy = sql`case when p.time_match then 'local_time' when p.best_hour then 'best_hour' else 'due_time' end`;

/** The A/B test whose result some recipients wait for. */
function heldForTest(
  tx: Queries,
  of: CampaignKey,
): Promise<{ testSize: number; dueAt: Date | null; byHand: boolean } | undefined> {
  return tx.row(sql`
    select test_size as "testSize", due_at as "dueAt", winner = 'manual' as "byHand"
    from campaign_test
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and ${heldAfter(of)} < (
        select coalesce(sum(recipients), 0) from tally where account_id = ${of.account} and campaign_id = ${of.campaign}
      )`);
}

/** What a queued recipient waits for, beyond its turn. */
export async function whyQueued(
  tx: Queries,
  of: CampaignKey & { status: string },
  seq: number,
): Promise<{ until: Date | null; explanation: Message } | undefined> {
  const held = await heldForTest(tx, of);
  if (held && seq > held.testSize) {
    const time = formatDate(held.dueAt);
    if (held.byHand) return { until: null, explanation: message('explain.queued_test_by_hand') };
    const explanation = time === '' ? message('explain.queued_test') : message('explain.queued_test_due', { time });
    return { until: held.dueAt, explanation };
  }
  const nextMonthAt = of.status === 'sending' ? await quotaUsedUntil(tx, of.account) : undefined;
  if (nextMonthAt) {
    const explanation = message('explain.queued_monthly_quota', { time: formatDate(nextMonthAt) });
    return { until: nextMonthAt, explanation };
  }
  const quota = of.status === 'sending' ? await usedUp(tx, of.account) : undefined;
  const row = await tx.row<{ until: Date; closed: boolean | null; by: DueBy; zone: string }>(sql`
    select k.due_at as until, k.opens_at = k.due_at as closed, ${dueBy} as by,
      coalesce(nullif(c.time_zone, ''), nullif(l.time_zone, ''), a.time_zone) as zone
    from delivery d
    join chunk k on k.account_id = d.account_id and k.campaign_id = d.campaign_id and k.state = 'waiting' and k.due_at > now()
      and (d.seq between k.from_seq and k.to_seq or d.seq = any (k.seqs))
    join campaign p on p.account_id = d.account_id and p.id = d.campaign_id
    join account a on a.id = d.account_id
    left join contact c on c.account_id = d.account_id and c.id = d.contact_id
    left join list l on l.account_id = d.account_id and l.id = d.list_id
    where d.account_id = ${of.account}
      and d.campaign_id = ${of.campaign}
      and d.month = ${monthOf(of)}
      and d.seq = ${seq}
    limit 1`);
  if (quota && (!row || row.until.getTime() <= quota.nextDayAt.getTime() + quotaLookMs)) {
    const explanation = message('explain.queued_quota', { time: formatDate(quota.nextDayAt) });
    return { until: quota.nextDayAt, explanation };
  }
  if (!row) return undefined;
  const time = formatDate(row.until);
  if (row.closed) return { until: row.until, explanation: message('explain.queued_window', { zone: row.zone, time }) };
  return { until: row.until, explanation: explained(row.by, row.zone, time) };
}

function explained(by: DueBy, zone: string, time: string): Message {
  if (by === 'local_time') return message('explain.queued_local_time', { zone, time });
  if (by === 'best_hour') return message('explain.queued_best_hour', { zone, time });
  return message('explain.queued_due_time', { time });
}
