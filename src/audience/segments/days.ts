// Days of conditions by the clocks of the account: which instants a day has, and which day is today.
import { type Day, formatDay, parseDay, plusDays } from '../../base/calendar.ts';
import { instantOf, isZone, wallOf } from '../../base/zones.ts';
import { type Queries, sql } from '../../db/connect.ts';

/** The time zone of an account, for those that know only its id. */
export async function zoneOf(db: Queries, accountId: number): Promise<string> {
  const row = await db.row<{ zone: string }>(sql`select time_zone as zone from account where id = ${accountId}`);
  return row?.zone ?? 'UTC';
}

/** What a scope says about the zone, where this version of Intl knows it. */
const known = (zone: string | undefined) => (zone !== undefined && isZone(zone) ? zone : 'UTC');

export const startOf = (day: Day, zone: string | undefined): Date =>
  instantOf({ ...day, hour: 0, minute: 0, second: 0 }, known(zone));

/** The first instant of a day and that of the next one. */
export const boundsOf = (day: Day, zone: string | undefined) => ({
  start: startOf(day, zone),
  end: startOf(plusDays(day, 1), zone),
});

/** The day in the zone of the account of `YYYY-MM-DD`, or of a time in UTC. */
export function dayOf(value: string, zone: string | undefined): Day {
  const text = value.trim();
  return (text.length === 10 && parseDay(text)) || wallOf(new Date(`${text.replace(' ', 'T')}Z`), known(zone));
}

export const todayIn = (zone: string | undefined): Day => wallOf(new Date(), known(zone));

/** Today and the day some days from today, as date fields are stored. */
export function dayFromToday(days: number, zone: string | undefined): string {
  return formatDay(plusDays(todayIn(zone), days));
}
