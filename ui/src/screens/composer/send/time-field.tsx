// When a campaign is sent: proposals to choose with one click, and a day and a time of day as the reader writes them, in the time zone
// of the account.
import '@mantine/dates/styles.layer.css';
import '../../../parts/form/calendar-words.ts';
import { Button, Group, Stack, Text } from '@mantine/core';
import { DateInput, DatesProvider, TimePicker } from '@mantine/dates';
import { IconCalendar, IconClock } from '@tabler/icons-react';
import { readDay, showDay } from '../../../parts/form/written-day.ts';
import { regional, useFormats } from '../../../parts/formats.ts';
import { useLanguage, useText } from '../../../text/use-text.tsx';
import { sendDay } from './late-time-field.tsx';
import { countsToTwelve, proposals } from './wall-time.ts';
import { fieldTime, momentOf } from './zone-time.ts';

export type TimeProps = {
  /** As in a datetime-local field; a part that is missing is empty: "2098-07-01T". */
  time: string;
  onTime(time: string): void;
  zone: string;
  fault: string | undefined;
  disabled: boolean;
};

export default function TimeField({ time, onTime, zone, fault, disabled }: TimeProps) {
  const t = useText('composer');
  const formats = useFormats();
  const { language } = useLanguage();
  const locale = regional(language);
  const [day = '', clock = ''] = time.split('T');
  const at = momentOf(time, zone);
  return (
    <DatesProvider settings={{ locale: language, firstDayOfWeek: locale === 'en-US' ? 0 : 1, weekendDays: [] }}>
      <Stack gap="xs">
        <Group gap={4} role="group" aria-label={t('proposals')}>
          {proposals(new Date(), zone).map((proposal) => (
            <Button
              key={proposal.name}
              size="xs"
              // All in one row of the panel.
              px={4}
              variant={proposal.time === time ? 'light' : 'default'}
              aria-pressed={proposal.time === time}
              disabled={disabled}
              onClick={() => onTime(proposal.time)}
            >
              {t(`proposal.${proposal.name}`, { time: formats.time(momentOf(proposal.time, zone)!) })}
            </Button>
          ))}
        </Group>
        <Group gap="xs" align="flex-start" wrap="nowrap">
          <DateInput
            flex={1}
            miw={0}
            label={t('sendDay')}
            id={sendDay}
            leftSection={<IconCalendar size={16} aria-hidden />}
            value={day || null}
            onChange={(next) => onTime(`${next ?? ''}T${clock}`)}
            valueFormat={(value) => showDay(value.slice(0, 10), locale)}
            dateParser={(typed) => readDay(typed, locale)}
            placeholder={t('chooseDay')}
            error={fault}
            // It may be loaded only after the button was pressed.
            autoFocus={fault !== undefined}
            disabled={disabled}
            hideOutsideDates
            highlightToday
            // Not chosen by a click; what is typed is checked when it is scheduled, and says why.
            excludeDate={(one) => one.slice(0, 10) < fieldTime(new Date(), zone).slice(0, 10)}
            // Within the landmark of the page.
            // With a fault below the field, the calendar opens above it.
            popoverProps={{
              portalProps: { target: '[data-full-page]' },
              position: fault === undefined ? 'bottom-start' : 'top-start',
            }}
            ariaLabels={{ previousMonth: t('previousMonth'), nextMonth: t('nextMonth') }}
          />
          <TimePicker
            label={t('sendClock')}
            leftSection={<IconClock size={16} aria-hidden />}
            value={clock}
            onChange={(next) => onTime(`${day}T${next.slice(0, 5)}`)}
            format={countsToTwelve(locale) ? '12h' : '24h'}
            hoursInputLabel={t('hours')}
            minutesInputLabel={t('minutes')}
            amPmInputLabel={t('amPm')}
            error={fault !== undefined}
            disabled={disabled}
          />
        </Group>
        <Text size="sm" c="dimmed" role="status">
          {[t('timeZone', { zone }), at && at.getTime() > Date.now() && formats.distance(at)]
            .filter(Boolean)
            .join(' · ')}
        </Text>
      </Stack>
    </DatesProvider>
  );
}
