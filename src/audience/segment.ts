// Segments: conditions on the members of a list, kept as data and compiled to parameterised SQL. No text from outside
// ever becomes part of a statement. The SQL speaks of the aliases s (subscription) and c (contact).
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
export const textFacts = ['EMAIL', 'DOMAIN', 'LANGUAGE', 'TIMEZONE', 'EMAIL_TYPE', 'signup_source'] as const;
export const timeFacts = ['confirm_time', 'signup_time', 'changed_time'] as const;
export const campaignFacts = ['opened', 'clicked', 'not_opened', 'was_sent'] as const;
export const builtInFields = [...textFacts, ...timeFacts, ...campaignFacts, 'clicked_link', 'list'] as const;
export type BuiltInField = (typeof builtInFields)[number];

export type Condition = { field: string; condition: ConditionName; value: string };
export type Group = { match: 'all' | 'any'; filter: SegmentFilter };
export type SegmentFilter = (Condition | Group)[];

export const isGroup = (one: Condition | Group): one is Group => 'filter' in one;

/** Where a segment is asked: conditions on the latest campaigns speak of those of the list. */
export type SegmentPlace = { accountId: number; listId: number };

/** The built-in fact of a name in any case; undefined for a merge tag. */
export function builtInField(name: string): BuiltInField | undefined {
  const lower = name.trim().toLowerCase();
  return builtInFields.find((one) => one.toLowerCase() === lower);
}

/** The SQL of a segment: true for the members it holds. An empty filter holds everybody with `all`, nobody with `any`. */
export function segmentCondition(match: 'all' | 'any', filter: SegmentFilter, place: SegmentPlace): Sql {
  if (filter.length === 0) return match === 'all' ? sql`true` : sql`false`;
  const parts = filter.map((one) =>
    isGroup(one) ? segmentCondition(one.match, one.filter, place) : sql`(${conditionSql(one, place)})`,
  );
  return sql`(${join(parts, match === 'all' ? ' and ' : ' or ')})`;
}

