// Creates, changes and deletes stored segments.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { onWhole } from '../../db/narrowed/narrow.ts';
import { emit } from '../../events/emit.ts';
import { formatDate } from '../../method/date.ts';
import { needNothingForeign } from '../model/contact.ts';
import { fieldsOf } from '../model/field.ts';
import { needList } from '../model/list.ts';
import type { Match, SegmentFilter } from '../model/segment.ts';
import { idsIn } from './describe.ts';
import { readFilter } from './read-filter.ts';
import { lockFieldsShared, needObjects } from './references.ts';
import { needSegment, type Segment } from './stored.ts';

/** @throws Fault LIST_UNKNOWN, SEGMENT_INVALID */
export async function createSegment(
  context: Context,
  given: { list: string; title: string; match: Match; filter: unknown; auto_update: boolean },
): Promise<string> {
  const list = await needList(context, given.list, 'list');
  const filter = await readForList(context, list.id, given.filter);
  const row = await context.tx.row<{ id: number }>(sql`
    insert into segment (account_id, list_id, title, match, filter, auto_update)
    values (${context.account.id}, ${list.id}, ${given.title.trim()}, ${given.match}, ${JSON.stringify(filter)}, ${given.auto_update})
    returning id`);
  await emitSegmentEvent(context, 'segment.created', { id: row!.id, listId: list.id, title: given.title.trim() });
  return formatId(row!.id);
}

/** @throws Fault SEGMENT_INVALID */
export async function updateSegment(
  context: Context,
  given: {
    id: string;
    title?: string | undefined;
    match?: Match | undefined;
    filter?: unknown;
    auto_update?: boolean | undefined;
  },
): Promise<true> {
  const segment = await needSegment(context, given.id);
  const filter = given.filter ? await readForList(context, segment.listId, given.filter) : segment.filter;
  const title = given.title?.trim() ?? segment.title;
  if (given.filter) await noteForeignLists(context, segment);
  await context.tx.run(sql`
    update segment
    set title = ${title}, match = ${given.match ?? segment.match},
      filter = ${JSON.stringify(filter)}, auto_update = coalesce(${given.auto_update ?? null}::boolean, auto_update),
      changed_at = now()
    where account_id = ${context.account.id}
      and id = ${segment.id}`);
  await emitSegmentEvent(context, 'segment.updated', { ...segment, title });
  return true;
}

/** @throws Fault SEGMENT_INVALID, CAMPAIGN_STATE_CONFLICT */
export async function deleteSegment(context: Context, { id }: { id: string }): Promise<true> {
  const { tx, account } = context;
  const segment = await needSegment(context, id);
  await needNoCampaign(context, segment.id);
  await needNothingForeign(context, (whole) => needNoCampaign(whole, segment.id));
  await noteForeignLists(context, segment);
  await tx.run(sql`delete from campaign_segment where account_id = ${account.id} and segment_id = ${segment.id}`);
  await tx.run(sql`
    delete from campaign_exclusion
    where account_id = ${account.id}
      and kind = 'segment'
      and target_id = ${segment.id}`);
  await tx.run(sql`delete from segment where account_id = ${account.id} and id = ${segment.id}`);
  await emitSegmentEvent(context, 'segment.deleted', segment);
  return true;
}

/** Without the segment, the campaign would silently go to the whole list. @throws Fault CAMPAIGN_STATE_CONFLICT */
async function needNoCampaign({ tx, account }: Context, segmentId: number): Promise<void> {
  const campaign = await tx.row<{ id: number }>(sql`
    select c.id
    from (
      select account_id, campaign_id, segment_id from campaign_segment
      union all
      select account_id, campaign_id, target_id from campaign_exclusion where kind = 'segment'
    ) as g
    join campaign c on c.account_id = g.account_id and c.id = g.campaign_id
    where g.account_id = ${account.id}
      and g.segment_id = ${segmentId}
      and (c.status <> 'sent' or c.type = 'auto')
    limit 1`);
  if (campaign)
    throw fault('CAMPAIGN_STATE_CONFLICT', 'segment.used_by_campaign', {
      member: 'id',
      campaign: formatId(campaign.id),
    });
}

/**
 * Before the conditions of a segment change or go: who got a campaign that was sent to it still shows who was on the other lists that
 * they name, as if the campaign had gone to those.
 */
async function noteForeignLists({ tx, account }: Context, segment: Segment): Promise<void> {
  const named = idsIn(segment.filter).map(parseId);
  if (named.length === 0) return;
  await onWhole(tx, (whole) =>
    whole.run(sql`
      update campaign c
      set lost_list = true
      where c.account_id = ${account.id}
        and c.status not in ('draft', 'scheduled')
        and c.id in (
          select campaign_id from campaign_segment where account_id = ${account.id} and segment_id = ${segment.id}
          union all
          select campaign_id
          from campaign_exclusion
          where account_id = ${account.id}
            and kind = 'segment'
            and target_id = ${segment.id}
        )
        and exists (
          select from list l
          where l.account_id = ${account.id} and l.id = any (${named}::int[]) and l.id <> ${segment.listId}
        )`),
  );
}

async function emitSegmentEvent(
  { tx, account, caller, now }: Context,
  type: 'segment.created' | 'segment.updated' | 'segment.deleted',
  { id, listId, title }: { id: number; listId: number; title: string },
): Promise<void> {
  const data = { segment: formatId(id), list: formatId(listId), title, ts: formatDate(now) };
  await emit(tx, account.id, [{ type, source: caller.kind === 'key' ? 'api' : 'admin', listId, data }]);
}

/** Reads a filter and locks what it refers to, so that it is valid when it is stored. */
async function readForList(context: Context, listId: number, given: unknown): Promise<SegmentFilter> {
  await lockFieldsShared(context, listId);
  const filter = readFilter(await fieldsOf(context, listId), given, context.published !== undefined);
  await needObjects(context, filter);
  return filter;
}
