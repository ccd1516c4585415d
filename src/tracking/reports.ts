// What a campaign's reports are read from: recipients' states, the sums of openings and clicks, the evidence of who left.
// People's and machines' hits are told apart everywhere. Promises that a click counts as an opening of the mail too, since
// many mail programs show no pictures; so no figure of openings is ever below that of clickers.
import { type Queries, type Sql, sql } from '../db/connect.ts';

/** A campaign of an account, as stored. */
export type Of = { accountId: number; campaignId: number };
export type Page = { start: number; limit: number };
export type Paged<T> = { total: number; rows: T[] };

/** Openings of an engagement row: a click without one counts as one. Null without a row. */
const opensOf = sql`greatest(e.opens, (e.clicks > 0)::int)`;

export type BounceCount = { reason: string; count: number };

/** Refused recipients by class; the rows of a campaign are looked through only when some were refused. */
export async function bounceCounts(db: Queries, of: Of): Promise<BounceCount[]> {
  return db.rows<BounceCount>(sql`
    select class as reason, count(*)::int as count
    from refusal
    where account_id = ${of.accountId}
      and campaign_id = ${of.campaignId}
      and (
        exists (
          select from tally t
          where t.account_id = ${of.accountId} and t.campaign_id = ${of.campaignId} and t.failed > 0
        )
        or exists (
          select from notice n
          where n.account_id = ${of.accountId} and n.campaign_id = ${of.campaignId} and n.kind = 'bounce'
        )
      )
    group by 1`);
}

/** Recipients who called the mail spam. */
export async function complaintCount(db: Queries, of: Of): Promise<number> {
  const row = await db.row<{ count: number }>(sql`
    select count(distinct seq)::int as count
    from notice
    where account_id = ${of.accountId}
      and campaign_id = ${of.campaignId}
      and kind = 'complaint'`);
  return row!.count;
}

export async function acceptedCount(db: Queries, of: Of): Promise<number> {
  const row = await db.row<{ count: number }>(sql`
    select coalesce(sum(accepted), 0)::int as count
    from tally
    where account_id = ${of.accountId}
      and campaign_id = ${of.campaignId}`);
  return row!.count;
}

export type EngagementSums = {
  opens: number;
  uniqueOpens: number;
  lastOpenAt: Date | null;
  clicks: number;
  usersWhoClicked: number;
  lastClickAt: Date | null;
  machineOpens: number;
  uniqueMachineOpens: number;
  machineClicks: number;
  usersOfMachineClicks: number;
};

/** Sums over all recipients; users are contacts, however many mails of an autoresponder they got. */
export async function engagementSums(db: Queries, of: Of): Promise<EngagementSums> {
  const row = await db.row<EngagementSums>(sql`
    select coalesce(sum(opens), 0)::int as opens,
      count(*) filter (where opens > 0)::int as "uniqueOpens",
      max(last_open_at) as "lastOpenAt",
      coalesce(sum(clicks), 0)::int as clicks,
      count(*) filter (where clicks > 0)::int as "usersWhoClicked",
      max(last_click_at) as "lastClickAt",
      coalesce(sum(machine_opens), 0)::int as "machineOpens",
      count(*) filter (where machine_opens > 0)::int as "uniqueMachineOpens",
      coalesce(sum(machine_clicks), 0)::int as "machineClicks",
      count(*) filter (where machine_clicks > 0)::int as "usersOfMachineClicks"
    from (
      select sum(${opensOf}) as opens, sum(e.clicks) as clicks, sum(e.machine_opens) as machine_opens,
        sum(e.machine_clicks) as machine_clicks, max(coalesce(e.last_open_at, e.first_click_at)) as last_open_at,
        max(e.last_click_at) as last_click_at
      from engagement e
      where e.account_id = ${of.accountId}
        and e.campaign_id = ${of.campaignId}
      group by e.contact_id
    ) as person`);
  return row!;
}

/** Pairs of a recipient and a link. */
export async function uniqueClicks(db: Queries, of: Of): Promise<{ people: number; machines: number }> {
  const row = await db.row<{ people: number; machines: number }>(sql`
    select count(*) filter (where clicks > 0)::int as people, count(*) filter (where machine_clicks > 0)::int as machines
    from link_engagement
    where account_id = ${of.accountId}
      and campaign_id = ${of.campaignId}`);
  return row!;
}

export type LinkSums = { no: number; url: string; clicks: number; people: number; machineClicks: number };

