// Reads the dates of feeds: RFC 822 and RFC 3339, and what sites write instead, with names of months in their language and names of
// zones. A date that does not exist is none. A time without a zone, or with one that is not known, is GMT (RFC 2822 4.3).

/** Minutes east of GMT. Those that mean several zones are left out, except what RFC 822 5.1 says. */
const zones: Record<string, number> = {
  z: 0,
  ut: 0,
  utc: 0,
  gmt: 0,
  wet: 0,
  west: 60,
  bst: 60,
  cet: 60,
  met: 60,
  mez: 60,
  cest: 120,
  mest: 120,
  mesz: 120,
  eet: 120,
  eest: 180,
  msk: 180,
  sast: 120,
  pkt: 300,
  ict: 420,
  wib: 420,
  hkt: 480,
  sgt: 480,
  awst: 480,
  jst: 540,
  kst: 540,
  acst: 570,
  acdt: 630,
  aest: 600,
  aedt: 660,
  nzst: 720,
  nzdt: 780,
  brt: -180,
  art: -180,
  ast: -240,
  adt: -180,
  nst: -210,
  ndt: -150,
  edt: -240,
  est: -300,
  cdt: -300,
  cst: -360,
  mdt: -360,
  mst: -420,
  pdt: -420,
  pst: -480,
  akdt: -480,
  akst: -540,
  hst: -600,
};

/** Null for what is no date. */
export function readDate(text: string | undefined): Date | null {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '' || trimmed.length > 100) return null;
  const parts = readParts(trimmed);
  const at = parts === undefined ? readAny(trimmed) : parts;
  const year = at?.getUTCFullYear() ?? Number.NaN;
  return Number.isNaN(year) || year < 1990 || year > 2200 ? null : at!;
}

/** "2026-11-20T08:15:00+01:00", "Fri, 20 Nov 2026 08:15:00 CET", "ven. 20 novembre 2026 08:15", "Nov 20, 2026". */
function readParts(text: string): Date | null | undefined {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T\s]+(.*))?$/i.exec(text);
  if (iso) return dateOf(Number(iso[1]), Number(iso[2]), Number(iso[3]), iso[4] ?? '');
  const dayFirst =
    /^(?:[^\d]{1,20}\s)?\s*(\d{1,2})(?:\.|er|º)?[\s-]+(?:de\s+)?([\p{L}\p{M}]{3,12})\.?[\s,-]+(?:de\s+)?(\d{4}|\d{2})(?:\s*г\.)?(?:[\s,]+(.*))?$/u.exec(
      text,
    );
  if (dayFirst) return named(dayFirst[2]!, dayFirst[1]!, dayFirst[3]!, dayFirst[4]);
  const monthFirst =
    /^(?:[\p{L}\p{M}]{2,12}[.,]*\s+)?([\p{L}\p{M}]{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?:[\s,]+(.*))?$/u.exec(
      text,
    );
  return monthFirst ? named(monthFirst[1]!, monthFirst[2]!, monthFirst[3]!, monthFirst[4]) : undefined;
}

function named(month: string, day: string, year: string, rest: string | undefined): Date | null | undefined {
  const number = monthNames().get(nameForm(month));
  if (number === undefined) return undefined;
  // RFC 2822 4.3: two digits.
  const full = year.length === 2 ? Number(year) + (Number(year) < 50 ? 2000 : 1900) : Number(year);
  return dateOf(full, number, Number(day), rest ?? '');
}

/** @param rest time and zone @returns null for a day or a time that does not exist, undefined for a rest of another form */
function dateOf(year: number, month: number, day: number, rest: string): Date | null | undefined {
  const time =
    /^(?:(?:at|à|um|kl\.?)\s+)?(\d{1,2})[:.h](\d{2})(?:[:.](\d{2})(?:[.,](\d{1,9}))?)?\s*([ap]\.?m\.?)?\s*([+-]\d\d:?\d\d|[a-z]{1,5}(?:[+-]\d{1,2}(?::?\d\d)?)?)?(?:\s*\([^()]*\))?$/i.exec(
      rest,
    );
  if (rest !== '' && !time) return undefined;
  const [, hourText = '0', minute = '0', second = '0', fraction = '0', half = '', zone = ''] = time ?? [];
  let hour = Number(hourText);
  if (half !== '') hour = (hour % 12) + (/^p/i.test(half) ? 12 : 0);
  if (hour > 24 || Number(minute) > 59 || Number(second) > 60) return null;
  const at = new Date(Date.UTC(year, month - 1, day));
  if (at.getUTCFullYear() !== year || at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day) return null;
  const ms =
    (hour * 3_600 + Number(minute) * 60 + Number(second)) * 1_000 + Math.trunc(Number(`0.${fraction}`) * 1_000);
  return new Date(at.getTime() + ms - minutesOf(zone) * 60_000);
}

function minutesOf(zone: string): number {
  const offset = /([+-])(\d{1,2}):?(\d\d)?$/.exec(zone);
  if (!offset) return zones[zone.toLowerCase()] ?? 0;
  return (offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3] ?? 0));
}

/** As programs read what has none of the usual forms. */
function readAny(text: string): Date | null {
  const hasZone = /(?:[+-]\d\d:?\d\d|\b(?:GMT|UTC|Z|[ECMP][SD]T))$/i.test(text);
  return /^-?[\d\s]+$/.test(text) ? null : new Date(hasZone ? text : `${text} GMT`);
}

const languages = 'en de fr es it pt nl da sv nb fi et lv lt pl cs sk hu ro hr sl bg ru uk el tr ca eu gl id ga'.split(
  ' ',
);
let names: Map<string, number> | undefined;

/** Names of months in these languages, long and short; a name that means two months is none. */
function monthNames(): Map<string, number> {
  if (names) return names;
  const all = new Map<string, number>();
  for (const language of languages)
    for (const form of ['long', 'short'] as const)
      for (const day of [{}, { day: 'numeric' }] as const)
        for (let month = 1; month <= 12; month++) {
          const format = new Intl.DateTimeFormat(language, { month: form, ...day, timeZone: 'UTC' });
          const part = format.formatToParts(Date.UTC(2026, month - 1, 1)).find(({ type }) => type === 'month');
          const name = nameForm(part?.value ?? '');
          if (!/^\p{L}{3,}$/u.test(name)) continue;
          all.set(name, all.has(name) && all.get(name) !== month ? 0 : month);
        }
  // English goes before other languages, as RFC 822 has it.
  for (let month = 1; month <= 12; month++)
    for (const form of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat('en', { month: form, timeZone: 'UTC' });
      all.set(nameForm(format.format(Date.UTC(2026, month - 1, 1))), month);
    }
  all.set('sept', 9).set('mrz', 3);
  names = new Map([...all].filter(([, month]) => month > 0));
  return names;
}

const nameForm = (name: string) =>
  name
    .normalize('NFD')
    .replace(/[\p{M}.]/gu, '')
    .toLowerCase();
