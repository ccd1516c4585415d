// Detects machines that follow every link of a message, such as security scanners with the name of a browser. Their first clicks
// look like a person's: they are uncounted once the burst is recognised, and their events are withdrawn, which are held for
// that long. Works across web processes, since it reads the stored hits.
import { prepared, type Sql, sql, type Tx } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { jsonb } from '../db/jsonb.ts';
import { type Uncounted, uncountReactions } from './summaries.ts';
import type { RecipientIds } from './tokens.ts';

/** No person follows this many different links within this many seconds, which are fewer than clickHoldMs. */
const burstLinks = 4;
const burstSeconds = 2;
/** The newest hits of a recipient that are looked at. */
const maxHits = 100;

type Click = RecipientIds & { at: Date };
type Recipient = { account: number; campaign: number; contact: number };

/** Turns the clicks of bursts into a machine's. @param clicks the new ones that were counted as a person's */
export async function uncountBursts(tx: Tx, clicks: readonly Click[]): Promise<void> {
  if (clicks.length === 0) return;
  const recipients = [
    ...Map.groupBy(clicks, ({ account, campaign, seq }) => `${account}.${campaign}.${seq}`).values(),
  ].map((own) => ({
    account_id: own[0]!.account,
    campaign_id: own[0]!.campaign,
    seq: own[0]!.seq,
    first_at: new Date(Math.min(...own.map(({ at }) => at.getTime()))),
  }));
  const times = clicks.map(({ at }) => at.getTime());
  const [earliest, latest] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))];
  // Older bursts were recognised when their last click came. The limits restrict the search to a partition.
  const near = (at: Sql) => sql`
    ${at} between ${new Date(earliest - burstSeconds * 1_000)} and ${new Date(latest + burstSeconds * 1_000)}`;
  const turned = await tx.rows<TurnedClick>(
    prepared(sql`
    with recipient as materialized (
      -- Hardly a recipient has clicked that often. "offset 0" makes each one look into the partition of the month.
      select r.*
      from json_to_recordset(${jsonb(recipients)}::json) as r(account_id int, campaign_id int, seq int, first_at timestamptz)
      join campaign c on c.account_id = r.account_id and c.id = r.campaign_id
      cross join lateral (
        select
        from engagement
        where account_id = r.account_id
          and campaign_id = r.campaign_id
          and seq = r.seq
          and month = c.month
          and clicks + machine_clicks >= ${burstLinks}
        offset 0
      ) as e
    ), recent as (
      select h.account_id, h.campaign_id, h.seq, h.id, h.link_no, h.at, h.machine
      from recipient r
      cross join lateral (
        select *
        from hit
        where account_id = r.account_id
          and campaign_id = r.campaign_id
          -- A range and an order that only the index by recipient gives: in a partition without statistics, as a new one is,
          -- the planner takes any index of account and campaign for as good, and would read all hits of the campaign.
          and seq between r.seq and r.seq
          and ${near(sql`at`)}
        order by seq desc, id desc
        limit ${maxHits}
      ) as h
      where h.kind = 'click'
        and h.at >= r.first_at - make_interval(secs => ${burstSeconds})
    ), suspect as (
      -- Hardly any recipient: comparing the clicks of all with each other takes longer than reading them.
      select account_id, campaign_id, seq
      from recent
      group by account_id, campaign_id, seq
      having count(distinct link_no) >= ${burstLinks}
    ), burst as (
      -- Each click that ends a burst, and when that began.
      select last.account_id, last.campaign_id, last.seq, last.at - make_interval(secs => ${burstSeconds}) as from_at, last.at as to_at
      from suspect
      join recent last using (account_id, campaign_id, seq)
      join recent other using (account_id, campaign_id, seq)
      where other.at between last.at - make_interval(secs => ${burstSeconds}) and last.at
      group by last.account_id, last.campaign_id, last.seq, last.id, last.at
      having count(distinct other.link_no) >= ${burstLinks}
    ), turned as (
      update hit h
      set machine = 'burst'
      where ${near(sql`h.at`)}
        and (h.account_id, h.campaign_id, h.id, h.at) in (
          select recent.account_id, recent.campaign_id, recent.id, recent.at
          from recent
          join burst using (account_id, campaign_id, seq)
          where recent.at between burst.from_at and burst.to_at
            and recent.machine is null
        )
      returning h.account_id, h.campaign_id, h.seq, h.link_no, h.at
    )
    select *
    from turned`),
  );
  if (turned.length === 0) return;
  const moved = await moveToMachines(tx, turned);
  await uncountReactions(tx, moved);
  for (const recipient of moved) await withdrawEvents(tx, recipient);
}

type TurnedClick = { account_id: number; campaign_id: number; seq: number; link_no: number; at: Date };

/** Moves clicks from a person's sums to a machine's. @returns whose sums they were */
async function moveToMachines(tx: Tx, clicks: readonly TurnedClick[]): Promise<Uncounted[]> {
  const turned = sql`jsonb_to_recordset(${jsonb(clicks)}::jsonb)
    as t(account_id int, campaign_id int, seq int, link_no int, at timestamptz)`;
  // As values, they keep the statement to the partitions of these months.
  const months = await tx.rows<{ month: string }>(sql`
    select distinct c.month::text as month
    from ${turned}
    join campaign c on c.account_id = t.account_id and c.id = t.campaign_id`);
  const ofMonths = sql`any (${months.map(({ month }) => month)}::date[])`;
  return tx.rows<Uncounted>(sql`
    with turned as (
      select *
      from ${turned}
    ), summed as (
      select account_id, campaign_id, seq, count(*) as clicks, min(at) as from_at
      from turned
      group by account_id, campaign_id, seq
    ), links as (
      update link_engagement l
      set clicks = l.clicks - t.clicks, machine_clicks = l.machine_clicks + t.clicks
      from (
        select account_id, campaign_id, seq, link_no, count(*) as clicks
        from turned
        group by account_id, campaign_id, seq, link_no
      ) as t
      join campaign c on c.account_id = t.account_id and c.id = t.campaign_id
      where l.account_id = t.account_id
        and l.campaign_id = t.campaign_id
        and l.month = c.month
        and l.month = ${ofMonths}
        and l.seq = t.seq
        and l.link_no = t.link_no
    )
    update engagement e
    set clicks = e.clicks - s.clicks, machine_clicks = e.machine_clicks + s.clicks,
      -- Only the first click of a person is known besides the last, which may be one of these.
      last_click_at = case
        when e.clicks = s.clicks then null
        when e.last_click_at < s.from_at then e.last_click_at
        else least(e.first_click_at, s.from_at)
      end,
      first_click_at = case when e.clicks = s.clicks then null else e.first_click_at end
    from summed s
    join campaign c on c.account_id = s.account_id and c.id = s.campaign_id
    where e.account_id = s.account_id
      and e.campaign_id = s.campaign_id
      and e.month = c.month
      and e.month = ${ofMonths}
      and e.seq = s.seq
    returning e.account_id as account, e.campaign_id as campaign, e.contact_id as contact, e.opens, e.clicks`);
}

/** Removes the events of clicks that are still held. */
async function withdrawEvents(tx: Tx, { account, campaign, contact }: Recipient): Promise<void> {
  await tx.run(sql`
    delete from webhook_event
    where account_id = ${account}
      and due_at > now()
      and type = 'email.click'
      and payload ->> 'contact' = ${formatId(contact)}
      and payload ->> 'campaign' = ${formatId(campaign)}`);
}
