// Formats numbers, shares, days and times for a language and a time zone. Pure. Methods return times in GMT, as
// "2027-03-01 12:00:00", and "" for never.

/** Parses a time returned by a method; undefined for never. */
export function parseTime(text: string | undefined | null): Date | undefined {
  if (!text) return undefined;
  const iso = /[zZ]$|[+-]\d\d:?\d\d$/.test(text) ? text : `${text.replace(' ', 'T')}Z`;
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

export function formats(language: string, timeZone?: string) {
  const zone = knownZone(timeZone);
  const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
  const short = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 });
  const cents = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  // One decimal in a column of shares: 9.0% beside 10.7%. Nothing and all are exact.
  const rounded = new Intl.NumberFormat(language, {
    style: 'percent',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  const exactly = new Intl.NumberFormat(language, { style: 'percent' });
  const fine = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 });
  const amounts = new Map<string, Intl.NumberFormat>();
  const share = (value: number) => (value === 0 || value === 1 ? exactly : rounded).format(value);
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: zone });
  const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: zone });
  const exact = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'long', timeZone: zone });
  const monthOf = new Intl.DateTimeFormat(language, { month: 'short', year: 'numeric', timeZone: 'UTC' });
  const point = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const tenth = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  const weekday = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: zone });
  const numeric = { hour: 'numeric', minute: '2-digit', timeZone: zone } as const;
  const { hour12 } = new Intl.DateTimeFormat(language, numeric).resolvedOptions();
  const clock = new Intl.DateTimeFormat(language, hour12 ? numeric : { ...numeric, hour: '2-digit' });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const distance = (at: Date, now: Date) => {
    const seconds = (at.getTime() - now.getTime()) / 1_000;
    for (const [unit, length] of units) {
      if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
    }
    if (seconds >= 1) return relative.format(Math.round(seconds), 'second');
    return seconds > 0 ? relative.format(0, 'second') : (justNow[language.slice(0, 2)] ?? justNow['en']!);
  };
  return {
    number: (value: number) => whole.format(value),
    /** A sum of a currency, such as EUR; without one a number, whole or with two decimals. @param value a decimal */
    money: (value: string, currency: string) => {
      if (currency === '') return (value.includes('.') ? cents : whole).format(Number(value));
      if (!amounts.has(currency))
        amounts.set(currency, new Intl.NumberFormat(language, { style: 'currency', currency }));
      return amounts.get(currency)!.format(Number(value));
    },
    compact: (value: number) => short.format(value),
    /** "640 B", "4.2 kB", "1.4 MB" */
    bytes: (value: number) => {
      const [unit, of] = value < 1_000 ? ['B', 1] : value < 1_000_000 ? ['kB', 1_000] : ['MB', 1_000_000];
      return `${tenth.format(value / (of as number))}\u00a0${unit}`;
    },
    /** @param value 0 to 1; a share of nothing is shown as a dash */
    percent: (value: number) => (Number.isFinite(value) ? share(value) : '–'),
    /** The same for shares that are so small that tenths of a percent would hide them. */
    smallPercent: (value: number) => fine.format(value),
    /** In whole percent, as a change is shown. */
    wholePercent: (value: number) => exactly.format(value),
    /** The ratio of two numbers. */
    shareOf: (part: number, of: number) => (of > 0 ? share(part / of) : '–'),
    date: (at: Date) => day.format(at),
    /** A calendar month, given as "2027-03". */
    month: (month: string) => monthOf.format(new Date(`${month}-01T00:00:00Z`)),
    /** With one decimal, whatever it is: 6.0 */
    decimal: (value: number) => point.format(value),
    /** Percentage points, from a share (0 to 1), without a unit. */
    points: (share: number) => point.format(share * 100),
    /** The hour within a week, for the axis of a plot: "Sun 18:00". */
    hour: (at: Date) => `${weekday.format(at).replace(/\.$/, '')} ${clock.format(at)}`,
    dateTime: (at: Date) => moment.format(at),
    exact: (at: Date) => exact.format(at),
    /** The time of day. */
    time: (at: Date) => clock.format(at),
    /** A text of the program with its times in GMT, such as "2026-10-20 00:00:00 GMT", in the zone and language of the user. */
    localTimes: (text: string) =>
      text.replace(/(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) GMT/g, (whole, time: string) => {
        const at = parseTime(time);
        return at ? moment.format(at) : whole;
      }),
    distance: (at: Date, now = new Date()) => distance(at, now),
    /** Of something that is to happen: what is due is "now", and never "just now". */
    upcoming: (at: Date, now = new Date()) => distance(at <= now ? new Date(now.getTime() + 1) : at, now),
    /** Within a week as a distance ("3 hours ago"), otherwise as a day. */
    relative: (at: Date, now = new Date()) =>
      Math.abs(at.getTime() - now.getTime()) > 7 * 86_400_000 ? day.format(at) : distance(at, now),
  };
}

const justNow: Record<string, string> = {
  en: 'just now',
  de: 'gerade eben',
  es: 'ahora mismo',
  fr: 'à l’instant',
  it: 'proprio ora',
  nl: 'zojuist',
  pl: 'przed chwilą',
  pt: 'agora mesmo',
};

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** A zone the browser does not know would fail every time shown; use the browser's zone instead. */
function knownZone(timeZone: string | undefined): string | undefined {
  if (!timeZone) return undefined;
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return timeZone;
  } catch {
    return undefined;
  }
}

/** The first of the browser's languages that is the language with a region. Some are no tags of languages, such as en-US@posix. */
export function withRegion(language: string, preferred: readonly string[]): string {
  const isKnown = (tag: string) => {
    try {
      return Intl.getCanonicalLocales(tag).length === 1;
    } catch {
      return false;
    }
  };
  return preferred.find((tag) => (tag === language || tag.startsWith(`${language}-`)) && isKnown(tag)) ?? language;
}
