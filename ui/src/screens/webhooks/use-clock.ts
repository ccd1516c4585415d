// The time of day of an attempt; the day too when that is not near.
import { parseTime, useFormats } from '../../parts/formats.ts';

const nearMs = 20 * 3_600_000;

export function useClock(): (at: string) => string {
  const { time, dateTime } = useFormats();
  return (text) => {
    const at = parseTime(text);
    if (!at) return '';
    return Math.abs(at.getTime() - Date.now()) < nearMs ? time(at) : dateTime(at);
  };
}
