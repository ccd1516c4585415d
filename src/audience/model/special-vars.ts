// The special merge variables, which are not fields of a list: when and from which IP address a contact opted in, its
// language and its time zone. Pure: reads a text into its stored form, or returns what is wrong with it, for the
// methods and for imports.
import ipaddr from 'ipaddr.js';
import { dayNumber, isDay } from '../../base/calendar.ts';
import { type Message, message } from '../../base/messages.ts';
import { isZone } from '../../base/zones.ts';
import { languageAliases } from '../../locales/languages.ts';

export const specialVars = ['OPTINIP', 'OPTINTIME', 'LANGUAGE', 'TIMEZONE'] as const;
type SpecialVar = (typeof specialVars)[number];
/** OPTINTIME in ISO 8601, UTC. */
export type SpecialValues = Partial<Record<SpecialVar, string>>;

/** How far a caller's clock may be ahead. */
const clockSkewMs = 5 * 60_000;

/** A text in its stored form; '' is always allowed and changes nothing. */
export function readSpecialVar(
  member: SpecialVar,
  text: string,
  now: Date,
): { ok: true; value: string } | { ok: false; problem: Message } {
  if (text === '') return { ok: true, value: '' };
  const value = text.slice(0, 40);
  const refuse = (problem: Message) => ({ ok: false as const, problem });
  switch (member) {
    case 'TIMEZONE':
      return isZone(text) ? { ok: true, value: text } : refuse(message('value.not_a_time_zone', { value }));
    case 'OPTINIP':
      return isIp(text) ? { ok: true, value: text } : refuse(message('value.not_an_ip', { value }));
    case 'LANGUAGE': {
      const code = languageOf(text);
      return code === undefined ? refuse(message('value.not_a_language', { value })) : { ok: true, value: code };
    }
    case 'OPTINTIME': {
      const time = timeOf(text);
      if (time === undefined) return refuse(message('value.not_a_time', { value }));
      return isFuture(time, now) ? refuse(message('value.in_future', { value })) : { ok: true, value: time };
    }
  }
}

/** Whether a time is in the future, beyond what clocks may differ. */
export const isFuture = (time: string, now: Date) => Date.parse(time) > now.getTime() + clockSkewMs;

export const isIp = (text: string) => ipaddr.IPv6.isValid(text) || ipaddr.IPv4.isValidFourPartDecimal(text);

/** The canonical code of a language (BCP 47); undefined when the text is not one. */
export function languageOf(text: string): string | undefined {
  const code = text.replaceAll('_', '-').toLowerCase();
  if (!/^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/.test(code)) return undefined;
  try {
    return languageAliases[code] ?? Intl.getCanonicalLocales(code)[0];
  } catch {
    return undefined;
  }
}

/** A time as files write it, in ISO 8601; UTC when it has no zone, midnight when it has no time of day. */
export function timeOf(text: string): string | undefined {
  // Bounds the work of the pattern; no time is that long.
  if (text.length > 100) return undefined;
  const [, day, clock, zone] =
    /^(\S+?)(?:[T ]+(\d{1,2}:\d{2}(?::\d{2})?)(?:\.\d+)?)?\s*(Z|GMT|UTC|[+-]\d{2}:?\d{2})?$/.exec(text) ?? [];
  const date = day === undefined ? undefined : isoDate(day);
  if (date === undefined) return undefined;
  const time = /^\d:/.test(clock ?? '') ? `0${clock}` : (clock ?? '00:00');
  const full = time.length === 5 ? `${time}:00` : time;
  const offset = zone === undefined || /^[A-Z]/.test(zone) ? 'Z' : zone.replace(/^(...)(\d\d)$/, '$1:$2');
  const at = new Date(`${date}T${full}${offset}`);
  const maxTime = Date.UTC(2200, 0);
  return Number.isNaN(at.getTime()) || at.getTime() > maxTime || at.getTime() < 0 ? undefined : at.toISOString();
}

/** YYYY-MM-DD of a date written as 2026-05-31, 05/31/2026 or 31.05.2026; undefined when it is not a date. */
export function isoDate(value: string): string | undefined {
  // The usual form. Skipping the patterns halves what such a column costs an import.
  if (plainDay.test(value)) return value;
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

/** A day of the years 1900 to 2199 written YYYY-MM-DD; days 29 to 31 need the full check. */
const plainDay = /^(?:19|2[01])\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/;
