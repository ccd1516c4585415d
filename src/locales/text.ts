// The texts recipients read, by language. A locale file holds all keys; a missing language falls back to English.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRightToLeft, languageAliases } from './languages.ts';
import { type Forms, formOf } from './plural/forms.ts';

type Texts = Record<string, Forms>;

const locales = new Map<string, Texts>(
  readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.json'))
    .map((file) => [file.slice(0, -5), JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as Texts]),
);

/** A language whose readers understand one that there are texts in better than English. */
const nearLanguages: Readonly<Record<string, string>> = {
  ...{ nn: 'nb', no: 'nb', fo: 'da', kl: 'da' },
  ...{ gsw: 'de', nds: 'de', bar: 'de', lb: 'de', rm: 'de' },
  ...{ ca: 'es', gl: 'es', eu: 'es', ast: 'es', an: 'es', mwl: 'pt' },
  ...{ oc: 'fr', br: 'fr', wa: 'fr', co: 'fr', fur: 'it', sc: 'it', scn: 'it', vec: 'it', lld: 'it' },
  ...{ vro: 'et', ltg: 'lv', sgs: 'lt', csb: 'pl', szl: 'pl', yue: 'zh', wuu: 'zh', nan: 'zh', hak: 'zh' },
  ...{ sk: 'cs', rue: 'uk', af: 'nl', fy: 'nl', li: 'nl', gag: 'tr', crh: 'tr' },
  ...{ arz: 'ar', ary: 'ar', arq: 'ar', aeb: 'ar', apc: 'ar', ajp: 'ar', acm: 'ar', afb: 'ar', ars: 'ar' },
};

/** The language to use for a wanted one: itself, its base language, a near one, or English. A code may be written in any way. */
export function languageFor(...wanted: (string | undefined)[]): string {
  for (const code of wanted) {
    if (!code) continue;
    if (locales.has(code)) return code;
    const base = baseOf(code);
    const found = [base, languageAliases[base], nearLanguages[base]].find((one) => one && locales.has(one));
    if (found) return found;
  }
  return 'en';
}

/** The language of a code without script and region, in two letters where there are such: de for de_AT and deu. */
function baseOf(code: string): string {
  const plain = code.trim().toLowerCase().split(/[-_]/)[0]!;
  try {
    return Intl.getCanonicalLocales(plain)[0]?.split('-')[0] ?? plain;
  } catch {
    return plain;
  }
}

/**
 * The text of a key with its {names} filled in, in the plural form of the number among the values. Values are not escaped here. In a
 * language written from right to left each is isolated, as it may be written the other way; `html` makes <bdi> of that.
 */
export function text(language: string, key: string, values: Record<string, string | number> = {}): string {
  const known = languageFor(language);
  const found = locales.get(known)?.[key];
  if (found === undefined) throw new Error(`There is no text "${key}"`);
  const isolates = isRightToLeft(known);
  return formOf(found, known, values).replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = String(values[name] ?? '');
    // An address on a line of its own stays as it is: email programs make a link of it.
    return isolates && value !== '' && name !== 'url' && name !== 'link' ? isolated(value) : value;
  });
}

/** U+2068 and U+2069 around text whose direction is its own. */
const isolated = (value: string) => `\u2068${value}\u2069`;

/** @example Letters, Offers and Events */
export const listed = (items: readonly string[], language: string): string =>
  new Intl.ListFormat(language, { type: 'conjunction' }).format(items);

/** A time as people write it in a language, on the clocks of a zone. @example 29. November 2026 um 07:15 MEZ */
export const timeInZone = (at: Date, language: string, timeZone: string): string =>
  new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  }).format(at);
