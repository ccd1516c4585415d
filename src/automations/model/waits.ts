// When a step is carried out for a contact that arrives on it: at once, or at the end of a wait. Days and weeks keep the
// time of day in the contact's zone across daylight saving time; minutes and hours are counted exactly.
import { dayNumber, plusDays } from '../../base/calendar.ts';
import { instantOf, wallOf } from '../../base/zones.ts';
import type { Step } from './definition.ts';

const minuteMs = 60_000;

export function dueOf(step: Step, arrivedAt: Date, zone: string): Date {
  if (step.type === 'wait') return waitEnd(step, arrivedAt, zone);
  if (step.type === 'wait_until') return nextTime(step, arrivedAt, zone);
  return arrivedAt;
}

function waitEnd({ amount, unit }: Extract<Step, { type: 'wait' }>, from: Date, zone: string): Date {
  if (unit === 'minutes' || unit === 'hours')
    return new Date(from.getTime() + amount * (unit === 'hours' ? 60 : 1) * minuteMs);
  const { hour, minute, second, ...day } = wallOf(nextSecond(from), zone);
  return instantOf({ ...plusDays(day, amount * (unit === 'weeks' ? 7 : 1)), hour, minute, second }, zone);
}

/** The first such time at or after `from`. A time that the clocks skip means the instant of the skip. */
function nextTime({ weekdays, hour, minute }: Extract<Step, { type: 'wait_until' }>, from: Date, zone: string): Date {
  const { year, month, day } = wallOf(from, zone);
  // Eight days: on a day that is chosen the time may be over.
  for (let ahead = 0; ahead <= 7; ahead++) {
    const on = plusDays({ year, month, day }, ahead);
    if (weekdays.length > 0 && !weekdays.includes(weekdayOf(dayNumber(on)))) continue;
    const at = instantOf({ ...on, hour, minute, second: 0 }, zone);
    if (at >= from) return at;
  }
  throw new RangeError(`no such time: ${weekdays} ${hour}:${minute}`);
}

/** 1 (Monday) to 7. Day 0 was a Thursday. */
const weekdayOf = (number: number): number => ((((number + 3) % 7) + 7) % 7) + 1;

/** So that nothing is due before its time. */
const nextSecond = (at: Date): Date => new Date(Math.ceil(at.getTime() / 1_000) * 1_000);
