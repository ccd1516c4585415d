// When the issues of a recurring campaign are due: daily, weekly, monthly or by a cron expression, by the clocks of a time zone.
// Every wall time means one instant (base/zones.ts): one that the clocks skip means the instant of the skip, one that they show
// twice means the first. A month without the chosen day uses its last day.
import { type Day, dayNumber, dayOfNumber, daysInMonth } from '../../base/calendar.ts';
import { instantOf, wallOf } from '../../base/zones.ts';
import { type Cron, parseCron } from './cron.ts';

/** `time` is HH:MM; weekdays count from Monday, 1, to Sunday, 7. */
export const scheduleTypes = ['daily', 'weekly', 'monthly', 'cron'] as const satisfies Schedule['type'][];

export type Schedule =
  | { type: 'daily'; time: string }
  | { type: 'weekly'; time: string; weekdays: number[] }
  | { type: 'monthly'; time: string; day: number }
  | { type: 'cron'; cron: string };

/** 29 February of a weekday comes after 40 years at most; of any weekday after eight. */
const maxDays = 366 * 41;

/** The first time after an instant. Null if there is none, such as for 30 February. */
export function nextAfter(schedule: Schedule, zone: string, after: Date): Date | null {
  const { isDay, times } = plan(schedule);
  // A day earlier: in a zone that skips a day, the time of that day is the instant of the skip.
  const first = dayNumber(wallOf(after, zone)) - 1;
  for (let number = first; number < first + maxDays; number++) {
    const day = dayOfNumber(number);
    if (!isDay(day, weekdayOf(number))) continue;
    for (const { hour, minute } of times) {
      const at = instantOf({ ...day, hour, minute, second: 0 }, zone);
      if (at > after) return at;
    }
  }
  return null;
}

/** The next times after an instant, at most `count`. */
export function timesAfter(schedule: Schedule, zone: string, after: Date, count: number): Date[] {
  const times: Date[] = [];
  for (let at = nextAfter(schedule, zone, after); at && times.length < count; at = nextAfter(schedule, zone, at))
    times.push(at);
  return times;
}

type Plan = { isDay(day: Day, weekday: number): boolean; times: { hour: number; minute: number }[] };

function plan(schedule: Schedule): Plan {
  switch (schedule.type) {
    case 'daily':
      return { isDay: () => true, times: [readTime(schedule.time)] };
    case 'weekly':
      return {
        isDay: (_, weekday) => schedule.weekdays.includes(weekday),
        times: [readTime(schedule.time)],
      };
    case 'monthly':
      return {
        isDay: ({ year, month, day }) => day === Math.min(schedule.day, daysInMonth(year, month)),
        times: [readTime(schedule.time)],
      };
    case 'cron':
      return planOfCron(parseCron(schedule.cron)!);
  }
}

/** As cron does: if both are restricted, a day of the month or a weekday is enough. */
function planOfCron({ minute, hours, days, months, weekdays }: Cron): Plan {
  return {
    isDay: ({ month, day }, weekday) => {
      if (!months.has(month)) return false;
      if (days && weekdays) return days.has(day) || weekdays.has(weekday);
      return (days?.has(day) ?? true) && (weekdays?.has(weekday) ?? true);
    },
    times: [...hours].sort((a, b) => a - b).map((hour) => ({ hour, minute })),
  };
}

function readTime(time: string): { hour: number; minute: number } {
  const [hour, minute] = time.split(':').map(Number);
  return { hour: hour!, minute: minute! };
}

/** 1 January 1970 was a Thursday, 4. */
const weekdayOf = (number: number) => ((((number + 3) % 7) + 7) % 7) + 1;
