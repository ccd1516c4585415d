// The daily ramp of a new sender as it is written, first:growth:max:date, in the account and in addresses of relays. Pure.
// One reading for every use. What it allows on which day is in src/delivery.
import { type Message, message } from '../messages.ts';

export type Ramp = {
  /** Messages on the first day. */
  first: number;
  /** The factor from one day to the next. */
  growth: number;
  /** The ramp ends, and the limit with it, once a day allows this many. */
  max: number;
};

/** Reads a ramp such as 50:1.5:20000:2026-11-21 (the day begins at midnight UTC). @param member what an error names */
export function parseRamp(text: string, member = 'warm_up'): (Ramp & { startedAt: Date }) | { wrong: Message } {
  const [, first, growth, max, date] =
    /^(\d{1,9}):(\d{1,3}(?:\.\d{1,3})?):(\d{1,9}):(\d{4}-\d\d-\d\d)$/.exec(text) ?? [];
  const ramp = { first: Number(first), growth: Number(growth), max: Number(max) };
  if (!(ramp.first >= 1 && ramp.growth > 1 && ramp.max >= ramp.first))
    return { wrong: message('account.ramp_format', { member }) };
  const startedAt = new Date(`${date}T00:00:00Z`);
  // 2026-02-30 would be read as the second of March.
  if (Number.isNaN(startedAt.getTime()) || startedAt.toISOString().slice(0, 10) !== date)
    return { wrong: message('account.ramp_date', { member, date: date! }) };
  return { ...ramp, startedAt };
}
