// The daily ramp of a new sending address: how many messages it may send on which day. Pure.
// Providers judge an unknown address by its first days; volume that grows evenly is what they ask of senders.

export type Ramp = {
  /** Messages on the first day. */
  first: number;
  /** Each day so many times the day before. */
  growth: number;
  /** From this many a day on the ramp is over and nothing limits any more. */
  most: number;
};

const dayMs = 86_400_000;

/** Reads first:growth:most:date, such as 50:1.5:20000:2026-11-21 (the day begins at midnight UTC). */
export function parseRamp(text: string): (Ramp & { startedAt: Date }) | undefined {
  const [, first, growth, most, date] =
    /^(\d{1,9}):(\d{1,3}(?:\.\d{1,3})?):(\d{1,9}):(\d{4}-\d\d-\d\d)$/.exec(text) ?? [];
  const startedAt = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(startedAt.getTime()) || startedAt.toISOString().slice(0, 10) !== date) return undefined;
  const ramp = { first: Number(first), growth: Number(growth), most: Number(most), startedAt };
  return ramp.first >= 1 && ramp.growth > 1 && ramp.most >= ramp.first ? ramp : undefined;
}

/** Messages allowed on that day, counted from 0; null once the ramp is over. Throws when the ramp never ends. */
export function allowedOn(ramp: Ramp, day: number): number | null {
  if (!(ramp.first >= 1 && ramp.growth > 1 && ramp.most >= ramp.first))
    throw new Error('a warm-up ramp begins with at least 1 message a day, grows, and ends at a number not below that');
  const allowed = Math.floor(ramp.first * ramp.growth ** Math.max(0, day));
  return allowed >= ramp.most ? null : allowed;
}

/** Full days since the ramp began. A clock set back does not take the sender back before its first day. */
export function dayOf(startedAt: Date, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - startedAt.getTime()) / dayMs));
}

export type Allowance = { left: number; nextDayAt: Date } | { left: null };

/** How many more may go before the ramp's next day begins. */
export function allowanceOf(ramp: Ramp, startedAt: Date, now: Date, sentToday: number): Allowance {
  const day = dayOf(startedAt, now);
  const allowed = allowedOn(ramp, day);
  if (allowed === null) return { left: null };
  return { left: Math.max(0, allowed - sentToday), nextDayAt: new Date(startedAt.getTime() + (day + 1) * dayMs) };
}
