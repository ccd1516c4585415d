// Reads the dates of the campaign methods: schedule_time, sendtime_start, sendtime_end.
// Guarantees the exact instant or the reason why there is none, never a day rolled over into the next month.
// Leaves to its callers whether an instant is acceptable, such as one in the past.
import { dayMs, dayNumber, daysInMonth } from '../../base/calendar.ts';
import { fault } from '../../base/faults.ts';

/** What is wrong with a date; the messages are `campaign.date_*`. */
type DateProblem = 'format' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'offset' | 'range';

export type DateReading = { ok: true; at: Date } | { ok: false; reason: DateProblem };

// spec: campaignSchedule `YYYY-MM-DD HH:MM:SS +ZZZZ`. [0-9] instead of \d, to show that only ASCII digits match.
const dateTime =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})[ T]([0-9]{2}):([0-9]{2}):([0-9]{2})(?: ?(?:(Z)|([+-])([0-9]{2}):?([0-9]{2})))?$/;
const bareDate = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;

const earliestMs = 0;
const latestMs = 253_402_300_799_000; // 9999-12-31 23:59:59 GMT

/**
 * `YYYY-MM-DD HH:MM:SS` with an optional zone: none and `Z` are GMT, `+ZZZZ` or `+ZZ:ZZ` is an ordinary UTC offset
 * from −12:00 to +14:00, so `12:00:00 +0100` is 11:00:00 GMT. `T` may replace the space. Nothing else is accepted:
 * no white space around it, no fractions, no 24:00:00, no leap second, no zone names.
 */
export function parseScheduleTime(text: string): DateReading {
  const part = dateTime.exec(text);
  if (!part) return { ok: false, reason: 'format' };
  const [year, month, day] = [Number(part[1]), Number(part[2]), Number(part[3])];
  const [hour, minute, second] = [Number(part[4]), Number(part[5]), Number(part[6])];
  if (month < 1 || month > 12) return { ok: false, reason: 'month' };
  if (day < 1 || day > daysInMonth(year, month)) return { ok: false, reason: 'day' };
  if (hour > 23) return { ok: false, reason: 'hour' };
  if (minute > 59) return { ok: false, reason: 'minute' };
  if (second > 59) return { ok: false, reason: 'second' };
  const offset = offsetMinutes(part[8], part[9], part[10]);
  if (offset === null) return { ok: false, reason: 'offset' };
  const ms = dayNumber({ year, month, day }) * dayMs + ((hour * 60 + minute - offset) * 60 + second) * 1000;
  if (ms < earliestMs || ms > latestMs) return { ok: false, reason: 'range' };
  return { ok: true, at: new Date(ms) };
}

/** The dates of the campaign filters: as `parseScheduleTime`, and a bare `YYYY-MM-DD` is its midnight GMT. */
export function parseFilterDate(text: string): DateReading {
  return parseScheduleTime(bareDate.test(text) ? `${text} 00:00:00` : text);
}

/** @throws Fault DATE_INVALID */
export function needDate(reading: DateReading, member: string): Date {
  if (!reading.ok) throw fault('DATE_INVALID', `campaign.date_${reading.reason}`, { member });
  return reading.at;
}

function offsetMinutes(sign?: string, hours?: string, minutes?: string): number | null {
  if (sign === undefined) return 0;
  if (Number(minutes) > 59) return null;
  const size = Number(hours) * 60 + Number(minutes);
  if (sign === '-') return size <= 12 * 60 ? -size : null;
  return size <= 14 * 60 ? size : null;
}
