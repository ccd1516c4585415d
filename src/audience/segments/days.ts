// Days of conditions by the clocks of the account: which instants a day has, and which day is today.
import {
  type Day,
  dayNumber,
  dayOfNumber,
  formatDay,
  isLeapYear,
  parseDay,
  plusDays,
  plusMonths,
} from '../../base/calendar.ts';
import { instantOf, isZone, wallOf } from '../../base/zones.ts';
import { type Queries, type Sql, sql } from '../../db/connect.ts';

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

/** Whether a stored value is a day. */
export const isDaySql = (subject: Sql): Sql => sql`${subject} ~ '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'`;

/** Whether the value of a date field is today or one of the next days. */
export const dayWithin = (subject: Sql, days: number, zone: string | undefined): Sql =>
  sql`(${subject} collate "C" between ${dayFromToday(0, zone)} and ${dayFromToday(days, zone)} and ${isDaySql(subject)})`;

/** Whether today or one of the next days is an anniversary of the value of a date field. 29 February has its own on the 28th in other years. */
export function anniversaryWithin(subject: Sql, days: number, zone: string | undefined): Sql {
  const dates = anniversaryDates(todayIn(zone), Math.min(days, maxAnniversaryDays));
  return sql`(substr(${subject}, 6) = any (${dates}::text[]) and ${subject} collate "C" < ${dayFromToday(0, zone)}
    and ${isDaySql(subject)})`;
}

/** `MM-DD` of the days that have their anniversary on a day or one of the next. */
export function anniversaryDates(first: Day, days: number): string[] {
  const dates = new Set<string>();
  for (let day = dayNumber(first); day <= dayNumber(first) + days; day++) {
    const date = dayOfNumber(day);
    dates.add(formatDay(date).slice(5));
    if (date.month === 2 && date.day === 28 && !isLeapYear(date.year)) dates.add('02-29');
  }
  return [...dates];
}

/** The same for an instant, by the days of the zone. */
export function timeAnniversaryWithin(subject: Sql, days: number, zone: string | undefined): Sql {
  const today = todayIn(zone);
  const end = plusDays(today, Math.min(days, maxAnniversaryDays) + 1);
  const years = Array.from({ length: maxYears }, (_, i) => i + 1);
  const from = years.map((years) => startOf(yearsBefore(today, years), zone));
  const until = years.map((years) => startOf(yearsBefore(end, years), zone));
  return sql`(${subject} < ${startOf(today, zone)}::timestamptz and exists (
    select from unnest(${from}::timestamptz[], ${until}::timestamptz[]) as year (begins, ends)
    where ${subject} >= begins and ${subject} < ends
  ))`;
}

/** The same day of an earlier year; 1 March for a 29 February that the year does not have. */
function yearsBefore(day: Day, years: number): Day {
  const before = plusMonths(day, -12 * years);
  return before.day === day.day ? before : plusDays(before, 1);
}

const maxAnniversaryDays = 365;
/** Times of subscriptions are not older. */
const maxYears = 60;
