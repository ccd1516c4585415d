// Compiles a segment's filter to parameterised SQL. No text from outside becomes part of a statement. The SQL refers to
// the aliases s (subscription) and c (contact).
import { formatDay } from '../../base/calendar.ts';
import { join, type Sql, sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { tagKey } from '../model/contact-tag.ts';
import {
  builtInField,
  type Condition,
  type ConditionName,
  daysOf,
  type Group,
  isGroup,
  type Match,
  type SegmentFilter,
} from '../model/segment.ts';
import { activityOf, activitySql } from './activity-sql.ts';
import { campaignSql, linkSql } from './campaign-sql.ts';
import { boundsOf, dayOf, timeAnniversaryWithin, todayIn } from './days.ts';
import { eventSql } from './event-sql.ts';
import type { SegmentScope } from './scope.ts';
import { textSql } from './text-sql.ts';

/**
 * The SQL of a segment: true for its members. An empty filter matches everyone with `all` and `none`, no one with `any`.
 * @param must whether the statement needs only the members for which it is true
 */
export function segmentCondition(match: Match, filter: SegmentFilter, scope: SegmentScope, must = true): Sql {
  return groupSql({ match, filter }, scope, must);
}

/** @param must whether every matching member must fulfil this group, as opposed to one alternative of several */
function groupSql({ match, filter }: Group, scope: SegmentScope, must: boolean): Sql {
  if (filter.length === 0) return match === 'any' ? sql`false` : sql`true`;
  // A condition that is unknown, such as of a time that there is not, does not match.
  if (match === 'none') {
    const within = { ...scope, inNone: !scope.inNone };
    return sql`(${groupSql({ match: 'any', filter }, within, false)} is not true)`;
  }
  const each = must && (match === 'all' || filter.length === 1);
  const parts = filter.map((item) =>
    isGroup(item) ? groupSql(item, scope, each) : sql`(${conditionSql(item, scope, each)})`,
  );
  return sql`(${join(parts, match === 'all' ? ' and ' : ' or ')})`;
}

function conditionSql(asked: Condition, scope: SegmentScope, must: boolean): Sql {
  const { field, condition, value } = asked;
  const negated = condition === 'not' || condition === 'notoneof';
  const builtIn = builtInField(field);
  const activity = activityOf(asked);
  if (activity) return activitySql(activity, negated, scope, must);
  switch (builtIn) {
    case 'opened':
    case 'clicked':
    case 'not_opened':
    case 'was_sent':
    case 'failed':
      return campaignSql(builtIn, value, negated, scope, must);
    case 'clicked_link':
      return linkSql(condition, value, scope, must);
    case 'event':
      return eventSql(asked, scope, must);
    case 'list':
      return membershipSql(value, negated);
    case 'contact_tag':
      return tagSql(condition, value);
    case 'confirm_time':
      return timeSql(sql`s.confirm_at`, condition, value, scope.zone);
    case 'signup_time':
      return timeSql(sql`s.signup_at`, condition, value, scope.zone);
    case 'changed_time':
      return timeSql(sql`s.changed_at`, condition, value, scope.zone);
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
      return textSql(sql`coalesce(s.fields ->> ${field.trim().toUpperCase()}, '')`, condition, value, {
        zone: scope.zone,
        many: scope.whole !== undefined,
      });
  }
}

/**
 * Compares with an instant in UTC, a day of the account (greater starts after its end), or `N days`: within the last N days (greater)
 * or longer ago (less).
 */
function timeSql(subject: Sql, condition: ConditionName, value: string, zone: string | undefined): Sql {
  if (condition === 'isany') return sql`${subject} is not null`;
  if (condition === 'anniversary') return timeAnniversaryWithin(subject, daysOf(value) ?? 0, zone);
  // Nothing has happened later than today.
  if (condition === 'next') return timeSql(subject, 'is', formatDay(todayIn(zone)), zone);
  const isOrder = condition === 'greater' || condition === 'less';
  const sign = condition === 'greater' ? sql`>` : sql`<`;
  const days = daysOf(value);
  if (days !== undefined) return sql`${subject} ${sign} now() - make_interval(days => ${days})`;
  if (isOrder && value.trim().length > 10) return sql`${subject} ${sign} ${`${value.trim()} UTC`}::timestamptz`;
  const { start, end } = boundsOf(dayOf(value, zone), zone);
  if (condition === 'greater') return sql`${subject} >= ${end}::timestamptz`;
  if (condition === 'less') return sql`${subject} < ${start}::timestamptz`;
  const sameDay = sql`${subject} >= ${start}::timestamptz and ${subject} < ${end}::timestamptz`;
  return condition === 'not' || condition === 'notoneof' ? sql`${subject} is null or not (${sameDay})` : sameDay;
}

function tagSql(condition: ConditionName, value: string): Sql {
  if (condition === 'isany') return sql`c.tags <> '{}'`;
  if (value.trim() === '') return condition === 'is' ? sql`c.tags = '{}'` : sql`c.tags <> '{}'`;
  const several = condition === 'isoneof' || condition === 'notoneof';
  const tags = (several ? value.split(';') : [value]).map(tagKey);
  const has = sql`c.tags && ${tags}::text[]`;
  return condition === 'not' || condition === 'notoneof' ? sql`not (${has})` : has;
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
