// Reads stored segments, their members, and previews conditions that are not stored yet.
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import type { Page } from '../../method/paging.ts';
import { fieldsOf } from '../model/field.ts';
import { needList } from '../model/list.ts';
import type { Match } from '../model/segment.ts';
import { fieldNames, filterAsSentence } from './describe.ts';
import { countEach, countUntracked, membersOf } from './members.ts';
import { readFilter } from './read-filter.ts';
import { checkObjects, namesFor } from './references.ts';
import { needSegment, type Segment } from './stored.ts';

/** The segments of a list with their numbers of members, oldest first. */
export async function listSegments(context: Context, { id }: { id: string }) {
  const { tx, account } = context;
  const list = await needList(context, id);
  const rows = await tx.rows<Segment & { web_id: number; created_at: Date; auto_update: boolean; version: string }>(sql`
    select id, list_id as "listId", web_id, title, match, filter, auto_update, created_at, changed_at::text as version
    from segment
    where account_id = ${account.id}
      and list_id = ${list.id}
    order by created_at, id`);
  const names = await namesFor(
    context,
    rows.map((row) => row.filter),
  );
  const withFields = new Map([...names, ...fieldNames(await fieldsOf(context, list.id))]);
  const counts = await countEach(context, list.id, rows);
  return rows.map((row, i) => ({
    id: formatId(row.id),
    web_id: row.web_id,
    name: row.title,
    date_created: formatDate(row.created_at),
    member_count: counts[i]!,
    match: row.match,
    filter: row.filter,
    auto_update: row.auto_update,
    reading: filterAsSentence(row.match, row.filter, context.language, withFields),
  }));
}

/** The segments of all lists, in the order of their lists; not counted, which takes a pass through each list. */
export async function segmentsOfAccount(context: Context, { start, limit }: Page) {
  const { tx, account } = context;
  const rows = await tx.rows<Segment & { listName: string; created_at: Date; changed_at: Date }>(sql`
    select g.id, g.list_id as "listId", l.name as "listName", g.title, g.match, g.filter, g.created_at, g.changed_at
    from segment g
    join list l on l.account_id = g.account_id and l.id = g.list_id
    where g.account_id = ${account.id}
    order by l.created_at, l.id, g.created_at, g.id
    limit ${limit}
    offset ${start * limit}`);
  const names = await namesFor(
    context,
    rows.map((row) => row.filter),
  );
  const fields = new Map<number, [string, string][]>();
  for (const { listId } of rows)
    if (!fields.has(listId)) fields.set(listId, fieldNames(await fieldsOf(context, listId)));
  return rows.map((row) => ({
    id: formatId(row.id),
    name: row.title,
    list: formatId(row.listId),
    list_name: row.listName,
    match: row.match,
    filter: row.filter,
    reading: filterAsSentence(row.match, row.filter, context.language, new Map([...names, ...fields.get(row.listId)!])),
    date_created: formatDate(row.created_at),
    date_changed: formatDate(row.changed_at),
  }));
}

export async function segmentMembers(context: Context, { id, status, ...page }: { id: string; status: string } & Page) {
  const segment = await needSegment(context, id);
  if (status !== 'subscribed') return { total: 0, data: [] };
  const { total, rows } = await membersOf(context, segment, { order: sql`s.status_at, s.contact_id`, ...page });
  const list = formatId(segment.listId);
  const data = rows.map(({ id, email, statusAt }) => ({
    email,
    id: formatId(id),
    list,
    timestamp: formatDate(statusAt),
  }));
  return { total, data };
}

export async function previewSegment(context: Context, given: { list: string; match: Match; filter: unknown }) {
  const list = await needList(context, given.list, 'list');
  const fields = await fieldsOf(context, list.id);
  const filter = readFilter(fields, given.filter, context.published !== undefined);
  await checkObjects(context, filter);
  const segment = { listId: list.id, match: given.match, filter };
  const order = sql`s.status_at desc, s.contact_id`;
  const names = new Map([...(await namesFor(context, [filter])), ...fieldNames(fields)]);
  const { total, rows } = await membersOf(context, segment, { order, start: 0, limit: 10 });
  return {
    count: total,
    untracked: await countUntracked(context, segment),
    sample: rows.map((row) => ({ id: formatId(row.id), email: row.email })),
    reading: filterAsSentence(given.match, filter, context.language, names),
  };
}
