// Another tag for a field: everything of the list that names the old one names the new one in the same transaction. Mails
// that are frozen cannot follow, so their campaigns must have ended. Texts of drafts stay as they were written; the check
// before the sending names a tag that is no more.
import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { asksField, renameField, type SegmentFilter } from '../segments/segment.ts';

/** The caller holds the list for change. @throws Fault CAMPAIGN_STATE_CONFLICT */
export async function renameTag(context: Context, listId: number, before: string, after: string): Promise<void> {
  const { tx, account } = context;
  await needNotFrozen(context, listId, before);
  const segments = await tx.rows<{ id: number; filter: SegmentFilter }>(sql`
    select id, filter
    from segment
    where account_id = ${account.id}
      and list_id = ${listId}
    order by id
    for no key update`);
  for (const segment of segments)
    if (asksField(segment.filter, before))
      await tx.run(sql`
        update segment
        set filter = ${JSON.stringify(renameField(segment.filter, before, after))}, changed_at = now()
        where account_id = ${account.id}
          and id = ${segment.id}`);
  await renameOccasions(context, listId, before, after);
  await tx.run(sql`
    update list
    set form = jsonb_set(form, '{fields}', (
      select jsonb_agg(case when tag = ${before} then ${after} else tag end order by place)
      from jsonb_array_elements_text(form -> 'fields') with ordinality as f(tag, place)
    ))
    where account_id = ${account.id}
      and id = ${listId}
      and form -> 'fields' ? ${before}`);
  // A tag has no signs that mean something in a pattern.
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

/** Autoresponders that go by the dates of the field. Their planning waits, and goes on with the new name. */
async function renameOccasions({ tx, account }: Context, listId: number, before: string, after: string): Promise<void> {
  const going = await tx.rows<{ id: number; title: string; elsewhere: boolean }>(sql`
    select c.id, c.title, exists (
        select from campaign_list o
        join field f on f.account_id = o.account_id and f.list_id = o.list_id and f.tag = ${before}
        where o.account_id = c.account_id and o.campaign_id = c.id and o.list_id <> ${listId}
      ) as elsewhere
    from campaign_list l
    join campaign c on c.account_id = l.account_id and c.id = l.campaign_id
    where l.account_id = ${account.id}
      and l.list_id = ${listId}
      and upper(c.auto ->> 'tag') = ${before}
    order by c.id`);
  const shared = going.filter((one) => one.elsewhere);
  if (shared.length > 0)
    throw new Fault(
      'CAMPAIGN_STATE_CONFLICT',
      `tag: autoresponder ${named(shared)} goes by the dates in ${before} of this list and of another one; change or delete it first`,
    );
  const ids = going.map((one) => one.id);
  if (ids.length === 0) return;
  await tx.run(sql`
    select from occasion_plan where account_id = ${account.id} and campaign_id = any (${ids}::int[]) order by campaign_id for update`);
  await tx.run(sql`
    update campaign
    set auto = jsonb_set(auto, '{tag}', to_jsonb(${after}::text))
    where account_id = ${account.id}
      and id = any (${ids}::int[])`);
}

/** That no mail under way shows the field by its old tag. @throws Fault CAMPAIGN_STATE_CONFLICT */
async function needNotFrozen({ tx, account }: Context, listId: number, tag: string): Promise<void> {
  const frozen = await tx.rows<{ id: number; title: string }>(sql`
    select c.id, c.title
    from campaign_list l
    join campaign c on c.account_id = l.account_id and c.id = l.campaign_id
    join frozen_content f on f.account_id = c.account_id and f.campaign_id = c.id
    where l.account_id = ${account.id}
      and l.list_id = ${listId}
      and c.status not in ('draft', 'sent')
      and (
        jsonb_path_exists(f.compiled, '$.** ? (@.tag == $tag)', jsonb_build_object('tag', ${tag}::text))
        -- As links have it.
        or position(${`*|${tag}|*`} in f.compiled::text) > 0
        or position(${`*|${tag}:`} in f.compiled::text) > 0
      )
    order by c.id`);
  if (frozen.length > 0)
    throw new Fault(
      'CAMPAIGN_STATE_CONFLICT',
      `tag: campaign ${named(frozen)} is under way with *|${tag}|* in its mails; wait for its end, or stop or delete it first`,
    );
}

const named = (campaigns: { id: number; title: string }[]) =>
  campaigns.map((one) => `${formatId(one.id)} "${one.title}"`).join(', ');
