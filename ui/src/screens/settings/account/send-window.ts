// Converts the send window of an account ("12345 08:00-20:00") to three fields and back. Pure.

export type SendWindow = { windowDays: string[]; windowFrom: string; windowUntil: string };

export const weekdays = ['1', '2', '3', '4', '5', '6', '7'] as const;

/** The hours of a window that has none yet. */
const usual = { windowFrom: '08:00', windowUntil: '20:00' };

export function readSendWindow(text: string): SendWindow {
  const [, days, from, until] = /^([1-7]+) (\d\d:\d\d)-(\d\d:\d\d)$/.exec(text) ?? [];
  if (!days || !from || !until) return { windowDays: [], ...usual };
  // A field for a time knows no 24:00.
  return { windowDays: [...days], windowFrom: from, windowUntil: until === '24:00' ? '00:00' : until };
}

/** '' without a day, which turns the window off. */
export function sendWindowText({ windowDays, windowFrom, windowUntil }: SendWindow): string {
  const until = windowUntil === '00:00' ? '24:00' : windowUntil;
  return windowDays.length === 0 ? '' : `${[...windowDays].sort().join('')} ${windowFrom}-${until}`;
}
