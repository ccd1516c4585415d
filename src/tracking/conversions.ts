// Conversions: an event with a value above zero counts for the email of a campaign, autoresponder or automation whose link its
// contact followed last, within some days before it. Counted once, in the transaction that stores the event; what was counted stays,
// whatever becomes of the event, its contact or the setting. Clicks of machines do not count, and neither do single messages.
import type { Context } from '../base/context.ts';
import { type Queries, sql } from '../db/connect.ts';

export type ValuedEvent = { contact: number; at: Date; value: number };

/** How many people brought it in, and their sum as a decimal. */
export type Conversions = { people: number; value: string };

/** Days between the click and the event, unless the account sets another number; 0 counts nothing. */
export const usualConversionDays = 5;

export async function countConversions(
  { tx, account }: Pick<Context, 'account' | 'tx'>,
  events: readonly ValuedEvent[],
): Promise<void> {
  const days = Number(account.settings['conversion_days'] ?? usualConversionDays);
  const valued = events.filter(({ value }) => value > 0);
  if (days === 0 || valued.length === 0) return;
  // Only the first and the last click of a recipient are kept by time; when the last is later than the event, the first decides.
  await tx.run(sql`
    insert into conversion (account_id, campaign_id, seq, at, value)
    select ${account.id}::int, click.campaign_id, click.seq, g.at, g.value
    from jsonb_to_recordset(${JSON.stringify(valued)}::jsonb) as g(contact int, at timestamptz, value numeric)
    cross join lateral (
      select d.campaign_id, d.seq
      from delivery d
      join campaign p on p.account_id = d.account_id and p.id = d.campaign_id and p.type <> 'message'
      -- "offset 0" makes each a look into the partition of the message.
      cross join lateral (
        select case when last_click_at <= g.at then last_click_at else first_click_at end as clicked_at
        from engagement
        where account_id = d.account_id
          and campaign_id = d.campaign_id
          and seq = d.seq
          and month = d.month
          and first_click_at <= g.at
        offset 0
      ) e
      where d.account_id = ${account.id}
        and d.contact_id = g.contact
        and e.clicked_at > g.at - make_interval(days => ${days})
      order by e.clicked_at desc
      limit 1
    ) click`);
}

/** By campaign; campaigns without any are left out. */
export async function conversionsOf(
  db: Queries,
  accountId: number,
  campaigns: readonly number[],
): Promise<Map<number, Conversions>> {
  const rows = await db.rows<Conversions & { id: number }>(sql`
    select campaign_id as id, count(distinct seq)::int as people, trim_scale(sum(value))::text as value
    from conversion
    where account_id = ${accountId}
      and campaign_id = any (${[...campaigns]}::int[])
    group by campaign_id`);
  return new Map(rows.map(({ id, ...conversions }) => [id, conversions]));
}

/** Of all campaigns together, within the last days. */
export async function recentConversions(db: Queries, accountId: number, days: number): Promise<Conversions> {
  const row = await db.row<Conversions>(sql`
    select count(distinct (campaign_id, seq))::int as people, coalesce(trim_scale(sum(value)), 0)::text as value
    from conversion
    where account_id = ${accountId}
      and at > now() - make_interval(days => ${days})`);
  return row!;
}
