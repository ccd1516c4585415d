// The recipients of a campaign by its lists, segments and exclusions, as SQL. Launch, preview and explanation share it.
import { join, type Queries, type Sql, sql } from '../../db/connect.ts';
import { segmentCondition } from './condition-sql.ts';
import type { SegmentFilter } from './segment.ts';

/**
 * SQL that is true for the members a campaign goes to. Of a list with segments: the members of any of them; of a list
 * without: all members. Refers to the aliases s, c and l (campaign_list).
 */
export async function audienceCondition(db: Queries, accountId: number, campaignId: number): Promise<Sql> {
  const segments = await db.rows<{ list_id: number; match: 'all' | 'any'; filter: SegmentFilter }>(sql`
    select g.list_id, g.match, g.filter
    from campaign_segment cs
    join segment g on g.account_id = cs.account_id and g.id = cs.segment_id
    where cs.account_id = ${accountId}
      and cs.campaign_id = ${campaignId}`);
  if (segments.length === 0) return sql`true`;
  const byList = Map.groupBy(segments, (segment) => segment.list_id);
  const parts = [...byList].map(
    ([listId, ofList]) =>
      sql`(l.list_id = ${listId} and (${join(
        ofList.map(({ match, filter }) => segmentCondition(match, filter, { accountId, listId })),
        ' or ',
      )}))`,
  );
  return sql`(${join(parts, ' or ')} or l.list_id <> all (${[...byList.keys()]}::int[]))`;
}

export type Excluded = {
  /** True for a contact that is subscribed to an excluded list. */
  byList: Sql;
  /** True for a contact in an excluded segment. */
  bySegment: Sql;
};

/**
 * SQL that is true for a contact the campaign excludes.
 * @param contactId the contact's id, as SQL; it must not use the aliases s and c
 */
export async function excludedConditions(
  db: Queries,
  accountId: number,
  campaignId: number,
  contactId: Sql,
): Promise<Excluded> {
  const rows = await db.rows<{ id: number; listId: number | null; match: 'all' | 'any'; filter: SegmentFilter }>(sql`
    select x.target_id as id, g.list_id as "listId", g.match, g.filter
    from campaign_exclusion x
    left join segment g on x.kind = 'segment' and g.account_id = x.account_id and g.id = x.target_id
    where x.account_id = ${accountId}
      and x.campaign_id = ${campaignId}
      and (x.kind = 'list' or g.id is not null)`);
  const lists = rows.filter((row) => row.listId === null).map((row) => row.id);
  const byList =
    lists.length === 0
      ? sql`false`
      : sql`exists (
          select from subscription xs
          where xs.account_id = ${accountId}
            and xs.contact_id = ${contactId}
            and xs.list_id = any (${lists}::int[])
            and xs.status = 'subscribed'
        )`;
  const segments = rows.flatMap(({ listId, match, filter }) =>
    listId === null
      ? []
      : [
          sql`exists (
            select from subscription s
            join contact c on c.account_id = s.account_id and c.id = s.contact_id
            where s.account_id = ${accountId}
              and s.contact_id = ${contactId}
              and s.list_id = ${listId}
              and s.status = 'subscribed'
              and ${segmentCondition(match, filter, { accountId, listId })}
          )`,
        ],
  );
  return { byList, bySegment: segments.length === 0 ? sql`false` : sql`(${join(segments, ' or ')})` };
}
