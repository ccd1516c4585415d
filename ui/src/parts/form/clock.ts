// A time of day as people type it. Pure.

/** As HH:MM, 24 hours: of 9, 930, 9.30, 21:30 and 9:30 pm; undefined for what is no time of day. */
export function clockOf(text: string): string | undefined {
  const [, hour, minute = '00', half] =
    /^\s*(\d{1,2})(?:\s*[:.h]?\s*(\d{2}))?\s*(?:([ap])\.?\s*m?\.?)?\s*$/i.exec(text) ?? [];
  if (hour === undefined) return undefined;
  let hours = Number(hour);
  if (half !== undefined) {
    if (hours < 1 || hours > 12) return undefined;
    hours = (hours % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  }
  if (hours > 23 || Number(minute) > 59) return undefined;
  return `${String(hours).padStart(2, '0')}:${minute}`;
}
