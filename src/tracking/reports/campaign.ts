// What all reports share: the campaign they are about, and pages of rows.

import type { Context } from '../../base/context.ts';
import { needCampaignId } from '../../campaigns/model/campaign.ts';
import { type Queries, type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';

/** A campaign of an account; `cid` is its public id, `month` names the partition of its recipients. */
export type ReportedCampaign = CampaignKey & { cid: string; month: string };

/** SQL: who refused the message immediately or later, by a returned notice; not those dropped with an unclear outcome. */
export const refusalsOf = ({ account, campaign, month }: ReportedCampaign): Sql => sql`(
  select seq, email, coalesce(reason, 'generic') as class, coalesce(reply_code, 0)::int as code, coalesce(reply, '') as reply,
    done_at as at
  from delivery
  where account_id = ${account}
    and campaign_id = ${campaign}
    and month = ${month}
    and state = ${states.failed}
    and reason is distinct from 'unclear'
  union all
  select seq, email, class, code, reply, at
  from notice
  where account_id = ${account}
    and campaign_id = ${campaign}
    and kind = 'bounce'
) as refusal`;

/** @throws Fault CAMPAIGN_UNKNOWN */
export async function reportedCampaign(context: Context, cid: string): Promise<ReportedCampaign> {
  const campaign = await needCampaignId(context, cid);
  const account = context.account.id;
  const row = await context.tx.row<{ month: string }>(sql`
    select month::text as month
    from campaign
    where account_id = ${account}
      and id = ${campaign}`);
  return { account, campaign, cid: formatId(campaign), month: row!.month };
}

/** Numbers that were kept when the recipients of a campaign were deleted; undefined while it has them. */
export async function keptSums<T>(
  db: Queries,
  { account, campaign }: ReportedCampaign,
  part: 'stats' | 'links' | 'domains' | 'test' | 'languages' | 'revisions',
): Promise<T | undefined> {
  const row = await db.row<{ sums: T }>(sql`
    select sums -> ${part}::text as sums
    from kept_report
    where account_id = ${account}
      and campaign_id = ${campaign}`);
  return row?.sums;
}

export type Page = { start: number; limit: number };
export type Paged<T> = { total: number; data: T[] };
/** Parameters of a report that comes in pages. */
export type PageOf = { cid: string } & Page;

/**
 * Opens of an `engagement e` row. Many email clients show no pictures, so a click without an open counts as one open;
 * thus opens are never fewer than clickers. Null without a row.
 */
export const opensOf = sql`greatest(e.opens, (e.clicks > 0)::int)`;

/**
 * Returns a page of a selection and the size of the whole.
 * @param from everything from `from` to `group by`
 */
export async function paged<T>(db: Queries, columns: Sql, from: Sql, order: Sql, page: Page): Promise<Paged<T>> {
  const counted = await db.row<{ total: number }>(
    sql`select count(*)::int as total from (select 1 ${from}) as matches`,
  );
  const data = await db.rows<T>(sql`
    select ${columns}
    ${from}
    order by ${order}
    limit ${page.limit}
    offset ${page.start * page.limit}`);
  return { total: counted!.total, data };
}
