// When an autoresponder is due for a contact: so many days, weeks, months or years before or after an event.
// Promises the same wall time over daylight saving time, the last day of a month that is too short, and a key for each
// occasion, so that a contact gets the mail once an occasion however often and late this is asked.
// Leaves the rows, the contact's zone and what has been sent already to its callers.
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
  /** When the contact really joined the list; what the event `signup` counts from. */
  signupAt: Date | null;
  /** The value of the field that event-datemerge names; what `date` and `annual` count from. */
  day: Day | null;
  zone: string;
  /** Hour of the day by the contact's clocks. Default: the time of the signup, or `usualSendHour` for a date. */
  sendHour?: number;
}

export interface Occasion {
  /** `signup`, or the day that is counted from: `2027-02-28`. A contact gets one mail of an autoresponder a key. */
  key: string;
  dueAt: Date;
}

export const usualSendHour = 9;

/**
 * The first occasion due at or after `fromAt`, or null. `fromAt` is the begin of the autoresponder or, when it was
 * standing still, the oldest lateness that is still to be sent: what was due before is not made up for.
 * An anniversary of 29 February is 28 February in common years. The first anniversary is the day itself, so that a
 * date in the future is counted as well. Nothing is due before a signup.
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
 * The signups or days (first and last, inclusive) that can have an occasion in that time: every contact due is among
 * them, and a few others. So a query reads a stretch of an index, and `nextOccasion` decides.
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

/** For the event `annual`: the `MM-DD` of `daysToCheck`, with 02-29 wherever 02-28 stands for it. */
export function anniversariesToCheck(rule: OccasionRule, fromAt: Date, toAt: Date): string[] {
  const { first, last } = daysToCheck(rule, fromAt, toAt);
  const found = new Set<string>();
  // Eight years hold every day there is, 29 February included, also around a 1900.
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
  const time = { hour: facts.sendHour ?? usualSendHour, minute: 0, second: 0 };
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
