// The languages available for emails and public pages (src/locales), and time zones, for selects.
export const mailLanguages = [
  'en',
  'da',
  'de',
  'es',
  'et',
  'fi',
  'fr',
  'it',
  'ja',
  'lt',
  'lv',
  'nb',
  'pl',
  'pt',
  'ru',
  'sv',
  'zh',
] as const;

/** Options named in the user's language, sorted. */
export function languageChoices(reader: string): { value: string; label: string }[] {
  const names = new Intl.DisplayNames([reader], { type: 'language' });
  return mailLanguages
    .map((value) => ({ value, label: names.of(value) ?? value }))
    .sort((a, b) => a.label.localeCompare(b.label, reader));
}

/** The time zones the browser knows, plus the current one and UTC. */
export function zoneChoices(present: string): string[] {
  return [...new Set([...(present ? [present] : []), ...Intl.supportedValuesOf('timeZone'), 'UTC'])].sort();
}
