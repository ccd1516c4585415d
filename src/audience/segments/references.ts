// The campaigns and lists that segments speak of: that they are there when a segment is saved, what they are called, and
// which segments speak of a list that is to be deleted.

import { Fault } from '../../base/faults.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { idsIn } from './describe.ts';
import type { SegmentFilter } from './segment.ts';

type Of = { tx: Queries; account: { id: number } };

/** Names of the campaigns and lists that filters speak of, by id; those that are gone have none. */
export async function namesFor({ tx, account }: Of, filters: readonly SegmentFilter[]): Promise<Map<string, string>> {
  const ids = [...new Set(filters.flatMap(idsIn))].map(parseId);
  if (ids.length === 0) return new Map();
  // A list that is being deleted is waited for, and gone then.
  const rows = await tx.rows<{ id: number; name: string }>(sql`
    select id, title as name from campaign where account_id = ${account.id} and id = any (${ids}::int[])
    union all
    select id, name from list where account_id = ${account.id} and id = any (${ids}::int[])`);
  return new Map(rows.map((row) => [formatId(row.id), row.name]));
}

/**
 * That there is what a filter speaks of; its lists stay until the transaction ends.
 * @throws Fault SEGMENT_INVALID
 */
export async function needObjects(of: Of, filter: SegmentFilter): Promise<void> {
  const ids = idsIn(filter);
  if (ids.length === 0) return;
  await of.tx.run(sql`
    select from list where account_id = ${of.account.id} and id = any (${ids.map(parseId)}::int[]) order by id for key share`);
  const names = await namesFor(of, [filter]);
  const gone = ids.find((one) => !names.has(one));
  if (gone !== undefined)
    throw new Fault('SEGMENT_INVALID', `filter: there is no campaign or list "${gone.slice(0, 40)}"`);
}

/** Keeps the fields of a list as they are until the transaction ends, for a segment that speaks of them. */
export async function holdFields({ tx, account }: Of, listId: number): Promise<void> {
  await tx.run(sql`select from list where account_id = ${account.id} and id = ${listId} for share`);
}

/** Makes those wait who rely on the fields of a list, and waits for them. */
export async function holdForChange({ tx, account }: Of, listId: number): Promise<void> {
  await tx.run(sql`select from list where account_id = ${account.id} and id = ${listId} for no key update`);
}

/** The segments of other lists that ask who is on a list. */
export async function segmentsAbout({ tx, account }: Of, listId: number): Promise<{ id: number; title: string }[]> {
  const named = formatId(listId);
  const rows = await tx.rows<{ id: number; title: string; filter: SegmentFilter }>(sql`
    select id, title, filter
    from segment
    where account_id = ${account.id}
      and list_id <> ${listId}
      and position(${named} in filter::text) > 0
    order by id`);
  return rows.filter((row) => idsIn(row.filter).includes(named));
}

/** Segments a campaign goes to or leaves out that speak of campaigns or lists that are gone. */
export async function brokenSegments(
  of: Of,
  campaignId: number,
): Promise<{ id: string; title: string; gone: string[] }[]> {
  const rows = await of.tx.rows<{ id: number; title: string; filter: SegmentFilter }>(sql`
    select g.id, g.title, g.filter
    from segment g
    where g.account_id = ${of.account.id}
      and g.id in (
        select segment_id
        from campaign_segment
        where account_id = ${of.account.id}
          and campaign_id = ${campaignId}
        union all
        select target_id
        from campaign_exclusion
        where account_id = ${of.account.id}
          and campaign_id = ${campaignId}
          and kind = 'segment'
      )
    order by g.id`);
  const names = await namesFor(
    of,
    rows.map((row) => row.filter),
  );
  return rows
    .map((row) => ({
      id: formatId(row.id),
      title: row.title,
      gone: [...new Set(idsIn(row.filter))].filter((one) => !names.has(one)),
    }))
    .filter((one) => one.gone.length > 0);
}
