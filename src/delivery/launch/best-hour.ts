// Campaigns sent in the best hour of each recipient: the hour of the day in which the contact usually opens, within 24 hours of
// the start. A contact that opened too little is due at the start.
import { type Day, dayNumber, dayOfNumber } from '../../base/calendar.ts';
import { instantOf, isZone, wallOf } from '../../base/zones.ts';
import { monthOfAutoresponders } from '../../campaigns/model/month.ts';
import { type Sql, sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { zonesOf } from './local-time.ts';
import { inPortion, type Portion } from './portion.ts';

/** Older opens say little about the habits of today. */
const lookBack = sql`interval '180 days'`;
/** Messages a contact must have opened before its hour counts. */
const minOpened = 3;

/**
 * SQL: the rows of the CTE `awake` (contact_id, zone, …) with `due_at`, as a list of CTEs of which the last is `timed`.
 *
 * The hours of a contact are those of its own clock, in which it first clicked or last opened a message. An open counts twice for
 * its hour and once for the hours before and after, so that opens at 8:55 and 9:05 add up; of equal hours the earliest counts.
 */
export async function timedByBestHour(tx: Tx, of: CampaignKey, portion: Portion): Promise<Sql> {
  const row = await tx.row<{ now: Date; accountZone: string }>(sql`
    select ${portion.startedAt}::timestamptz as now, time_zone as "accountZone"
    from account
    where id = ${of.account}`);
  const { now, accountZone } = row!;
  const zones = await clocksOf(tx, await zonesOf(tx, of, sql`true ${inPortion(portion)}`), accountZone);
  const clocks = [...zones].map(([zone, clock]) => ({ zone, clock }));
  const hours = [...zones].flatMap(([zone, clock]) =>
    nextHours(now, clock).map((at, hour) => ({ zone, hour, due_at: at.toISOString() })),
  );
  return sql`
    clock as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(clocks)}::jsonb) as c(zone text, clock text)
    ), opened as materialized (
      select w.contact_id, extract(hour from least(e.first_click_at, e.last_open_at) at time zone c.clock)::int as hour
      from engagement e
      join awake w on w.contact_id = e.contact_id
      join clock c on c.zone = w.zone
      where e.account_id = ${of.account}
        and (e.month >= date_trunc('month', now() - ${lookBack})::date or e.month = ${monthOfAutoresponders})
        and least(e.first_click_at, e.last_open_at) > now() - ${lookBack}
    ), habit as (
      select distinct on (contact_id) contact_id, hour
      from (
        select o.contact_id, (o.hour + near.shift + 24) % 24 as hour, sum(near.weight) as weight
        from opened o,
          (values (-1, 1), (0, 2), (1, 1)) as near (shift, weight)
        group by 1, 2
      ) as hours
      where contact_id in (select contact_id from opened group by contact_id having count(*) >= ${minOpened})
      order by contact_id, weight desc, hour
    ), hour_due as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(hours)}::jsonb) as d(zone text, hour int, due_at timestamptz)
    ), timed as (
      select w.*, coalesce(d.due_at, ${portion.startedAt}::timestamptz) as due_at
      from awake w
      left join habit h on h.contact_id = w.contact_id
      left join hour_due d on d.zone = w.zone and d.hour = h.hour
    )`;
}

/** The zone by which the clock of each runs: itself, or the account's for '' and for names that PostgreSQL does not know. */
async function clocksOf(tx: Tx, zones: readonly string[], accountZone: string): Promise<Map<string, string>> {
  const rows = await tx.rows<{ name: string }>(sql`select lower(name) as name from pg_timezone_names`);
  const known = new Set(rows.map(({ name }) => name));
  const usable = (zone: string) => isZone(zone) && known.has(zone.toLowerCase());
  const fallback = usable(accountZone) ? accountZone : 'UTC';
  return new Map(['', ...zones].map((zone) => [zone, usable(zone) ? zone : fallback]));
}

/** For each hour of the day, the first instant from `start` on that is in it: `start` itself for its own hour. */
export function nextHours(start: Date, zone: string): Date[] {
  const wall = wallOf(start, zone);
  const at = (day: Day, hour: number) => instantOf({ ...day, hour, minute: 0, second: 0 }, zone);
  return Array.from({ length: 24 }, (_, hour) => {
    if (hour === wall.hour) return start;
    const today = at(wall, hour);
    return today > start ? today : at(dayOfNumber(dayNumber(wall) + 1), hour);
  });
}
