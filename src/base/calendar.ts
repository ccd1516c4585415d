// Days of the Gregorian calendar as plain numbers: whether a day exists, and arithmetic with days and months.
// Guarantees exact results for the years 1 to 9999 without `Date`, which rolls 30 February over into March. Leaves
// clock times to campaigns/model/schedule-time.ts and time zones to zones.ts.

/** A day of the calendar, without a time or a zone: month 1–12, day 1–31. */
export interface Day {
  year: number;
  month: number;
  day: number;
}

export const dayMs = 86_400_000;

const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : monthLengths[month - 1]!;
}

/** True for a day that the calendar has, in the years 1 to 9999. */
export function isDay(year: number, month: number, day: number): boolean {
  return year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** Days since 1 January 1970; negative before. */
export function dayNumber({ year, month, day }: Day): number {
  // Years begin in March here, so that the leap day is the last day of a year; 400 years are 146,097 days.
  const y = month > 2 ? year : year - 1;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** The inverse of `dayNumber`. */
export function dayOfNumber(number: number): Day {
  const z = number + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const m = Math.floor((5 * dayOfYear + 2) / 153);
  const month = m < 10 ? m + 3 : m - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * m + 2) / 5) + 1,
  };
}

/** The day n months later (earlier when negative); a day that month does not have becomes its last one. */
export function plusMonths({ year, month, day }: Day, months: number): Day {
  const count = year * 12 + (month - 1) + months;
  const toYear = Math.floor(count / 12);
  const toMonth = count - toYear * 12 + 1;
  return { year: toYear, month: toMonth, day: Math.min(day, daysInMonth(toYear, toMonth)) };
}

export function plusDays(day: Day, days: number): Day {
  return dayOfNumber(dayNumber(day) + days);
}

/** `YYYY-MM-DD`. */
export function formatDay({ year, month, day }: Day): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/**
 * Reads the value of a date field: `YYYY-MM-DD`, `MM/DD/YYYY` or `DD.MM.YYYY`. Space around it is ignored and the two
 * latter may leave out leading zeros. Null when it is neither of these or not a day of the calendar.
 */
export function parseDay(text: string): Day | null {
  const trimmed = text.trim();
  const iso = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(trimmed);
  if (iso) return existing(iso[1]!, iso[2]!, iso[3]!);
  const slashed = /^([0-9]{1,2})\/([0-9]{1,2})\/([0-9]{4})$/.exec(trimmed);
  if (slashed) return existing(slashed[3]!, slashed[1]!, slashed[2]!);
  const dotted = /^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})$/.exec(trimmed);
  if (dotted) return existing(dotted[3]!, dotted[2]!, dotted[1]!);
  return null;
}

function existing(yearText: string, monthText: string, dayText: string): Day | null {
  const [year, month, day] = [Number(yearText), Number(monthText), Number(dayText)];
  return isDay(year, month, day) ? { year, month, day } : null;
}
