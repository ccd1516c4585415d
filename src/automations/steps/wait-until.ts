// Waits until a time of day, on chosen days of the week, in the contact's zone. A time that the clocks skip means the instant
// of the skip.
import { z } from 'zod';
import { dayNumber, plusDays } from '../../base/calendar.ts';
import { instantOf, wallOf } from '../../base/zones.ts';
import { arrayOf, integer } from '../../method/params.ts';
import { stepKind } from './kind.ts';

export const waitUntil = stepKind({
  type: 'wait_until',
  about: '',
  members: { weekdays: z.array(z.int()), hour: z.int(), minute: z.int() },
  settings: {
    weekdays: arrayOf('wait_until: 1 (Monday) to 7; any day when left out.', integer('A day.', 1, 7), 7).optional(),
    hour: integer("wait_until: the hour in the contact's time zone.", 0, 23).optional(),
    minute: integer('wait_until: the minute.', 0, 59).optional(),
  },
  read: ({ weekdays = [], hour = 9, minute = 0 }) => ({ weekdays: [...new Set(weekdays)].sort(), hour, minute }),
  /** The first such time at or after `from`. */
  dueAt({ weekdays, hour, minute }, from, zone) {
    const { year, month, day } = wallOf(from, zone);
    // Eight days: on a day that is chosen the time may be over.
    for (let ahead = 0; ahead <= 7; ahead++) {
      const on = plusDays({ year, month, day }, ahead);
      if (weekdays.length > 0 && !weekdays.includes(weekdayOf(dayNumber(on)))) continue;
      const at = instantOf({ ...on, hour, minute, second: 0 }, zone);
      if (at >= from) return at;
    }
    throw new RangeError(`no such time: ${weekdays} ${hour}:${minute}`);
  },
});

/** 1 (Monday) to 7. Day 0 was a Thursday. */
const weekdayOf = (number: number): number => ((((number + 3) % 7) + 7) % 7) + 1;
