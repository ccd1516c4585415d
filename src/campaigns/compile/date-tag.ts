// The DATE tag: formats a time by format letters (d, m, Y, F …), with day and month names in the campaign's language and
// in the account's time zone. An unknown letter stays as it is; \x becomes x.

const letters = /\\(.)|[a-zA-Z]/gs;

/** The format of a DATE tag without a format: day, month name, year. */
export const defaultFormat = 'j F Y';

/** Formats `at` in `timeZone`, by the letters of PHP's date(): d j D l N w z m n M F y Y t L a A g G h H i s U P O T S c r. */
export function formatDate(at: Date, format: string, language: string, timeZone: string): string {
  const local = inZone(at, timeZone);
  return format.replace(letters, (letter: string, escaped: string | undefined) =>
    escaped !== undefined ? escaped : (written(letter, at, local, format, language, timeZone) ?? letter),
  );
}

/** Local time as the UTC fields of a Date, and its offset from UTC. */
type Local = { clock: Date; offsetMinutes: number };

function inZone(at: Date, timeZone: string): Local {
  const parts = new Map(
    formatter('en-u-nu-latn', timeZone)
      .formatToParts(at)
      .map((part) => [part.type, part.value]),
  );
  const number = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  const clock = new Date(
    Date.UTC(number('year'), number('month') - 1, number('day'), number('hour'), number('minute'), number('second')),
  );
  return { clock, offsetMinutes: Math.round((clock.getTime() - at.getTime()) / 60_000) };
}

function written(
  letter: string,
  at: Date,
  { clock, offsetMinutes }: Local,
  format: string,
  language: string,
  timeZone: string,
): string | undefined {
  const two = (number: number) => String(number).padStart(2, '0');
  const year = clock.getUTCFullYear();
  const hour = clock.getUTCHours();
  switch (letter) {
    case 'd':
      return two(clock.getUTCDate());
    case 'j':
      return String(clock.getUTCDate());
    case 'D':
      return named(clock, language, { weekday: 'short' }, 'weekday');
    case 'l':
      return named(clock, language, { weekday: 'long' }, 'weekday');
    case 'N':
      return String(clock.getUTCDay() || 7);
    case 'w':
      return String(clock.getUTCDay());
    case 'z':
      return String(Math.floor((clock.getTime() - Date.UTC(year, 0, 1)) / 86_400_000));
    case 'm':
      return two(clock.getUTCMonth() + 1);
    case 'n':
      return String(clock.getUTCMonth() + 1);
    case 'M':
      return monthName(clock, language, 'short', format);
    case 'F':
      return monthName(clock, language, 'long', format);
    case 'y':
      return two(year % 100);
    case 'Y':
      return String(year);
    case 't':
      return String(new Date(Date.UTC(year, clock.getUTCMonth() + 1, 0)).getUTCDate());
    case 'L':
      return new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1 ? '1' : '0';
    case 'S':
      return englishSuffix(clock.getUTCDate());
    case 'a':
      return hour < 12 ? 'am' : 'pm';
    case 'A':
      return hour < 12 ? 'AM' : 'PM';
    case 'g':
      return String(hour % 12 || 12);
    case 'h':
      return two(hour % 12 || 12);
    case 'G':
      return String(hour);
    case 'H':
      return two(hour);
    case 'i':
      return two(clock.getUTCMinutes());
    case 's':
      return two(clock.getUTCSeconds());
    case 'U':
      return String(Math.floor(at.getTime() / 1000));
    case 'O':
      return offset(offsetMinutes, '');
    case 'P':
      return offset(offsetMinutes, ':');
    case 'T':
    case 'e':
      return timeZone;
    case 'c':
      return `${clock.toISOString().slice(0, 19)}${offset(offsetMinutes, ':')}`;
    case 'r':
      return formatDate(at, 'D, d M Y H:i:s O', 'en', timeZone);
    default:
      return undefined;
  }
}

/** The name of a month, in the grammatical case used with a day if the format has one (Russian мая, not май). */
function monthName(clock: Date, language: string, length: 'short' | 'long', format: string): string {
  const withDay = /[dj]/.test(format.replace(/\\./gs, '')) && !/^(?:zh|ja|ko)\b/.test(language);
  return named(clock, language, withDay ? { day: 'numeric', month: length } : { month: length }, 'month');
}

function named(
  clock: Date,
  language: string,
  options: Intl.DateTimeFormatOptions,
  part: Intl.DateTimeFormatPartTypes,
): string {
  const parts = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).formatToParts(clock);
  // Japanese and Chinese split 3月 into two parts; with a month alone, the parts together are the name.
  if (options.day === undefined) return parts.map(({ value }) => value).join('');
  return parts.find(({ type }) => type === part)?.value ?? '';
}

function englishSuffix(day: number): string {
  if (day >= 11 && day <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th';
}

function offset(minutes: number, separator: string): string {
  const size = Math.abs(minutes);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}${separator}${two(size % 60)}`;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(locale: string, timeZone: string): Intl.DateTimeFormat {
  const key = `${locale} ${timeZone}`;
  let format = formatters.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(locale, {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formatters.set(key, format);
  }
  return format;
}
