// campaignLinkUpdate: corrects where a tracked link leads, in all messages of a campaign, delivered or not. The link table decides
// where a click leads; the frozen contents have the target too, for pages and for messages to contacts who are not tracked.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { approvalRule } from '../approval/whose.ts';
import { linkTargetFor } from '../compile/compile-campaign.ts';
import { lockCampaign } from '../model/campaign.ts';

/** @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_OPTION_INVALID, URL_INVALID, APPROVAL_NEEDED */
export async function correctLink(
  context: Context,
  { cid, link_id, url }: { cid: string; link_id: string; url: string },
): Promise<true> {
  const { app, tx, account, caller } = context;
  const { id, status } = await lockCampaign(context, cid);
  if (status !== 'sent' && approvalRule(account) === 'everyone') throw fault('APPROVAL_NEEDED', 'approval.link');
  const no = linkNo(link_id);
  const link = await tx.row<{ target: string; first: string | null }>(sql`
    select target, first_target as first
    from link
    where account_id = ${account.id}
      and campaign_id = ${id}
      and no = ${no}`);
  if (!link) throw fault('CAMPAIGN_OPTION_INVALID', 'campaign.link_unknown', { member: 'link_id', id: link_id });
  const target = await linkTargetFor(tx, app, account, id, url.trim(), link.first ?? link.target);
  if (target === undefined) throw fault('URL_INVALID', 'campaign.link_not_web', { member: 'url' });
  context.noted?.set('old_url', link.target).set('new_url', target);
  if (target === link.target) return true;
  const isFirst = target === link.first;
  await tx.run(sql`
    update link
    set target = ${target}, first_target = case when ${isFirst} then null else coalesce(first_target, target) end,
      corrected_at = case when ${isFirst} then null else now() end,
      user_id = ${caller.kind === 'user' && !isFirst ? caller.userId : null},
      key_id = ${caller.kind === 'key' && !isFirst ? caller.keyId : null}
    where account_id = ${account.id}
      and campaign_id = ${id}
      and no = ${no}`);
  // Workers read a content again when its hash is another.
  await tx.run(sql`
    update frozen_content
    set compiled = jsonb_set(compiled, array['links', ${String(no)}, 'target'], to_jsonb(${target}::text)),
      content_hash = md5(content_hash || ${target})
    where account_id = ${account.id}
      and campaign_id = ${id}
      and jsonb_array_length(compiled -> 'links') > ${no}`);
  return true;
}

/** Ids of links count from 1; -1 for what is no such id. */
export const linkNo = (id: string): number => (/^[1-9]\d{0,8}$/.test(id) ? Number(id) - 1 : -1);