/** Whether a filter asks for something of the contact (alias c); a list of a million is counted faster without it. */
export function asksContact(filter: SegmentFilter): boolean {
  return filter.some((one) => {
    if (isGroup(one)) return asksContact(one.filter);
    return ['EMAIL', 'DOMAIN', 'LANGUAGE', 'TIMEZONE'].includes(builtInField(one.field) ?? '');
  });
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
        own.map((one) => segmentCondition(one.match, one.filter, { accountId, listId: list })),
        ' or ',
      )}))`,
  );
  return sql`(${join(parts, ' or ')} or l.list_id <> all (${[...byList.keys()]}::int[]))`;
}

function conditionSql({ field, condition, value }: Condition, place: SegmentPlace): Sql {
  const negated = condition === 'not' || condition === 'notoneof';
  const fact = builtInField(field);
  switch (fact) {
    case 'opened':
    case 'clicked':
    case 'not_opened':
    case 'was_sent':
      return campaignSql(fact, value, negated, place);
    case 'clicked_link':
      return linkSql(condition, value);
    case 'list':
      return membershipSql(value, negated);
    case 'confirm_time':
      return timeSql(sql`s.confirm_at`, condition, value);
    case 'signup_time':
      return timeSql(sql`s.signup_at`, condition, value);
    case 'changed_time':
      return timeSql(sql`s.changed_at`, condition, value);
    case 'EMAIL':
      return textSql(sql`c.email_key`, condition, value);
    case 'DOMAIN':
      return textSql(sql`c.domain`, condition, value);
    case 'LANGUAGE':
      return textSql(sql`c.language`, condition, value);
    case 'TIMEZONE':
      return textSql(sql`c.time_zone`, condition, value);
    case 'EMAIL_TYPE':
      return textSql(sql`s.email_type`, condition, value);
    case 'signup_source':
      return textSql(sql`s.source`, condition, value);
    case undefined:
      return textSql(sql`coalesce(s.fields ->> ${field.trim().toUpperCase()}, '')`, condition, value);
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

/**
 * Numbers among numbers, days among days, anything else as text. What is stored and is of another kind is in no order:
 * it fits neither greater nor less, and never ends the statement.
 */
function ordered(subject: Sql, value: string, sign: Sql): Sql {
  const wanted = value.trim();
  if (isNumber(wanted))
    return sql`case when ${subject} ~ '^[+-]?[0-9]{1,15}([.][0-9]{1,10})?$' then (${subject})::numeric ${sign} ${wanted}::numeric else false end`;
  const isDay = sql`${subject} ~ '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'`;
  // Days as text are in order; "C" keeps the comparison off the database's language.
  const days = daysOf(wanted);
  if (days !== undefined)
    return sql`(${isDay} and ${subject} collate "C" ${sign} to_char((now() at time zone 'UTC') - make_interval(days => ${days}), 'YYYY-MM-DD'))`;
  if (/^\d{4}-\d{2}-\d{2}$/.test(wanted)) return sql`(${isDay} and ${subject} collate "C" ${sign} ${wanted})`;
  return sql`(${subject} <> '' and lower(${subject}) collate "C" ${sign} ${wanted.toLowerCase()})`;
}

export const isNumber = (value: string) => /^[+-]?\d{1,15}(\.\d{1,10})?$/.test(value.trim());

/** N of "N days"; undefined for anything else. */
export function daysOf(value: string): number | undefined {
  const days = /^(\d{1,5}) days?$/i.exec(value.trim())?.[1];
  return days === undefined ? undefined : Number(days);
}

/** N of "last N", the latest campaigns of the list; undefined for anything else. */
export function latestOf(value: string): number | undefined {
  const count = /^last (\d{1,3})$/i.exec(value.trim())?.[1];
  return count === undefined ? undefined : Number(count);
}

/** Times: an instant or day, or `N days` for "within the last N days" (greater) and "longer ago" (less). */
function timeSql(subject: Sql, condition: ConditionName, value: string): Sql {
  if (condition === 'isany') return sql`${subject} is not null`;
  const days = daysOf(value);
  const border =
    days === undefined ? sql`${`${value.trim()} UTC`}::timestamptz` : sql`now() - make_interval(days => ${days})`;
  if (condition === 'greater') return sql`${subject} > ${border}`;
  if (condition === 'less') return sql`${subject} < ${border}`;
  const sameDay = sql`date_trunc('day', ${subject}, 'UTC') = date_trunc('day', ${border}, 'UTC')`;
  return condition === 'not' || condition === 'notoneof' ? sql`${subject} is null or not (${sameDay})` : sameDay;
}

/** Openings, clicks and mails sent, of one campaign or of any of the list's latest. */
function campaignSql(
  what: (typeof campaignFacts)[number],
  value: string,
  negated: boolean,
  { accountId, listId }: SegmentPlace,
): Sql {
  const latest = latestOf(value);
  const meant =
    latest === undefined
      ? sql`= ${parseId(value.trim())}`
      : sql`= any (array(
          select c2.id
          from campaign c2
          join campaign_list l2 on l2.account_id = c2.account_id and l2.campaign_id = c2.id
          where c2.account_id = ${accountId}
            and l2.list_id = ${listId}
            and c2.status in ('sending', 'sent')
            and c2.type <> 'auto'
          order by c2.send_at desc nulls last, c2.id
          limit ${latest}
        ))`;
  // Not opened speaks of those who got it.
  const got = sql`exists (
    select from delivery d
    where d.account_id = s.account_id
      and d.campaign_id ${meant}
      and d.contact_id = s.contact_id
      and d.state = 2
  )`;
  if (what === 'was_sent') return negated ? sql`not ${got}` : got;
  const counted = what === 'clicked' ? sql`e.clicks > 0` : sql`e.opens > 0 or e.clicks > 0`;
  const did = sql`exists (
    select from delivery d
    join engagement e on e.account_id = d.account_id and e.campaign_id = d.campaign_id and e.seq = d.seq
    where d.account_id = s.account_id
      and d.campaign_id ${meant}
      and d.contact_id = s.contact_id
      and (${counted})
  )`;
  if (what !== 'not_opened') return negated ? sql`not ${did}` : did;
  return negated ? did : sql`${got} and not ${did}`;
}

/** Clicks on a link, told by its target, in any campaign of the account. */
function linkSql(condition: ConditionName, target: string): Sql {
  const negated = condition === 'not' || condition === 'notoneof' || condition === 'notcontain';
  const same: Partial<Record<ConditionName, ConditionName>> = {
    not: 'is',
    notoneof: 'isoneof',
    notcontain: 'contains',
  };
  const clicked = sql`exists (
    select from delivery d
    join link_engagement e on e.account_id = d.account_id and e.campaign_id = d.campaign_id and e.seq = d.seq and e.clicks > 0
    join link k on k.account_id = e.account_id and k.campaign_id = e.campaign_id and k.no = e.link_no
    where d.account_id = s.account_id
      and d.contact_id = s.contact_id
      and ${textSql(sql`k.target`, same[condition] ?? condition, target)}
  )`;
  return negated ? sql`not ${clicked}` : clicked;
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
