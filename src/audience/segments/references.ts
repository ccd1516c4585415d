// The campaigns and lists that segments refer to: checks that they exist when a segment is saved, finds their names, and
// finds the segments that refer to a list.
import { fault } from '../../base/faults.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { type Field, fieldsOf } from '../model/field.ts';
import type { SegmentFilter } from '../model/segment.ts';
import { idsIn } from './describe.ts';

/** What a look-up needs of the context. */
type AccountQueries = { tx: Queries; account: { id: number } };

/** The names of the campaigns and lists that filters refer to, by id; deleted ones are missing. */
export async function namesFor(
  { tx, account }: AccountQueries,
  filters: readonly SegmentFilter[],
): Promise<Map<string, string>> {
  const ids = [...new Set(filters.flatMap(idsIn))].map(parseId);
  if (ids.length === 0) return new Map();
  const rows = await tx.rows<{ id: number; name: string }>(sql`
    select id, title as name from campaign where account_id = ${account.id} and id = any (${ids}::int[])
    union all
    select id, name from list where account_id = ${account.id} and id = any (${ids}::int[])`);
  return new Map(rows.map((row) => [formatId(row.id), row.name]));
}

/**
 * Checks that everything a filter refers to exists, and locks its lists against deletion until the transaction ends.
 * @throws Fault SEGMENT_INVALID
 */
export async function needObjects(context: AccountQueries, filter: SegmentFilter): Promise<void> {
  const ids = idsIn(filter);
  if (ids.length === 0) return;
  await context.tx.run(sql`
    select from list where account_id = ${context.account.id} and id = any (${ids.map(parseId)}::int[]) order by id for key share`);
  await checkObjects(context, filter);
}

/** Checks that everything a filter refers to exists. @throws Fault SEGMENT_INVALID */
export async function checkObjects(context: AccountQueries, filter: SegmentFilter): Promise<void> {
  const names = await namesFor(context, [filter]);
  const missing = idsIn(filter).find((id) => !names.has(id));
  if (missing !== undefined)
    throw fault('SEGMENT_INVALID', 'segment.reference_unknown', { member: 'filter', id: missing.slice(0, 40) });
}

/** Keeps the fields of a list unchanged until the transaction ends, for a segment that refers to them. */
export async function lockFieldsShared({ tx, account }: AccountQueries, listId: number): Promise<void> {
  await tx.run(sql`select from list where account_id = ${account.id} and id = ${listId} for share`);
}

/**
 * The fields of a list to read values with. Where there are names of choices among them, the fields stay as they are until the
 * transaction ends: a choice that is renamed meanwhile is not written under its former name.
 */
export async function fieldsToWrite(context: AccountQueries, listId: number): Promise<Field[]> {
  const fields = await fieldsOf(context, listId);
  if (!fields.some(({ type }) => type === 'multiple_choice')) return fields;
  await lockFieldsShared(context, listId);
  return fieldsOf(context, listId);
}

/** Locks the fields of a list for a change; waits for transactions that rely on them. */
export async function lockFields({ tx, account }: AccountQueries, listId: number): Promise<void> {
  await tx.run(sql`select from list where account_id = ${account.id} and id = ${listId} for no key update`);
}

/** The segments of other lists that refer to a list. */
export async function segmentsAbout(
  { tx, account }: AccountQueries,
  listId: number,
): Promise<{ id: number; title: string }[]> {
  const publicId = formatId(listId);
  const rows = await tx.rows<{ id: number; title: string; filter: SegmentFilter }>(sql`
    select id, title, filter
    from segment
    where account_id = ${account.id}
      and list_id <> ${listId}
      and position(${publicId} in filter::text) > 0
    order by id`);
  return rows.filter((row) => idsIn(row.filter).includes(publicId));
}

/** Segments a campaign goes to or excludes that refer to deleted campaigns or lists. */
export async function brokenSegments(
  context: AccountQueries,
  campaignId: number,
): Promise<{ id: string; title: string; missing: string[] }[]> {
  const rows = await context.tx.rows<{ id: number; title: string; filter: SegmentFilter }>(sql`
    select g.id, g.title, g.filter
    from segment g
    where g.account_id = ${context.account.id}
      and g.id in (
        select segment_id
        from campaign_segment
        where account_id = ${context.account.id}
          and campaign_id = ${campaignId}
        union all
        select target_id
        from campaign_exclusion
        where account_id = ${context.account.id}
          and campaign_id = ${campaignId}
          and kind = 'segment'
      )
    order by g.id`);
  const names = await namesFor(
    context,
    rows.map((row) => row.filter),
  );
  return rows
    .map((row) => ({
      id: formatId(row.id),
      title: row.title,
      missing: [...new Set(idsIn(row.filter))].filter((id) => !names.has(id)),
    }))
    .filter((segment) => segment.missing.length > 0);
}
