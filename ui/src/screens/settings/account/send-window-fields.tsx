// The send window of an account: on which weekdays and at which hours campaigns are sent.
import { Checkbox, Group, SimpleGrid, Text } from '@mantine/core';
import { ClockField } from '../../../parts/form/clock-field.tsx';
import { useLanguage, useText } from '../../../text/use-text.tsx';
import { weekdays } from './send-window.ts';

type Inputs = { limited: boolean; inputOf(name: 'windowDays' | 'windowFrom' | 'windowUntil'): object };

export function SendWindowFields({ limited, inputOf }: Inputs) {
  const t = useText('settings');
  const { language } = useLanguage();
  const name = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
  return (
    <fieldset style={{ border: 0, margin: 0, padding: 0, minInlineSize: 0 }}>
      <Text component="legend" fw={500} p={0}>
        {t('window')}
      </Text>
      <Text c="dimmed" size="xs" mb="sm">
        {t('windowHint')}
      </Text>
      <Checkbox.Group aria-label={t('windowDays')} mb="sm" {...inputOf('windowDays')}>
        <Group gap="md">
          {weekdays.map((day) => (
            // 1 January 2024 was a Monday.
            <Checkbox key={day} value={day} label={name.format(Date.UTC(2024, 0, Number(day)))} />
          ))}
        </Group>
      </Checkbox.Group>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <ClockField label={t('windowFrom')} disabled={!limited} {...inputOf('windowFrom')} />
        <ClockField label={t('windowUntil')} disabled={!limited} {...inputOf('windowUntil')} />
      </SimpleGrid>
    </fieldset>
  );
}
