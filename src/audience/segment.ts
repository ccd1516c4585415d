// Segments: conditions on the members of a list, kept as data and compiled to parameterised SQL. No text from outside
// ever becomes part of a statement. The SQL speaks of the aliases s (subscription) and c (contact).
import { z } from 'zod';
import { join, type Queries, type Sql, sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';

export const conditions = [
  'is',
  'not',
  'isany',
  'isoneof',
  'notoneof',
  'contains',
  'notcontain',
  'starts',
  'ends',
  'greater',
  'less',
] as const;
export type ConditionName = (typeof conditions)[number];

/** Facts beside the merge tags that a condition can be about. */
export const builtInFields = [
  'EMAIL',
  'DOMAIN',
  'LANGUAGE',
  'TIMEZONE',
  'confirm_time',
  'signup_time',
  'opened',
  'clicked',
  'not_opened',
  'list',
] as const;

export const segmentFilter = z.array(z.object({ field: z.string(), condition: z.enum(conditions), value: z.string() }));
export type SegmentFilter = z.infer<typeof segmentFilter>;

/** The SQL of a segment: true for the members it holds. An empty filter holds everybody with `all`, nobody with `any`. */
export function segmentCondition(match: 'all' | 'any', filter: SegmentFilter): Sql {
  if (filter.length === 0) return match === 'all' ? sql`true` : sql`false`;
  const parts = filter.map((one) => sql`(${conditionSql(one)})`);
  return sql`(${join(parts, match === 'all' ? ' and ' : ' or ')})`;
}

/**
 * Who of a campaign's lists is meant: with segments, of each list that has one the members of any of its segments;
 * of a list without, everybody. Speaks of l (campaign_list) besides.
 */
export async function audienceCondition(db: Queries, accountId: number, campaignId: number): Promise<Sql> {
  const segments = await db.rows<{ list_id: number; match: 'all' | 'any'; filter: SegmentFilter }>(sql`
    select g.list_id, g.match, g.filter
    from campaign_segment cs
    join segment g on g.account_id = cs.account_id and g.id = cs.segment_id
    where cs.account_id = ${accountId}
      and cs.campaign_id = ${campaignId}`);
  if (segments.length === 0) return sql`true`;
  const byList = Map.groupBy(segments, (one) => one.list_id);
  const parts = [...byList].map(
    ([list, own]) =>
      sql`(l.list_id = ${list} and (${join(
        own.map((one) => segmentCondition(one.match, one.filter)),
        ' or ',
      )}))`,
  );
  return sql`(${join(parts, ' or ')} or l.list_id <> all (${[...byList.keys()]}::int[]))`;
}

function conditionSql({ field, condition, value }: SegmentFilter[number]): Sql {
  const name = field.trim();
  switch (name.toLowerCase()) {
    case 'opened':
    case 'clicked':
    case 'not_opened':
      return engagementSql(name.toLowerCase() as 'opened', value, condition === 'not' || condition === 'notoneof');
    case 'list':
      return membershipSql(value, condition === 'not' || condition === 'notoneof');
    case 'confirm_time':
      return timeSql(sql`s.confirm_at`, condition, value);
    case 'signup_time':
      return timeSql(sql`s.signup_at`, condition, value);
    case 'email':
      return textSql(sql`c.email_key`, condition, value);
    case 'domain':
      return textSql(sql`c.domain`, condition, value);
    case 'language':
      return textSql(sql`c.language`, condition, value);
    case 'timezone':
      return textSql(sql`c.time_zone`, condition, value);
    default:
      return textSql(sql`coalesce(s.fields ->> ${name.toUpperCase()}, '')`, condition, value);
  }
}

/** Compares without regard to case; greater and less as numbers when both sides are, otherwise as text (dates are ISO). */
function textSql(subject: Sql, condition: ConditionName, value: string): Sql {
  const wanted = value.toLowerCase();
  const several = () => wanted.split(';').map((one) => one.trim());
  const pattern = wanted.replace(/[\\%_]/g, '\\$&');
  switch (condition) {
    case 'is':
      return sql`lower(${subject}) = ${wanted}`;
    case 'not':
      return sql`lower(${subject}) <> ${wanted}`;
    case 'isany':
      return sql`${subject} <> ''`;
    case 'isoneof':
      return sql`lower(${subject}) = any (${several()}::text[])`;
    case 'notoneof':
      return sql`lower(${subject}) <> all (${several()}::text[])`;
    case 'contains':
      return sql`lower(${subject}) like ${`%${pattern}%`}`;
    case 'notcontain':
      return sql`lower(${subject}) not like ${`%${pattern}%`}`;
    case 'starts':
      return sql`lower(${subject}) like ${`${pattern}%`}`;
    case 'ends':
      return sql`lower(${subject}) like ${`%${pattern}`}`;
    case 'greater':
      return ordered(subject, value, sql`>`);
    case 'less':
      return ordered(subject, value, sql`<`);
  }
}

function ordered(subject: Sql, value: string, sign: Sql): Sql {
  if (/^[+-]?\d{1,15}(\.\d{1,10})?$/.test(value.trim())) {
    return sql`case when ${subject} ~ '^[+-]?[0-9]{1,15}([.][0-9]{1,10})?$' then (${subject})::numeric ${sign} ${value.trim()}::numeric else false end`;
  }
  return sql`(${subject} <> '' and ${subject} ${sign} ${value})`;
}

/** Times: an instant or day, or `N days` for "within the last N days" (greater) and "longer ago" (less). */
function timeSql(subject: Sql, condition: ConditionName, value: string): Sql {
  const days = /^(\d{1,5}) days?$/i.exec(value.trim())?.[1];
  const border =
    days === undefined ? sql`${value.trim()}::timestamptz` : sql`now() - make_interval(days => ${Number(days)})`;
  if (condition === 'isany') return sql`${subject} is not null`;
  if (condition === 'greater') return sql`${subject} > ${border}`;
  if (condition === 'less') return sql`${subject} < ${border}`;
  const sameDay = sql`date_trunc('day', ${subject}, 'UTC') = date_trunc('day', ${border}, 'UTC')`;
  return condition === 'not' || condition === 'notoneof' ? sql`${subject} is null or not (${sameDay})` : sameDay;
}

function engagementSql(what: 'opened' | 'clicked' | 'not_opened', campaign: string, negated: boolean): Sql {
  const counted = what === 'clicked' ? sql`e.clicks > 0` : sql`e.opens > 0 or e.clicks > 0`;
  const did = sql`exists (
    select from delivery d
    join engagement e on e.account_id = d.account_id and e.campaign_id = d.campaign_id and e.seq = d.seq
    where d.account_id = s.account_id
      and d.campaign_id = ${parseId(campaign.trim())}
      and d.contact_id = s.contact_id
      and (${counted})
  )`;
  if (what !== 'not_opened') return negated ? sql`not ${did}` : did;
  // Not opened speaks of those who got it.
  const got = sql`exists (
    select from delivery d
    where d.account_id = s.account_id
      and d.campaign_id = ${parseId(campaign.trim())}
      and d.contact_id = s.contact_id
      and d.state = 2
  )`;
  return negated ? did : sql`${got} and not ${did}`;
}

function membershipSql(list: string, negated: boolean): Sql {
  const member = sql`exists (
    select from subscription other
    where other.account_id = s.account_id
      and other.contact_id = s.contact_id
      and other.list_id = ${parseId(list.trim())}
      and other.status = 'subscribed'
  )`;
  return negated ? sql`not ${member}` : member;
}
