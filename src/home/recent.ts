// What was sent in the last 30 days against the 30 days before: how much was delivered, also by campaigns that are still being sent, and
// which parts people opened and clicked.
import { z } from 'zod';
import type { Context } from '../base/context.ts';
import { sql } from '../db/connect.ts';
import { reactionsOf } from '../tracking/reports/reactions.ts';

export const recentDays = 30;
/** Of more campaigns than these, only the latest count. */
const maxCampaigns = 500;
/** The rates are those of the latest of a period: each needs its recipients counted. */
const ratedCampaigns = 40;

const period = { campaigns: z.int(), delivered: z.int(), open_rate: z.number(), click_rate: z.number() };
export const recentRecord = z.object({
  ...period,
  early: z.boolean().meta({
    description:
      'All of them were sent too recently for their rates to be compared: more opens and clicks are to come.',
  }),
  before: z.object(period),
});

type Sent = { id: number; isLast: boolean; isSettled: boolean; hasEnded: boolean; delivered: number };
type Period = Record<keyof typeof period, number>;
const nothing: Period = { campaigns: 0, delivered: 0, open_rate: 0, click_rate: 0 };

export const noRecent = { ...nothing, early: false, before: nothing };

/** @param settledBefore most opens and clicks of what was sent before have come */
export async function recentFigures({ tx, account, now }: Context, settledBefore: Date) {
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
  const sent = await tx.rows<Sent>(sql`
    select c.id, c.send_at > ${daysAgo(recentDays)} as "isLast", c.send_at <= ${settledBefore} as "isSettled", c.ended as "hasEnded",
      (select coalesce(sum(accepted), 0)::int from tally t where t.account_id = c.account_id and t.campaign_id = c.id)
        as delivered
    from (
      (
        select id, account_id, send_at, true as ended
        from campaign
        where account_id = ${account.id}
          and status = 'sent'
          and type not in ('auto', 'message')
          and send_at > ${daysAgo(2 * recentDays)}
        order by send_at desc nulls last, id
        limit ${maxCampaigns}
      )
      union all
      (
        select id, account_id, send_at, false
        from campaign
        where account_id = ${account.id}
          and status in ('sending', 'paused')
          and type not in ('auto', 'message')
          and send_at > ${daysAgo(2 * recentDays)}
        order by send_at desc, id
        limit ${maxCampaigns}
      )
    ) as c
    order by c.send_at desc, c.id`);
  const last = sent.filter(({ isLast }) => isLast);
  const before = sent.filter(({ isLast }) => !isLast);
  // The rates are those of campaigns that have ended, unless there are none yet.
  const ended = last.filter(({ hasEnded }) => hasEnded);
  const settled = ended.filter(({ isSettled, delivered }) => isSettled && delivered > 0);
  const early = settled.length === 0 && last.length > 0;
  const rated = (settled.length > 0 ? settled : ended.length > 0 ? ended : last).slice(0, ratedCampaigns);
  const ratedBefore = before.filter(({ hasEnded }) => hasEnded).slice(0, ratedCampaigns);
  const reactions = await reactionsOf(
    tx,
    account.id,
    [...rated, ...ratedBefore].map(({ id }) => id),
  );
  const sum = (of: readonly Sent[], value: (one: Sent) => number) => of.reduce((total, one) => total + value(one), 0);
  const periodOf = (all: readonly Sent[], counted: readonly Sent[]): Period => {
    const reached = sum(counted, ({ delivered }) => delivered);
    const rate = (people: (one: Sent) => number) => (reached === 0 ? 0 : sum(counted, people) / reached);
    return {
      campaigns: all.length,
      delivered: sum(all, ({ delivered }) => delivered),
      open_rate: rate(({ id }) => reactions.get(id)?.unique_opens ?? 0),
      click_rate: rate(({ id }) => reactions.get(id)?.users_who_clicked ?? 0),
    };
  };
  return { ...periodOf(last, rated), early, before: periodOf(before, ratedBefore) };
}
