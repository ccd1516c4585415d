// A whole number in the form of a step or trigger: an hour, a minute, an amount.
import { NumberInput } from '@mantine/core';

type Props = { label: string; value: number; max: number; onChange(value: number): void };

export function NumberField({ label, value, max, onChange }: Props) {
  return (
    <NumberInput
      label={label}
      min={0}
      max={max}
      allowDecimal={false}
      w={100}
      value={value}
      onChange={(given) => onChange(Number(given) || 0)}
    />
  );
}
