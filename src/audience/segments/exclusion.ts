// Who a campaign leaves out because of other lists and segments: as SQL about a person, for launch, foresight and
// explanation alike.
import { join, type Queries, type Sql, sql } from '../../db/connect.ts';
import { type SegmentFilter, segmentCondition } from './segment.ts';

export type Excluded = {
  /** True for who is subscribed to a list that the campaign leaves out. */
  byList: Sql;
  /** True for who is in a segment that the campaign leaves out. */
  bySegment: Sql;
};

/** @param contactId the contact's id, as SQL; it must not use the aliases s and c */
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
