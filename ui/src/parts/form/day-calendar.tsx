// The field for a day with its calendar (day-field.tsx), loaded when it gets the focus.
import '@mantine/dates/styles.layer.css';
import './calendar-words.ts';
import { DateInput, DatesProvider } from '@mantine/dates';
import { IconCalendar } from '@tabler/icons-react';
import { useLanguage, useText } from '../../text/use-text.tsx';
import { regional } from '../formats.ts';
import type { DayProps } from './day-field.tsx';
import { readDay, showDay } from './written-day.ts';

export default function DayCalendar({ value = '', onChange, min, max, ...field }: DayProps) {
  const t = useText('parts');
  const { language } = useLanguage();
  const locale = regional(language);
  return (
    <DatesProvider settings={{ locale: language, firstDayOfWeek: locale === 'en-US' ? 0 : 1, weekendDays: [] }}>
      <DateInput
        {...field}
        // The focus that made it be loaded.
        autoFocus
        autoComplete="off"
        leftSection={<IconCalendar size={16} aria-hidden />}
        value={readDay(value, locale)}
        onChange={(day) => onChange(day?.slice(0, 10) ?? '')}
        valueFormat={(day) => showDay(day.slice(0, 10), locale)}
        dateParser={(typed) => readDay(typed, locale)}
        {...(min && { minDate: min })}
        {...(max && { maxDate: max })}
        clearable
        clearButtonProps={{ 'aria-label': t('clearDay') }}
        hideOutsideDates
        highlightToday
        // Within the dialog or the landmark of the field.
        popoverProps={{ withinPortal: false, position: 'bottom-start' }}
        ariaLabels={{ previousMonth: t('previousMonth'), nextMonth: t('nextMonth') }}
      />
    </DatesProvider>
  );
}
