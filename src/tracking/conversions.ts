// Conversions: an event with a value above zero counts for the email of a campaign, autoresponder or automation whose link its
// contact followed last, within some days before it. Counted once, in the transaction that stores the event; what was counted stays,
// whatever becomes of the event, its contact or the setting. Clicks of machines do not count, and neither do single messages. Values of
// different currencies are never added up.
import { z } from 'zod';
import type { Context } from '../base/context.ts';
import { type Queries, type Sql, sql } from '../db/connect.ts';
import type { CampaignKey } from '../db/keys.ts';

export type ValuedEvent = { contact: number; at: Date; precisionMs: number; value: number; currency: string };

/** How many people bought, and the sum of each currency as a decimal, the one of most events first; "" is what names no currency. */
export type Conversions = { people: number; values: { currency: string; value: string }[] };

export const conversionsRecord = {
  people: z.int(),
  values: z
    .array(
      z.object({
        currency: z.string().meta({ description: 'Such as EUR; "" of events whose data names none.' }),
        value: z.string().meta({ description: 'The sum as a decimal.' }),
      }),
    )
    .meta({ description: 'Of each currency its own sum; empty if there is none.' }),
};

/** Days between the click and the event, unless the account sets another number; 0 counts nothing. */
export const usualConversionDays = 5;

/** The currency that the data of an event names, as shops do: EUR, or eur. @returns "" if it names none */
export function currencyOf({ currency }: Record<string, unknown>): string {
  const code = typeof currency === 'string' ? currency.trim() : '';
  return /^[a-z]{3}$/i.test(code) ? code.toUpperCase() : '';
}

export async function countConversions(
  { tx, account }: Pick<Context, 'account' | 'tx'>,
  events: readonly ValuedEvent[],
): Promise<void> {
  const days = Number(account.settings['conversion_days'] ?? usualConversionDays);
  // A click within the second, minute or day that is the time of the event may have been before it, and counts as such.
  const valued = events.flatMap(({ precisionMs, ...event }) =>
    event.value > 0 ? [{ ...event, until: new Date(event.at.getTime() + precisionMs) }] : [],
  );
  if (days === 0 || valued.length === 0) return;
  // Only the first and the last click of a recipient are kept by time; when the last is later than the event, the first decides.
  await tx.run(sql`
    insert into conversion (account_id, campaign_id, seq, contact_id, at, value, currency)
    select ${account.id}::int, click.campaign_id, click.seq, g.contact, g.at, g.value, g.currency
    from jsonb_to_recordset(${JSON.stringify(valued)}::jsonb) as g(contact int, at timestamptz, until timestamptz, value numeric, currency text)
    cross join lateral (
      select d.campaign_id, d.seq
      from delivery d
      join campaign p on p.account_id = d.account_id and p.id = d.campaign_id and p.type <> 'message'
      -- "offset 0" makes each a look into the partition of the message.
      cross join lateral (
        select case when last_click_at < g.until then last_click_at else first_click_at end as clicked_at
        from engagement
        where account_id = d.account_id
          and campaign_id = d.campaign_id
          and seq = d.seq
          and month = d.month
          and first_click_at < g.until
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
  const rows = await db.rows<Figure & { id: number }>(sql`
    select campaign_id as id, ${figures}
    from conversion
    where account_id = ${accountId}
      and campaign_id = any (${[...campaigns]}::int[])
    group by grouping sets ((campaign_id), (campaign_id, currency))
    ${byCount}`);
  return new Map([...Map.groupBy(rows, ({ id }) => id)].map(([id, own]) => [id, sumUp(own)]));
}

/** Of several campaigns together, such as the emails of an automation: each person once. */
export const conversionsOfAll = (db: Queries, accountId: number, campaigns: readonly number[]): Promise<Conversions> =>
  together(db, sql`account_id = ${accountId} and campaign_id = any (${[...campaigns]}::int[])`);

/** Of all campaigns together, within the last days. */
export const recentConversions = (db: Queries, accountId: number, days: number): Promise<Conversions> =>
  together(db, sql`account_id = ${accountId} and at > now() - make_interval(days => ${days})`);

type Figure = { isSum: boolean; currency: string | null; people: number; value: string };

const together = async (db: Queries, which: Sql): Promise<Conversions> =>
  sumUp(
    await db.rows<Figure>(sql`
      select ${figures} from conversion where ${which} group by grouping sets ((), (currency)) ${byCount}`),
  );

/** A recipient whose contact was forgotten is a person of its own. */
const figures = sql`
  grouping(currency) = 0 as "isSum", currency, trim_scale(coalesce(sum(value), 0))::text as value,
  count(distinct coalesce(contact_id::text, campaign_id || ' ' || seq))::int as people`;
const byCount = sql`order by count(*) desc, currency`;

const sumUp = (rows: readonly Figure[]): Conversions => ({
  people: rows.find(({ isSum }) => !isSum)?.people ?? 0,
  values: rows.filter(({ isSum }) => isSum).map(({ currency, value }) => ({ currency: currency!, value })),
});

/** Forgets who the people of a campaign were, with its recipients. The figures stay. */
export async function forgetConverted(db: Queries, { account, campaign }: CampaignKey): Promise<void> {
  await db.run(sql`
    update conversion
    set contact_id = null
    where account_id = ${account}
      and campaign_id = ${campaign}
      and contact_id is not null`);
}
