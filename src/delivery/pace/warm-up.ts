// The daily ramp of a new sending address: how many messages it may send on which day. Pure.
// Providers judge an unknown address by its first days and ask senders for evenly growing volume.

import type { Ramp } from '../../base/relay/warm-up-ramp.ts';

const dayMs = 86_400_000;

/**
 * Messages allowed on a day counted from 0; earlier days allow as many as the first; null once the ramp is over.
 * @throws Error if the ramp never ends
 */
export function allowedOn(ramp: Ramp, day: number): number | null {
  if (!(ramp.first >= 1 && ramp.growth > 1 && ramp.max >= ramp.first))
    throw new Error('a warm-up ramp must start with at least 1 message a day and grow to its maximum');
  const allowed = Math.floor(ramp.first * ramp.growth ** Math.max(0, day));
  return allowed >= ramp.max ? null : allowed;
}

/** Full days since the ramp started; negative before it. */
export function dayOf(startedAt: Date, now: Date): number {
  return Math.floor((now.getTime() - startedAt.getTime()) / dayMs);
}

export type Allowance = { left: number; nextDayAt: Date } | { left: null };

/** Messages left for the current day of the ramp. */
export function allowanceOf(ramp: Ramp, startedAt: Date, now: Date, sentToday: number): Allowance {
  const day = dayOf(startedAt, now);
  const allowed = allowedOn(ramp, day);
  if (allowed === null) return { left: null };
  return { left: Math.max(0, allowed - sentToday), nextDayAt: new Date(startedAt.getTime() + (day + 1) * dayMs) };
}

/** The start of the day on which the last of `count` messages is sent, if none is left for the current day. */
export function lastDayOf(ramp: Ramp, startedAt: Date, now: Date, count: number): Date {
  let day = dayOf(startedAt, now) + 1;
  for (let left = count; ; day++) {
    const allowed = allowedOn(ramp, day);
    if (allowed === null || allowed >= left) return new Date(startedAt.getTime() + day * dayMs);
    left -= allowed;
  }
}
