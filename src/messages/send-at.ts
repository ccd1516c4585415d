// When a message for later is sent. Programs write times in many ways, so a fraction of a second is accepted, as in the ISO
// format of most languages.
import { dayMs } from '../base/calendar.ts';
import { fault } from '../base/faults.ts';
import { needDate, parseScheduleTime } from '../campaigns/model/schedule-time.ts';

/** How far ahead a message may be; and how long ago its time may have passed, as by a clock that is wrong or a call that is repeated. */
export const sendAtLimits = { days: 90, pastMs: 3_600_000 };

/** @returns undefined for at once. @throws Fault DATE_INVALID */
export function readSendAt(text: string, member: string, now = new Date()): Date | undefined {
  if (text.trim() === '') return undefined;
  const at = needDate(parseScheduleTime(text.trim().replace(/(:\d\d)[.,]\d{1,9}(?=[Z+ -]|$)/i, '$1')), member);
  const aheadMs = at.getTime() - now.getTime();
  if (aheadMs < -sendAtLimits.pastMs) throw fault('DATE_INVALID', 'campaign.date_past', { member });
  if (aheadMs > sendAtLimits.days * dayMs)
    throw fault('DATE_INVALID', 'message.too_far_ahead', { member, count: sendAtLimits.days });
  return aheadMs > 0 ? at : undefined;
}
