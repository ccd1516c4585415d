// Comments on a campaign: each is about a block of it, some words of it, or the whole. They change nothing of what is sent.
import { mayDo } from '../../accounts/keys/permissions.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatDate } from '../../method/date.ts';
import { byCaller } from '../approval/record.ts';
import { authorName } from '../draft/editors/edits.ts';
import { lockCampaign, needCampaignId } from '../model/campaign.ts';

export const maxComments = 500;

/** @throws Fault CAMPAIGN_UNKNOWN */
export async function listComments(context: Context, { cid }: { cid: string }) {
  const { tx, account, caller } = context;
  const { user, key } = byCaller(caller);
  const rows = await tx.rows<Row>(sql`
    select no as comment, ${authorName(sql`m`)} as by, coalesce(user_id = ${user}::int, key_id = ${key}::int, false) as own, text, block,
      quote, created_at as "createdAt", resolved_at as "resolvedAt",
      (
        select ${authorName(sql`e`)}
        from (select m.account_id, m.resolved_user_id as user_id, m.resolved_key_id as key_id) e
      ) as resolved_by
    from campaign_comment m
    where account_id = ${account.id}
      and campaign_id = ${await needCampaignId(context, cid)}
    order by no`);
  return rows.map(({ createdAt, resolvedAt, ...row }) => ({
    ...row,
    created_at: formatDate(createdAt),
    resolved_at: formatDate(resolvedAt),
  }));
}

/** @returns its number. @throws Fault CAMPAIGN_UNKNOWN, TOO_LARGE */
export async function createComment(
  context: Context,
  { cid, text, block, quote }: { cid: string; text: string; block: string; quote: string },
): Promise<number> {
  const { tx, account, caller } = context;
  const { id } = await lockCampaign(context, cid);
  const { user, key } = byCaller(caller);
  const row = await tx.row<{ no: number }>(sql`
    insert into campaign_comment (account_id, campaign_id, no, user_id, key_id, text, block, quote)
    select ${account.id}::int, ${id}::int, coalesce(max(no), 0) + 1, ${user}::int, ${key}::int, ${text.trim()}, ${block}, ${quote.trim()}
    from campaign_comment
    where account_id = ${account.id}
      and campaign_id = ${id}
    having count(*) < ${maxComments}
    returning no`);
  if (!row) throw fault('TOO_LARGE', 'comment.too_many', { member: 'cid', count: maxComments });
  return row.no;
}

/** Its author changes the text; anyone who may comment resolves it. @throws Fault CAMPAIGN_UNKNOWN, INVALID_PARAMETER, NOT_ALLOWED */
export async function updateComment(
  context: Context,
  given: { cid: string; comment: number; text?: string | undefined; resolved?: boolean | undefined },
): Promise<true> {
  const { tx, account, caller } = context;
  const { id, own } = await lockComment(context, given);
  if (given.text !== undefined && !own) throw fault('NOT_ALLOWED', 'comment.not_yours', { member: 'text' });
  const { user, key } = byCaller(caller);
  const resolved = given.resolved ?? null;
  await tx.run(sql`
    update campaign_comment
    set text = coalesce(${given.text?.trim() ?? null}::text, text),
      resolved_at = case ${resolved}::boolean when true then coalesce(resolved_at, now()) when false then null else resolved_at end,
      resolved_user_id = case ${resolved}::boolean when true then ${user}::int when false then null else resolved_user_id end,
      resolved_key_id = case ${resolved}::boolean when true then ${key}::int when false then null else resolved_key_id end
    where account_id = ${account.id}
      and campaign_id = ${id}
      and no = ${given.comment}`);
  return true;
}

/** By its author, or one who may send. @throws Fault CAMPAIGN_UNKNOWN, INVALID_PARAMETER, NOT_ALLOWED */
export async function deleteComment(context: Context, given: { cid: string; comment: number }): Promise<true> {
  const { tx, account, caller } = context;
  const { id, own } = await lockComment(context, given);
  if (!own && !mayDo(caller, 'campaigns:send')) throw fault('NOT_ALLOWED', 'comment.not_yours', { member: 'comment' });
  await tx.run(sql`
    delete from campaign_comment where account_id = ${account.id} and campaign_id = ${id} and no = ${given.comment}`);
  return true;
}

async function lockComment(context: Context, { cid, comment }: { cid: string; comment: number }) {
  const { tx, account, caller } = context;
  const { id } = await lockCampaign(context, cid);
  const { user, key } = byCaller(caller);
  const row = await tx.row<{ own: boolean }>(sql`
    select coalesce(user_id = ${user}::int, key_id = ${key}::int, false) as own
    from campaign_comment
    where account_id = ${account.id}
      and campaign_id = ${id}
      and no = ${comment}`);
  if (!row) throw fault('INVALID_PARAMETER', 'comment.unknown', { member: 'comment' });
  return { id, own: row.own };
}

type Row = {
  comment: number;
  by: string;
  own: boolean;
  text: string;
  block: string;
  quote: string;
  createdAt: Date;
  resolvedAt: Date | null;
  resolved_by: string;
};
