// listTrends: how the number of members of several lists changed over the last days, for a table of lists. Days are spans of 24 hours up
// to now, so no time zone is needed. Only members whose status changed within them are read, by an index; members deleted since are not counted.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { membersWithStatus } from '../model/tally.ts';

export const trendDays = 30;

/** @throws Fault LIST_UNKNOWN */
export async function listTrends({ tx, account }: Context, { ids }: { ids: string[] }) {
  const lists = await tx.rows<{ id: number; members: number }>(sql`
    select list.id, ${membersWithStatus(sql`list.account_id`, sql`list.id`, 'subscribed')} as members
    from list
    where list.account_id = ${account.id}
      and list.id = any (${ids.map(parseId)}::int[])`);
  const members = new Map(lists.map((list) => [list.id, list.members]));
  for (const [i, id] of ids.entries())
    if (!members.has(parseId(id))) throw fault('LIST_UNKNOWN', 'list.unknown', { member: `ids[${i}]`, id });
  const since = sql`now() - make_interval(days => ${trendDays})`;
  const own = sql`account_id = ${account.id} and list_id = any (${[...members.keys()]}::int[])`;
  const gone = sql`${own} and status in ('unsubscribed', 'inactive', 'bounced') and status_at > ${since} and confirm_at is not null`;
  const changes = await tx.rows<{ list: number; ago: number; joined: number; left: number }>(sql`
    select list_id as list, greatest(0, floor(extract(epoch from now() - at) / 86400))::int as ago, sum(joined)::int as joined,
      sum("left")::int as "left"
    from (
      select list_id, status_at as at, 1 as joined, 0 as "left"
      from subscription
      where ${own} and status = 'subscribed' and status_at > ${since}
      union all
      select list_id, status_at, 0, 1 from subscription where ${gone}
      union all
      select list_id, confirm_at, 1, 0 from subscription where ${gone} and confirm_at > ${since}
    ) as change
    group by 1, 2`);
  return [...new Set(ids)].map((id) => {
    const of = changes.filter(({ list }) => list === parseId(id));
    // From now backwards: before a day there were those without whom joined in it, and those who left in it.
    const course = [members.get(parseId(id))!];
    for (let ago = 0; ago < trendDays; ago++) {
      const day = of.find((change) => change.ago === ago);
      course.unshift(Math.max(0, course[0]! - (day?.joined ?? 0) + (day?.left ?? 0)));
    }
    const sum = (what: 'joined' | 'left') => of.reduce((total, day) => total + day[what], 0);
    return { id: formatId(parseId(id)), joined: sum('joined'), left: sum('left'), members: course };
  });
}
