// Renames the tag of a field: everything of the list that uses the old tag uses the new one in the same transaction.
// Frozen messages cannot change, so their campaigns must have ended. Drafts stay as written; the check before sending
// reports the unknown tag.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { renameField, type SegmentFilter, usesField } from '../model/segment.ts';
import { needNotInAutomations } from './automations.ts';

/** The caller has locked the fields of the list. @throws Fault CAMPAIGN_STATE_CONFLICT */
export async function renameTag(context: Context, listId: number, before: string, after: string): Promise<void> {
  const { tx, account } = context;
  await needNotFrozen(context, listId, before);
  await needNotInAutomations(context, listId, before);
  const segments = await tx.rows<{ id: number; filter: SegmentFilter }>(sql`
    select id, filter
    from segment
    where account_id = ${account.id}
      and list_id = ${listId}
    order by id
    for no key update`);
  for (const segment of segments)
    if (usesField(segment.filter, before))
      await tx.run(sql`
        update segment
        set filter = ${JSON.stringify(renameField(segment.filter, before, after))}, changed_at = now()
        where account_id = ${account.id}
          and id = ${segment.id}`);
  await renameInAutoresponders(context, listId, before, after);
  for (const named of ['fields', 'hidden_fields'])
    await tx.run(sql`
      update list
      set form = jsonb_set(form, array[${named}], (
        select jsonb_agg(case when tag = ${before} then ${after} else tag end order by place)
        from jsonb_array_elements_text(form -> ${named}) with ordinality as f(tag, place)
      ))
      where account_id = ${account.id}
        and id = ${listId}
        and form -> ${named} ? ${before}`);
  // A tag contains no characters that are special in a pattern.
  await tx.run(sql`
    update list_text
    set value = regexp_replace(value, ${`\\*\\|${before}(?=[:|])`}, ${`*|${after}`}, 'g')
    where account_id = ${account.id}
      and list_id = ${listId}
      and value ~ ${`\\*\\|${before}[:|]`}`);
  await tx.run(sql`
    update subscription
    set fields = fields - ${before}::text || jsonb_build_object(${after}::text, fields -> ${before}::text)
    where account_id = ${account.id}
      and list_id = ${listId}
      and fields ? ${before}`);
}

/** Autoresponders that use the dates of the field. Their planner waits, then continues with the new tag. */
async function renameInAutoresponders(
  { tx, account }: Context,
  listId: number,
  before: string,
  after: string,
): Promise<void> {
  const autoresponders = await tx.rows<{ id: number; title: string; onOtherList: boolean }>(sql`
    select c.id, c.title, exists (
        select from campaign_list o
        join field f on f.account_id = o.account_id and f.list_id = o.list_id and f.tag = ${before}
        where o.account_id = c.account_id and o.campaign_id = c.id and o.list_id <> ${listId}
      ) as "onOtherList"
    from campaign_list l
    join campaign c on c.account_id = l.account_id and c.id = l.campaign_id
    where l.account_id = ${account.id}
      and l.list_id = ${listId}
      and upper(c.auto ->> 'tag') = ${before}
    order by c.id`);
  const shared = autoresponders.filter((autoresponder) => autoresponder.onOtherList);
  if (shared.length > 0)
    throw fault('CAMPAIGN_STATE_CONFLICT', 'field.shared_by_autoresponder', {
      member: 'tag',
      tag: before,
      autoresponders: titlesOf(shared),
    });
  const ids = autoresponders.map((autoresponder) => autoresponder.id);
  if (ids.length === 0) return;
  await tx.run(sql`
    select from occasion_plan where account_id = ${account.id} and campaign_id = any (${ids}::int[]) order by campaign_id for update`);
  await tx.run(sql`
    update campaign
    set auto = jsonb_set(auto, '{tag}', to_jsonb(${after}::text))
    where account_id = ${account.id}
      and id = any (${ids}::int[])`);
}

/** @throws Fault CAMPAIGN_STATE_CONFLICT when a campaign in progress shows the field by its old tag */
export async function needNotFrozen({ tx, account }: Context, listId: number, tag: string): Promise<void> {
  const frozen = await tx.rows<{ id: number; title: string }>(sql`
    select distinct c.id, c.title
    from campaign_list l
    join campaign c on c.account_id = l.account_id and c.id = l.campaign_id
    join frozen_content f on f.account_id = c.account_id and f.campaign_id = c.id
    where l.account_id = ${account.id}
      and l.list_id = ${listId}
      and c.status not in ('draft', 'sent')
      and (
        jsonb_path_exists(f.compiled, '$.** ? (@.tag == $tag)', jsonb_build_object('tag', ${tag}::text))
        -- As it is written in links.
        or position(${`*|${tag}|*`} in f.compiled::text) > 0
        or position(${`*|${tag}:`} in f.compiled::text) > 0
      )
    order by c.id`);
  if (frozen.length > 0)
    throw fault('CAMPAIGN_STATE_CONFLICT', 'field.used_by_campaign', {
      member: 'tag',
      tag,
      campaigns: titlesOf(frozen),
    });
}

/** @throws Fault CAMPAIGN_STATE_CONFLICT when a campaign in progress has a condition on the field */
export async function needNotCompared({ tx, account }: Context, listId: number, tag: string): Promise<void> {
  const comparing = await tx.rows<{ id: number; title: string }>(sql`
    select distinct c.id, c.title
    from campaign_list l
    join campaign c on c.account_id = l.account_id and c.id = l.campaign_id
    join frozen_content f on f.account_id = c.account_id and f.campaign_id = c.id
    where l.account_id = ${account.id}
      and l.list_id = ${listId}
      and c.status not in ('draft', 'sent')
      and jsonb_path_exists(f.compiled, '$.** ? (@.tag == $tag && exists(@.operator))', jsonb_build_object('tag', ${tag}::text))
    order by c.id`);
  if (comparing.length > 0)
    throw fault('CAMPAIGN_STATE_CONFLICT', 'field.compared_by_campaign', {
      member: 'tag',
      tag,
      campaigns: titlesOf(comparing),
    });
}

const titlesOf = (campaigns: { id: number; title: string }[]) =>
  campaigns.map((campaign) => `${formatId(campaign.id)} "${campaign.title}"`).join(', ');
