// Links to reports for people without an account: made, listed, withdrawn and found. The database has the hash of the token only, so a
// link is readable once, when it is made.
import { hashToken, newToken } from '../../accounts/access/token.ts';
import { needList } from '../../audience/model/list.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { authorName } from '../../campaigns/draft/editors/edits.ts';
import { needCampaignId } from '../../campaigns/model/campaign.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';

/** Links of an account that have not expired, at most. */
export const maxReportLinks = 500;

type Order = { cid?: string | undefined; list?: string | undefined; name: string; days: number };

/** @throws Fault INVALID_PARAMETER, CAMPAIGN_UNKNOWN, LIST_UNKNOWN, TOO_LARGE */
export async function createReportLink(context: Context, { cid, list, name, days }: Order) {
  const { tx, account, app, caller } = context;
  if (cid !== undefined && list !== undefined)
    throw fault('INVALID_PARAMETER', 'report_link.one_of', { member: 'list' });
  const campaignId = cid === undefined ? null : await needCampaignId(context, cid);
  const listId = list === undefined ? null : (await needList(context, list, 'list')).id;
  // Before the account, as approving does.
  if (campaignId !== null)
    await tx.run(sql`select from campaign where account_id = ${account.id} and id = ${campaignId} for key share`);
  // One after another, so that links that are made at the same time count too.
  await tx.run(sql`select from account where id = ${account.id} for no key update`);
  await tx.run(sql`delete from report_link where account_id = ${account.id} and expires_at <= now()`);
  const counted = await tx.row<{ count: number }>(sql`
    select count(*)::int as count from report_link where account_id = ${account.id}`);
  if (counted!.count >= maxReportLinks) throw fault('TOO_LARGE', 'report_link.too_many', { count: maxReportLinks });
  const token = newToken();
  const row = await tx.row<{ id: number; expiresAt: Date }>(sql`
    insert into report_link (account_id, token_hash, campaign_id, list_id, name, user_id, key_id, expires_at)
    values (${account.id}, ${hashToken(token)}, ${campaignId}, ${listId}, ${name},
      ${caller.kind === 'user' ? caller.userId : null}, ${caller.kind === 'key' ? caller.keyId : null},
      now() + make_interval(days => ${days}))
    returning id, expires_at as "expiresAt"`);
  return { id: formatId(row!.id), url: `${app.baseUrl}/report/${token}`, expires_at: formatDate(row!.expiresAt) };
}

/** The links that are valid, the newest first. @throws Fault CAMPAIGN_UNKNOWN, LIST_UNKNOWN */
export async function listReportLinks(context: Context, { cid, list }: Pick<Order, 'cid' | 'list'>) {
  const { tx, account } = context;
  const campaignId = cid === undefined ? null : await needCampaignId(context, cid);
  const listId = list === undefined ? null : (await needList(context, list, 'list')).id;
  const rows = await tx.rows<{
    id: number;
    campaign: number | null;
    list: number | null;
    name: string;
    by: string;
    createdAt: Date;
    expiresAt: Date;
  }>(sql`
    select id, campaign_id as campaign, list_id as list, name, ${authorName(sql`report_link`)} as by,
      created_at as "createdAt", expires_at as "expiresAt"
    from report_link
    where account_id = ${account.id}
      and expires_at > now()
      and (${campaignId}::int is null or campaign_id = ${campaignId})
      and (${listId}::int is null or list_id = ${listId})
    order by created_at desc, id`);
  return rows.map((row) => ({
    id: formatId(row.id),
    cid: row.campaign === null ? '' : formatId(row.campaign),
    list: row.list === null ? '' : formatId(row.list),
    name: row.name,
    created_by: row.by,
    created_at: formatDate(row.createdAt),
    expires_at: formatDate(row.expiresAt),
  }));
}

/** @throws Fault REPORT_LINK_UNKNOWN */
export async function deleteReportLink({ tx, account }: Context, { id }: { id: string }): Promise<true> {
  const count = await tx.run(sql`
    delete from report_link where account_id = ${account.id} and id = ${parseId(id)}`);
  if (count === 0) throw fault('REPORT_LINK_UNKNOWN', 'report_link.unknown', { member: 'id', id: id.slice(0, 40) });
  return true;
}

export type FoundLink = {
  account: number;
  campaign: number | null;
  list: number | null;
  language: string;
  timeZone: string;
  expiresAt: Date;
};

/** What a token shows; undefined if it is wrong, expired or withdrawn, or its account is off. */
export async function reportLinkOf(db: Queries, token: string): Promise<FoundLink | undefined> {
  if (!/^[\w-]{43}$/.test(token)) return undefined;
  return db.row<FoundLink>(sql`
    select r.account_id as account, r.campaign_id as campaign, r.list_id as list, a.language, a.time_zone as "timeZone",
      r.expires_at as "expiresAt"
    from report_link r
    join account a on a.id = r.account_id
    where r.token_hash = ${hashToken(token)}
      and r.expires_at > now()
      and a.active`);
}
