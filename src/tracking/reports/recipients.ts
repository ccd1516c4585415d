// The reports that list recipients: who opened a campaign, who did not, who bounced, who unsubscribed.
import type { Context } from '../../base/context.ts';
import { type Queries, type Sql, sql } from '../../db/connect.ts';
import { states } from '../../db/states.ts';
import { bounceClasses } from '../../events/types.ts';
import { formatDate } from '../../method/date.ts';
import type { BounceClass } from '../../relays/verdict/rules.ts';
import {
  opensOf,
  type Page,
  type Paged,
  type PageOf,
  paged,
  type ReportedCampaign,
  refusalsOf,
  reportedCampaign,
} from './campaign.ts';

export type Opener = {
  email: string;
  count: number;
  opens: number;
  clicks: number;
  last_open: string;
  machine_opens: number;
};
export type Bounce = { email: string; bounce: string; code: number; message: string; timestamp: string };
export type Unsubscriber = { email: string; reason: string; timestamp: string };

/** Returns who opened a campaign; machine opens alone do not count. @throws Fault CAMPAIGN_UNKNOWN */
export async function listOpeners(context: Context, { cid, ...page }: PageOf): Promise<Paged<Opener>> {
  const of = await reportedCampaign(context, cid);
  return openersFrom(
    context.tx,
    of,
    sql`
      select e.contact_id, min(e.seq) as seq, sum(${opensOf})::int as opens, sum(e.clicks)::int as clicks,
        max(coalesce(e.last_open_at, e.first_click_at)) as last_open_at, sum(e.machine_opens)::int as machine_opens
      from engagement e
      where e.account_id = ${of.account}
        and e.campaign_id = ${of.campaign}
        and e.month = ${of.month}
        and ${opensOf} > 0
      group by e.contact_id`,
    page,
  );
}

/** Returns whose server accepted a message of which no open is known. @throws Fault CAMPAIGN_UNKNOWN */
export async function listNonOpeners(context: Context, { cid, ...page }: PageOf): Promise<Paged<Opener>> {
  const of = await reportedCampaign(context, cid);
  return openersFrom(
    context.tx,
    of,
    sql`
      select d.contact_id, min(d.seq) as seq, 0 as opens, 0 as clicks, null::timestamptz as last_open_at,
        sum(coalesce(m.machine_opens, 0))::int as machine_opens
      from delivery d
      left join engagement m
        on m.account_id = d.account_id and m.campaign_id = d.campaign_id and m.seq = d.seq and m.month = ${of.month}
      where d.account_id = ${of.account}
        and d.campaign_id = ${of.campaign}
        and d.month = ${of.month}
        and d.state = ${states.accepted}
        and not exists (
          select from engagement e
          where e.account_id = ${of.account}
            and e.campaign_id = ${of.campaign}
            and e.month = ${of.month}
            and ${opensOf} > 0
            and e.contact_id = d.contact_id
        )
      group by d.contact_id`,
    page,
  );
}

/** The bounce classes that are counted separately; all others are generic. */
export const namedBounces = bounceClasses.filter((name) => name !== 'generic');

/** Returns the recipients with a bounce of this class, without the class. @throws Fault CAMPAIGN_UNKNOWN */
export async function listBouncesOf(
  context: Context,
  { cid, ...page }: PageOf,
  bounce: BounceClass,
): Promise<Paged<Omit<Bounce, 'bounce'>>> {
  const found = await bounces(context.tx, await reportedCampaign(context, cid), bounce, page);
  return { total: found.total, data: found.data.map(({ bounce: _class, ...row }) => row) };
}

/** Returns all recipients with a bounce. @throws Fault CAMPAIGN_UNKNOWN */
export async function listBounces(context: Context, { cid, ...page }: PageOf): Promise<Paged<Bounce>> {
  return bounces(context.tx, await reportedCampaign(context, cid), null, page);
}

/** Returns who unsubscribed by a link of the campaign. @throws Fault CAMPAIGN_UNKNOWN */
export async function listUnsubscribers(context: Context, { cid, ...page }: PageOf): Promise<Paged<Unsubscriber>> {
  return unsubscribers(context.tx, await reportedCampaign(context, cid), page);
}

/** Who left a list by a link of the campaign, once each, also those who have subscribed again. */
export async function unsubscribers(
  db: Queries,
  { account, campaign, cid, month }: ReportedCampaign,
  page: Page,
): Promise<Paged<Unsubscriber>> {
  const found = await paged<{ email: string; reason: string; at: Date }>(
    db,
    sql`coalesce(max(d.email), max(c.email), '') as email, coalesce((array_agg(k.detail ->> 'reason' order by k.at desc))[1], '') as reason, max(k.at) as at`,
    sql`
    from consent k
    left join contact c on c.account_id = k.account_id and c.id = k.contact_id
    left join lateral (
      select email
      from delivery
      where account_id = ${account} and campaign_id = ${campaign} and month = ${month} and contact_id = k.contact_id
      limit 1
    ) d on true
    where k.account_id = ${account}
      and k.detail ? 'campaign'
      and k.detail ->> 'campaign' = ${cid}
      and k.kind = 'unsubscribe'
    group by k.contact_id`,
    sql`min(k.at), k.contact_id`,
    page,
  );
  return withTimestamps(found);
}

/** @param bounce the class, or null for all */
async function bounces(
  db: Queries,
  of: ReportedCampaign,
  bounce: BounceClass | null,
  page: Page,
): Promise<Paged<Bounce>> {
  const found = await paged<Omit<Bounce, 'timestamp'> & { at: Date | null }>(
    db,
    sql`email, class as bounce, code, reply as message, at`,
    sql`
    from ${refusalsOf(of)}
    where (${bounce}::text is null or class = ${bounce} or (${bounce} = 'generic' and class <> all (${[...namedBounces]}::text[])))`,
    sql`seq`,
    page,
  );
  return withTimestamps(found);
}

/** @param persons one row per contact: contact_id, seq of the first message, numbers. Read once for page and total. */
async function openersFrom(
  db: Queries,
  { account, campaign, month }: ReportedCampaign,
  persons: Sql,
  page: Page,
): Promise<Paged<Opener>> {
  const rows = await db.rows<
    Omit<Opener, 'count' | 'last_open'> & { total: number; seq: number | null; lastOpenAt: Date }
  >(sql`
    with person as materialized (${persons})
    select counted.total, p.seq, d.email, p.opens, p.clicks, p.last_open_at as "lastOpenAt", p.machine_opens
    from (select count(*)::int as total from person) counted
    left join (
      select seq, opens, clicks, last_open_at, machine_opens
      from person
      order by seq
      limit ${page.limit}
      offset ${page.start * page.limit}
    ) p on true
    left join delivery d
      on d.account_id = ${account} and d.campaign_id = ${campaign} and d.month = ${month} and d.seq = p.seq
    order by p.seq`);
  const data = rows
    .filter((row) => row.seq !== null)
    .map(({ email, opens, clicks, lastOpenAt, machine_opens }) => ({
      email,
      count: opens,
      opens,
      clicks,
      last_open: formatDate(lastOpenAt),
      machine_opens,
    }));
  return { total: rows[0]!.total, data };
}

function withTimestamps<T extends { at: Date | null }>({ total, data }: Paged<T>) {
  return { total, data: data.map(({ at, ...row }) => ({ ...row, timestamp: formatDate(at) })) };
}
