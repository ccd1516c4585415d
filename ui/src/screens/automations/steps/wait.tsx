// Waits for a time.
import { Group, NumberInput, Select } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { useText } from '../../../text/use-text.tsx';
import type { StepOf } from '../types.ts';
import type { FieldsProps, StepKind } from './kind.ts';

export const wait: StepKind<'wait'> = {
  icon: IconClock,
  blank: { amount: 1, unit: 'days' },
  words: (t, { amount, unit }) => t('says.wait', { span: t(`span.${unit}`, { count: amount }) }),
  Fields,
};

const units = ['minutes', 'hours', 'days', 'weeks'] as const;

function Fields({ draft, onChange }: FieldsProps<StepOf<'wait'>>) {
  const t = useText('automations');
  return (
    <Group align="flex-end" gap="sm">
      <NumberInput
        label={t('waitFor')}
        min={1}
        max={1_000}
        allowDecimal={false}
        clampBehavior="blur"
        w={120}
        value={draft.amount}
        onChange={(amount) => onChange({ ...draft, amount: Number(amount) || 1 })}
      />
      <Select
        aria-label={t('unit')}
        data={units.map((unit) => ({ value: unit, label: t(`unit.${unit}`) }))}
        allowDeselect={false}
        w={160}
        value={draft.unit}
        onChange={(unit) => onChange({ ...draft, unit: unit ?? 'days' })}
      />
    </Group>
  );
}
