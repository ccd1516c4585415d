// What each relay answered, by hour: the counters of all workers added up, for the last day of a relay.
import type { Queries } from '../../db/connect.ts';
import { sql } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import type { RelayCounts } from '../smtp/relay-tally.ts';

const shownHours = 24;

/** Adds what was counted since the last call. @param before the counters at the last call */
export async function addRelayHours(
  db: Queries,
  counts: ReadonlyMap<string, RelayCounts>,
  before: ReadonlyMap<string, RelayCounts>,
): Promise<void> {
  const added = [...counts].flatMap(([relay, now]) => {
    const last = before.get(relay) ?? { accepted: 0, deferred: 0, refused: 0 };
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

/** The sums of the last 24 hours by relay. */
export async function lastDayOfRelays(db: Queries): Promise<Map<string, RelayCounts>> {
  const rows = await db.rows<{ relay: string } & RelayCounts>(sql`
    select relay, sum(accepted)::int as accepted, sum(deferred)::int as deferred, sum(refused)::int as refused
    from relay_hour
    where hour > floor(extract(epoch from now()) / 3600)::int - ${shownHours}
    group by relay`);
  return new Map(rows.map(({ relay, ...counts }) => [relay, counts]));
}

export async function dropOldRelayHours(db: Queries): Promise<void> {
  await db.run(sql`
    delete from relay_hour
    where hour < floor(extract(epoch from now()) / 3600)::int - ${2 * shownHours}`);
}
