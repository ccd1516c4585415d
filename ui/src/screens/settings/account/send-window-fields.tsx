// The send window of an account: on which weekdays and at which hours campaigns are sent.
import { Checkbox, Group, SimpleGrid } from '@mantine/core';
import { ClockField } from '../../../parts/form/clock-field.tsx';
import { FieldGroup } from '../../../parts/form/field-group.tsx';
import { useLanguage, useText } from '../../../text/use-text.tsx';
import { weekdays } from './send-window.ts';

type Inputs = { limited: boolean; inputOf(name: 'windowDays' | 'windowFrom' | 'windowUntil'): object };

export function SendWindowFields({ limited, inputOf }: Inputs) {
  const t = useText('settings');
  const { language } = useLanguage();
  const name = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
  return (
    <FieldGroup title={t('window')} about={t('windowHint')}>
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
    </FieldGroup>
  );
}