/** Every tracked link, those that nobody followed too. */
export async function linkSums(db: Queries, of: Of): Promise<LinkSums[]> {
  return db.rows<LinkSums>(sql`
    select l.no, l.target as url, coalesce(sum(e.clicks), 0)::int as clicks, count(e.seq) filter (where e.clicks > 0)::int as people,
      coalesce(sum(e.machine_clicks), 0)::int as "machineClicks"
    from link l
    left join link_engagement e
      on e.account_id = l.account_id
      and e.campaign_id = l.campaign_id
      and e.link_no = l.no
    where l.account_id = ${of.accountId}
      and l.campaign_id = ${of.campaignId}
    group by l.no, l.target
    order by l.no`);
}

/** Who followed a link; undefined when the campaign was launched without such a link. */
export async function linkFollowers(
  db: Queries,
  of: Of,
  no: number,
  page: Page,
): Promise<Paged<{ email: string; clicks: number; machineClicks: number }> | undefined> {
  const link = await db.row(sql`
    select no from link where account_id = ${of.accountId} and campaign_id = ${of.campaignId} and no = ${no}`);
  const launched = await db.row(sql`
    select frozen_at from frozen_content where account_id = ${of.accountId} and campaign_id = ${of.campaignId}`);
  // A draft's links are not numbered yet, and nobody has followed them.
  if (!link && launched) return undefined;
  return paged(
    db,
    sql`max(d.email) as email, sum(e.clicks)::int as clicks, sum(e.machine_clicks)::int as "machineClicks"`,
    sql`
    from link_engagement e
    join delivery d on d.account_id = e.account_id and d.campaign_id = e.campaign_id and d.seq = e.seq
    where e.account_id = ${of.accountId}
      and e.campaign_id = ${of.campaignId}
      and e.link_no = ${no}
      and e.clicks > 0
    group by d.contact_id`,
    sql`min(d.seq)`,
    page,
  );
}

export type Opener = { email: string; opens: number; clicks: number; lastOpenAt: Date | null; machineOpens: number };

export async function openers(db: Queries, of: Of, page: Page): Promise<Paged<Opener>> {
  return people(
    db,
    of,
    sql`
      select e.contact_id, min(e.seq) as seq, sum(${opensOf})::int as opens, sum(e.clicks)::int as clicks,
        max(coalesce(e.last_open_at, e.first_click_at)) as last_open_at, sum(e.machine_opens)::int as machine_opens
      from engagement e
      where e.account_id = ${of.accountId}
        and e.campaign_id = ${of.campaignId}
        and ${opensOf} > 0
      group by e.contact_id`,
    page,
  );
}

/** Whose mail was accepted and who, as far as is known, has not opened any of it. */
export async function nonOpeners(db: Queries, of: Of, page: Page): Promise<Paged<Opener>> {
  return people(
    db,
    of,
    sql`
      select d.contact_id, min(d.seq) as seq, 0 as opens, 0 as clicks, null::timestamptz as last_open_at,
        sum(coalesce(m.machine_opens, 0))::int as machine_opens
      from delivery d
      left join engagement m on m.account_id = d.account_id and m.campaign_id = d.campaign_id and m.seq = d.seq
      where d.account_id = ${of.accountId}
        and d.campaign_id = ${of.campaignId}
        and d.state = 2
        and not exists (
          select from engagement e
          where e.account_id = ${of.accountId}
            and e.campaign_id = ${of.campaignId}
            and ${opensOf} > 0
            and e.contact_id = d.contact_id
        )
      group by d.contact_id`,
    page,
  );
}

/** @param persons a row a contact: contact_id, seq of the first mail, the figures; gone through once for page and number */
async function people(db: Queries, of: Of, persons: Sql, page: Page): Promise<Paged<Opener>> {
  const rows = await db.rows<Opener & { total: number; seq: number | null }>(sql`
    with person as materialized (${persons})
    select counted.total, p.seq, d.email, p.opens, p.clicks, p.last_open_at as "lastOpenAt", p.machine_opens as "machineOpens"
    from (select count(*)::int as total from person) counted
    left join (
      select seq, opens, clicks, last_open_at, machine_opens
      from person
      order by seq
      limit ${page.limit}
      offset ${page.start * page.limit}
    ) p on true
    left join delivery d on d.account_id = ${of.accountId} and d.campaign_id = ${of.campaignId} and d.seq = p.seq
    order by p.seq`);
  return {
    total: rows[0]!.total,
    rows: rows
      .filter((row) => row.seq !== null)
      .map(({ email, opens, clicks, lastOpenAt, machineOpens }) => ({
        email,
        opens,
        clicks,
        lastOpenAt,
        machineOpens,
      })),
  };
}

export type Bounced = { email: string; bounce: string; code: number; message: string; at: Date | null };

