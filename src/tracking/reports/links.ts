// campaignClickStats and campaignClickStatsDetails: the tracked links of a campaign and who followed them.

import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { authorName } from '../../campaigns/draft/editors/edits.ts';
import { linkNo } from '../../campaigns/release/correct-link.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatDate } from '../../method/date.ts';
import { keptSums, type Paged, type PageOf, paged, type ReportedCampaign, reportedCampaign } from './campaign.ts';
import { foldedPart, withFolded } from './folded.ts';

export type LinkStats = {
  id: string;
  url: string;
  clicks: number;
  unique: number;
  machine_clicks: number;
  first_url: string;
  corrected_at: string;
  corrected_by: string;
};
/** Without what the link table says today. */
export type LinkSums = Pick<LinkStats, 'id' | 'clicks' | 'unique' | 'machine_clicks'>;
export type Clicker = {
  email: string;
  link_id: string;
  link: string;
  clicks: number;
  machine_clicks: number;
  date: string;
};

/** Returns every tracked link, in the order of the message, also links without clicks. @throws Fault CAMPAIGN_UNKNOWN */
export async function listLinks(context: Context, { cid }: { cid: string }): Promise<LinkStats[]> {
  const of = await reportedCampaign(context, cid);
  const sums = (await keptSums<LinkSums[]>(context.tx, of, 'links')) ?? (await linkSums(context.tx, of));
  const links = await context.tx.rows<{
    id: string;
    url: string;
    first: string | null;
    at: Date | null;
    by: string;
  }>(sql`
    select (no + 1)::text as id, target as url, first_target as first, corrected_at as at, ${authorName(sql`link`)} as by
    from link
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
    order by no`);
  const counted = new Map(sums.map((sum) => [sum.id, sum]));
  return links.map(({ id, url, first, at, by }) => {
    const { clicks, unique, machine_clicks } = counted.get(id) ?? { clicks: 0, unique: 0, machine_clicks: 0 };
    const corrected = { first_url: first ?? '', corrected_at: formatDate(at), corrected_by: at ? by : '' };
    return { id, url, clicks, unique, machine_clicks, ...corrected };
  });
}

/** The clicks of the recipients there are. */
export async function linkSums(db: Queries, { account, campaign, month }: ReportedCampaign): Promise<LinkSums[]> {
  // Ids count from 1, because clients in some languages treat "0" as empty.
  const rows = await db.rows<LinkSums>(sql`
    select (l.no + 1)::text as id, coalesce(sum(e.clicks), 0)::int as clicks,
      count(e.seq) filter (where e.clicks > 0)::int as unique, coalesce(sum(e.machine_clicks), 0)::int as machine_clicks
    from link l
    left join link_engagement e
      on e.account_id = l.account_id
      and e.campaign_id = l.campaign_id
      and e.link_no = l.no
      and e.month = ${month}
    where l.account_id = ${account}
      and l.campaign_id = ${campaign}
    group by l.no
    order by l.no`);
  return withFolded(rows, await foldedPart(db, { account, campaign }, 'links'), ({ id }) => id);
}

/** Returns who followed a link, given by id or URL, or any link. @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_OPTION_INVALID */
export async function listClickers(
  context: Context,
  { cid, link_id, link, ...page }: PageOf & { link_id: string; link: string },
): Promise<Paged<Clicker>> {
  const of = await reportedCampaign(context, cid);
  if (link_id !== '') await needLink(context.tx, of, link_id);
  const { total, data } = await paged<Omit<Clicker, 'date'> & { at: Date | null }>(
    context.tx,
    sql`max(d.email) as email, (e.link_no + 1)::text as link_id, l.target as link, sum(e.clicks)::int as clicks,
      sum(e.machine_clicks)::int as machine_clicks, max(g.last_click_at) as at`,
    sql`
    from link_engagement e
    join link l on l.account_id = e.account_id and l.campaign_id = e.campaign_id and l.no = e.link_no
    join delivery d
      on d.account_id = e.account_id and d.campaign_id = e.campaign_id and d.seq = e.seq and d.month = ${of.month}
    left join engagement g
      on g.account_id = e.account_id and g.campaign_id = e.campaign_id and g.seq = e.seq and g.month = ${of.month}
    where e.account_id = ${of.account}
      and e.campaign_id = ${of.campaign}
      and e.month = ${of.month}
      and (${link_id} = '' or e.link_no = ${link_id === '' ? 0 : linkNo(link_id)})
      and (${link} = '' or l.target = ${link})
      and e.clicks > 0
    group by d.contact_id, e.link_no, l.target`,
    sql`min(d.seq), e.link_no`,
    page,
  );
  return { total, data: data.map(({ at, ...row }) => ({ ...row, date: formatDate(at) })) };
}

/** @throws Fault CAMPAIGN_OPTION_INVALID */
async function needLink(db: Queries, of: ReportedCampaign, id: string): Promise<void> {
  if (!(await mayBeLink(db, of, linkNo(id))))
    throw fault('CAMPAIGN_OPTION_INVALID', 'campaign.link_unknown', { member: 'link_id', id });
}

/** Whether a link has this number. The links of a draft are not numbered yet, so any number is accepted for a draft. */
async function mayBeLink(db: Queries, { account, campaign }: ReportedCampaign, no: number): Promise<boolean> {
  const link = await db.row(sql`
    select no from link where account_id = ${account} and campaign_id = ${campaign} and no = ${no}`);
  if (link) return true;
  const launched = await db.row(sql`
    select frozen_at from frozen_content where account_id = ${account} and campaign_id = ${campaign} limit 1`);
  return !launched;
}
