// Counts the members of a segment that asks for nothing but events. Members and events are both bits of contacts, in words of 64, and
// are compared word by word: that takes a third less time than comparing each member.
import { join, raw, type Sql, sql } from '../../db/connect.ts';
import { builtInField, type Condition, type Group, isGroup, type SegmentFilter } from '../model/segment.ts';
import { eventKey } from './event-sql.ts';
import type { SegmentScope } from './scope.ts';

/** A statement with the column `count`; undefined for a segment that asks for other things too. */
export function countInWords({ match, filter }: Group, { accountId, listId, whole }: SegmentScope): Sql | undefined {
  const words = whole?.joins?.words;
  if (!words || words.size === 0 || !isAboutEvents(filter)) return undefined;
  const keys = [...words.keys()];
  const aliasOf = (key: string) => raw(`did_${keys.indexOf(key)}`);
  const joins = [...words].map(
    ([key, { words, bits }]) => sql`
      left join unnest(${words}::int[], ${bits}::bigint[]) as ${aliasOf(key)} (word, bits)
        on ${aliasOf(key)}.word = member.word`,
  );
  const did = (asked: Condition): Sql => {
    const bits = sql`coalesce(${aliasOf(eventKey(asked))}.bits, 0)`;
    return asked.condition === 'not' ? sql`~ ${bits}` : bits;
  };
  const matching = ({ match, filter }: Group): Sql => {
    if (filter.length === 0) return match === 'any' ? sql`0::bigint` : sql`(-1::bigint)`;
    if (match === 'none') return sql`~ (${matching({ match: 'any', filter })})`;
    const parts = filter.map((item) => sql`(${isGroup(item) ? matching(item) : did(item)})`);
    return join(parts, match === 'all' ? ' & ' : ' | ');
  };
  return sql`
    select coalesce(sum(bit_count((member.bits & (${matching({ match, filter })}))::bit(64))), 0)::int as count
    from (
      select word, bit_or(bit) as bits
      from (
        select contact_id >> 6 as word, 1::bigint << (contact_id & 63) as bit
        from subscription
        where account_id = ${accountId}
          and list_id = ${listId}
          and status = 'subscribed'
        -- As in event-sql.ts: workers are to share it.
        offset bigint '0'
      ) as each
      group by word
    ) as member
    ${join(joins, ' ')}`;
}

const isAboutEvents = (filter: SegmentFilter): boolean =>
  filter.every((item) => (isGroup(item) ? isAboutEvents(item.filter) : builtInField(item.field) === 'event'));
