// Waits for a time. Days and weeks keep the time of day in the contact's zone across daylight saving time; minutes and hours
// are counted exactly.
import { z } from 'zod';
import { plusDays } from '../../base/calendar.ts';
import { instantOf, wallOf } from '../../base/zones.ts';
import { integer, oneOf } from '../../method/params.ts';
import { stepKind } from './kind.ts';
import { longestWait, spanUnits } from './span.ts';

export const waitMembers = { amount: z.int(), unit: z.enum(spanUnits) };
export const waitSettings = {
  amount: integer('wait, wait_for: how many units.', 1, longestWait).optional(),
  unit: oneOf('wait, wait_for: minutes, hours, days or weeks.', spanUnits).optional(),
};
const minuteMs = 60_000;

export const wait = stepKind({
  type: 'wait',
  about: '',
  members: waitMembers,
  settings: waitSettings,
  read: ({ amount = 1, unit = 'days' }) => ({ amount, unit }),
  dueAt({ amount, unit }, from, zone) {
    if (unit === 'minutes' || unit === 'hours')
      return new Date(from.getTime() + amount * (unit === 'hours' ? 60 : 1) * minuteMs);
    const { hour, minute, second, ...day } = wallOf(nextSecond(from), zone);
    return instantOf({ ...plusDays(day, amount * (unit === 'weeks' ? 7 : 1)), hour, minute, second }, zone);
  },
});

/** So that nothing is due before its time. */
const nextSecond = (at: Date): Date => new Date(Math.ceil(at.getTime() / 1_000) * 1_000);
