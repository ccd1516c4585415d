// The names of languages, in the language of the screen.
import { useLanguage } from './use-text.tsx';

/** @returns the name of a language by its tag */
export function useLanguageNames(): (tag: string) => string {
  const { language } = useLanguage();
  const names = new Intl.DisplayNames([language], { type: 'language' });
  return (tag) => names.of(tag) ?? tag;
}
