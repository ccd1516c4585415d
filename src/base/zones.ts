// Wall time and instant in the time zones that Intl knows, and the due time of a campaign sent by recipient time zone.
// Every wall time has one instant: in a gap the first instant after it, in an overlap the first occurrence. Intl is asked
// once per zone and year, so 100,000 conversions take well under a second. The choice of a contact's zone (contact, list,
// account) is left to the callers.
import { type Day, dayMs, dayNumber, dayOfNumber } from './calendar.ts';

/** Local date and time, to the second. */
export interface Wall extends Day {
  hour: number;
  minute: number;
  second: number;
}

/** For a contact in whose zone the scheduled wall time is over: send immediately, or at that time the next day. */
export type WhenPast = 'at-once' | 'next-day';

/** True for a zone name of the tz database, in any case; offsets such as `+01:00` are not zones. */
export function isZone(name: string): boolean {
  if (tables.has(name)) return true;
  // Intl accepts offsets too, which have no daylight saving time. The longest name has 32 characters.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** What the clocks of a zone show at an instant. Throws a RangeError for what is not a zone. */
export function wallOf(instant: Date, zone: string): Wall {
  const ms = instant.getTime();
  return wallOfMs(ms + offsetAt(ms, tableOf(zone)));
}

/**
 * The first instant at which the clocks of a zone show this wall time. A wall time that they skip means the
 * instant of the skip (02:30 becomes 03:00). Throws a RangeError for what is not a zone.
 */
export function instantOf(wall: Wall, zone: string): Date {
  const table = tableOf(zone);
  const wallMs = msOfWall(wall);
  // No zone is more than 16 hours from GMT, so the spans around there contain every possible offset.
  const spans = spansBetween(table, wallMs - widestMs, wallMs + widestMs);
  for (const [index, span] of spans.entries()) {
    const ms = wallMs - span.offsetMs;
    const endsMs = spans[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    // Before the beginning of this span and not in the previous one: the clocks skipped it.
    if (ms < endsMs) return new Date(Math.max(ms, index === 0 ? ms : span.fromMs));
  }
  throw new RangeError(`no instant for ${JSON.stringify(wall)} in ${zone}`);
}

/**
 * When a contact is due if a campaign is delivered by recipient time zone: at the wall time which the schedule shows
 * in the account's zone, by the contact's own clocks. If that is over at `now`, the contact is due now or, by
 * `whenPast`, at that wall time on the first day on which it is still ahead.
 */
export function timeMatchedAt(match: {
  scheduledAt: Date;
  accountZone: string;
  contactZone: string;
  now: Date;
  whenPast: WhenPast;
}): Date {
  const wall = wallOf(match.scheduledAt, match.accountZone);
  const at = instantOf(wall, match.contactZone);
  if (at >= match.now) return at;
  if (match.whenPast === 'at-once') return match.now;
  const today = dayNumber(wallOf(match.now, match.contactZone));
  for (let day = today; ; day++) {
    const later = instantOf({ ...wall, ...dayOfNumber(day) }, match.contactZone);
    if (later >= match.now) return later;
  }
}

const widestMs = 16 * 3_600_000;

/** A stretch of time with one offset: from its first millisecond to the begin of the next span. */
interface Span {
  fromMs: number;
  offsetMs: number;
}

/** The spans of a zone, by year in GMT; the first one begins with the year. */
interface ZoneTable {
  zone: string;
  years: Map<number, Span[]>;
}

// Tables, not formatters: a formatter takes 80 kB, 33 MB for all zones; a table of one year takes 200 bytes.
const tables = new Map<string, ZoneTable>();
const maxYears = 64;
const maxTables = 1_000;

function tableOf(zone: string): ZoneTable {
  let table = tables.get(zone);
  if (table) return table;
  if (!isZone(zone)) throw new RangeError(`not a time zone: ${JSON.stringify(zone)}`);
  // Names in other cases are zones as well, and there are endless ways to write them.
  if (tables.size >= maxTables) tables.clear();
  table = { zone, years: new Map() };
  tables.set(zone, table);
  return table;
}

function offsetAt(ms: number, table: ZoneTable): number {
  const spans = spansOfYear(table, new Date(ms).getUTCFullYear());
  let offsetMs = 0;
  for (const span of spans) {
    if (span.fromMs > ms) break;
    offsetMs = span.offsetMs;
  }
  return offsetMs;
}

/** The spans that hold any instant from one to the other, in order, neighbours having different offsets. */
function spansBetween(table: ZoneTable, fromMs: number, toMs: number): Span[] {
  const firstYear = new Date(fromMs).getUTCFullYear();
  const lastYear = new Date(toMs).getUTCFullYear();
  const found: Span[] = [];
  for (let year = firstYear; year <= lastYear; year++) {
    for (const span of spansOfYear(table, year)) {
      if (span.fromMs > toMs) break;
      if (span.fromMs <= fromMs) found.length = 0;
      if (found.at(-1)?.offsetMs !== span.offsetMs) found.push(span);
    }
  }
  return found;
}

function spansOfYear(table: ZoneTable, year: number): Span[] {
  let spans = table.years.get(year);
  if (spans) return spans;
  if (table.years.size >= maxYears) table.years.clear();
  spans = askIntl(table.zone, year);
  table.years.set(year, spans);
  return spans;
}

/** Asks for the offset every five days and then halves the stretches in which it changed. */
function askIntl(zone: string, year: number): Span[] {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const offset = (ms: number): number => offsetIn(format.format(ms));
  const fromMs = dayNumber({ year, month: 1, day: 1 }) * dayMs;
  const endMs = dayNumber({ year: year + 1, month: 1, day: 1 }) * dayMs;
  const spans: Span[] = [{ fromMs, offsetMs: offset(fromMs) }];
  for (let atMs = fromMs; atMs < endMs; ) {
    const nextMs = Math.min(atMs + 5 * dayMs, endMs - 1000);
    const nextOffset = offset(nextMs);
    if (nextOffset !== spans.at(-1)!.offsetMs) {
      let [before, after] = [atMs, nextMs];
      while (after - before > 1000) {
        const middle = before + Math.floor((after - before) / 2000) * 1000;
        if (offset(middle) === spans.at(-1)!.offsetMs) before = middle;
        else after = middle;
      }
      spans.push({ fromMs: after, offsetMs: offset(after) });
      atMs = after;
    } else if (nextMs === endMs - 1000) break;
    else atMs = nextMs;
  }
  return spans;
}

/** Reads `1/1/1970, GMT-00:44:30`, in milliseconds. */
function offsetIn(text: string): number {
  const part = /GMT([+-])([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?$/.exec(text);
  if (!part) throw new Error(`no offset in ${JSON.stringify(text)}`);
  const size = (Number(part[2]) * 60 + Number(part[3])) * 60 + Number(part[4] ?? 0);
  return (part[1] === '-' ? -size : size) * 1000;
}

/** A wall time in milliseconds, as if it were GMT. */
function msOfWall(wall: Wall): number {
  return dayNumber(wall) * dayMs + ((wall.hour * 60 + wall.minute) * 60 + wall.second) * 1000;
}

function wallOfMs(ms: number): Wall {
  const number = Math.floor(ms / dayMs);
  const second = Math.floor((ms - number * dayMs) / 1000);
  return {
    ...dayOfNumber(number),
    hour: Math.floor(second / 3600),
    minute: Math.floor(second / 60) % 60,
    second: second % 60,
  };
}
