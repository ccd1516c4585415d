// SQL for the condition on what programs reported about a contact: did NAME, within the last days, at least some times, with data
// that compares. Refers to the alias s (subscription).
import { empty, join, type Sql, sql } from '../../db/connect.ts';
import { type Condition, type EventDetail, isNumber } from '../model/segment.ts';
import { fence, inWords } from './contact-words.ts';
import type { SegmentScope } from './scope.ts';
import { textSql } from './text-sql.ts';

export function eventSql(asked: Condition, scope: SegmentScope, must: boolean): Sql {
  const did = didSql(asked, scope, must);
  return asked.condition === 'not' ? sql`not (${did})` : did;
}

function didSql(asked: Condition, scope: SegmentScope, must: boolean): Sql {
  if (scope.whole?.joins) return inWords(scope.whole.joins, eventKey(asked));
  const matches = matchesSql(asked, scope);
  const times = asked.times ?? 1;
  return scope.whole ? amongAll(matches, times, must) : ofMember(matches, times, scope);
}

/** SQL that is true for the events (alias e) that a condition is about. */
function matchesSql({ value, days, where = [] }: Condition, scope: SegmentScope): Sql {
  const name = value.trim();
  // Of a name that was never reported there is no number, and no event.
  const no = scope.whole
    ? sql`${scope.whole.events.get(name) ?? 0}`
    : sql`(select no from event_name where account_id = ${scope.accountId} and name = ${name})`;
  return sql`
    e.account_id = ${scope.accountId}
    and e.name_no = ${no}
    ${days === undefined ? empty : sql`and e.at > now() - make_interval(days => ${days})`}
    ${where.length === 0 ? empty : sql`and ${join(where.map(detailSql), ' and ')}`}`;
}

/** The same for "did" and "did not". */
export const eventKey = ({ value, days, times, where }: Condition): string =>
  JSON.stringify([value.trim(), days, times, where]);

/** Who did what a condition asks for, as a statement with the column `contact`. */
export function eventContacts(asked: Condition, scope: SegmentScope): Sql {
  const matches = matchesSql(asked, scope);
  // Several times: sorted by all workers, which is faster than one hash table.
  return (asked.times ?? 1) === 1
    ? sql`select contact_id as contact from contact_event e where ${matches}`
    : sql`
        select contact_id as contact
        from (select contact_id from contact_event e where ${matches} order by contact_id ${fence}) as e
        group by contact_id
        having count(*) >= ${asked.times}`;
}

/**
 * Read at once: of one that must have happened, a join, which workers share. Of several the groups are built once, by all workers
 * together: without "is true" and "offset 0" each worker would build all of them for itself, which takes three times as long.
 */
function amongAll(matches: Sql, times: number, must: boolean): Sql {
  if (times > 1)
    return sql`(s.contact_id in (
      select e.contact_id from contact_event e where ${matches} group by e.contact_id having count(*) >= ${times} offset 0
    )) is true`;
  return must
    ? sql`exists (select from contact_event e where ${matches} and e.contact_id = s.contact_id)`
    : sql`s.contact_id in (select e.contact_id from contact_event e where ${matches})`;
}

/** Looked up by the contact; "offset 0" keeps the planner from reading what all contacts did. */
function ofMember(matches: Sql, times: number, { few }: SegmentScope): Sql {
  const own = sql`from contact_event e where ${matches} and e.contact_id = s.contact_id`;
  if (times === 1) return sql`exists (select ${own} ${few ? sql`offset 0` : empty})`;
  return sql`((select count(*) from (select ${own} limit ${times}) as done) >= ${times})`;
}

function detailSql({ field, condition, value }: EventDetail): Sql {
  if (field === 'value') return sql`(${compared(sql`coalesce(trim_scale(e.value)::text, '')`, condition, value)})`;
  const path = field.split('.').slice(1);
  if (!path.includes('*')) {
    // A path of one name is read faster without an array of names.
    const member = path.length === 1 ? sql`->> ${path[0]!}::text` : sql`#>> ${path}::text[]`;
    return sql`(${compared(sql`coalesce(e.data ${member}, '')`, condition, value)})`;
  }
  // Of several items one is enough; a negation is about all of them.
  const { positive, isNegated } = asPositive(condition);
  const items = sql`exists (
    select
    from jsonb_path_query(e.data, ${jsonPath(path)}::jsonpath) as item (json)
    where ${compared(sql`coalesce(item.json #>> '{}', '')`, positive, value)}
  )`;
  return isNegated ? sql`not ${items}` : items;
}

const opposites: Partial<Record<EventDetail['condition'], EventDetail['condition']>> = {
  not: 'is',
  notoneof: 'isoneof',
  notcontain: 'contains',
};
function asPositive(condition: EventDetail['condition']) {
  const positive = opposites[condition];
  return { positive: positive ?? condition, isNegated: positive !== undefined };
}

/** Numbers are equal whatever zeros they end with. */
function compared(subject: Sql, condition: EventDetail['condition'], value: string): Sql {
  const asText = textSql(subject, condition, value);
  if ((condition !== 'is' && condition !== 'not') || !isNumber(value)) return asText;
  const isEqual = sql`case
    when ${subject} ~ '^[+-]?[0-9]{1,15}([.][0-9]{1,10})?$' then (${subject})::numeric = ${value.trim()}::numeric
    else false
  end`;
  return condition === 'is' ? isEqual : sql`not (${isEqual})`;
}

/** The path of a member in the language of PostgreSQL: each name quoted, * for all items of an array. */
const jsonPath = (path: readonly string[]): string =>
  `lax $${path.map((name) => (name === '*' ? '[*]' : `.${JSON.stringify(name)}`)).join('')}`;
