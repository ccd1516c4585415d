// SQL for opens and clicks within the last days, in any message of the account to the contact, also of an autoresponder. Refers to the
// alias s (subscription). For a whole list, campaigns sent within these days are read from their summaries: all their opens are as
// recent. What was done in the others is read from engagement, into one set of contacts.
import { join, type Queries, type Sql, sql } from '../../db/connect.ts';
import {
  builtInField,
  type Condition,
  conditionsOn,
  daysOf,
  isActivityField,
  type SegmentFilter,
} from '../model/segment.ts';
import { blockOver, knownSql, perMember } from './campaign-sql.ts';
import { inWords } from './contact-words.ts';
import type { Joins, SegmentScope } from './scope.ts';
import { inBlock, isSummarised } from './summary-sql.ts';

type Activity = { field: 'opened' | 'clicked'; days: number };

export function activitySql(activity: Activity, negated: boolean, scope: SegmentScope, must: boolean): Sql {
  return knownSql(didSql(activity, scope, must), negated, scope);
}

function didSql(activity: Activity, scope: SegmentScope, must: boolean): Sql {
  const { accountId, whole } = scope;
  if (whole?.joins) return inJoins(activity, accountId, whole.joins);
  const recent = isRecent(activity);
  if (!whole)
    return sql`exists (
        select from delivery d
        join campaign p on p.account_id = d.account_id and p.id = d.campaign_id
        cross join lateral (
          select from engagement e
          where e.account_id = d.account_id
            and e.campaign_id = d.campaign_id
            and e.seq = d.seq
            and e.month = p.month
            and ${recent}
          offset 0
        ) e
        where d.account_id = s.account_id
          and d.contact_id = s.contact_id
        ${perMember(scope)}
      )`;
  // A message of any month may be opened now, so all months are read.
  return must
    ? sql`exists (select from engagement e where e.account_id = ${accountId} and ${recent} and e.contact_id = s.contact_id)`
    : sql`s.contact_id in (select e.contact_id from engagement e where e.account_id = ${accountId} and ${recent})`;
}

function inJoins({ field, days }: Activity, accountId: number, joins: Joins): Sql {
  const summarised = joins.within.get(days) ?? [];
  const key = activityKey({ field, days });
  const ways: Sql[] = [];
  if (summarised.length > 0) ways.push(inBlock(blockOver(joins, accountId, summarised), field));
  if (joins.words.has(key)) ways.push(inWords(joins, key));
  return ways.length === 0 ? sql`false` : sql`(${join(ways, ' or ')})`;
}

const isRecent = ({ field, days }: Activity): Sql => {
  const since = sql`now() - make_interval(days => ${days})`;
  return field === 'clicked'
    ? sql`e.last_click_at > ${since}`
    : sql`(e.last_open_at > ${since} or e.last_click_at > ${since})`;
};

export const activityKey = ({ field, days }: Activity): string => `${field} within ${days}`;

/** What a condition asks for; undefined for one that is about something else. */
export function activityOf({ field, value }: Condition): Activity | undefined {
  const builtIn = builtInField(field);
  const days = daysOf(value);
  return isActivityField(builtIn) && days !== undefined ? { field: builtIn, days } : undefined;
}

/** What a filter asks for. */
export const activitiesIn = (filter: SegmentFilter): Activity[] =>
  (['opened', 'clicked'] as const).flatMap((field) =>
    conditionsOn(filter, field).flatMap((condition) => activityOf(condition) ?? []),
  );

/** The campaigns that have begun within the last days and are summarised. */
export async function summarisedWithin(tx: Queries, accountId: number, days: number): Promise<number[]> {
  const rows = await tx.rows<{ id: number }>(sql`
    select c.id
    from recipient_summary r
    join campaign c on c.account_id = r.account_id and c.id = r.campaign_id
    where r.account_id = ${accountId}
      and c.send_at > now() - make_interval(days => ${days})
      and ${isSummarised}`);
  return rows.map(({ id }) => id);
}

/** With more campaigns, naming each takes longer than reading what was done in all of them. */
const maxNamed = 1_000;

/**
 * Who opened or clicked within the last days in another campaign than these, as a statement with the column `contact`; undefined
 * where there is no other.
 */
export async function otherContacts(
  tx: Queries,
  accountId: number,
  activity: Activity,
  summarised: readonly number[],
): Promise<Sql | undefined> {
  const others = await tx.rows<{ id: number; month: string }>(sql`
    select id, month::text as month
    from campaign
    where account_id = ${accountId}
      and id <> all (${[...summarised]}::int[])
      and status not in ('draft', 'scheduled')
    limit ${maxNamed + 1}`);
  if (others.length === 0) return undefined;
  const months = [...new Set(others.map(({ month }) => month))];
  const which =
    others.length > maxNamed
      ? sql`e.campaign_id <> all (${[...summarised]}::int[])`
      : sql`e.campaign_id = any (${others.map(({ id }) => id)}::int[]) and e.month = any (${months}::date[])`;
  return sql`
    select e.contact_id as contact
    from engagement e
    where e.account_id = ${accountId}
      and ${which}
      and ${isRecent(activity)}`;
}
