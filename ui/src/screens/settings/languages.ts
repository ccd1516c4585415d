// The languages that mails and public pages speak (src/locales), as people call them.
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

/** For a choice: each in the words of the reader, in their order. */
export function languageChoices(reader: string): { value: string; label: string }[] {
  const names = new Intl.DisplayNames([reader], { type: 'language' });
  return mailLanguages
    .map((value) => ({ value, label: names.of(value) ?? value }))
    .sort((a, b) => a.label.localeCompare(b.label, reader));
}

/** The zones the browser knows, with the one that is set, and UTC. */
export function zoneChoices(present: string): string[] {
  return [...new Set([...(present ? [present] : []), ...Intl.supportedValuesOf('timeZone'), 'UTC'])].sort();
}
