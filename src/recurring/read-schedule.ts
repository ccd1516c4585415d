// The schedule as a parameter of methods, and how it is read.
import type { z } from 'zod';
import { fault } from '../base/faults.ts';
import { isZone } from '../base/zones.ts';
import { named } from '../method/named.ts';
import { arrayOf, integer, oneOf, struct, text } from '../method/params.ts';
import { parseCron } from './schedule/cron.ts';
import { nextAfter, type Schedule } from './schedule/schedule.ts';

export const schedule = named(
  'RecurringScheduleSettings',
  struct(
    'When issues are due. A month without the day uses its last one; a time that the clocks skip is the next that exists.',
    {
      type: oneOf('daily, weekly, monthly or cron.', ['daily', 'weekly', 'monthly', 'cron']),
      time: text('HH:MM, for all types but cron.', 5).optional(),
      weekdays: arrayOf(
        'Weekdays from Monday, 1, to Sunday, 7, for weekly.',
        integer('A weekday.', 1, 7),
        7,
      ).optional(),
      day: integer('The day of the month, for monthly.', 1, 31).optional(),
      cron: text(
        'Minute, hour, day of the month, month and weekday, for cron; the minute is one number.',
        200,
      ).optional(),
    },
    { fault: 'RECURRING_INVALID', selfFault: 'RECURRING_INVALID' },
  ),
);

/** @throws Fault RECURRING_INVALID */
export function readSchedule(given: z.output<typeof schedule>): Schedule {
  const { type } = given;
  if (type === 'cron') {
    const cron = given.cron?.trim() ?? '';
    if (!parseCron(cron))
      throw fault('RECURRING_INVALID', 'recurring.cron_invalid', { member: 'schedule.cron', value: cron.slice(0, 60) });
    return { type, cron };
  }
  const time = readTime(given.time);
  if (type === 'daily') return { type, time };
  if (type === 'weekly') {
    const weekdays = [...new Set(given.weekdays)].sort((a, b) => a - b);
    if (weekdays.length === 0) throw missing(type, 'weekdays');
    return { type, time, weekdays };
  }
  if (given.day === undefined) throw missing(type, 'day');
  return { type, time, day: given.day };
}

/** The next time of a schedule. @throws Fault RECURRING_INVALID when there is none */
export function needNext(of: Schedule, zone: string, after: Date): Date {
  const next = nextAfter(of, zone, after);
  if (!next) throw fault('RECURRING_INVALID', 'recurring.never_due', { member: 'schedule' });
  return next;
}

/** @throws Fault RECURRING_INVALID */
export function readZone(zone: string): string {
  if (!isZone(zone.trim()))
    throw fault('RECURRING_INVALID', 'recurring.zone_unknown', { member: 'time_zone', value: zone.slice(0, 60) });
  return zone.trim();
}

function readTime(given: string | undefined): string {
  const [, hour = '', minute = ''] = /^\s*([0-9]{1,2}):([0-9]{2})\s*$/.exec(given ?? '') ?? [];
  if (hour === '' || Number(hour) > 23 || Number(minute) > 59)
    throw fault('RECURRING_INVALID', 'recurring.time_invalid', { member: 'schedule.time', value: given ?? '' });
  return `${hour.padStart(2, '0')}:${minute}`;
}

const missing = (type: string, names: string) =>
  fault('RECURRING_INVALID', 'recurring.schedule_missing', { member: 'schedule', type, names });
