// The hours in which an account sends campaigns, as the setting has them: "12345 08:00-20:00" is Monday to Friday from eight to eight,
// by the clocks of each contact. Pure; zones.ts decides which instant a wall time is.
import { dayNumber, dayOfNumber } from '../calendar.ts';
import { instantOf, isZone, wallOf } from '../zones.ts';

export type SendWindow = {
  /** 1 is Monday, 7 is Sunday. */
  days: ReadonlySet<number>;
  /** Minutes after midnight; until is at most 24:00. */
  from: number;
  until: number;
};

const daysAhead = 8;

/** @returns undefined for a text that is none, such as '' */
export function parseSendWindow(text: string): SendWindow | undefined {
  const [, days, fromHour, fromMinute, untilHour, untilMinute] =
    /^([1-7]{1,7}) (\d{2}):([0-5]\d)-(\d{2}):([0-5]\d)$/.exec(text.trim()) ?? [];
  const from = Number(fromHour) * 60 + Number(fromMinute);
  const until = Number(untilHour) * 60 + Number(untilMinute);
  if (days === undefined || !(from < until) || until > 24 * 60) return undefined;
  const chosen = new Set([...days].map(Number));
  return chosen.size === days.length ? { days: chosen, from, until } : undefined;
}

/** When the window opens next; undefined while it is open. @param zone what is no zone means UTC */
export function opensAt({ days, from, until }: SendWindow, zone: string, at: Date): Date | undefined {
  const named = isZone(zone) ? zone : 'Etc/UTC';
  const today = dayNumber(wallOf(at, named));
  const instant = (day: number, minutes: number) =>
    instantOf(
      {
        ...dayOfNumber(day + Math.floor(minutes / 1_440)),
        hour: Math.floor(minutes / 60) % 24,
        minute: minutes % 60,
        second: 0,
      },
      named,
    );
  for (let day = today; day < today + daysAhead; day++) {
    // Day 0, 1 January 1970, was a Thursday.
    if (!days.has(((((day + 3) % 7) + 7) % 7) + 1)) continue;
    const opens = instant(day, from);
    const closes = instant(day, until);
    // Clocks that are put forward may skip a short window: it is not open on that day.
    if (at >= closes || opens >= closes) continue;
    return at < opens ? opens : undefined;
  }
  // Only where clocks skip the window on its one day of a week.
  return instant(today + 7, from);
}
