// campaignFollowUp: a draft copy of a campaign that has been sent, to those recipients who did not open or click, or whom it did not
// reach. Its audience is a segment on each list, so contacts who have left since, or opened it in the meantime, are left out when the copy
// is sent.

import type { Condition } from '../../audience/model/segment.ts';
import { createSegment } from '../../audience/segments/change.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { message, renderMessage } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { setSegments } from '../draft/audience.ts';
import { copyCampaign } from '../draft/columns.ts';
import { nameFrom } from '../draft/name.ts';
import { lockCampaign, wrongStatus } from '../model/campaign.ts';

export type Reached = 'not_opened' | 'not_clicked' | 'failed';

/** Titles of segments and campaigns. */
const maxTitle = 200;

/** @returns the id of the copy. @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, CAMPAIGN_OPTION_INVALID */
export async function followUp(context: Context, { cid, to }: { cid: string; to: Reached }): Promise<string> {
  const { tx, account, language } = context;
  const original = await lockCampaign(context, cid);
  if (original.type === 'auto') throw fault('CAMPAIGN_OPTION_INVALID', 'follow_up.auto', { member: 'cid' });
  if (original.status !== 'sent') throw wrongStatus(original.status, 'follow_up');
  const counted = await tx.row<{ opens: boolean; clicks: boolean }>(sql`
    select track_opens as opens, track_html_clicks or track_text_clicks as clicks
    from campaign
    where account_id = ${account.id}
      and id = ${original.id}`);
  if (to === 'not_opened' && !counted!.opens)
    throw fault('CAMPAIGN_OPTION_INVALID', 'follow_up.no_opens', { member: 'to' });
  if (to === 'not_clicked' && !counted!.clicks)
    throw fault('CAMPAIGN_OPTION_INVALID', 'follow_up.no_clicks', { member: 'to' });
  const name = nameFrom(original.title || original.subject);
  const titleOf = (key: 'title' | 'segment') =>
    renderMessage(message(`follow_up.${key}.${to}`, { title: name }), language).slice(0, maxTitle);
  const copy = await copyCampaign(tx, account.id, original.id, sql`${titleOf('title')}`);
  await takeWinner(context, original.id, copy);
  const lists = await tx.rows<{ id: number }>(sql`
    select list_id as id
    from campaign_list
    where account_id = ${account.id}
      and campaign_id = ${copy}
    order by position`);
  if (lists.length === 0) throw fault('CAMPAIGN_OPTION_INVALID', 'campaign.no_list');
  const segments: string[] = [];
  for (const { id } of lists) segments.push(await segmentOf(context, id, titleOf('segment'), conditionsOf(to, cid)));
  await setSegments(context, copy, segments, 'cid');
  return formatId(copy);
}

const conditionsOf = (to: Reached, cid: string): Condition[] => {
  if (to !== 'not_clicked') return [{ field: to, condition: 'is', value: cid }];
  return [
    { field: 'was_sent', condition: 'is', value: cid },
    { field: 'clicked', condition: 'not', value: cid },
  ];
};

/** The segment of a list with these conditions, which may have been made before. */
async function segmentOf(context: Context, list: number, title: string, filter: Condition[]): Promise<string> {
  const { tx, account } = context;
  const made = await tx.row<{ id: number }>(sql`
    select id
    from segment
    where account_id = ${account.id}
      and list_id = ${list}
      and match = 'all'
      and filter = ${JSON.stringify(filter)}::jsonb
    order by id
    limit 1`);
  if (made) return formatId(made.id);
  return createSegment(context, { list: formatId(list), title, match: 'all', filter, auto_update: true });
}

/** The copy is what most recipients got: the variant that won, without a test. */
async function takeWinner({ tx, account }: Context, originalId: number, copyId: number): Promise<void> {
  await tx.run(sql`
    update campaign c
    set subject = coalesce(v.subject, c.subject), preview_text = coalesce(v.preview_text, c.preview_text),
      from_name = coalesce(v.from_name, c.from_name), html = coalesce(v.html, c.html), plain = coalesce(v.plain, c.plain)
    from campaign_test t
    join campaign_variant v on v.account_id = t.account_id and v.campaign_id = t.campaign_id and v.no = t.chosen
    where c.account_id = ${account.id}
      and c.id = ${copyId}
      and t.account_id = c.account_id
      and t.campaign_id = ${originalId}`);
  await tx.run(sql`delete from campaign_test where account_id = ${account.id} and campaign_id = ${copyId}`);
  await tx.run(sql`
    delete from campaign_variant
    where account_id = ${account.id}
      and campaign_id = ${copyId}
      and language = ''`);
}
