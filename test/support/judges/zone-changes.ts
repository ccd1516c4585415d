// Finds the clock changes of a zone with Intl, to check wall times and due times in tests. Independent of the code it
// checks: it reads the clock's fields, where zones.ts reads offsets.
import type { Wall } from '../../../src/base/zones.ts';

export const zones = Intl.supportedValuesOf('timeZone');
const secondMs = 1000;
const hourMs = 3_600_000;

/** Asks Intl for the fields themselves, not for the offset as the module does. */
export function clockOf(zone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return (ms) => {
    // "10/25/2026, 02:30:00"
    const [, month, day, year, hour, minute, second] = /^(..)\/(..)\/(....), (..):(..):(..)$/.exec(format.format(ms))!;
    return Date.UTC(+year!, +month! - 1, +day!, +hour!, +minute!, +second!);
  };
}

export interface Change {
  zone: string;
  atMs: number;
  /** Wall time that the clocks would show at the change if they were not changed, and the one that they do show. */
  oldMs: number;
  newMs: number;
}

export function changesOf(zone: string, fromYear: number, toYear: number): Change[] {
  const clock = clockOf(zone);
  const offset = (ms: number) => clock(ms) - ms;
  const changes: Change[] = [];
  const endMs = Date.UTC(toYear + 1, 0, 1);
  let [atMs, known] = [Date.UTC(fromYear, 0, 1), offset(Date.UTC(fromYear, 0, 1))];
  for (; atMs < endMs; atMs += 48 * hourMs) {
    if (offset(atMs + 48 * hourMs) === known) continue;
    let [before, after] = [atMs, atMs + 48 * hourMs];
    while (after - before > secondMs) {
      const middle = before + Math.floor((after - before) / 2 / secondMs) * secondMs;
      if (offset(middle) === known) before = middle;
      else after = middle;
    }
    if (after < endMs) changes.push({ zone, atMs: after, oldMs: after + known, newMs: clock(after) });
    known = offset(after);
  }
  return changes;
}

/** A wall time given as the milliseconds that it would be in GMT. */
export const wallFrom = (ms: number): Wall => {
  const date = new Date(ms);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
};
