// How long a step waits: an amount and its unit.
import { Group } from '@mantine/core';
import { longestWait, spanUnits } from '../../../../../src/automations/steps/span.ts';
import { NumberField } from '../../../parts/form/number-field.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { StepOf } from '../types.ts';

type Span = Pick<StepOf<'wait'>, 'amount' | 'unit'>;

export function SpanFields({ label, draft, onChange }: { label: string; draft: Span; onChange(next: Span): void }) {
  const t = useText('automations');
  const { amount, unit } = draft;
  return (
    <Group align="flex-end" gap="sm">
      <NumberField
        label={label}
        min={1}
        max={longestWait}
        w={120}
        value={amount}
        onChange={(next) => onChange({ amount: Number(next) || 1, unit })}
      />
      <Select
        aria-label={t('unit')}
        data={spanUnits.map((name) => ({ value: name, label: t(`unit.${name}`) }))}
        allowDeselect={false}
        w={160}
        value={unit}
        onChange={(next) => onChange({ amount, unit: next ?? 'days' })}
      />
    </Group>
  );
}
