// Formats numbers, shares, days and times in the user's language and the account's time zone.
import { useMemo } from 'react';
import { useSession } from '../session/session.ts';
import { useLanguage } from '../text/use-text.tsx';
import { formats, withRegion } from './figures.ts';

export { parseTime } from './figures.ts';

export type Formats = ReturnType<typeof formats>;

export function useFormats(): Formats {
  const { language } = useLanguage();
  const { account } = useSession();
  return useMemo(() => formats(regional(language), account.time_zone || undefined), [language, account.time_zone]);
}

/** The language with the browser's region: en-GB, de-AT. */
export const regional = (language: string): string => withRegion(language, navigator.languages);
