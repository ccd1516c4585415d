// A schedule in words: "Every Monday and Thursday at 09:00".
import type { Translate } from '../../text/use-text.tsx';
import type { Schedule } from './types.ts';

export function scheduleInWords(
  t: Translate<'recurring'>,
  { type, time, weekdays, day, cron }: Schedule,
  language: string,
): string {
  switch (type) {
    case 'daily':
      return t('words.daily', { time });
    case 'weekly': {
      const names = weekdays.map((weekday) => weekdayName(weekday, language));
      return names.length === 0
        ? t('words.noDay')
        : t('words.weekly', { days: new Intl.ListFormat(language, { type: 'conjunction' }).format(names), time });
    }
    case 'monthly':
      return day === 31 ? t('words.lastDay', { time }) : t('words.monthly', { day, time });
    default:
      return t('words.cron', { cron });
  }
}

/** @param weekday from Monday, 1, to Sunday, 7 */
export function weekdayName(weekday: number, language: string, length: 'long' | 'short' = 'long'): string {
  // 1 January 2024 was a Monday.
  return new Intl.DateTimeFormat(language, { weekday: length, timeZone: 'UTC' }).format(Date.UTC(2024, 0, weekday));
}
