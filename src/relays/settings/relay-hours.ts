// What each relay answered, by hour: the counters of all workers added up, for the last day and the last week of a relay.
import type { Queries } from '../../db/connect.ts';
import { sql } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import type { RelayCounts } from '../smtp/relay-tally.ts';

const hoursOfDay = 24;
const shownDays = 7;

const none: RelayCounts = { accepted: 0, deferred: 0, refused: 0 };

/** Adds what was counted since the last call. @param before the counters at the last call */
export async function addRelayHours(
  db: Queries,
  counts: ReadonlyMap<string, RelayCounts>,
  before: ReadonlyMap<string, RelayCounts>,
): Promise<void> {
  const added = [...counts].flatMap(([relay, now]) => {
    const last = before.get(relay) ?? none;
    const more = {
      relay,
      accepted: now.accepted - last.accepted,
      deferred: now.deferred - last.deferred,
      refused: now.refused - last.refused,
    };
    return more.accepted + more.deferred + more.refused > 0 ? [more] : [];
  });
  if (added.length === 0) return;
  // In one order, so that two workers never wait for each other's rows.
  await db.run(sql`
    insert into relay_hour (relay, hour, accepted, deferred, refused)
    select relay, floor(extract(epoch from now()) / 3600)::int, accepted, deferred, refused
    from jsonb_to_recordset(${jsonb(added)}::jsonb) as added (relay text, accepted int, deferred int, refused int)
    order by relay
    on conflict (relay, hour) do update
    set accepted = relay_hour.accepted + excluded.accepted,
      deferred = relay_hour.deferred + excluded.deferred,
      refused = relay_hour.refused + excluded.refused`);
}

/** Nothing in seven days. */
export const emptyWeek = (): RelayCounts[] => Array.from({ length: shownDays }, () => ({ ...none }));

/** The sums of the last seven times 24 hours by relay, the last 24 hours at the end. */
export async function lastDaysOfRelays(db: Queries): Promise<Map<string, RelayCounts[]>> {
  const rows = await db.rows<{ relay: string; ago: number } & RelayCounts>(sql`
    select relay, (floor(extract(epoch from now()) / 3600)::int - hour) / ${hoursOfDay}::int as ago,
      sum(accepted)::int as accepted, sum(deferred)::int as deferred, sum(refused)::int as refused
    from relay_hour
    where hour > floor(extract(epoch from now()) / 3600)::int - ${hoursOfDay * shownDays}
    group by relay, ago`);
  const weeks = new Map<string, RelayCounts[]>();
  for (const { relay, ago, ...counts } of rows) {
    const week = weeks.get(relay) ?? emptyWeek();
    // A clock that was ahead has counted in an hour to come.
    week[shownDays - 1 - Math.max(0, ago)] = counts;
    weeks.set(relay, week);
  }
  return weeks;
}

export async function dropOldRelayHours(db: Queries): Promise<void> {
  await db.run(sql`
    delete from relay_hour
    where hour < floor(extract(epoch from now()) / 3600)::int - ${(shownDays + 1) * hoursOfDay}`);
}
