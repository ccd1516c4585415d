// Times of day in the account's zone, for fields that know no zone ("2027-03-01T09:00"), and back. Pure.

/** What a datetime-local field shows for a moment, in a zone. */
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
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)!.value;
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`;
}

/**
 * The moment a field means; undefined when it is empty or wrong. An hour that the clocks skip in spring is read as the
 * hour after it; of one they show twice in autumn, the first.
 */
export function momentOf(field: string, zone: string): Date | undefined {
  const wall = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(field) ? Date.parse(`${field}:00Z`) : Number.NaN;
  if (Number.isNaN(wall)) return undefined;
  const day = 86_400_000;
  const candidates = [wall - day, wall, wall + day].map((near) => wall - offsetMs(new Date(near), zone));
  const fitting = candidates.filter((at) => fieldTime(new Date(at), zone) === field);
  return new Date(fitting.length > 0 ? Math.min(...fitting) : Math.max(...candidates));
}

/** As campaignSchedule takes it: GMT. */
export const scheduleTime = (at: Date) => at.toISOString().slice(0, 19).replace('T', ' ');

function offsetMs(at: Date, zone: string): number {
  return Date.parse(`${fieldTime(at, zone)}:00Z`) - Math.floor(at.getTime() / 60_000) * 60_000;
}
