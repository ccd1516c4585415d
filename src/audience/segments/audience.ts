// The recipients of a campaign by its lists, segments and exclusions, as SQL. Launch, preview and explanation share it.
import { join, type Queries, type Sql, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import type { Match, SegmentFilter } from '../model/segment.ts';
import { segmentCondition } from './condition-sql.ts';
import { latestCampaigns, maxLatest, type SegmentScope } from './scope.ts';

/** A segment that a campaign goes to or excludes. `latest`: what its "last 3" and the like mean, `zone`: of its days (see SegmentScope). */
export type AudienceSegment = {
  listId: number;
  match: Match;
  filter: SegmentFilter;
  latest?: number[];
  zone?: string;
};

/** The segments of an audience. */
export type AudienceSegments = { segments: AudienceSegment[]; excluded: AudienceSegment[] };

/** The segments of a campaign at its launch: from then on it would be one of the latest campaigns itself. */
export async function segmentsAtLaunch(db: Queries, of: CampaignKey): Promise<AudienceSegments> {
  const withLatest = async (segment: AudienceSegment): Promise<AudienceSegment> => {
    const count = maxLatest(segment.filter);
    if (count === 0) return segment;
    const rows = await db.rows<{ id: number }>(latestCampaigns(of.account, segment.listId, count));
    return { ...segment, latest: rows.map(({ id }) => id) };
  };
  const segments: AudienceSegment[] = [];
  for (const segment of await segmentsOf(db, of)) segments.push(await withLatest(segment));
  const excluded: AudienceSegment[] = [];
  for (const segment of await excludedSegmentsOf(db, of)) excluded.push(await withLatest(segment));
  return { segments, excluded };
}

/** How the conditions are asked: for a few members, or also of contacts whose opens and clicks are not recorded. */
type How = Pick<SegmentScope, 'few' | 'withUntracked'>;

/**
 * SQL that is true for the members a campaign goes to. Of a list with segments: the members of any of them; of a list
 * without: all members. Refers to the aliases s, c and l (campaign_list).
 */
export async function audienceCondition(db: Queries, of: CampaignKey, how: How = {}): Promise<Sql> {
  return inSegments(of.account, await segmentsOf(db, of), how);
}

/** The segments a campaign goes to. */
export function segmentsOf(db: Queries, of: CampaignKey): Promise<AudienceSegment[]> {
  return db.rows<AudienceSegment>(sql`
    select g.list_id as "listId", g.match, g.filter, a.time_zone as zone
    from campaign_segment cs
    join segment g on g.account_id = cs.account_id and g.id = cs.segment_id
    join account a on a.id = g.account_id
    where cs.account_id = ${of.account}
      and cs.campaign_id = ${of.campaign}`);
}

/** As audienceCondition, for these segments. */
export function inSegments(accountId: number, segments: readonly AudienceSegment[], how: How = {}): Sql {
  if (segments.length === 0) return sql`true`;
  const byList = Map.groupBy(segments, (segment) => segment.listId);
  const parts = [...byList].map(
    ([listId, ofList]) =>
      sql`(l.list_id = ${listId} and (${join(
        ofList.map(({ match, filter, latest, zone }) =>
          segmentCondition(match, filter, { accountId, listId, latest, zone, ...how }),
        ),
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
 * @param excluded the segments, where they are known
 */
export async function excludedConditions(
  db: Queries,
  of: CampaignKey,
  contactId: Sql,
  excluded?: readonly AudienceSegment[],
): Promise<Excluded> {
  const rows = await db.rows<{ id: number }>(sql`
    select target_id as id
    from campaign_exclusion
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and kind = 'list'`);
  const lists = rows.map((row) => row.id);
  const byList =
    lists.length === 0
      ? sql`false`
      : sql`exists (
          select from subscription xs
          where xs.account_id = ${of.account}
            and xs.contact_id = ${contactId}
            and xs.list_id = any (${lists}::int[])
            and xs.status = 'subscribed'
        )`;
  const segments = excluded ?? (await excludedSegmentsOf(db, of));
  return { byList, bySegment: inExcludedSegments(of.account, segments, contactId) };
}

/** The segments a campaign excludes. */
export function excludedSegmentsOf(db: Queries, of: CampaignKey): Promise<AudienceSegment[]> {
  return db.rows<AudienceSegment>(sql`
    select g.list_id as "listId", g.match, g.filter, a.time_zone as zone
    from campaign_exclusion x
    join segment g on g.account_id = x.account_id and g.id = x.target_id
    join account a on a.id = g.account_id
    where x.account_id = ${of.account}
      and x.campaign_id = ${of.campaign}
      and x.kind = 'segment'`);
}

/** SQL that is true for a contact in one of these segments. @param contactId as for excludedConditions */
export function inExcludedSegments(
  accountId: number,
  segments: readonly AudienceSegment[],
  contactId: Sql,
  how: How = {},
): Sql {
  if (segments.length === 0) return sql`false`;
  const parts = segments.map(
    ({ listId, match, filter, latest, zone }) => sql`exists (
      select from subscription s
      join contact c on c.account_id = s.account_id and c.id = s.contact_id
      where s.account_id = ${accountId}
        and s.contact_id = ${contactId}
        and s.list_id = ${listId}
        and s.status = 'subscribed'
        and ${segmentCondition(match, filter, { accountId, listId, latest, zone, ...how })}
    )`,
  );
  return sql`(${join(parts, ' or ')})`;
}
