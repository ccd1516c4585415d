// campaignEmailDomainPerformance: the numbers of a campaign by domain of the recipients.
import type { Context } from '../../base/context.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { states } from '../../db/states.ts';
import { keptSums, opensOf, type ReportedCampaign, reportedCampaign } from './campaign.ts';

/** Domains with a row of their own; all others share the last row. */
export const maxDomains = 50;

/** Returns the largest domains first, then one row with the domain "" for all others. @throws Fault CAMPAIGN_UNKNOWN */
export async function listDomains(context: Context, { cid }: { cid: string }) {
  const { tx } = context;
  const of = await reportedCampaign(context, cid);
  const domains = (await keptSums<DomainSums[]>(tx, of, 'domains')) ?? (await domainSums(tx, of));
  const all = domains.reduce((sum, { emails }) => sum + emails, 0);
  return domains.map(({ domain, emails, accepted, bounces, opens, clicks, unsubscribes }) => ({
    domain,
    total_sent: all,
    emails,
    delivered: accepted,
    bounces,
    opens,
    clicks,
    unsubs: unsubscribes,
    emails_pct: percent(emails, all),
    delivered_pct: percent(accepted, emails),
    bounces_pct: percent(bounces, emails),
    opens_pct: percent(opens, accepted),
    clicks_pct: percent(clicks, accepted),
    unsubs_pct: percent(unsubscribes, accepted),
  }));
}

const percent = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 1_000) / 10);

export type DomainSums = {
  domain: string;
  emails: number;
  accepted: number;
  bounces: number;
  opens: number;
  clicks: number;
  unsubscribes: number;
};

/** The numbers of the recipients there are. */
export async function domainSums(
  db: Queries,
  { account, campaign, cid, month }: ReportedCampaign,
): Promise<DomainSums[]> {
  const type = await db.row<{ auto: boolean }>(sql`
    select type = 'auto' as auto from campaign where account_id = ${account} and id = ${campaign}`);
  const mail = sql`
    select d.domain, d.contact_id, 1 as emails, (n.seq is null and d.state = ${states.accepted})::int as accepted,
      (n.seq is not null or d.state = ${states.failed})::int as bounces, ${opensOf} > 0 as opened, e.clicks > 0 as clicked
    from delivery d
    left join notice n on n.account_id = d.account_id and n.campaign_id = d.campaign_id and n.seq = d.seq and n.kind = 'bounce'
    left join engagement e
      on e.account_id = d.account_id and e.campaign_id = d.campaign_id and e.seq = d.seq and e.month = ${month}
    where d.account_id = ${account}
      and d.campaign_id = ${campaign}
      and d.month = ${month}`;
  // Only an autoresponder sends a contact more than one message. Grouping by contact first avoids a distinct count per
  // domain, which would sort all messages.
  const byPerson = sql`
    select domain, contact_id, sum(emails) as emails, sum(accepted) as accepted, sum(bounces) as bounces,
      bool_or(opened) as opened, bool_or(clicked) as clicked
    from (${mail}) as messages
    group by domain, contact_id`;
  return db.rows<DomainSums>(sql`
    with leaver as (
      select distinct contact_id
      from consent
      where account_id = ${account}
        and detail ? 'campaign'
        and detail ->> 'campaign' = ${cid}
        and kind = 'unsubscribe'
    ), present as (
      select m.domain, sum(m.emails)::int as emails, sum(m.accepted)::int as accepted, sum(m.bounces)::int as bounces,
        count(*) filter (where m.opened)::int as opens, count(*) filter (where m.clicked)::int as clicks,
        count(l.contact_id)::int as unsubscribes
      from (${type?.auto ? byPerson : mail}) m
      left join leaver l on l.contact_id = m.contact_id
      group by m.domain
    ), summed as (
      select domain, sum(emails) as emails, sum(accepted) as accepted, sum(bounces) as bounces, sum(opens) as opens, sum(clicks) as clicks,
        sum(unsubscribes) as unsubscribes
      from (
        select * from present
        union all
        -- Of recipients that were deleted by age.
        select d.key, f.emails, f.accepted, f.bounces, f.opens, f.clicks, f.unsubscribes
        from folded_report r
        cross join jsonb_each(r.sums -> 'domains') as d
        cross join jsonb_to_record(d.value) as f(emails int, accepted int, bounces int, opens int, clicks int, unsubscribes int)
        where r.account_id = ${account}
          and r.campaign_id = ${campaign}
      ) as both_ages
      group by domain
    ), ranked as (
      -- What was folded without a name stays the rest.
      select *, row_number() over (order by domain = '', emails desc, domain) + case when domain = '' then ${maxDomains}::int else 0 end as place
      from summed
    )
    select case when place <= ${maxDomains} then domain else '' end as domain, sum(emails)::int as emails, sum(accepted)::int as accepted,
      sum(bounces)::int as bounces, sum(opens)::int as opens, sum(clicks)::int as clicks, sum(unsubscribes)::int as unsubscribes
    from ranked
    group by 1
    order by (case when min(place) <= ${maxDomains} then 0 else 1 end), sum(emails) desc, 1`);
}
