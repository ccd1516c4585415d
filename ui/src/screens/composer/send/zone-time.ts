// Converts between moments and datetime-local fields ("2027-03-01T09:00") in the account's time zone. Pure.

/** The value of a datetime-local field for a moment in a time zone. */
export function fieldTime(at: Date, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone || 'UTC',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((candidate) => candidate.type === type)!.value;
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`;
}

/**
 * The moment of a field value; undefined when it is empty or invalid. A time skipped in spring is read as one hour
 * later; of a time that occurs twice in autumn, the first counts.
 */
export function momentOf(field: string, zone: string): Date | undefined {
  const wall = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(field) ? Date.parse(`${field}:00Z`) : Number.NaN;
  if (Number.isNaN(wall)) return undefined;
  const day = 86_400_000;
  const candidates = [wall - day, wall, wall + day].map((near) => wall - offsetMs(new Date(near), zone));
  const fitting = candidates.filter((at) => fieldTime(new Date(at), zone) === field);
  return new Date(fitting.length > 0 ? Math.min(...fitting) : Math.max(...candidates));
}

/** The format of campaignSchedule, in GMT. */
export const scheduleTime = (at: Date) => at.toISOString().slice(0, 19).replace('T', ' ');

function offsetMs(at: Date, zone: string): number {
  return Date.parse(`${fieldTime(at, zone)}:00Z`) - Math.floor(at.getTime() / 60_000) * 60_000;
}