/** @param bounce the class, or null for all of them */
export async function bounced(db: Queries, of: Of, bounce: string | null, page: Page): Promise<Paged<Bounced>> {
  return paged(
    db,
    sql`email, class as bounce, code, reply as message, at`,
    sql`
    from refusal
    where account_id = ${of.accountId}
      and campaign_id = ${of.campaignId}
      and (${bounce}::text is null or class = ${bounce})`,
    sql`seq`,
    page,
  );
}

export type Leaver = { email: string; reason: string; at: Date };

/** Who left a list by a link of this campaign, once each, whether or not he came back since. */
export async function leavers(db: Queries, of: Of & { cid: string }, page: Page): Promise<Paged<Leaver>> {
  return paged(
    db,
    sql`coalesce(max(d.email), max(c.email), '') as email, coalesce((array_agg(k.detail ->> 'reason' order by k.at desc))[1], '') as reason, max(k.at) as at`,
    sql`
    from consent k
    left join contact c on c.account_id = k.account_id and c.id = k.contact_id
    left join lateral (
      select email
      from delivery
      where account_id = ${of.accountId} and campaign_id = ${of.campaignId} and contact_id = k.contact_id
      limit 1
    ) d on true
    where k.account_id = ${of.accountId}
      and k.detail ? 'campaign'
      and k.detail ->> 'campaign' = ${of.cid}
      and k.kind = 'unsubscribe'
    group by k.contact_id`,
    sql`min(k.at), k.contact_id`,
    page,
  );
}

export type DomainSums = {
  domain: string;
  emails: number;
  accepted: number;
  bounces: number;
  opens: number;
  clicks: number;
  unsubscribes: number;
};

/** Recipients by domain of their address, the largest domains first, the others together under ''. */
export async function domainSums(db: Queries, of: Of & { cid: string }, most: number): Promise<DomainSums[]> {
  const repeats = await db.row<{ auto: boolean }>(sql`
    select type = 'auto' as auto from campaign where account_id = ${of.accountId} and id = ${of.campaignId}`);
  const mail = sql`
    select d.domain, d.contact_id, 1 as emails, (n.seq is null and d.state = 2)::int as accepted,
      (n.seq is not null or d.state = 4)::int as bounces, ${opensOf} > 0 as opened, e.clicks > 0 as clicked
    from delivery d
    left join notice n on n.account_id = d.account_id and n.campaign_id = d.campaign_id and n.seq = d.seq and n.kind = 'bounce'
    left join engagement e on e.account_id = d.account_id and e.campaign_id = d.campaign_id and e.seq = d.seq
    where d.account_id = ${of.accountId}
      and d.campaign_id = ${of.campaignId}`;
  // An autoresponder writes to a person again and again; anything else once. By person first: counting the different
  // ones of each domain would sort all mails.
  const byPerson = sql`
    select domain, contact_id, sum(emails) as emails, sum(accepted) as accepted, sum(bounces) as bounces,
      bool_or(opened) as opened, bool_or(clicked) as clicked
    from (${mail}) as one
    group by domain, contact_id`;
  return db.rows<DomainSums>(sql`
    with leaver as (
      select distinct contact_id
      from consent
      where account_id = ${of.accountId}
        and detail ? 'campaign'
        and detail ->> 'campaign' = ${of.cid}
        and kind = 'unsubscribe'
    ), summed as (
      select m.domain, sum(m.emails)::int as emails, sum(m.accepted)::int as accepted, sum(m.bounces)::int as bounces,
        count(*) filter (where m.opened)::int as opens, count(*) filter (where m.clicked)::int as clicks,
        count(l.contact_id)::int as unsubscribes
      from (${repeats?.auto ? byPerson : mail}) m
      left join leaver l on l.contact_id = m.contact_id
      group by m.domain
    ), ranked as (
      select *, row_number() over (order by emails desc, domain) as place
      from summed
    )
    select case when place <= ${most} then domain else '' end as domain, sum(emails)::int as emails, sum(accepted)::int as accepted,
      sum(bounces)::int as bounces, sum(opens)::int as opens, sum(clicks)::int as clicks, sum(unsubscribes)::int as unsubscribes
    from ranked
    group by 1
    order by (case when min(place) <= ${most} then 0 else 1 end), sum(emails) desc, 1`);
}

/** A page of a selection and the size of the whole. `from` is everything from `from` to `group by`. */
async function paged<T>(db: Queries, columns: Sql, from: Sql, order: Sql, page: Page): Promise<Paged<T>> {
  const counted = await db.row<{ total: number }>(sql`select count(*)::int as total from (select 1 ${from}) as one`);
  const rows = await db.rows<T>(sql`
    select ${columns}
    ${from}
    order by ${order}
    limit ${page.limit}
    offset ${page.start * page.limit}`);
  return { total: counted!.total, rows };
}
