// When an autoresponder is due for a contact: some days, weeks, months or years before or after an event.
// Guarantees the same local time across daylight saving time, the last day of a month that is too short, and a key for each
// occasion, so that a contact gets one message per occasion however often this is computed.
// Leaves the rows, the contact's time zone and what was sent before to its callers.
import {
  type Day,
  dayMs,
  dayNumber,
  dayOfNumber,
  formatDay,
  isDay,
  isLeapYear,
  plusDays,
  plusMonths,
} from '../../base/calendar.ts';
import { instantOf, type Wall, wallOf } from '../../base/zones.ts';

/** spec: campaignCreate, type_opts. `time` is a whole number greater than 0. */
export interface OccasionRule {
  units: 'day' | 'week' | 'month' | 'year';
  time: number;
  dir: 'before' | 'after';
  event: 'signup' | 'date' | 'annual';
}

export interface OccasionFacts {
  /** When the contact joined the list; the event `signup` counts from it. */
  signupAt: Date | null;
  /** The value of the field that event-datemerge names; `date` and `annual` count from it. */
  day: Day | null;
  zone: string;
  /** Hour of the day in the contact's zone. Default: the time of the signup, or `defaultSendHour` for a date. */
  sendHour?: number;
}

export interface Occasion {
  /** `signup`, or the day that is counted from: `2027-02-28`. A contact gets one message per autoresponder and key. */
  key: string;
  dueAt: Date;
}

const defaultSendHour = 9;

/**
 * Returns the first occasion due at or after `fromAt`, or null. `fromAt` is the start of the autoresponder or, after a
 * pause, the oldest occasion that is still sent: earlier ones are skipped.
 * The anniversary of 29 February is 28 February in common years. The first anniversary is the day itself, so a date in the
 * future counts as well. Nothing is due before a signup.
 */
export function nextOccasion(rule: OccasionRule, facts: OccasionFacts, fromAt: Date): Occasion | null {
  if (rule.event === 'signup') return notBefore(fromAt, signupOccasion(rule, facts));
  if (facts.day === null) return null;
  if (rule.event === 'date') return notBefore(fromAt, dayOccasion(rule, facts, facts.day));
  const firstYear = fromAt.getUTCFullYear() - Math.ceil(yearsOf(rule)) - 1;
  for (let year = Math.max(firstYear, facts.day.year); year <= firstYear + 4 || year <= facts.day.year; year++) {
    const found = notBefore(fromAt, dayOccasion(rule, facts, anniversary(facts.day, year)));
    if (found) return found;
  }
  return null;
}

/** Every occasion due from `fromAt` until just before `toAt`, in order. */
export function occasionsBetween(rule: OccasionRule, facts: OccasionFacts, fromAt: Date, toAt: Date): Occasion[] {
  const found: Occasion[] = [];
  let next = nextOccasion(rule, facts, fromAt);
  while (next && next.dueAt < toAt) {
    found.push(next);
    next = rule.event === 'annual' ? nextOccasion(rule, facts, new Date(next.dueAt.getTime() + 1)) : null;
  }
  return found;
}

/**
 * The range of signups or days (inclusive) that can have an occasion in that time. It contains every contact that is due and
 * a few others: a query reads this range of an index, and `nextOccasion` decides.
 */
export function daysToCheck(rule: OccasionRule, fromAt: Date, toAt: Date): { first: Day; last: Day } {
  // Two days for zones and for a time of day; three for the 28th, 29th, 30th and 31st, which meet on a month's last day.
  const first = plusDays(dayOfNumber(Math.floor(fromAt.getTime() / dayMs)), -2);
  const last = plusDays(dayOfNumber(Math.floor(toAt.getTime() / dayMs)), 2);
  const back: OccasionRule = { ...rule, dir: rule.dir === 'after' ? 'before' : 'after' };
  const earliest: Day = { year: 1, month: 1, day: 1 };
  const latest: Day = { year: 9999, month: 12, day: 31 };
  const shiftedLast = shifted(last, back);
  return {
    first: shifted(first, back) ?? (back.dir === 'before' ? earliest : latest),
    last: shiftedLast ? plusDays(shiftedLast, 3) : back.dir === 'before' ? earliest : latest,
  };
}

/** For the event `annual`: the `MM-DD` of `daysToCheck`, with 02-29 where 02-28 replaces it. */
export function anniversariesToCheck(rule: OccasionRule, fromAt: Date, toAt: Date): string[] {
  const { first, last } = daysToCheck(rule, fromAt, toAt);
  const found = new Set<string>();
  // Eight years contain every day, including 29 February, also around 1900.
  const lastNumber = Math.min(dayNumber(last), dayNumber(first) + 8 * 366);
  for (let number = dayNumber(first); number <= lastNumber; number++) {
    const day = dayOfNumber(number);
    const name = formatDay(day).slice(5);
    found.add(name);
    if (name === '02-28' && !isLeapYear(day.year)) found.add('02-29');
  }
  return [...found].sort();
}

function notBefore(fromAt: Date, occasion: Occasion | null): Occasion | null {
  return occasion && occasion.dueAt >= fromAt ? occasion : null;
}

function signupOccasion(rule: OccasionRule, facts: OccasionFacts): Occasion | null {
  if (facts.signupAt === null || rule.dir === 'before') return null;
  // The next whole second, so that nothing is due before its time.
  const signup = wallOf(new Date(Math.ceil(facts.signupAt.getTime() / 1_000) * 1_000), facts.zone);
  const time = facts.sendHour === undefined ? signup : { hour: facts.sendHour, minute: 0, second: 0 };
  return occasionOn('signup', shifted(signup, rule), time, facts.zone);
}

function dayOccasion(rule: OccasionRule, facts: OccasionFacts, day: Day): Occasion | null {
  const time = { hour: facts.sendHour ?? defaultSendHour, minute: 0, second: 0 };
  return occasionOn(formatDay(day), shifted(day, rule), time, facts.zone);
}

function occasionOn(key: string, day: Day | null, time: Omit<Wall, keyof Day>, zone: string): Occasion | null {
  if (day === null) return null;
  const { hour, minute, second } = time;
  return { key, dueAt: instantOf({ ...day, hour, minute, second }, zone) };
}

function anniversary(day: Day, year: number): Day {
  return plusMonths(day, (year - day.year) * 12);
}

/** The day before or after by the rule's offset; null when that lies outside the years 1 to 9999. */
function shifted({ year, month, day }: Day, rule: OccasionRule): Day | null {
  const size = rule.dir === 'before' ? -rule.time : rule.time;
  // Also keeps the numbers small enough to be exact.
  if (Math.abs(yearsOf(rule)) > 10_000) return null;
  const monthsOrDays = { day: size, week: size * 7, month: size, year: size * 12 }[rule.units];
  const from: Day = { year, month, day };
  const to =
    rule.units === 'day' || rule.units === 'week' ? plusDays(from, monthsOrDays) : plusMonths(from, monthsOrDays);
  return isDay(to.year, to.month, to.day) ? to : null;
}

/** The rule's offset in years, roughly; negative before the event. */
function yearsOf(rule: OccasionRule): number {
  const years = rule.time / { day: 365.2425, week: 52.1775, month: 12, year: 1 }[rule.units];
  return rule.dir === 'before' ? -years : years;
}
