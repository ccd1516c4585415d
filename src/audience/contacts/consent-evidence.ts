// What is known besides a contact's fields: when and from where it agreed, its language, its time zone. Pure: says of a text
// what it stands for or why it stands for nothing, for the methods and for imports.
import ipaddr from 'ipaddr.js';
import { dayNumber, isDay } from '../../base/calendar.ts';
import { isZone } from '../../base/zones.ts';

/** Members of merge_vars that are no fields. */
export const evidenceMembers = ['OPTINIP', 'OPTINTIME', 'LANGUAGE', 'TIMEZONE'] as const;
type EvidenceMember = (typeof evidenceMembers)[number];
/** OPTINTIME in ISO 8601, UTC. */
export type Evidence = Partial<Record<EvidenceMember, string>>;

/** How far ahead the clock of a caller may be. */
const clockSkewMs = 5 * 60_000;

/** A text in the form it is stored in; '' says nothing and is always allowed. */
export function readEvidence(
  member: EvidenceMember,
  text: string,
  now: Date,
): { ok: true; value: string } | { ok: false; reason: string } {
  if (text === '') return { ok: true, value: '' };
  const wrong = (reason: string) => ({ ok: false as const, reason: `"${text.slice(0, 40)}" ${reason}` });
  switch (member) {
    case 'TIMEZONE':
      return isZone(text) ? { ok: true, value: text } : wrong('is no time zone such as Europe/Berlin');
    case 'OPTINIP':
      return isIp(text) ? { ok: true, value: text } : wrong('is no IP address');
    case 'LANGUAGE': {
      const value = languageOf(text);
      return value === undefined ? wrong('is no language code such as en or pt-BR') : { ok: true, value };
    }
    case 'OPTINTIME': {
      const value = momentOf(text);
      if (value === undefined) return wrong('is no date and time such as 2026-05-31 12:00:00');
      return isAhead(value, now) ? wrong('is in the future') : { ok: true, value };
    }
  }
}

/** Whether a moment lies further ahead than clocks differ. */
export const isAhead = (moment: string, now: Date) => Date.parse(moment) > now.getTime() + clockSkewMs;

export const isIp = (text: string) => ipaddr.IPv6.isValid(text) || ipaddr.IPv4.isValidFourPartDecimal(text);

const olderLanguages: Record<string, string> = { cn: 'zh', dk: 'da', ee: 'et', jp: 'ja', no: 'nb', se: 'sv' };

export function languageOf(text: string): string | undefined {
  const code = text.replaceAll('_', '-').toLowerCase();
  if (!/^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/.test(code)) return undefined;
  try {
    return olderLanguages[code] ?? Intl.getCanonicalLocales(code)[0];
  } catch {
    return undefined;
  }
}

/** A moment as files have it; without a zone it is UTC, without a time midnight. */
export function momentOf(text: string): string | undefined {
  const [, day, clock, zone] =
    /^(\S+?)(?:[T ]+(\d{1,2}:\d{2}(?::\d{2})?)(?:\.\d+)?)?\s*(Z|GMT|UTC|[+-]\d{2}:?\d{2})?$/.exec(text) ?? [];
  const date = day === undefined ? undefined : isoDate(day);
  if (date === undefined) return undefined;
  const time = /^\d:/.test(clock ?? '') ? `0${clock}` : (clock ?? '00:00');
  const full = time.length === 5 ? `${time}:00` : time;
  const offset = zone === undefined || /^[A-Z]/.test(zone) ? 'Z' : zone.replace(/^(...)(\d\d)$/, '$1:$2');
  const at = new Date(`${date}T${full}${offset}`);
  const most = Date.UTC(2200, 0);
  return Number.isNaN(at.getTime()) || at.getTime() > most || at.getTime() < 0 ? undefined : at.toISOString();
}

/** YYYY-MM-DD of a date as people write it: 2026-05-31, 05/31/2026, 31.05.2026; undefined when it is none. */
export function isoDate(value: string): string | undefined {
  // As most files have them: read without the patterns, which is half of what such a column costs an import.
  if (value.length === 10 && plainDay(value)) return value;
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T].*)?$/.exec(value);
  const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(value);
  const european = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(value);
  const [year, month, day] = iso
    ? [iso[1], iso[2], iso[3]].map(Number)
    : american
      ? [american[3], american[1], american[2]].map(Number)
      : european
        ? [european[3], european[2], european[1]].map(Number)
        : [];
  if (year === undefined || !isDay(year, month!, day!) || Number.isNaN(dayNumber({ year, month: month!, day: day! })))
    return undefined;
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

const digitPlaces = [0, 1, 2, 3, 5, 6, 8, 9];

/** Whether it is a day of the years 1900 to 2199 written YYYY-MM-DD, the 29th to 31st left to others. */
function plainDay(value: string): boolean {
  const digit = (at: number) => value.charCodeAt(at) - 48;
  for (const at of digitPlaces) if (!(digit(at) >= 0 && digit(at) <= 9)) return false;
  if (value[4] !== '-' || value[7] !== '-') return false;
  const century = digit(0) * 10 + digit(1);
  const month = digit(5) * 10 + digit(6);
  const day = digit(8) * 10 + digit(9);
  return century >= 19 && century <= 21 && month >= 1 && month <= 12 && day >= 1 && day <= 28;
}
