// THE list of languages of the web application, each by its own name, with texts in locales/<language> and those of the first screen
// in locales/<language>-first.ts.
export const languages = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  it: 'Italiano',
  pl: 'Polski',
  pt: 'Português',
  nl: 'Nederlands',
} as const;
export type Language = keyof typeof languages;

/** Languages that lack no text, as a test shows. In others, the English text is shown where their own is missing. */
export const completeLanguages: readonly Language[] = ['en', 'de'];
