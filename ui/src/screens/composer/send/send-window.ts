// When a send window ("12345 08:00-20:00") opens next, in wall time: it is shown to the author by the account's clocks. Pure.

/** @param wall such as 2026-11-28T09:30. @returns the wall time at which it opens; undefined while it is open, or for no window */
export function opensAtWall(window: string, wall: string): string | undefined {
  const [, days, from, until] = /^([1-7]+) (\d\d:\d\d)-(\d\d:\d\d)$/.exec(window) ?? [];
  const [date, time] = wall.split('T');
  if (!days || !from || !until || !date || !time) return undefined;
  for (let ahead = 0; ahead <= 7; ahead++) {
    const day = new Date(Date.parse(`${date}T00:00Z`) + ahead * 86_400_000);
    // Sunday is 7.
    if (!days.includes(String(day.getUTCDay() || 7))) continue;
    if (ahead === 0 && time >= until) continue;
    if (ahead === 0 && time >= from) return undefined;
    return `${day.toISOString().slice(0, 10)}T${from}`;
  }
  return undefined;
}
