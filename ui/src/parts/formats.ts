// Numbers, shares, days and times in the language of the reader and the time zone of the account.
import { useMemo } from 'react';
import { useSession } from '../session/session.ts';
import { useLanguage } from '../text/use-text.tsx';
import { formats } from './figures.ts';

export { parseTime } from './figures.ts';

export type Formats = ReturnType<typeof formats>;

export function useFormats(): Formats {
  const { language } = useLanguage();
  const { account } = useSession();
  return useMemo(() => formats(regional(language), account.time_zone || undefined), [language, account.time_zone]);
}

/** The language as the browser's owner writes it: en-GB, de-AT. */
function regional(language: string): string {
  return navigator.languages.find((tag) => tag === language || tag.startsWith(`${language}-`)) ?? language;
}
