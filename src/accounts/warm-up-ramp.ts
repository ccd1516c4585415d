// The daily ramp of a new sender as it is written, first:growth:most:date, in the account and in addresses of relays. Pure.
// Promises one reading for all who ask, and to name what is wrong. What it allows on which day is told by the delivery.

export type Ramp = {
  /** Messages on the first day. */
  first: number;
  /** Each day so many times the day before. */
  growth: number;
  /** From this many a day on the ramp is over and nothing limits any more. */
  most: number;
};

/** The ramp of a text such as 50:1.5:20000:2026-11-21 (the day begins at midnight UTC), or the end of a sentence about it. */
export function parseRamp(text: string): (Ramp & { startedAt: Date }) | { wrong: string } {
  const [, first, growth, most, date] =
    /^(\d{1,9}):(\d{1,3}(?:\.\d{1,3})?):(\d{1,9}):(\d{4}-\d\d-\d\d)$/.exec(text) ?? [];
  const ramp = { first: Number(first), growth: Number(growth), most: Number(most) };
  if (!(ramp.first >= 1 && ramp.growth > 1 && ramp.most >= ramp.first))
    return { wrong: 'is not first:growth:most:date with a growth above 1 and most not below first' };
  const startedAt = new Date(`${date}T00:00:00Z`);
  // 2026-02-30 would be read as the second of March.
  if (Number.isNaN(startedAt.getTime()) || startedAt.toISOString().slice(0, 10) !== date)
    return { wrong: `begins on ${date}, a day that the calendar does not have` };
  return { ...ramp, startedAt };
}
