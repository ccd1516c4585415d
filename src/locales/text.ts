// The texts recipients read, by language. A locale file holds all keys; a missing language falls back to English.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Texts = Record<string, string>;

const locales = new Map<string, Texts>(
  readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.json'))
    .map((file) => [file.slice(0, -5), JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as Texts]),
);

/** The languages there are texts in (BCP 47). */
export const languages: readonly string[] = [...locales.keys()].sort();

/** Country codes that the API and many files use for a language. */
export const languageAliases: Readonly<Record<string, string>> = {
  cn: 'zh',
  dk: 'da',
  ee: 'et',
  jp: 'ja',
  no: 'nb',
  se: 'sv',
};

/** The language to use for a wanted one: itself, its base language, or English. */
export function languageFor(...wanted: (string | undefined)[]): string {
  for (const language of wanted) {
    if (language && locales.has(language)) return language;
    const base = language?.split('-')[0];
    if (base && locales.has(base)) return base;
  }
  return 'en';
}

/** The text of a key with its {names} filled in. Values are not escaped here. */
export function text(language: string, key: string, values: Record<string, string | number> = {}): string {
  const found = locales.get(languageFor(language))?.[key];
  if (found === undefined) throw new Error(`There is no text "${key}"`);
  return found.replace(/\{(\w+)\}/g, (_all, name: string) => String(values[name] ?? ''));
}

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
