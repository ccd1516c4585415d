// Waits until a time of day, on chosen days of the week.
import { Chip, Group, Stack, Text } from '@mantine/core';
import { IconCalendarTime } from '@tabler/icons-react';
import { useText } from '../../../text/use-text.tsx';
import { NumberField } from '../edit/number-field.tsx';
import type { StepOf } from '../types.ts';
import { clock, type FieldsProps, type StepKind } from './kind.ts';

export const waitUntil: StepKind<'wait_until'> = {
  icon: IconCalendarTime,
  blank: { weekdays: [], hour: 9, minute: 0 },
  words(t, { weekdays, hour, minute }) {
    const days = weekdays.length === 0 ? t('anyDay') : weekdays.map((day) => t.of('day', String(day))).join(', ');
    return t('says.waitUntil', { days, time: clock(hour, minute) });
  },
  Fields,
};

function Fields({ draft, onChange }: FieldsProps<StepOf<'wait_until'>>) {
  const t = useText('automations');
  return (
    <>
      <Stack gap={0} role="group" aria-label={t('weekdays')}>
        <Text size="sm" fw={500} mb={4}>
          {t('weekdays')}
        </Text>
        <Chip.Group
          multiple
          value={draft.weekdays.map(String)}
          onChange={(days) => onChange({ ...draft, weekdays: days.map(Number).sort() })}
        >
          <Group gap={6}>
            {[1, 2, 3, 4, 5, 6, 7].map((day) => (
              <Chip key={day} value={String(day)} size="xs">
                {t.of('day', String(day))}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
        <Text size="xs" c="dimmed" mt={4}>
          {t('weekdaysAbout')}
        </Text>
      </Stack>
      <Group gap="sm">
        <NumberField label={t('hour')} value={draft.hour} max={23} onChange={(hour) => onChange({ ...draft, hour })} />
        <NumberField
          label={t('minute')}
          value={draft.minute}
          max={59}
          onChange={(minute) => onChange({ ...draft, minute })}
        />
      </Group>
    </>
  );
}
